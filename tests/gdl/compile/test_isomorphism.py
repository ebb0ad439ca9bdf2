"""Isomorphic sheets are found under any names, and other sheets are not accepted."""

from __future__ import annotations

import re
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from quick import examples, few
from random_sheets import random_sheet
from scrambling import scrambled

from gdl import RuleSheet, parse_sheet
from gdl.compile.isomorphism import CanonicalForm
from kif_games import catalogue, rules

GAME = """
(role white) (role black) (init (cell 1 a)) (init (cell 2 b)) (init (control white)) (next-to a b) (next-to b c)
(<= (legal ?r (go ?x)) (true (control ?r)) (true (cell ?n ?x)) (not (shut ?x)))
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(<= (next (cell ?n ?y)) (does ?r (go ?x)) (next-to ?x ?y) (true (cell ?n ?x)))
(<= (next (control ?r)) (role ?r) (distinct ?r white) (or (true (control white)) (and (shut ?r) (shut a))))
(<= (shut ?x) (true (cell 1 ?x)) (true (cell 2 ?x)))
(<= terminal (true (cell 1 c)))
(<= (goal white 100) terminal) (<= (goal black 0) terminal)
"""


def form(text: str) -> CanonicalForm:
    return CanonicalForm(parse_sheet(text))


def words_of_rules(sheet: RuleSheet, names: dict[str, str]) -> list[list[str]]:
    """Return the words of each rule under other names, sorted, without the names of variables."""

    def renamed(word: str) -> str:
        return "?" if word.startswith("?") else names.get(word, word)

    return sorted(sorted(map(renamed, re.findall(r"[()]|[^\s()]+", str(rule)))) for rule in sheet.rules)


def check_copy(sheet: RuleSheet, random: Random, *, numerals: bool = True) -> None:
    copy = parse_sheet(scrambled(sheet, random, numerals=numerals))
    names = CanonicalForm(sheet).renaming(CanonicalForm(copy))
    assert names is not None
    assert len(set(names.values())) == len(names)
    assert tuple(names.get(role, role) for role in sheet.roles()) == copy.roles()
    assert words_of_rules(sheet, names) == words_of_rules(copy, {})


@pytest.mark.parametrize("name", few(sorted(catalogue()), 8))
def test_scrambled_catalogue_games_are_found(name: str) -> None:
    sheet = parse_sheet(rules(name))
    computed = re.search(r"\(goal \S+ \?", str(sheet)) is not None
    for seed in range(3):
        check_copy(sheet, Random(seed), numerals=not computed)


@examples(60, deadline=None, derandomize=True)
@given(st.integers(0, 2**32))
def test_scrambled_random_sheets_are_found(seed: int) -> None:
    random = Random(seed)
    check_copy(parse_sheet(random_sheet(random)), random, numerals=False)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(role white) (role black)", "(role black) (role white)"),
        ("(init (cell 2 b))", "(init (cell 2 a))"),
        ("(init (cell 2 b))", "(init (cell b 2))"),
        ("(init (cell 2 b))", ""),
        ("(next-to b c)", "(next-to c b)"),
        ("(not (shut ?x))", "(shut ?x)"),
        ("(not (shut ?x))", "(not (shut ?n))"),
        ("(next-to ?x ?y)", "(next-to ?y ?x)"),
        ("(or (true", "(and (true"),
        ("(distinct ?r white)", "(distinct ?r black)"),
        ("(goal white 100)", "(goal white 99)"),
        ("(<= terminal (true (cell 1 c)))", "(<= terminal (true (cell 2 c)))"),
        ("(cell 1 ?x)) (true (cell 2 ?x)", "(cell 1 ?x)) (true (cell 2 ?y)"),
        ("go", "cell"),  # two symbols become one
    ],
)
def test_every_change_is_noticed(old: str, new: str) -> None:
    assert old in GAME
    changed = GAME.replace(old, new)
    assert form(GAME).renaming(form(changed)) is None
    assert form(changed).renaming(form(changed.replace("shut", "zu"))) is not None


def test_sheets_that_look_alike_everywhere_are_distinguished() -> None:
    def ring(length: int, name: str) -> str:
        return "".join(f"(after {name}{n} {name}{(n + 1) % length})" for n in range(length))

    one, two = form("(role r)" + ring(12, "a")), form("(role r)" + ring(6, "a") + ring(6, "b"))
    assert one.outline == two.outline
    assert one.renaming(two) is None
    assert two.renaming(form(ring(6, "x") + ring(6, "y") + "(role z)")) is not None


def test_numerals_are_names_unless_they_are_goals() -> None:
    facts = "(role r) (init (at 5)) (legal r 5)"
    assert form(facts).renaming(form(facts.replace("5", "five"))) == {"r": "r", "at": "at", "5": "five"}
    goals = facts + "(goal r 5)"
    assert form(goals).renaming(form(goals.replace("5", "6"))) is None
    computed = facts + "(<= (goal r ?n) (true (at ?n)))"
    assert form(computed).renaming(form(computed.replace("5", "6"))) is None
    assert form(computed).renaming(form(computed.replace("at", "bei"))) is not None

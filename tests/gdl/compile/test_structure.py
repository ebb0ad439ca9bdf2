"""The structure of sheets: equal for scrambled copies, different for other games."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import CORPUS
from quick import examples, few
from random_sheets import random_sheet
from scrambling import scrambled

from gdl import RuleSheet, parse_sheet
from gdl.compile.structure import structure_of
from gdl.language.parse import read_text
from kif_games import catalogue, rules

RULES = CORPUS / "rules"
needs_corpus = pytest.mark.skipif(not RULES.is_dir(), reason=f"the corpus of rule sheets is not at {RULES}")

WORD = re.compile(r"[^\s()]+")

GAME = """
(role white) (role black) (light white) (light red) (init (cell 1 a red)) (init (cell 1 b red)) (init (control white))
(next-to a b) (next-to b c)
(<= (legal ?r (go ?x)) (true (control ?r)) (true (cell ?n ?x red)) (not (light ?r)))
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(<= (next (cell ?n ?y red)) (does ?r (go ?x)) (next-to ?x ?y) (true (cell ?n ?x red)))
(<= (next (control ?r)) (role ?r) (distinct ?r white) (or (true (control white)) (true (control c))))
(<= terminal (true (cell 1 c red)))
(<= (goal white 100) terminal) (<= (goal black 0) terminal)
"""


def in_any_form(sheet: RuleSheet, random: Random) -> str:
    """Write a copy with other names, in another order, with repeated rules, comments, and words in any case."""
    lines = scrambled(sheet, random, numerals=False, bodies=False).split("\n")
    rest = [line for line in lines if not line.startswith("(role ")]
    text = " ; (role none\n".join([*lines, *random.sample(rest, min(3, len(rest)))])
    return WORD.sub(lambda word: random.choice([word[0], word[0].upper(), word[0].lower()]), text)


def numbered_variables(text: str) -> str:
    """Name the variables of a rule by the order of their occurrence."""
    own: dict[str, str] = {}
    return re.sub(r"\?[^\s()]+", lambda match: own.setdefault(match[0], f"?v{len(own)}"), text)


def check_structure(sheet: RuleSheet, random: Random) -> None:
    """Check that a scrambled copy has the same structure, and that both canonical sheets are correct."""
    structure = structure_of(sheet)
    copy = parse_sheet(in_any_form(sheet, random))
    other = structure_of(copy)
    assert other.key == structure.key
    assert str(other.sheet) == str(structure.sheet)
    for given_sheet, found in (sheet, structure), (copy, other):
        assert len(set(found.symbols)) == len(found.symbols)
        renamed = found.respell(map(str, found.sheet.rules))
        assert len(set(renamed)) == len(renamed)
        assert set(renamed) == {numbered_variables(str(rule)) for rule in given_sheet.rules}
        assert found.respell(found.sheet.roles()) == list(given_sheet.roles())


# ---- scrambled copies


@pytest.mark.parametrize("name", few(sorted(catalogue()), 8))
def test_scrambled_catalogue_games_have_the_same_structure(name: str) -> None:
    check_structure(parse_sheet(rules(name)), Random(name))


@pytest.mark.slow
@needs_corpus
def test_scrambled_public_games_have_the_same_structure() -> None:
    # A tenth of them, small and large, and the largest ones.
    files = [*sorted(RULES.glob("*.kif"))[::10], RULES / "disabled__chessAlex.kif", RULES / "beatMania.kif"]
    for file in files:
        check_structure(parse_sheet(read_text(file), source=str(file)), Random(file.name))


@examples(30, deadline=None, derandomize=True)
@given(st.integers(0, 2**32))
def test_scrambled_random_sheets_have_the_same_structure(seed: int) -> None:
    random = Random(seed)
    check_structure(parse_sheet(random_sheet(random)), random)


def ring(length: int, name: str) -> str:
    return "".join(f"(after {name}{n} {name}{(n + 1) % length})" for n in range(length))


@pytest.mark.parametrize(
    "facts",
    [
        ring(12, "a"),
        ring(3, "a") + ring(5, "b"),
        ring(6, "a") + ring(6, "b"),
        "".join(f"(color c{n}) (init (holds c{n}))" for n in range(40)),
        "".join(f"(pair a{n} b{n}) (pair b{n} a{n})" for n in range(30)),
        "".join(
            f"(near q{x}x{y} q{x + dx}x{y + dy})"
            for x in range(1, 6)
            for y in range(1, 6)
            for dx, dy in ((0, 1), (1, 0), (0, -1), (-1, 0))
            if 1 <= x + dx <= 5 and 1 <= y + dy <= 5
        ),
    ],
    ids=["ring", "two rings", "equal rings", "colors", "pairs", "board"],
)
def test_symbols_that_look_alike_do_not_matter(facts: str) -> None:
    for seed in range(5):
        check_structure(parse_sheet("(role r)" + facts), Random(seed))


def test_rings_of_different_lengths_are_distinguished() -> None:
    # Refinement alone cannot distinguish them: every symbol has one predecessor and one successor.
    assert structure_of(parse_sheet(ring(6, "a"))).key != structure_of(parse_sheet(ring(3, "a") + ring(3, "b"))).key


def test_long_chains_are_quick() -> None:
    sheet = parse_sheet("(role r)" + "".join(f"(succ n{n} n{n + 1})" for n in range(3000)))
    started = time.process_time()
    structure_of(sheet)
    assert time.process_time() - started < 20  # about 0.06; examining all rules in each round would take minutes


def test_names_do_not_depend_on_the_process() -> None:
    code = "import sys; from gdl import parse_sheet; from gdl.compile.structure import structure_of"
    code += "; print(structure_of(parse_sheet(sys.argv[1])))"
    answers = set()
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", code, GAME], env=environment, capture_output=True, text=True, check=True
        )
        answers.add(done.stdout)
    assert len(answers) == 1


# ---- other games


@pytest.mark.slow
@needs_corpus
def test_public_games_have_structures_of_their_own() -> None:
    # Two sheets of the corpus are the same game with other case and other comments.
    by_key: dict[str, list[str]] = {}
    for file in sorted(RULES.glob("*.kif")):
        by_key.setdefault(structure_of(parse_sheet(read_text(file))).key, []).append(file.stem)
    assert [games for games in by_key.values() if len(games) > 1] == [["ttcc4", "tttcc4"]]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(goal white 100)", "(goal white 99)"),
        ("(role white) (role black)", "(role black) (role white)"),
        ("(next-to a b) (next-to b c)", "(next-to a b) (next-to a c)"),
        ("(init (cell 1 b red))", ""),
        ("(init (cell 1 b red))", "(init (cell 1 b white))"),
        ("(not (light ?r))", "(light ?r)"),
        ("(not (true (control ?r)))", "(not (true (control ?r) ))(true (control ?q))"),
        ("(distinct ?r white)", "(distinct ?r black)"),
        ("(or (true (control white)) (true (control c)))", "(true (control white)) (true (control c))"),
        ("(does ?r (go ?x))", "(does ?x (go ?r))"),
        ("(legal ?r noop)", "(legal ?r (noop 1))"),
        ("(role white)", "(<= (role white) (light black))"),
        ("(light red)", "(light random)"),
    ],
)
def test_every_change_shows(old: str, new: str) -> None:
    assert old in GAME
    assert structure_of(parse_sheet(GAME.replace(old, new))).key != structure_of(parse_sheet(GAME)).key


def test_irrelevant_changes_do_not_change_the_structure() -> None:
    copy = (
        GAME.replace("(init (control white))", "").replace("red", "Red").replace("?x", "?X") + "(INIT (control WHITE))"
    )
    copy = "; a comment (role none)\n" + copy + "(light red) (<= (light white))"
    assert structure_of(parse_sheet(copy)) != structure_of(parse_sheet(GAME))
    assert structure_of(parse_sheet(copy)).key == structure_of(parse_sheet(GAME)).key


# ---- the canonical sheet


def test_positions_lead_to_the_given_text() -> None:
    sheet = parse_sheet(GAME, source="game.kif")
    structure = structure_of(sheet)
    assert structure.sheet.source == "game.kif"
    by_position = {rule.position: rule for rule in sheet.rules}
    for rule, spelt in zip(structure.sheet.rules, structure.respell(map(str, structure.sheet.rules)), strict=True):
        origin = by_position[rule.position]
        assert numbered_variables(str(origin)) == spelt
        assert rule.head.position == origin.head.position
        assert [formula.position for formula in rule.body] == [formula.position for formula in origin.body]


def test_the_first_of_equal_rules_counts() -> None:
    structure = structure_of(parse_sheet("(role r)\n(<= (p ?x) (q ?x))\n(<= (p ?y) (q ?y))"))
    assert [rule.position.line for rule in structure.sheet.rules] == [1, 2]


def test_keywords_among_terms_are_ordinary_symbols() -> None:
    one, other = (parse_sheet(f"(role r) (init ({name} 1)) (legal r {name})") for name in ("Goal", "aim"))
    assert structure_of(one).key == structure_of(other).key
    assert structure_of(one).respell(["(s1 1)"]) == ["(Goal 1)"]


def test_random_keeps_its_name_and_its_spelling() -> None:
    structure = structure_of(parse_sheet("(role Player) (role RANDOM) (legal random go)"))
    assert structure.sheet.roles() == ("s0", "random")
    assert structure.respell(structure.sheet.roles()) == ["Player", "RANDOM"]


def test_respelling() -> None:
    structure = structure_of(parse_sheet("(role s7) (init (s1 10 (s0 -3 s7)))"))
    spelt = [str(rule.head) for rule in structure.sheet.rules]
    assert structure.respell(spelt) == ["(role s7)", "(init (s1 10 (s0 -3 s7)))"]
    assert structure.respell([]) == []
    assert structure.respell(["10"]) == ["10"]
    with pytest.raises(KeyError):
        structure.respell(["s99"])

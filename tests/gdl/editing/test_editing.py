"""Editor functions: names, renaming, help, completion and outline, also in sheets with errors."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from quick import examples

import kif_games
from gdl import parse_sheet
from gdl.checks.findings import CONNECTIVES
from gdl.editing import (
    KEYWORD_HELP,
    RenameError,
    SheetNames,
    TextPositions,
    Utf16Offsets,
    complete,
    help_at,
    outline,
    renamed_at,
)
from gdl.language.rule_sheet import KEYWORD_ARITIES

NAMES = sorted(name for name, entry in kif_games.catalogue().items() if len(kif_games.rules(name)) < 8000)
SHEET = """\
(role white) (role random) ; at
(init (cell 1 b))
(<= (legal white (mark ?x)) (true (cell ?x b)) (or open (not (closed ?x))))
(<= (next (cell ?x ?y)) (true (cell ?x ?y)) (does white (mark ?z)) (distinct ?x ?z))
(<= open (true (cell 1 b)))
(closed 2)
(goal white 50)
"""


def at(text: str, mark: str = "|") -> tuple[SheetNames, int]:
    """Return the names of a text without a mark, and the offset of the mark."""
    assert text.count(mark) == 1
    return SheetNames(text.replace(mark, "")), text.index(mark)


def test_kinds_of_names() -> None:
    kinds = {use.name: list(use.kinds) for use in SheetNames(SHEET).uses.values()}
    assert kinds == {
        "white": [("role", 0)],
        "random": [("role", 0)],
        "cell": [("fluent", 2)],
        "1": [("constant", 0)],
        "b": [("constant", 0)],
        "mark": [("move", 1)],
        "open": [("relation", 0)],
        "closed": [("relation", 1)],
        "2": [("constant", 0)],
        "50": [("constant", 0)],
    }


def test_definitions_and_occurrences() -> None:
    names = SheetNames(SHEET)
    text = names.tree.text

    def shown(nodes: list) -> list[str]:
        return [text[node.start : node.end] for node in nodes]

    assert shown(names.definitions(SHEET.index("cell ?x b"))) == ["(init (cell 1 b))", "(next (cell ?x ?y))"]
    assert shown(names.definitions(SHEET.index("mark ?z"))) == ["(legal white (mark ?x))"]
    assert shown(names.definitions(SHEET.index("open"))) == ["open"]
    assert shown(names.definitions(SHEET.index("white (mark ?z"))) == ["(role white)"]
    assert len(names.occurrences(SHEET.index("?x ?y"))) == 3
    assert names.occurrences(SHEET.index("; at") + 2) == []


@pytest.mark.parametrize(
    ("place", "start"),
    [
        ("mark ?z", "`mark`: move with 1 argument; 2 occurrences"),
        ("?z", "`?z`: variable; 2 occurrences in this rule"),
        ("or open", "`(or formula ...)`"),
        ("random", "`random`"),
        ("50", "`50`: constant; 1 occurrence"),
    ],
)
def test_help(place: str, start: str) -> None:
    found = help_at(SheetNames(SHEET), SHEET.index(place))
    assert found is not None and found[1].startswith(start)
    assert help_at(SheetNames(SHEET), SHEET.index("; at") + 2) is None


def test_all_words_of_the_language_are_explained() -> None:
    assert set(KEYWORD_HELP) == {*KEYWORD_ARITIES, *CONNECTIVES}


@pytest.mark.parametrize(
    ("text", "start", "words"),
    [
        ("(init (cell 1)) (<= (next (cell 2)) (true (|", 43, ["cell"]),
        ("(init (cell 1)) (<= (next (cell 2)) (tr|", 37, ["true"]),
        ("(|", 1, ["<=", "role", "init", "next", "legal", "goal", "terminal", "base", "input", "sees", "percept"]),
        ("(role red) (role blue) (legal |)", 30, ["red", "blue"]),
        ("(<= (line ?x ?longer) (p ?|))", 25, ["?x", "?longer"]),
        ("(role red) ; (tr|\n(init (p 1))", 16, []),
        ("(legal red (mark 1)) (<= (next f) (does red (m|", 45, ["mark"]),
    ],
)
def test_completion(text: str, start: int, words: list[str]) -> None:
    found = complete(*at(text))
    assert (found[0], [each.word for each in found[1]]) == (start, words)


@given(st.sampled_from(NAMES), st.randoms(use_true_random=False))
@examples(40, deadline=None)
def test_renaming_a_symbol_and_back_gives_the_same_sheet(name: str, chance: random.Random) -> None:
    text = kif_games.rules(name)
    names = SheetNames(text)
    word = chance.choice(names.tree.words)
    try:
        new = "?fresh_name" if word.text[0] == "?" else "fresh_name"
        words, new = renamed_at(names, word.start, new)
    except RenameError:
        return
    renamed = replaced(text, [(each.start, each.end) for each in words], new)
    assert len(parse_sheet(renamed).rules) == len(parse_sheet(text).rules)
    assert str(parse_sheet(renamed)) != str(parse_sheet(text))
    back, old = renamed_at(SheetNames(renamed), words[0].start, word.text)
    assert replaced(renamed, [(each.start, each.end) for each in back], old) == text


def replaced(text: str, places: list[tuple[int, int]], new: str) -> str:
    for start, end in reversed(places):
        text = text[:start] + new + text[end:]
    return text


def test_numbers_are_not_renamed_if_they_may_be_goal_values() -> None:
    names, place = at("(score |10) (<= (goal robot ?n) (score ?n))")
    with pytest.raises(RenameError, match="10 may be a goal value"):
        renamed_at(names, place, "ten")


@given(st.text(alphabet="()?<=; \n\r\t\ufeff\U0001f600ab\u2028/*#truenot", max_size=60), st.integers(0, 60))
def test_no_text_is_refused(text: str, offset: int) -> None:
    names = SheetNames(text)
    help_at(names, offset)
    complete(names, min(offset, len(text)))
    outline(names.tree)
    assert all(text[node.start : node.end].lower() == node.name for node in names.occurrences(offset))
    positions = TextPositions(text)
    line, units = positions.position(min(offset, len(text)))
    assert positions.offset(line, units) in (min(offset, len(text)), min(offset, len(text)) - 1)


@given(st.text(st.sampled_from("a\n\u00e9\U0001f600"), max_size=12))
def test_offsets_count_code_units(text: str) -> None:
    offsets = Utf16Offsets(text)
    assert offsets.total == len(text.encode("utf-16-le")) // 2
    for offset in range(len(text) + 1):
        assert offsets.units(offset) == len(text[:offset].encode("utf-16-le")) // 2
        assert offsets.offset(offsets.units(offset)) == offset
    for units in range(offsets.total + 1):
        assert offsets.units(offsets.offset(units)) in (units, units + 1)


def test_infix_sheets_and_long_texts_have_no_names() -> None:
    assert SheetNames("role(white)\nlegal(white, X) :- p(X)\n").uses == {}
    assert complete(SheetNames("role(white)\nlegal(white, X) :- p(X)\n"), 0) == (0, [])
    assert SheetNames("(p 1)" * 200_000).uses == {}

"""Renamed rule sheets: the same game, without any of its names."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from quick import few

from gdl import RuleSheet, parse_sheet
from ggp_agent.game.wording import (
    ENGLISH_WORDS,
    INTEGER,
    KEPT_WORDS,
    WORD,
    Wording,
    invented_names,
    permuted_names,
    word_names,
)
from ggp_agent.verify.equivalence import same_rules
from kif_games import catalogue, rules

RENAMINGS = (invented_names, word_names, permuted_names)


def names_of(sheet: RuleSheet) -> set[str]:
    return {word for word in WORD.findall(str(sheet)) if word.lower() not in KEPT_WORDS and not INTEGER.fullmatch(word)}


@pytest.mark.parametrize("renaming", RENAMINGS)
@pytest.mark.parametrize("name", few(catalogue(), 8))
def test_a_renamed_sheet_is_the_same_game_and_no_name_stays(
    name: str, renaming: Callable[[RuleSheet, Random], dict[str, str]]
) -> None:
    sheet = parse_sheet(rules(name))
    table = renaming(sheet, Random(7))
    assert set(table) == names_of(sheet)
    assert len(set(table.values())) == len(table)
    renamed = parse_sheet("\n".join(Wording(sheet, table).rename(str(rule)) for rule in sheet.rules))
    assert same_rules(sheet, renamed) is not None
    assert all(old != new for old, new in table.items())
    if renaming is permuted_names:
        assert names_of(renamed) == names_of(sheet)
    else:
        assert not names_of(renamed) & names_of(sheet)


def test_permuted_names_keep_their_kind() -> None:
    sheet = parse_sheet(rules("skirmish"))
    table = permuted_names(sheet, Random(3))
    assert {table[name] for name in ("king", "queen", "rook")}.isdisjoint({"piece", "taken"})
    assert all(new.startswith("?") == old.startswith("?") for old, new in table.items())


def test_a_sheet_with_more_names_than_words_gets_pairs_of_words() -> None:
    sheet = parse_sheet("(role r)" + "".join(f"(init name{number})" for number in range(len(ENGLISH_WORDS) + 50)))
    table = word_names(sheet, Random(1))
    assert len(set(table.values())) == len(ENGLISH_WORDS) + 51
    assert set(ENGLISH_WORDS) < set(table.values())


def test_seeds_decide_the_names() -> None:
    sheet = parse_sheet(rules("hex"))
    for renaming in RENAMINGS:
        assert renaming(sheet, Random(1)) == renaming(sheet, Random(1)) != renaming(sheet, Random(2))

"""Lines of moves as users type them: without parentheses, with commas, and in the notation of the native game."""

from __future__ import annotations

import pytest

from gdl import CompiledMachine
from ggp_agent.common.errors import UserError
from ggp_agent.game.load import load_game
from ggp_agent.game.move_list import read_moves


@pytest.fixture(scope="module")
def connect_four() -> CompiledMachine:
    return load_game("connect_four").machine()


@pytest.mark.parametrize("text", ["drop 4 drop 4", "drop 4, Drop(4)", "DROP(4), (drop 4)", "(drop 4) noop noop drop 4"])
def test_moves_are_read_as_play_reads_them(connect_four: CompiledMachine, text: str) -> None:
    assert read_moves(connect_four, text) == [("(drop 4)", "noop"), ("noop", "(drop 4)")]


def test_a_wrong_move_is_named_with_its_arguments(connect_four: CompiledMachine) -> None:
    with pytest.raises(UserError, match=r"^move 2, drop 9, is not legal in turn 2: yellow has "):
        read_moves(connect_four, "drop 4, drop 9")
    with pytest.raises(UserError, match=r"^move 1, 4, is not legal in turn 1"):  # not the fourth move of a list
        read_moves(connect_four, "4")


@pytest.mark.parametrize("word", ["breakthrough", "fast:breakthrough"])
@pytest.mark.parametrize("text", ["b2-b3 c7-c6", "b2b3, C7-C6", "(move 2 2 2 3) c7-c6", "move 2 2 2 3 move 3 7 3 6"])
def test_a_rule_sheet_and_its_native_game_read_both_notations(word: str, text: str) -> None:
    assert read_moves(load_game(word).machine(), text) == [("(move 2 2 2 3)", "noop"), ("noop", "(move 3 7 3 6)")]


@pytest.mark.parametrize("text", ["b1-b3 a2-c2", "(move b 1 b 3) (move a 2 c 2)", "move b 1 b 3, a2c2"])
def test_a_native_game_without_terms_reads_both_notations(text: str) -> None:
    machine = load_game("fast:lines_of_action").machine()
    assert read_moves(machine, text) == [("b1-b3", "noop"), ("noop", "a2-c2")]

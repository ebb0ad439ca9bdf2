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


def test_a_number_in_a_line_is_no_place_in_a_list(connect_four: CompiledMachine) -> None:
    with pytest.raises(UserError, match=r"^move 1, 4, is not legal in turn 1"):
        read_moves(connect_four, "4")


@pytest.mark.parametrize("text", ["b2-b3 c7-c6", "b2b3, C7-C6", "(move 2 2 2 3) c7-c6"])
def test_a_rule_sheet_accepts_the_notation_of_the_native_game(text: str) -> None:
    machine = load_game("breakthrough").machine()
    assert read_moves(machine, text) == [("(move 2 2 2 3)", "noop"), ("noop", "(move 3 7 3 6)")]


@pytest.mark.parametrize("text", ["move 2 2 2 3 move 3 7 3 6", "(move 2 2 2 3) (move 3 7 3 6)", "b2b3 c7-c6"])
def test_a_native_game_accepts_the_notation_of_its_sheet(text: str) -> None:
    machine = load_game("fast:breakthrough").machine()
    assert read_moves(machine, text) == [("b2-b3", "noop"), ("noop", "c7-c6")]

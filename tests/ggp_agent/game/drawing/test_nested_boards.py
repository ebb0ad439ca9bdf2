"""Boards that follow from the structure of fluents: boards of boards, layers, dice, groups and heaps."""

from __future__ import annotations

import itertools

from ggp_agent.game.drawing.board import MapBoard, fluent_board
from ggp_agent.game.drawing.grid_board import Grid


def fluents(name: str, *axes: str) -> list[str]:
    """Return the fluents of all combinations of arguments."""
    return [f"({name} {' '.join(each)})" for each in itertools.product(*(axis.split() for axis in axes))]


def test_four_coordinates_are_a_board_of_boards() -> None:
    known = [*fluents("mark", "1 2 3", "1 2 3", "1 2 3", "1 2 3", "x o"), *fluents("current", "1 2 3", "1 2 3")]
    board = fluent_board(known, [])
    assert isinstance(board, MapBoard) and len(board.spans) == 81
    lines = board.draw(["(mark 3 3 1 1 x)"]).lines
    assert [line.count("|") for line in lines] == [2, 2, 2, 0, 2, 2, 2, 0, 2, 2, 2]
    # Column 3 and row 3 of the boards are at the top right; their first cell is at the bottom left.
    assert "x" in lines[2].split("|")[2].split()[0]


def test_three_coordinates_are_layers_side_by_side() -> None:
    initial = fluents("cell", "1 2 3 4", "1 2 3 4", "1 2 3 4", "b")
    board = fluent_board([*initial, *fluents("cell", "1 2 3 4", "1 2 3 4", "1 2 3 4", "x o")], initial)
    assert isinstance(board, MapBoard) and len(board.spans) == 64
    assert board.draw(initial).lines[0].count("|") == 3
    quadrants = fluent_board(fluents("holds", "1 2 3 4", "1 2 3", "1 2 3", "red black"), [])
    assert isinstance(quadrants, MapBoard) and len(quadrants.lines) == 3


def test_numbers_on_cells_are_contents() -> None:
    dice = fluent_board(fluents("cell", "1 2 3", "1 2 3", "1 2 3 4 5 6", "red black"), [])
    assert isinstance(dice, Grid) and len(dice.places) == 9
    counters = fluents("cell", "1 2 3", "1 2 3", "0 1 2")
    initial = fluents("cell", "1 2 3", "1 2 3", "0")
    assert not isinstance(fluent_board(counters, initial), MapBoard)


def test_numbers_of_groups_and_sizes_of_heaps_are_no_board() -> None:
    numbers = " ".join(map(str, range(1, 82)))
    known = [*fluents("cell", "a b c", "1 2 3", "red blue"), *fluents("connected", numbers, "a b c", "1 2 3")]
    board = fluent_board(known, [])
    assert isinstance(board, Grid) and board.cell_of("(connected 7 a 1)") is None
    assert board.cell_of("(cell a 1 red)") == (0, ("red",))
    heaps = fluents("heap", "a b c d", " ".join(map(str, range(20))))
    assert not fluent_board(heaps, ["(heap a 3)", "(heap b 5)", "(heap c 7)", "(heap d 9)"]).places

"""Boards that follow from the structure of fluents: boards of boards, layers, dice, groups and heaps."""

from __future__ import annotations

import itertools
import re

from ggp_agent.game.drawing.board import MapBoard, fluent_board
from ggp_agent.game.drawing.grid_board import Grid
from ggp_agent.game.drawing.layout import layout_of_map
from ggp_agent.game.drawing.svg_board import SvgBoard


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


def test_numbers_of_groups_are_no_board_and_heaps_are_a_row() -> None:
    numbers = " ".join(map(str, range(1, 82)))
    known = [*fluents("cell", "a b c", "1 2 3", "red blue"), *fluents("connected", numbers, "a b c", "1 2 3")]
    board = fluent_board(known, [])
    assert isinstance(board, Grid) and board.cell_of("(connected 7 a 1)") is None
    assert board.cell_of("(cell a 1 red)") == (0, ("red",))
    heaps = fluents("heap", "a b c d", " ".join(map(str, range(20))))
    board = fluent_board(heaps, ["(heap a 3)", "(heap b 5)", "(heap c 7)", "(heap d 9)"])
    assert isinstance(board, MapBoard) and [*board.places] == [("a",), ("b",), ("c",), ("d",)]


def test_orders_are_no_board() -> None:
    orders = [f"(order {' '.join(each)})" for each in itertools.permutations("abcd")]
    assert not fluent_board(orders, orders[:1]).places
    blocks = [f"(on {upper} {lower})" for upper, lower in itertools.permutations("abcd", 2)]
    assert not fluent_board(blocks, blocks[:1]).places


def test_relations_of_different_cells_are_no_part_of_the_contents() -> None:
    places = [*itertools.product((1, 2, 3, 4), repeat=2)]
    apart = [f"({('even', 'odd')[(x + y) % 2]} {x} {y} {owner})" for x, y in places for owner in ("white", "black")]
    assert fluent_board(apart, []).cell_of("(odd 2 1 white)") == (4, ("white",))
    together = [f"({name} {x} {y} white)" for x, y in places for name in ("even", "odd")]
    assert fluent_board(together, []).cell_of("(odd 2 1 white)") == (4, ("odd", "white"))


def test_a_pile_of_cubes_has_layers_of_different_sizes() -> None:
    places = [(x, y, z) for z in range(5) for x in range(5 - z) for y in range(x + 1)]
    known = [f"(cube {x} {y} {z} {owner})" for x, y, z in places for owner in ("ground", "red")]
    board = fluent_board(known, [f"(cube {x} {y} 0 ground)" for x, y, z in places if not z])
    assert isinstance(board, MapBoard) and len(board.spans) == len(places)
    assert board.lines[0].count("|") == 3  # four layers, and the last one below


def test_joined_names_count_columns_or_make_rows() -> None:
    square = [f"(stone {column}{row} {owner})" for column in "abc" for row in "123" for owner in ("x", "o")]
    board = fluent_board(square, [])
    assert isinstance(board, MapBoard) and board.draw(["(stone b3 x)"]).lines[0].split() == ["3", ".", "x", "."]
    rows = {"a": 1, "b": 2, "c": 3, "d": 2, "e": 1}
    star = [f"(stone {row}{number} x)" for row, size in rows.items() for number in range(1, size + 1)]
    board = fluent_board(star, [])
    assert isinstance(board, MapBoard) and layout_of_map(board).shape == "hexagon"


def test_rings_with_points_of_the_compass_are_points_on_lines() -> None:
    known = fluents("pit", "inner middle outer", "n ne e se s sw w nw", "empty white black")
    board = fluent_board(known, [])
    assert isinstance(board, MapBoard) and len(board.spans) == 24
    layout = layout_of_map(board)
    assert layout.shape == "point" and len(layout.lines) == 32
    places = {cell.name: (cell.x, cell.y) for cell in layout.cells}
    assert places["outer,nw"] == (0, 0) and places["inner,e"] == (4, 3)


def test_lines_and_walls_stand_between_the_cells() -> None:
    lines = [f"(line {x} {y} {x2} {y2})" for x, y in itertools.product((1, 2, 3), repeat=2)
             for x2, y2 in ((x + 1, y), (x, y + 1)) if x2 < 4 and y2 < 4]  # fmt: skip
    boxes = fluents("box", "1 2", "1 2", "x o")
    board = SvgBoard.of(["x", "o"], [*lines, *boxes], [])
    drawn = board.picture(["(line 1 3 2 3)", "(box 1 1 x)"])
    # The line is the upper side of the upper left box.
    assert 'd="M-20 -20L20 -20"' in drawn.svg and not drawn.facts
    foreign = ["(line a b c d)", "(line 1 1)", f"(line 1 1 {'9' * 5000} 1)", "(line 1 1 3 3)", "(line \u00b2 1 1 1)"]
    assert 'class="stroke"' not in board.picture(foreign).svg
    possible = board.picture_of_possible({"(line 1 3 2 3)": 1, "(line 1 1 1 2)": 0.5})
    assert possible.svg.count('class="stroke"') == 1 and "50%" in str(possible.facts)
    walls = SvgBoard.of(["red"], [*fluents("at", "red", "1 2", "1 2"), "(blockedEast 1 2)"], [])
    assert 'class="stroke"' not in walls.picture(["(blockedEast 1)", "(blockedEast x y)"]).svg
    assert 'd="M20 20L20 -20"' in walls.picture(["(blockedEast 1 2)"]).svg
    assert " d=" not in walls.picture(["(at red 1 1)"]).svg.split("</style>")[1].split("<circle")[0]


def test_signs_stand_between_the_cells_that_they_compare() -> None:
    numbers = [*fluents("cell", "1 2 3", "1 2 3", "blank 1 2")]
    # No cell is right of column 3 or below row 3: the first coordinate counts rows.
    signs = ["(cell_gt_right 3 1)", "(cell_lt_below 1 3)", "(cell_gt_below 1 1)"]
    board = SvgBoard.of(["robot"], [*numbers, *signs], signs)
    svg = board.picture([*signs, "(cell 1 1 2)"]).svg
    paths = [path.replace("L", "M").split("M")[1:] for path in re.findall('<path d="([^"]*)" class="stroke"', svg)]
    assert [point for points in paths for point in points] == [
        *("85.2 62.8", "80 57.2", "74.8 62.8"),  # between 3,1 and 3,2, which is above
        *("22.8 -5.2", "17.2 0", "22.8 5.2"),  # between 1,3 and 2,3, with the tip at 1,3
        *("17.2 74.8", "22.8 80", "17.2 85.2"),
    ]
    assert board.legend == {} and [*re.findall('aria-label="([^"]*: 2)"', svg)] == ["1,1: 2"]
    # In the usual order of coordinates, right is the next column.
    usual = SvgBoard.of(["robot"], [*numbers, "(gt_right 1 3)"], []).picture(["(gt_right 1 3)"]).svg
    assert 'd="M17.2 -5.2L22.8 0L17.2 5.2"' in usual
    # Signs that fit no order of coordinates are contents of cells.
    assert SvgBoard.of(["robot"], [*numbers, "(gt_right 3 3)"], []).legend != {}


def test_letters_are_rows_where_two_groups_stand_on_different_letters() -> None:
    known = fluents("cell", "1 2 3 4 5 6 7 8", "a b c d e f g h", "black white none")
    initial = [*fluents("cell", "1 2 3", "a b c", "white"), *fluents("cell", "1 2 3", "f g h", "black")]
    board = fluent_board(known, initial)
    assert isinstance(board, Grid) and (board.columns[0], board.rows[-1]) == ("8", "a")
    chess = fluent_board(known, [*fluents("cell", "1 2", "a b c d", "white"), *fluents("cell", "7 8", "e", "black")])
    assert isinstance(chess, Grid) and (chess.columns[0], chess.rows[-1]) == ("a", "8")

"""Positions of the cells of a board in the plane: squares, hexagons, or points on lines.

The first row of a grid is at the bottom. The cells of a map are placed as its words: if rows are shifted by half a
step, the cells are hexagons; if strokes connect the words, the cells are points on lines. All other words are labels;
words with single spaces between them are one label.

>>> layout = layout_of_map(MapBoard.of("a   a1  a2\\nb     b1  b2", ["(man a1)"]))
>>> layout.shape, [(cell.x, round(cell.y, 2)) for cell in layout.cells]
('hexagon', [(0.0, 0.0), (1.0, 0.0), (0.5, 0.87), (1.5, 0.87)])
>>> layout_of_map(MapBoard.of("house  2    1\\nnorth  n,2  n,1", ["(seeds n 2 4)"])).labels
(('house', -1.2, -1.0), ('2', 0.0, -1.0), ('1', 1.0, -1.0), ('north', -1.2, 0.0))
"""

from __future__ import annotations

import math
import re
import string
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal, TypeAlias

from .board import MapBoard
from .grid_board import Grid
from .picture import Span

Shape: TypeAlias = Literal["square", "hexagon", "point"]

# The distance of rows of hexagons, in widths of a cell.
ROW = math.sqrt(3) / 2

# The characters of a cell if no cells stand side by side.
_SINGLE = 10
# Half of the width of a letter of a label, in cells.
_OF_A_LETTER = 0.09
# A label: words with single spaces between them.
_LABEL = re.compile(r"[A-Za-z0-9]+(?: [A-Za-z0-9]+)*")
# A letter or a number in the name of a cell.
_PART = re.compile(r"[A-Za-z]+|[0-9]+")
_LETTERS_AND_DIGITS = re.compile(r"[A-Za-z]+[0-9]+")


@dataclass(frozen=True, slots=True)
class BoardCell:
    """One cell: its name, and its centre in widths of a cell, with y downwards."""

    name: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Layout:
    """All cells of a board."""

    shape: Shape
    cells: tuple[BoardCell, ...]  # the cells, in the order of their numbers
    lines: tuple[tuple[int, int], ...] = ()  # the pairs of cells that strokes connect, by number
    labels: tuple[tuple[str, float, float], ...] = ()  # the labels of columns and rows: text, x, y
    # The texts written on cells, by number, if no labels show the names.
    captions: Mapping[int, str] = field(default_factory=dict)
    is_transposed: bool = False  # whether x and y are exchanged, so that hexagons stand on an edge


def layout_of_grid(grid: Grid, slant: int = 0) -> Layout:
    """Return the layout of a grid, column by column from below; `slant` is a result of `slant_of`."""
    height = len(grid.rows)
    step = ROW if slant else 1.0

    def place(column: int, row: int) -> tuple[float, float]:
        return column + slant * row / 2, (height - 1 - row) * step

    letters = grid.columns[0].isalpha()
    cells = [
        BoardCell(f"{column}{row}" if letters else f"{column},{row}", *place(x, y))
        for x, column in enumerate(grid.columns)
        for y, row in enumerate(grid.rows)
    ]
    labels = [(row, place(-1, y)[0] + 0.25, place(-1, y)[1]) for y, row in enumerate(grid.rows)]
    labels += [(column, place(x, -1)[0], place(x, -1)[1] - 0.25) for x, column in enumerate(grid.columns)]
    return Layout("hexagon" if slant else "square", tuple(cells), (), tuple(labels))


def renamed(layout: Layout, names: Mapping[int, str]) -> Layout:
    """Replace names of cells, by number; the labels, or captions on the cells, show them.

    On squares whose names are all letters and digits, a label stands next to cells that share this part of their names,
    as in `a2`, `b2` or in `a2`, `a3`. Otherwise each renamed cell has its name as a caption.
    """
    cells = tuple(replace(cell, name=names.get(number, cell.name)) for number, cell in enumerate(layout.cells))
    if layout.shape != "square" or not all(_LETTERS_AND_DIGITS.fullmatch(cell.name) for cell in cells):
        return replace(layout, cells=cells, labels=(), captions=names)
    rows = {cell.y: cell.name.lstrip(string.ascii_letters) for cell in cells}
    columns = {cell.x: cell.name.rstrip(string.digits) for cell in cells}
    labels = [(text, min(columns) - 0.75, y) for y, text in rows.items()]
    labels += [(text, x, max(rows) + 0.75) for x, text in columns.items()]
    return replace(layout, cells=cells, labels=tuple(labels))


def oriented(layout: Layout, orientation: str) -> Layout:
    """Turn a layout into an orientation.

    >>> standard = Layout("square", (BoardCell("1,1", 0, 1), BoardCell("1,2", 0, 0)), labels=(("1", 0, 1.75),))
    >>> for orientation in ("rows_down", "half_turn", "matrix"):
    ...     turned = oriented(standard, orientation)
    ...     print(orientation, [(cell.x, cell.y) for cell in turned.cells], turned.labels)
    rows_down [(0, 0), (0, 1)] (('1', 0, -0.75),)
    half_turn [(0, 0), (0, 1)] (('1', 0, -0.75),)
    matrix [(0, 0), (1, 0)] (('1', -0.75, 0),)
    """
    if orientation == "standard" or not layout.cells:
        return layout
    right, bottom = max(cell.x for cell in layout.cells), max(cell.y for cell in layout.cells)

    def turned(x: float, y: float) -> tuple[float, float]:
        if orientation == "matrix":
            return bottom - y, x
        return right - x if orientation == "half_turn" else x, bottom - y

    return replace(
        layout,
        cells=tuple(BoardCell(cell.name, *turned(cell.x, cell.y)) for cell in layout.cells),
        labels=tuple((text, *turned(x, y)) for text, x, y in layout.labels),
        is_transposed=orientation == "matrix",
    )


def layout_of_map(board: MapBoard, links: Sequence[tuple[int, int]] = ()) -> Layout:
    """Return the layout of a map, with cells at the places of its words."""
    names = [board.lines[line][start:end].strip("<>") for line, start, end in board.spans]
    joined = [*links] or _strokes(board)
    rows = sorted({line for line, _, _ in board.spans})
    step = _step(board.spans)
    shape: Shape = "point" if joined else "hexagon" if _is_shifted(board.spans, rows, step) else "square"
    high = ROW if shape == "hexagon" else 1.0
    left = min(start for _, start, _ in board.spans)
    ranks = {start: rank for rank, start in enumerate(sorted({start for _, start, _ in board.spans}))}

    def place(line: int, start: float) -> tuple[float, float]:
        if not joined:
            return (start - left) / step, (line - rows[0]) * high
        below = rows.index(line) if line in rows else len(rows) - 0.25
        return ranks.get(round(start), -0.75), below

    def place_label(line: int, start: int, length: int) -> tuple[float, float]:
        """Place a word above or below a cell at its centre; place a word at the start of a row left of its cells."""
        first = next((begin for each, begin, _ in board.spans if each == line), None)
        middle = start + (length - 1) // 2
        over = [(abs(each - line), begin) for each, begin, end in board.spans if begin <= middle < end]
        if first is None and over and shape == "square":
            return place(line, min(over)[1])
        x, y = place(line, start if joined else start + (length - len(names[0])) / 2)
        free = max(0.75, 0.5 + _OF_A_LETTER * length)
        return x if first is None or start > first else min(x, place(line, first)[0] - free), y

    cells = [BoardCell(name, *place(line, start)) for name, (line, start, _) in zip(names, board.spans, strict=True)]
    taken = {(line, column) for line, start, end in board.spans for column in range(start, end)}
    labels = [
        (found[0], *place_label(line, found.start(), len(found[0])))
        for line, text in enumerate(board.lines)
        for found in _LABEL.finditer(text)
        if (line, found.start()) not in taken
    ]
    parts = {part for name in names for part in _PART.findall(name)}
    captions: dict[int, str] = {}
    if (links or shape != "point") and not parts <= {text for text, _, _ in labels}:
        is_named = bool(links) or shape == "hexagon"
        slots = {name for (name, _), placing in board.placings.items() if placing.keyed}
        captions = {n: name for n, name in enumerate(names) if is_named or not ("," in name or name in slots)}
        labels = [] if shape == "hexagon" else labels
    return Layout(shape, tuple(cells), tuple(joined), tuple(labels), captions)


def slant_of(offsets: Iterable[tuple[int, int]]) -> int:
    """Return the shift of rows, given the steps between neighbours: not 0 if the cells are hexagons.

    A cell has six neighbours if they lie along the columns, along the rows, and on one of the two diagonals.

    >>> straight = [(1, 0), (-1, 0), (0, 1), (0, -1)]
    >>> slant_of([*straight, (1, -1), (-1, 1)]), slant_of([*straight, (1, 1), (-1, -1)]), slant_of(straight)
    (1, -1, 0)
    """
    found = set(offsets)
    found |= {(-x, -y) for x, y in found}
    straight = {(1, 0), (-1, 0), (0, 1), (0, -1)}
    if found == straight | {(1, -1), (-1, 1)}:
        return 1
    return -1 if found == straight | {(1, 1), (-1, -1)} else 0


def _step(spans: Sequence[Span]) -> int:
    """Return the smallest distance of neighbouring words in a line, in characters."""
    gaps = [after[1] - before[1] for before, after in pairwise(spans) if before[0] == after[0]]
    return min(gaps, default=_SINGLE)


def _is_shifted(spans: Sequence[Span], rows: Sequence[int], step: int) -> bool:
    """Return True if each row is shifted by half a step from the row above."""
    first = {line: next(start for each, start, _ in spans if each == line) for line in rows}
    shifts = [abs(first[below] - first[above]) % step for above, below in pairwise(rows)]
    return bool(shifts) and all(shift == step // 2 for shift in shifts) and step > 1


def _strokes(board: MapBoard) -> list[tuple[int, int]]:
    """Return the pairs of cells that strokes connect; if there are strokes, adjacent cells are connected, too."""
    starts = {(line, start): number for number, (line, start, _) in enumerate(board.spans)}
    columns = sorted({start for _, start, _ in board.spans})
    drawn: list[tuple[int, int]] = []
    touching: list[tuple[int, int]] = []
    for number, (line, start, end) in enumerate(board.spans):
        text = board.lines[line]
        after = next((each for each in columns if each > start and (line, each) in starts), None)
        if after is not None and set(text[end:after]) == {"-"}:
            drawn.append((number, starts[line, after]))
        elif after is not None and columns.index(after) == columns.index(start) + 1:
            touching.append((number, starts[line, after]))
        below = line + 1
        while below < len(board.lines) and board.lines[below][start : start + 1] == "|":
            below += 1
        if (below, start) in starts:
            (drawn if below > line + 1 else touching).append((number, starts[below, start]))
    return drawn + touching if drawn else []

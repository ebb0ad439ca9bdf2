"""Boards of boards, and layers of a board, as a map: found in fluents whose cells have three or four coordinates.

A relation has such cells if its first or last three or four arguments are coordinates, and at least half of all their
combinations occur. Of four coordinates the first two count boards and the last two count cells of a board. Of three
coordinates one counts layers, which stand side by side: the first one if all have equally many values, else the one
with another number of values. A last coordinate with another number of values is a content, such as the number on a
die, and so is a coordinate that each cell has exactly once in the initial state.

>>> fluents = [f"(cell {x} {y} {z} b)" for x in "12" for y in "12" for z in "12"]
>>> print(nested_map(fluents))
1,1,2 1,2,2 | 2,1,2 2,2,2
1,1,1 1,2,1 | 2,1,1 2,2,1
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from .grid_board import axis_of, by_relation, placings_of

# The fraction of all combinations of coordinates that must occur, and the maximal number of cells.
_COVERED = 0.5
_MAX_CELLS = 1_000
# Maximal number of layers or boards in a row.
_IN_A_ROW = 4

_Axis = tuple[str, ...]


def nested_map(fluents: Iterable[str], initial: Iterable[str] = ()) -> str:
    """Return the map of the largest board of boards; empty without one."""
    at_first = by_relation(initial)
    best: list[_Axis] = []
    for (name, arity), all_arguments in by_relation(fluents).items():
        for placing in placings_of(name, arity, 4) + placings_of(name, arity, 3):
            axes = _axes({placing.split(arguments)[0] for arguments in all_arguments})
            held = [placing.split(arguments)[0] for arguments in at_first.get((name, arity), ())]
            if axes and not _is_content(held, axes) and _size(axes) > _size(best):
                best = axes
    if not best:
        return ""
    return _of_boards(best) if len(best) == 4 else _of_layers(best)


def _size(axes: Sequence[_Axis]) -> int:
    return math.prod(map(len, axes)) if axes else 0


def _axes(cells: set[tuple[str, ...]]) -> list[_Axis]:
    """Return the values of each coordinate in order; empty if the cells are no board."""
    axes = [axis_of(set(values), from_anywhere=True) for values in zip(*cells, strict=True)]
    found = [axis for axis in axes if axis is not None]
    size = _size(found)
    return found if len(found) == len(axes) and size <= _MAX_CELLS and len(cells) >= _COVERED * size else []


def _is_content(held: Sequence[tuple[str, ...]], axes: Sequence[_Axis]) -> bool:
    """Return whether the last coordinate is a content."""
    places = [cell[:-1] for cell in held]
    if len(axes) == 3 and _layer(list(map(len, axes))) == 2:
        return True
    return len(places) == len(set(places)) == math.prod(map(len, axes[:-1]))


def _layer(sizes: Sequence[int]) -> int:
    """Return the place of the coordinate that counts layers.

    >>> _layer([4, 3, 3]), _layer([4, 4, 4]), _layer([3, 3, 6])
    (0, 0, 2)
    """
    return next((place for place in range(3) if sizes.count(sizes[place]) == 1 and len(set(sizes)) == 2), 0)


def _of_boards(axes: Sequence[_Axis]) -> str:
    boards_x, boards_y, xs, ys = axes
    rows = []
    for board_y in reversed(boards_y):
        lines = [
            " | ".join(" ".join(_padded((board_x, board_y, x, y), axes) for x in xs) for board_x in boards_x)
            for y in reversed(ys)
        ]
        rows.append("\n".join(lines))
    return "\n\n".join(rows)


def _of_layers(axes: Sequence[_Axis]) -> str:
    sizes = list(map(len, axes))
    layer = _layer(sizes)
    first, second = (place for place in range(3) if place != layer)

    def cell(of_layer: str, x: str, y: str) -> str:
        named = dict(zip((layer, first, second), (of_layer, x, y), strict=True))
        return _padded(tuple(named[place] for place in range(3)), axes)

    blocks = []
    for start in range(0, len(axes[layer]), _IN_A_ROW):
        together = axes[layer][start : start + _IN_A_ROW]
        lines = [
            " | ".join(" ".join(cell(each, x, y) for x in axes[first]) for each in together)
            for y in reversed(axes[second])
        ]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def _padded(coordinates: Sequence[str], axes: Sequence[_Axis]) -> str:
    """Return the word of a cell, with spaces behind it to the length of the longest one."""
    longest = sum(max(map(len, axis)) for axis in axes) + len(axes) - 1
    return ",".join(coordinates).ljust(longest)

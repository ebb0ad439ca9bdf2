"""Boards of boards, and layers of a board, as a map: found in fluents whose cells have three or four coordinates.

A relation has such cells if its first or last three or four arguments are coordinates, and at least half of all their
combinations occur. Of four coordinates the first two count boards and the last two count cells of a board. Of three
coordinates one counts layers, which stand side by side: the last one if it is equal in all cells of the initial state,
as in a pile of cubes, whose layers may have missing cells; else the one with another number of values; else the first
one. A last coordinate with another number of values is a content, such as the number on a die, and so is a coordinate
that each cell has exactly once in the initial state.

>>> fluents = [f"(cell {x} {y} {z} b)" for x in "12" for y in "12" for z in "12"]
>>> print(nested_map(fluents))
1,1,2 1,2,2 | 2,1,2 2,2,2
1,1,1 1,2,1 | 2,1,1 2,2,1
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence

from .grid_board import axis_of, by_relation, placings_of

# The fraction of all combinations of coordinates that must occur, and the maximal number of cells.
_COVERED = 0.5
_MAX_CELLS = 1_000
# The same for a pile, and the smallest number of its cells in the initial state.
_COVERED_BY_PILE, _FEWEST_IN_PILE = 0.2, 9
# Maximal number of layers or boards in a row.
_IN_A_ROW = 4

_Axis = tuple[str, ...]


def nested_map(fluents: Iterable[str], initial: Iterable[str] = ()) -> str:
    """Return the map of the largest board of boards; empty without one."""
    at_first = by_relation(initial)
    best: list[_Axis] = []
    map_of_best = ""
    for (name, arity), all_arguments in by_relation(fluents).items():
        for placing in placings_of(name, arity, 4) + placings_of(name, arity, 3):
            cells = {placing.split(arguments)[0] for arguments in all_arguments}
            held = [placing.split(arguments)[0] for arguments in at_first.get((name, arity), ())]
            is_pile = _is_pile(held)
            axes = _axes(cells, _COVERED_BY_PILE if is_pile else _COVERED)
            if axes and not _is_content(held, axes) and _size(axes) > _size(best):
                best = axes
                if len(axes) == 4:
                    map_of_best = _of_boards(axes)
                else:
                    map_of_best = _of_layers(axes, cells, 2 if is_pile else _layer(list(map(len, axes))))
    return map_of_best


def _is_pile(held: Sequence[tuple[str, ...]]) -> bool:
    """Return whether the cells of the initial state have three coordinates, of which the last is equal."""
    if len(held) < _FEWEST_IN_PILE or len(held[0]) != 3:
        return False
    return len({cell[2] for cell in held}) == 1 and len({cell[:2] for cell in held}) == len(held)


def _size(axes: Sequence[_Axis]) -> int:
    return math.prod(map(len, axes)) if axes else 0


def _axes(cells: set[tuple[str, ...]], covered: float) -> list[_Axis]:
    """Return the values of each coordinate in order; empty if the cells are no board."""
    axes = [axis_of(set(values), from_anywhere=True) for values in zip(*cells, strict=True)]
    found = [axis for axis in axes if axis is not None]
    size = _size(found)
    if len(found) < len(axes) or size > _MAX_CELLS or len(cells) < covered * size:
        return []
    # Permutations, such as the order of some pancakes, are no cells.
    are_orders = len(set(found)) == 1 and all(len(set(cell)) == len(cell) for cell in cells)
    return [] if are_orders else found


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


def _of_layers(axes: Sequence[_Axis], cells: Collection[tuple[str, ...]], layer: int) -> str:
    first, second = (place for place in range(3) if place != layer)

    def cell(of_layer: str, x: str, y: str) -> str:
        named = dict(zip((layer, first, second), (of_layer, x, y), strict=True))
        coordinates = tuple(named[place] for place in range(3))
        padded = _padded(coordinates, axes)
        return padded if coordinates in cells else " " * len(padded)

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

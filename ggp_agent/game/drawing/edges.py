"""Lines, walls and signs of a grid, which stand between cells and not in them.

- A *line* joins two neighbouring points: a relation of two pairs of coordinates, such as `(line 1 1 1 2)`, in which all
  pairs are neighbours. If there is one more point than cells in a row, points are corners of cells, else centres.
- A *wall* is a side of a cell: a relation whose name ends with the side, such as `(blockedNorth 3 4)`.
- A *sign* compares a cell with the next one: a relation whose name ends with `gt` or `lt` and `right` or `below`, such
  as `(cell_gt_right 1 4)`. If a next cell is outside the grid, the first coordinate counts rows from above.

>>> edges = Edges.of(["(line 1 1 2 1)", "(line 1 1 1 2)", "(wallEast 1 1)"], ["1"], ["1"])
>>> edges.path(["(line 1 1 2 1)"]), edges.path(["(wallEast 1 1)"]), edges.path(["(control x)"])
('M-20 20L20 20', 'M20 20L20 -20', '')
>>> Edges.of(["(gt_right 1 1)"], ["1", "2"], ["1", "2"]).path(["(gt_right 1 1)"])
'M17.2 34.8L22.8 40L17.2 45.2'
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from .board_ground import UNIT
from .grid_board import by_relation, read_fluent

_NUMBER = re.compile(r"[0-9]{1,4}")
_WALL = re.compile(r"(?:blocked|wall|fence)_?(north|east|south|west)", re.IGNORECASE)
_SIGN = re.compile(r"(?:^|_)(gt|lt)_(right|below)$")
# The step to the next cell, by the direction: coordinates of column and row, and of rows from above and columns.
_STEPS = ({"right": (1, 0), "below": (0, -1)}, {"right": (0, 1), "below": (1, 0)})
# Half of the length and of the width of a sign.
_LONG, _WIDE = 0.07, 0.13
# The ends of each side, from the centre of a cell, with y upwards.
_SIDES = {
    "north": ((-0.5, 0.5), (0.5, 0.5)),
    "east": ((0.5, -0.5), (0.5, 0.5)),
    "south": ((-0.5, -0.5), (0.5, -0.5)),
    "west": ((-0.5, -0.5), (-0.5, 0.5)),
}

_Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Edges:
    """The relations of lines, walls and signs of a game on a grid with numbered columns and rows; by default none."""

    lines: frozenset[str] = frozenset()  # the names of the relations of lines
    walls: Mapping[str, str] = field(default_factory=dict)  # the side of each relation of walls, in lower case
    # The step to the next cell, and whether the cell is greater than the next one, by the relation of signs.
    signs: Mapping[str, tuple[tuple[int, int], bool]] = field(default_factory=dict)
    columns: Sequence[str] = ()  # the names of the columns, from the left
    rows: Sequence[str] = ()  # the names of the rows, from below
    between: bool = False  # True if points are corners of cells

    @classmethod
    def of(cls, known: Iterable[str], columns: Sequence[str], rows: Sequence[str]) -> Edges:
        """Find lines, walls and signs among the fluents that may be true."""
        lines, walls, points = set(), {}, set()
        are_numbers = all(map(_NUMBER.fullmatch, (*columns, *rows)))
        relations = by_relation(known) if are_numbers else {}
        for (name, arity), all_arguments in relations.items():
            if all(map(_are_neighbours, all_arguments)):
                lines.add(name)
                points |= {arguments[:2] for arguments in all_arguments} | {each[2:] for each in all_arguments}
            found = _WALL.fullmatch(name)
            if found and arity == 2 and all(x in columns and y in rows for x, y in all_arguments):
                walls[name] = found[1].lower()
        between = len({x for x, _ in points}) > len(columns)
        compared = {name: found for name, arity in relations if arity == 2 and (found := _SIGN.search(name))}
        cells = [(x, y, found[2]) for name, found in compared.items() for x, y in relations[name, 2]]
        steps: Mapping[str, tuple[int, int]] = {}
        if all(x in columns and y in rows for x, y, _ in cells):
            places = [(columns.index(x), rows.index(y), way) for x, y, way in cells]
            fitting = (
                each
                for each in _STEPS
                if all(
                    0 <= x + each[way][0] < len(columns) and 0 <= y + each[way][1] < len(rows) for x, y, way in places
                )
            )
            steps = next(fitting, {})
        signs = {name: (steps[found[2]], found[1] == "gt") for name, found in compared.items() if steps}
        return cls(frozenset(lines), walls, signs, columns, rows, between)

    @property
    def names(self) -> frozenset[str]:
        """The relations of lines, walls and signs."""
        return self.lines.union(self.walls, self.signs)

    def include(self, fluent: str) -> bool:
        """Return whether a fluent is a line, a wall or a sign."""
        return self._ends(fluent) is not None

    def path(self, fluents: Iterable[str]) -> str:
        """Return the lines, walls and signs that are true as the data of an SVG path; empty without any."""
        found = filter(None, map(self._ends, fluents))
        return "".join(f"M{'L'.join(map(self._at, points))}" for points in found)

    def _ends(self, fluent: str) -> tuple[_Point, ...] | None:
        # A state of a foreign record may have fluents that the rules do not have.
        name, arguments = read_fluent(fluent) or ("", ())
        if name in self.walls and len(arguments) == 2 and all(map(_NUMBER.fullmatch, arguments)):
            x, y = int(arguments[0]), int(arguments[1])
            (x1, y1), (x2, y2) = _SIDES[self.walls[name]]
            return (x + x1, y + y1), (x + x2, y + y2)
        if name in self.signs and len(arguments) == 2 and all(map(_NUMBER.fullmatch, arguments)):
            (dx, dy), is_greater = self.signs[name]
            column, row = int(arguments[0]) + dx / 2, int(arguments[1]) + dy / 2
            tip = _LONG if is_greater else -_LONG
            ends = ((column - dx * tip + side * dy, row - dy * tip + side * dx) for side in (_WIDE, -_WIDE))
            return next(ends), (column + dx * tip, row + dy * tip), next(ends)
        if name in self.lines and _are_neighbours(arguments):
            x1, y1, x2, y2 = (int(each) - 0.5 * self.between for each in arguments)
            return (x1, y1), (x2, y2)
        return None

    def _at(self, point: _Point) -> str:
        x, y = point
        return f"{UNIT * (x - int(self.columns[0])):g} {UNIT * (int(self.rows[-1]) - y):g}"


def _are_neighbours(arguments: Sequence[str]) -> bool:
    if len(arguments) != 4 or not all(map(_NUMBER.fullmatch, arguments)):
        return False
    x1, y1, x2, y2 = map(int, arguments)
    return abs(x1 - x2) + abs(y1 - y2) == 1

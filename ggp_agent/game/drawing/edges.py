"""Lines and walls of a grid, which stand between cells and not in them.

- A *line* joins two neighbouring points: a relation of two pairs of coordinates, such as `(line 1 1 1 2)`, in which all
  pairs are neighbours. If there is one more point than cells in a row, points are corners of cells, else centres.
- A *wall* is a side of a cell: a relation whose name ends with the side, such as `(blockedNorth 3 4)`.

>>> edges = Edges.of(["(line 1 1 2 1)", "(line 1 1 1 2)", "(wallEast 1 1)"], ["1"], ["1"])
>>> edges.path(["(line 1 1 2 1)"]), edges.path(["(wallEast 1 1)"]), edges.path(["(control x)"])
('M-20 20L20 20', 'M20 20L20 -20', '')
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from .board_ground import UNIT
from .grid_board import by_relation, read_fluent

_NUMBER = re.compile(r"[0-9]{1,4}")
_WALL = re.compile(r"(?:blocked|wall|fence)_?(north|east|south|west)", re.IGNORECASE)
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
    """The relations of lines and walls of one game on a grid with numbered columns and rows; by default none."""

    lines: frozenset[str] = frozenset()  # the names of the relations of lines
    walls: Mapping[str, str] = field(default_factory=dict)  # the side of each relation of walls, in lower case
    columns: Sequence[str] = ()  # the names of the columns, from the left
    rows: Sequence[str] = ()  # the names of the rows, from below
    between: bool = False  # True if points are corners of cells

    @classmethod
    def of(cls, known: Iterable[str], columns: Sequence[str], rows: Sequence[str]) -> Edges:
        """Find lines and walls among the fluents that may be true."""
        lines, walls, points = set(), {}, set()
        are_numbers = all(map(_NUMBER.fullmatch, (*columns, *rows)))
        for (name, arity), all_arguments in by_relation(known).items() if are_numbers else ():
            if all(map(_are_neighbours, all_arguments)):
                lines.add(name)
                points |= {arguments[:2] for arguments in all_arguments} | {each[2:] for each in all_arguments}
            found = _WALL.fullmatch(name)
            if found and arity == 2 and all(x in columns and y in rows for x, y in all_arguments):
                walls[name] = found[1].lower()
        between = len({x for x, _ in points}) > len(columns)
        return cls(frozenset(lines), walls, columns, rows, between)

    def include(self, fluent: str) -> bool:
        """Return whether a fluent is a line or a wall."""
        return self._ends(fluent) is not None

    def path(self, fluents: Iterable[str]) -> str:
        """Return the lines and walls that are true as the data of an SVG path; empty without any."""
        found = filter(None, map(self._ends, fluents))
        return "".join(f"M{self._at(start)}L{self._at(end)}" for start, end in found)

    def _ends(self, fluent: str) -> tuple[_Point, _Point] | None:
        # A state of a foreign record may have fluents that the rules do not have.
        name, arguments = read_fluent(fluent) or ("", ())
        if name in self.walls and len(arguments) == 2 and all(map(_NUMBER.fullmatch, arguments)):
            x, y = int(arguments[0]), int(arguments[1])
            (x1, y1), (x2, y2) = _SIDES[self.walls[name]]
            return (x + x1, y + y1), (x + x2, y + y2)
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

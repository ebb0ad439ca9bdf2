"""A drawn position: the lines of a board, where its cells stand in them, and what is told beside it.

>>> print(Drawing(("2 . x", "1 . .", "  a b"), ((0, 2, 3), (0, 4, 5), (1, 2, 3), (1, 4, 5)), ("turn o", "moves 1")))
2 . x   turn o
1 . .   moves 1
  a b
"""

from __future__ import annotations

from dataclasses import dataclass

_GAP = 3
# Columns of a terminal that are there for certain.
_WIDTH = 80

# Line, and where in it a cell begins and ends.
Span = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Drawing:
    """One drawn position.

    Attributes:
        lines: of the board.
        cells: where what stands on the cells is written, always in the same order of the cells.
        beside: what is told of the position besides, such as the turn and counters.
    """

    lines: tuple[str, ...]
    cells: tuple[Span, ...] = ()
    beside: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join(self.whole_lines())

    def contents(self) -> list[str]:
        """Return what is written on each cell."""
        return [self.lines[line][start:end] for line, start, end in self.cells]

    def whole_lines(self) -> list[str]:
        """Return the lines with what is told beside the board; below it where there is no room."""
        if not self.beside:
            return list(self.lines)
        width = max(map(len, self.lines)) + _GAP
        if width + max(map(len, self.beside)) > _WIDTH:
            return [*self.lines, ", ".join(self.beside)]
        height = max(len(self.lines), len(self.beside))
        left = [*self.lines, *[""] * (height - len(self.lines))]
        right = [*self.beside, *[""] * (height - len(self.beside))]
        return [f"{one:<{width}}{other}".rstrip() for one, other in zip(left, right, strict=True)]

"""The cells of a board as texts: which cell a fluent describes, the name of the cell, and its contents.

The board is the grid or map that drawings use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ..game.drawing.grid_board import EMPTY, Grid, Placing, read_fluent
from ..game.drawing.map_board import MapBoard


@dataclass(frozen=True, slots=True)
class CellFluent:
    """A fluent that describes a cell."""

    cell: tuple[str, ...]  # the coordinates of the cell, the column before the row
    # The words of the content, which begin with the relation if several relations describe cells.
    content: tuple[str, ...]
    is_empty: bool  # whether drawings show this content as an empty cell


class BoardCells:
    """Read the fluents of a board.

    >>> fluents = ["(cell a 1 x)", "(cell a 2 blank)", "(cell b 1 o)", "(cell b 2 blank)", "(control x)"]
    >>> cells = BoardCells(Grid.of(fluents, fluents), fluents)
    >>> cells.read("(cell b 1 o)"), cells.read("(control x)")
    (CellFluent(cell=('b', '1'), content=('o',), is_empty=False), None)
    >>> cells.default, cells.name(("b", "1"), str), cells.title(str)
    (('blank',), 'b1', 'The board has the columns a to b and the rows 1 to 2.')
    """

    def __init__(self, board: Grid | MapBoard, known: Sequence[str]) -> None:
        self._board = board
        arities = [arity - placing.count for (_, arity), placing in board.placings.items()]
        self._is_named = sum(others > 0 for others in arities) > 1 or (0 in arities and max(arities) > 0)
        found = [each for each in map(self.read, known) if each is not None]
        # The cells that the known fluents describe, in the order of their coordinates.
        self.cells = tuple(sorted({each.cell for each in found}, key=_numerically))
        empty = {each.content for each in found if each.is_empty}
        # The content that means an empty cell; None if an empty cell has no fluent.
        self.default = empty.pop() if len(empty) == 1 else None

    def read(self, fluent: str) -> CellFluent | None:
        """Return the cell and content of a fluent; None if it describes no cell."""
        name, arguments = read_fluent(fluent) or ("", ())
        placing = self._board.placings.get((name, len(arguments)))
        if placing is None:
            return None
        cell, rest = placing.split(arguments)
        if isinstance(self._board, Grid) and self._board.turned:
            cell = cell[::-1]
        content = (name, *rest) if self._is_named or not rest else rest
        return CellFluent(cell, content, self._is_empty(placing, arguments))

    def name(self, cell: tuple[str, ...], rename: Callable[[str], str]) -> str:
        """Return the name of a cell, such as `c3` or `3,4`, with renamed coordinates."""
        names = [rename(each) for each in cell]
        is_short = len(names) == 2 and names[0].isalpha() and len(names[0]) == 1 and names[1].isdigit()
        return ("" if is_short else ",").join(names)

    def title(self, rename: Callable[[str], str]) -> str:
        """Return a sentence about the columns and rows, or the cells if they do not fill columns and rows."""
        names = "; ".join(self.name(cell, rename) for cell in self.cells)
        if isinstance(self._board, MapBoard):
            return f"The board has the cells {names}."
        columns, rows = self._board.columns, self._board.rows
        sides = f"the columns {_range(columns, rename)} and the rows {_range(rows, rename)}"
        if len(self.cells) < len(columns) * len(rows):
            return f"The board has {sides}; only these are cells: {names}."
        return f"The board has {sides}."

    def _is_empty(self, placing: Placing, arguments: tuple[str, ...]) -> bool:
        return self._board.signs.get(placing.content(arguments)) == EMPTY


def _range(names: Sequence[str], rename: Callable[[str], str]) -> str:
    """Return consecutive names as `1 to 8`, and renamed names one by one."""
    renamed = [rename(name) for name in names]
    return f"{names[0]} to {names[-1]}" if renamed == list(names) else ", ".join(renamed)


def _numerically(cell: Iterable[str]) -> list[tuple[int, str]]:
    """Return a key that sorts numbers by value."""
    return [(int(part) if part.isdigit() else 0, part) for part in cell]

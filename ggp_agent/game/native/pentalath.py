"""Pentalath: its picture, and its moves in the rule sheet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from .board_game import BoardGame

# The lengths of the rows from the top, and the column in the sheet of the first cell of each row.
_WIDTHS = (5, 6, 7, 8, 9, 8, 7, 6, 5)
_FIRST = (2, 1, 1, 0, 0, 0, 1, 1, 2)


class Pentalath(BoardGame):
    """A cell has a line and a row, `e5` in the centre; in the sheet column and row from the top: `(place 4 4)`."""

    pieces: ClassVar = {"w": "stone white", "b": "stone black"}
    counter = "played"

    @property
    def added_rules(self) -> str:
        return f"a draw after {self.move_limit} moves"

    @property
    def move_limit(self) -> int:
        return 200

    def widths(self) -> Sequence[int]:
        return _WIDTHS

    def cell_name(self, row: int, place: int) -> str:
        # Rows in the lower half begin with line a.
        return f"{chr(ord('a') + place + max(0, 4 - row))}{9 - row}"

    def sheet_cell(self, row: int, place: int) -> str:
        return f"{_FIRST[row] + place} {row}"

    def sheet_moves(self, role: str, move: str) -> tuple[str, ...]:
        return (f"(place {self.sheet_cells(move)})",)

    def read_turn(self, role: str, moves: Sequence[str]) -> str:
        return self.cell_names(" ".join(moves), "place", 1)[0]

"""Chinese checkers: its picture, and its moves in the rule sheet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from .board_game import BoardGame

# First and last column of each row, from the corner of red.
_ROWS = ((5, 5), (4, 5), (4, 6), (0, 9), (1, 9), (1, 8), (2, 8), (1, 8), (1, 9), (0, 9), (4, 6), (4, 5), (5, 5))


class ChineseCheckers(BoardGame):
    """A cell has a letter for the column and a row from 1; the sheet counts both from 0: `f1-e2` is `5 0 4 1`."""

    pieces: ClassVar = {"r": "piece red", "t": "piece teal"}
    counter = "moves"

    @property
    def added_rules(self) -> str:
        return f"no stone goes back a row; a draw after {self.move_limit:,} moves"

    @property
    def move_limit(self) -> int:
        return 1000

    def widths(self) -> Sequence[int]:
        return [last - first + 1 for first, last in _ROWS]

    def cell_name(self, row: int, place: int) -> str:
        return f"{chr(ord('a') + _ROWS[row][0] + place)}{row + 1}"

    def sheet_cell(self, row: int, place: int) -> str:
        return f"{_ROWS[row][0] + place} {row}"

    def sheet_moves(self, role: str, move: str) -> tuple[str, ...]:
        return (f"(move {self.sheet_cells(*move.split('-'))})",)

    def read_turn(self, role: str, moves: Sequence[str]) -> str:
        return "-".join(self.cell_names(" ".join(moves), "move"))

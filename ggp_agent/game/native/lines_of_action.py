"""Lines of Action: its picture, and its moves in the rule sheet."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from .board_game import BoardGame

# In the sheet, a pass is the move of the waiting role.
_PASS, _SHEET_PASS = "pass", "noop"


class LinesOfAction(BoardGame):
    """A square has a letter and a number: `b1-b3` is `(move b 1 b 3)` in the sheet, `pass` is `noop`."""

    pieces: ClassVar = {"w": "piece white", "b": "piece black"}
    counter = "turns"
    counter_has_digits = False

    def sheet_cell(self, row: int, place: int) -> str:
        return f"{chr(ord('a') + place)} {self.core.size - row}"

    @property
    def added_rules(self) -> str:
        return f"a draw after {self.move_limit} turns of both players together"

    @property
    def move_limit(self) -> int:
        return 50

    def sheet_moves(self, role: str, move: str) -> tuple[str, ...]:
        return (_SHEET_PASS if move == _PASS else f"(move {self.sheet_cells(*re.split('[-x]', move))})",)

    def read_turn(self, role: str, moves: Sequence[str]) -> str:
        return _PASS if tuple(moves) == (_SHEET_PASS,) else "-".join(self.cell_names(" ".join(moves), "move"))

"""Amazons: its picture, and its turns in the rule sheet, where moving and shooting are two moves."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from .board_game import BoardGame


class Amazons(BoardGame):
    """A square of the sheet has the numbers of column and row: `d1-d7/g7` is `(move 4 1 4 7)`, `(shoot 7 7)`."""

    one_to_one = False
    pieces: ClassVar = {"w": "amazon white", "b": "amazon black", "x": "arrow"}

    def turn_fluent(self, role: str) -> str:
        return f"(turn {role} move)"

    def sheet_moves(self, role: str, move: str) -> tuple[str, ...]:
        start, end, shot = re.split("[-/]", move)
        return f"(move {self.sheet_cells(start, end)})", f"(shoot {self.sheet_cells(shot)})"

    def read_turn(self, role: str, moves: Sequence[str]) -> str:
        move, shot = moves if len(moves) == 2 else ("()", "()")
        return f"{'-'.join(self.cell_names(move, 'move'))}/{self.cell_names(shot, 'shoot', 1)[0]}"

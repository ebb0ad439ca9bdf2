"""Breakthrough: its picture, and its moves in the rule sheet."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from .board_game import BoardGame


class Breakthrough(BoardGame):
    """A square of the sheet has the numbers of column and row: `a2-b3` is `(move 1 2 2 3)`."""

    pieces: ClassVar = {"w": "piece white", "b": "piece black"}

    @property
    def added_rules(self) -> str:
        return "capturing all enemies wins, too"

    def sheet_moves(self, role: str, move: str) -> tuple[str, ...]:
        return (f"(move {self.sheet_cells(*re.split('[-x]', move))})",)

    def read_turn(self, role: str, moves: Sequence[str]) -> str:
        return "-".join(self.cell_names(" ".join(moves), "move"))

"""Atari Go: its picture, and its moves in the rule sheet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from .board_game import BoardGame


class AtariGo(BoardGame):
    """A point has a letter and a number: `c4` is `(place 3 4)` in the sheet."""

    pieces: ClassVar = {"b": "stone black", "w": "stone white"}

    def sheet_moves(self, role: str, move: str) -> tuple[str, ...]:
        return (f"(place {self.sheet_cells(move)})",)

    def read_turn(self, role: str, moves: Sequence[str]) -> str:
        return self.cell_names(" ".join(moves), "place", 1)[0]

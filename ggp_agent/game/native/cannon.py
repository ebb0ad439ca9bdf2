"""Cannon: its picture, and its moves in the rule sheet."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from .board_game import BoardGame

_HOME = {"white": 1, "black": 10}


class Cannon(BoardGame):
    """A square is named as in the sheet: `b2-b3` is `(move b 2 b 3)`, `xc7` is `(shoot c 7)`, `e1` is `(found e)`."""

    pieces: ClassVar = {"w": "soldier white", "b": "soldier black", "W": "town white", "B": "town black"}
    counter = "moves"

    @property
    def added_rules(self) -> str:
        return f"a draw after {self.move_limit:,} moves"

    @property
    def move_limit(self) -> int:
        return 1000

    def sheet_cell(self, row: int, place: int) -> str:
        return f"{chr(ord('a') + place)} {self.core.size - row}"

    def sheet_moves(self, role: str, move: str) -> tuple[str, ...]:
        if move.startswith("x"):
            return (f"(shoot {self.sheet_cells(move[1:])})",)
        squares = re.split("[-x]", move)
        return (f"(move {self.sheet_cells(*squares)})" if len(squares) == 2 else f"(found {move[0]})",)

    def read_turn(self, role: str, moves: Sequence[str]) -> str:
        move = " ".join(moves)
        if move.startswith("(shoot "):
            return f"x{self.cell_names(move, 'shoot', 1)[0]}"
        if move.startswith("(found "):
            return self.cell_names(move.replace(")", f" {_HOME[role]})"), "found", 1)[0]
        return "-".join(self.cell_names(move, "move"))

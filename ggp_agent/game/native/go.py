"""Go: its picture. It has no rule sheet; states are described as for games with a sheet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from .board_game import BoardGame

_PASS = "pass"


class Go(BoardGame):
    """A point has a letter and a number, `c3`; fluents and moves have the form of a sheet: `(place 3 3)`, `pass`.

    Fluents contain the stones, the turn and the number of moves, but not earlier states and passes (superko).
    """

    pieces: ClassVar = {"b": "stone black", "w": "stone white"}
    counter = "moves"
    counter_has_digits = False

    @property
    def added_rules(self) -> str:
        return f"a game ends after {self.move_limit} moves, two for each point, and is scored in that position"

    @property
    def move_limit(self) -> int:
        return 2 * self.core.size**2

    def sheet_moves(self, role: str, move: str) -> tuple[str, ...]:
        return (_PASS if move == _PASS else f"(place {self.sheet_cells(move)})",)

    def read_turn(self, role: str, moves: Sequence[str]) -> str:
        return _PASS if tuple(moves) == (_PASS,) else self.cell_names(" ".join(moves), "place", 1)[0]

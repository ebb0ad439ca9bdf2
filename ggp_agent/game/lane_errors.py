"""Errors about the moves that lanes get."""

from __future__ import annotations

from collections.abc import Sequence

from ..common.errors import IllegalMoveError
from .game import listed


class SimultaneousMovesError(IllegalMoveError):
    """Only the mover has a move, but another role has a choice, too."""

    def __init__(self, lane: int, roles: tuple[str, str], shape: tuple[int, int]) -> None:
        super().__init__(f"{' and '.join(roles)} move at once in lane {lane}: give moves of shape {shape}")
        self.roles = roles


def wrong_move_error(lane: int, role: str, move: int, names: Sequence[str], legal: Sequence[int]) -> IllegalMoveError:
    """Return the error for an illegal move of a role; `names` are all its moves, `legal` the legal numbers."""
    what = f"{move} {names[move]}" if 0 <= move < len(names) else f"{move}, which is not the number of a move"
    shown = listed(f"{number} {names[number]}" for number in legal)
    return IllegalMoveError(f"lane {lane}: {role} cannot play {what}; legal moves: {shown}")

"""The random moves that replace the missing and invalid moves of players, and their consequence: the rule `on_error`.

A player *fails* when a random move was drawn for it `MAX_DRAWN` times in a row, or in every turn of a match that is
over. A legal answer in a turn with one legal move does not interrupt a row, because such an answer needs no player of
the game. With `lose` the match is adjudicated: the player gets 0 and the other players share 100.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..common.errors import UserError
from ..records.match_record import MatchRecord
from .seats import SeatMove

# The rules; the first one is the default of new matches. Matches of older versions have the rule `random`.
LOSE, RANDOM, STOP = "lose", "random", "stop"
ON_ERROR = (LOSE, RANDOM, STOP)

# The number of drawn moves in a row after which a player fails.
MAX_DRAWN = 3
# The field of the record with the number of drawn moves of each role.
DRAWN = "drawnMoves"


class PlayerFailedError(UserError):
    """A player failed, and the rule is `stop`; the message names the player."""


class DrawnMoves:
    """Count the drawn moves of a match in its record, and decide which players fail."""

    def __init__(self, rule: str, record: MatchRecord) -> None:
        self._rule = rule
        self._record = record
        self._rows = [0] * len(record.roles)
        self._has_moved = [any(not error for error in column) for column in _columns(record)]

    def failed(self, moves: Sequence[SeatMove], *, is_over: bool) -> list[int]:
        """Count the moves of a recorded turn; return the roles whose players fail, none with `random`."""
        if any(move.error for move in moves):
            self._record.extra[DRAWN] = drawn_moves(self._record)
        for role, move in enumerate(moves):
            if move.error:
                self._rows[role] += 1
            elif move.has_choice:
                self._rows[role], self._has_moved[role] = 0, True
        if self._rule == RANDOM:
            return []
        return [
            role
            for role, row in enumerate(self._rows)
            if row >= MAX_DRAWN or (is_over and row and not self._has_moved[role])
        ]

    def description(self, role: int) -> str:
        """Describe the failure of a role."""
        row = self._rows[role]
        return f"{'no legal move in 1 turn' if row == 1 else f'no legal move in {row} turns in a row'}"


def drawn_moves(record: MatchRecord) -> list[int]:
    """Return the number of drawn moves of each role."""
    return [sum(map(bool, column)) for column in _columns(record)]


def goals_of_forfeit(losers: Collection[int], players: Sequence[int], roles: int) -> tuple[int | None, ...]:
    """Return the goals after some players failed: 0 for them, equal shares of 100, rounded down, for the others.

    >>> goals_of_forfeit([1], [0, 1], 2), goals_of_forfeit([0], [0, 2, 3, 4], 5), goals_of_forfeit([0], [0], 1)
    ((100, 0), (0, None, 33, 33, 33), (0,))
    """
    others = len(players) - len(losers)
    return tuple(None if role not in players else 0 if role in losers else 100 // others for role in range(roles))


def _columns(record: MatchRecord) -> list[tuple[str, ...]]:
    """Return the errors of each role in the turns of a record."""
    return list(zip(*record.errors[1:], strict=True)) or [()] * len(record.roles)

"""Who plays a match, what they do in a turn, and who is told of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..protocol.client import PlayerClient
from ..records.match_record import MatchRecord


@dataclass(frozen=True, slots=True)
class Seat:
    """A role and who plays it.

    Attributes:
        role: the role.
        player: what plays it, as the record calls it.
        client: the way to the player; None where the manager itself plays at random.
        tells: whether the player is one of ours, started here, that searches: it is asked what it expects.
    """

    role: str
    player: str
    client: PlayerClient | None
    tells: bool = False


@dataclass(frozen=True, slots=True)
class SeatMove:
    """What one role did in one turn.

    Attributes:
        move: the move that was made.
        seconds: the time the role took for it.
        error: empty, or why the manager drew a random move instead: `TO`, `CE`, `IN ...` or `IL <move>`.
        detail: the error in words.
    """

    move: str
    seconds: float = 0.0
    error: str = ""
    detail: str = ""


class MatchObserver:
    """One who is told how a match goes on; every method may be left as it is."""

    def opened(self, record: MatchRecord, seats: Sequence[Seat]) -> None:
        """Hear that the players are about to be told of the match; the record of a resumed one holds moves."""

    def started(self, seconds: float) -> None:
        """Hear that all who were told the rules are ready, or their startclock is over; again for late comers."""

    def turn_began(self, number: int) -> None:
        """Hear that the players are asked for their moves."""

    def turn_ended(self, number: int, moves: Sequence[SeatMove]) -> None:
        """Hear the joint move."""

    def note(self, text: str) -> None:
        """Hear something worth telling, in one line; may be called from any thread."""

    def stopped(self, turns: int) -> None:
        """Receive the number of turns after which the turn limit stopped the match."""

    def completed(self, goals: Sequence[int | None]) -> None:
        """Hear the goals of the terminal state."""

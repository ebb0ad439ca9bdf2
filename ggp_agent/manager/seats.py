"""The players of a match, their moves in a turn, and the observer of a match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..protocol.client import PlayerClient
from ..protocol.text_command import TextCommand
from ..protocol.text_process import TextProcess
from ..records.match_record import MatchRecord


@dataclass(frozen=True, slots=True)
class TextSeat:
    """A text player: a program that reads requests and writes moves."""

    process: TextProcess  # the program
    command: TextCommand  # the command of the program, with its settings


@dataclass(frozen=True, slots=True)
class Seat:
    """A role and its player."""

    role: str
    player: str  # the name of the player in the record
    # The client of the player; None for a text player, and if the manager plays random moves.
    client: PlayerClient | None
    # Whether the player is a searching player of this program, which reports the expected goal.
    reports_value: bool = False
    text: TextSeat | None = None  # the text player; None for other players

    @property
    def has_player(self) -> bool:
        """Whether a player chooses the moves; otherwise the manager plays random moves."""
        return self.client is not None or self.text is not None


@dataclass(frozen=True, slots=True)
class SeatMove:
    """The move of one role in one turn."""

    move: str
    seconds: float = 0.0  # the time of the player for the move
    # The reason why the manager drew a random move: `TO`, `CE`, `IN ...` or `IL <move>`; otherwise empty.
    error: str = ""
    detail: str = ""  # a description of the error
    has_choice: bool = True  # whether the role had several legal moves


class MatchObserver:
    """The callbacks of a match; by default they do nothing."""

    def opened(self, record: MatchRecord, seats: Sequence[Seat]) -> None:
        """Called before the first message to the players; the record of a resumed match contains moves."""

    def started(self, seconds: float) -> None:
        """Called when all players that received START are ready or out of time; repeated for restarted players."""

    def turn_began(self, number: int) -> None:
        """Called before the players receive PLAY."""

    def turn_ended(self, number: int, moves: Sequence[SeatMove]) -> None:
        """Called with the moves of a turn."""

    def note(self, text: str) -> None:
        """Called with a line of information; from any thread."""

    def stopped(self, turns: int) -> None:
        """Called with the number of turns when the turn limit stops the match."""

    def completed(self, goals: Sequence[int | None]) -> None:
        """Called with the goals of the terminal state."""

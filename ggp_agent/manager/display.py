"""Show a match in the terminal: one line per joint move, and a status line with the findings of the players."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from rich.text import Text

from ..common.progress import ProgressDisplay
from ..common.terminal_text import amount, printable
from ..protocol.messages import Thoughts
from ..records.match_record import MatchRecord
from .conditions import Conditions, clock_of
from .seats import MatchObserver, Seat, SeatMove

# Seconds between two requests for findings.
_POLL_SECONDS = 0.5


class MatchDisplay(ProgressDisplay, MatchObserver):
    """Print lines on stdout and, on a terminal, a status line.

    Only players that report the findings of their search are asked for them. Other players may be unable to answer
    during a search.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        # A function of role and move that translates a move of this role's player to the names of the rules.
        self.our_name: Callable[[str, str], str] = lambda role, move: move
        super().__init__(quiet=quiet, stdout=True)
        self._seats: Sequence[Seat] = ()
        self._thinkers: dict[str, Seat] = {}
        self._thoughts: dict[str, Thoughts] = {}
        self._status = ""
        self._since = time.monotonic()
        self._clock = 0.0
        self._ended = threading.Event()
        self._poller = threading.Thread(target=self._poll, name="thoughts", daemon=True)

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        if self._poller.is_alive():
            self._poller.join()
        super().__exit__(*error)

    def opened(self, record: MatchRecord, seats: Sequence[Seat]) -> None:
        self._seats = seats
        players = ", ".join(f"{seat.role} {seat.player}" for seat in seats)
        conditions = Conditions.read(record)
        start = _clocks(record.start_clock, conditions.start_clocks, seats)
        play = _clocks(record.play_clock, conditions.play_clocks, seats)
        begun = f"; resumed after {amount(len(record.moves), 'turn')}" if record.moves else ""
        self.line(f"{record.game}: {players}; {start} s to prepare, {play} s a move{begun}")
        self._clock = record.play_clock
        self._say("the players prepare", record.start_clock)
        if self._live is not None:
            self._poller.start()

    def started(self, seconds: float) -> None:
        self.line(f"ready after {seconds:.2f} s")

    def turn_began(self, number: int) -> None:
        self._thoughts.clear()
        self._say(f"turn {number}", self._clock)

    def turn_ended(self, number: int, moves: Sequence[SeatMove]) -> None:
        line = Text(f"{number:3}")
        for seat, each in zip(self._seats, moves, strict=True):
            line.append(printable(f"  {seat.role} "))
            line.append(printable(each.move), "bold")
            line.append(f" {each.seconds:.2f} s", "dim")
            if each.error:
                line.append(printable(f" [{each.error[:2]}]"), "red")
        self.line(line)

    def completed(self, goals: Sequence[int | None]) -> None:
        shown = ", ".join(
            f"{seat.role} {'none' if goal is None else goal}" for seat, goal in zip(self._seats, goals, strict=True)
        )
        self.line(Text(printable(f"goals: {shown}"), "bold"))

    def stopped(self, turns: int) -> None:
        self.line(Text(f"stopped by the turn limit after {amount(turns, 'turn')}; no goals", "bold"))

    def _say(self, status: str, clock: float) -> None:
        self._status, self._since, self._clock_shown = status, time.monotonic(), clock
        self._refresh()

    def _refresh(self) -> None:
        if self._live is None:
            return
        elapsed = time.monotonic() - self._since
        line = f"{self._status}, {elapsed:.0f} of {self._clock_shown:g} s"
        for role, thoughts in sorted(self._thoughts.items()):
            move = self.our_name(role, thoughts.move)
            line += f"; {role} thinks {move} {thoughts.value:.0f} ({amount(thoughts.simulations, 'simulation')})"
        self.status(line)

    def _poll(self) -> None:
        """Request findings until the end of the match."""
        for seat in self._seats:
            presence = seat.client.presence() if seat.client is not None and not self._ended.is_set() else None
            if presence is not None and presence.reports_thoughts:
                self._thinkers[seat.role] = seat
        while not self._ended.wait(_POLL_SECONDS):
            for role, seat in self._thinkers.items():
                presence = seat.client.presence() if seat.client is not None and not self._ended.is_set() else None
                if presence is not None and presence.thoughts is not None:
                    self._thoughts[role] = presence.thoughts
            self._refresh()


def _clocks(common: float, clocks: Sequence[float], seats: Sequence[Seat]) -> str:
    """Return the text of the common clock, or of the clocks of all players."""
    if not clocks:
        return f"{common:g}"
    return "/".join(f"{clock_of(clocks, index, common):g}" for index, seat in enumerate(seats) if seat.has_player)

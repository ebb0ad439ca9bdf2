"""Show the progress of a tournament: one line per match on stderr; on a terminal also matches and standings."""

from __future__ import annotations

import time
from collections import defaultdict

from rich.console import Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from ...common.processes import cores
from ...common.progress import ProgressDisplay, clock, plain_table
from ...common.terminal_text import amount, printable
from .ratings import scores, total
from .standings import groups_of_results
from .tournament_store import MatchOrder, PlayedMatch, Store

# The largest number of running matches, and of players, that are shown.
_MAX_ROWS = 12
# Seconds between two updates of the standings.
_STANDINGS_SECONDS = 2.0
# The number of times that the same note is shown.
_MAX_REPEATS = 3


class TournamentDisplay(ProgressDisplay):
    """Print the progress."""

    def __init__(self, *, quiet: bool = False) -> None:
        super().__init__(quiet=quiet, picture=not quiet)
        self._store: Store | None = None
        self._total = self._done = 0
        self._running: dict[int, tuple[MatchOrder, float]] = {}
        self._seconds: dict[str, list[float]] = defaultdict(list)
        self._waiting: dict[str, int] = {}
        self._workers = 1
        self._standings: Table | None = None
        self._looked = 0.0
        self._counts_of_notes: dict[str, int] = defaultdict(int)

    def opened(self, store: Store, workers: int, thinking: int) -> None:
        """Show the beginning of the tournament."""
        self._store, self._workers = store, workers
        self.rescheduled(store)
        side = "one match at a time" if workers == 1 else f"{workers} matches at the same time"
        line = f"{store.name}: {amount(self._total, 'match')}, {self._done} played; {side}"
        if thinking > cores():
            line += f"; up to {thinking} players search at the same time and share {amount(cores(), 'core')}"
        self.line(line)

    def rescheduled(self, store: Store) -> None:
        """Update the numbers of matches after a change of the schedule."""
        counts = store.counts()
        self._done = counts["finished"]
        self._total = counts["finished"] + counts["waiting"] + counts["running"]
        self._waiting = dict(
            store.rows("SELECT game, count(*) FROM matches WHERE state IN ('waiting', 'running') GROUP BY game")
        )

    def began(self, worker: int, order: MatchOrder) -> None:
        """Note that a match has begun."""
        self._running[worker] = (order, time.monotonic())

    def ended(self, worker: int, order: MatchOrder, played: PlayedMatch) -> None:
        """Print the line of a finished match."""
        _, since = self._running.pop(worker, (order, time.monotonic()))
        seconds = time.monotonic() - since
        self._seconds[order.game].append(seconds)
        self._waiting[order.game] = self._waiting.get(order.game, 1) - 1
        self._done += 1
        line = f"{self._done}/{self._total} {order.game}: "
        results = []
        for seat, (name, goal) in enumerate(zip(order.seats, played.goals, strict=True)):
            if name is None:
                continue
            failed = sum(bool(errors[seat]) for errors in played.errors)
            results.append(
                f"{name} {'none' if goal is None else goal}" + (f" ({amount(failed, 'error')})" if failed else "")
            )
        turns = amount(len(played.moves), "turn") + ", stopped by the turn limit" * played.stopped
        turns += f", {played.adjudicated}" if played.adjudicated else ""
        self.line(f"{line}{', '.join(results)}; {turns}, {seconds:.1f} s")

    def aborted(self, worker: int) -> None:
        """Note that a match was aborted."""
        self._running.pop(worker, None)

    def note(self, text: str) -> None:
        """Print a note, but the same note only a few times."""
        self._counts_of_notes[text] += 1
        if self._counts_of_notes[text] <= _MAX_REPEATS:
            super().note(text)

    def refresh(self) -> None:
        """Update the picture on the terminal, if there is one."""
        if self._live is None or self._store is None:
            return
        if time.monotonic() - self._looked >= _STANDINGS_SECONDS:
            self._looked = time.monotonic()
            self._standings = _standings(self._store)
        self._draw(self._picture())

    def _picture(self) -> RenderableType:
        left = self._seconds_left()
        status = Text(f" {self._done} of {self._total} matches" + (f", {clock(left)} left" if left else ""), "cyan")
        top = Table.grid(padding=(0, 1))
        top.add_row(ProgressBar(total=max(1, self._total), completed=self._done, width=30), status)
        running = plain_table(show_header=False)
        for worker, (order, since) in sorted(self._running.items())[:_MAX_ROWS]:
            names = ", ".join(name for name in order.seats if name is not None)
            cells = (f"worker {worker + 1}", order.game, printable(names), f"{time.monotonic() - since:.0f} s")
            running.add_row(*(Text(cell, "dim") for cell in cells))
        parts: list[RenderableType] = [top, running]
        if self._standings is not None:
            parts.append(self._standings)
        return Group(*parts)

    def _seconds_left(self) -> float | None:
        """Estimate the remaining seconds by the mean time of each game, or of all games if it was not played yet."""
        known = [seconds for of_game in self._seconds.values() for seconds in of_game]
        if not known:
            return None
        mean = sum(known) / len(known)
        left = 0.0
        for game, matches in self._waiting.items():
            own = self._seconds.get(game)
            left += matches * (sum(own) / len(own) if own else mean)
        return left / self._workers


def _standings(store: Store) -> Table | None:
    """Return a table of the points of each player, the best first."""
    cross = scores(groups_of_results(store))
    if not cross:
        return None
    table = plain_table("player", "points", "of")
    totals = {player: total(cross, player) for player, _ in cross}
    best = sorted(totals.items(), key=lambda item: (-item[1].share, item[0]))
    for player, score in best[:_MAX_ROWS]:
        table.add_row(Text(printable(player), "bold"), f"{score.points:g}", str(score.games))
    return table

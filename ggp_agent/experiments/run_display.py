"""Show how a run goes: a live table of cells on a terminal, else a line for each cell that is done and every minute."""

from __future__ import annotations

import time
from collections.abc import Sequence

from rich.table import Table

from ..arena.match_result import MatchResult
from ..arena.scores import Score
from ..common.progress import ProgressDisplay, clock
from ..common.terminal_text import printable
from .runner import CellState

# Rows of the live table: cells under way first, then those that wait.
_MOST_ROWS = 24
_LINE_EVERY = 60.0


class RunDisplay(ProgressDisplay):
    """Tell on stderr how a run goes.

    Args:
        lines: also where stderr is no terminal.
    """

    def __init__(self, *, lines: bool = True) -> None:
        super().__init__(quiet=not lines)
        self._states: Sequence[CellState] = ()
        self._began = self._said = time.monotonic()
        self._before: dict[int, int] = {}
        self._done: set[int] = set()
        self._last: dict[int, float] = {}
        self._seconds: dict[int, float] = {}
        self._jobs = 1

    def started(self, states: Sequence[CellState], jobs: int) -> None:
        """Begin to count."""
        self._states, self._jobs = states, jobs
        self._began = self._said = time.monotonic()
        self._before = {state.cell.number: len(state.matches) for state in states}
        left, kept = sum(state.left for state in states), sum(self._before.values())
        there = f", {kept:,} are there already" if kept else ""
        self._line(f"{len(states)} cells, {left:,} games to play on {jobs} processes{there}")

    def ended(self, state: CellState, match: MatchResult) -> None:
        """Take in a game; tell of a cell that is done by it."""
        number = state.cell.number
        if match.error:
            self._line(f"{state.cell}: a game does not count: {match.error}")
        if state.left == 0 and number not in self._done:
            self._done.add(number)
            test = f", {state.verdict} accepted" if state.verdict else ""
            self._line(f"{state.cell}: {score_text(state.score)}{test}; {self._left_text()}")
            self._said = time.monotonic()
        self._last[number] = time.monotonic()

    def refresh(self, moves: int) -> None:
        """Draw the table anew, or say every minute how far all is."""
        if self._live is not None:
            self._draw(self._table(moves))
        elif time.monotonic() - self._said >= _LINE_EVERY:
            self._said = time.monotonic()
            done = sum(len(state.matches) for state in self._states)
            self._line(f"{done:,} of {sum(state.games for state in self._states):,} games; {self._left_text()}")

    def _left_text(self) -> str:
        left = sum(state.left for state in self._states)
        if not left:
            return "nothing left"
        seconds = self.seconds_left()
        return f"{left:,} games left, " + ("first moves" if seconds is None else f"about {clock(seconds)}")

    def seconds_left(self) -> float | None:
        """Estimate by the games of this run, each counted as those of its cell took; None before the first."""
        # A game of a cell is taken to cost its turns times what a turn may cost; so all that was done says how fast it
        # goes, also where several cells are under way.
        played: dict[int, list[int]] = {
            state.cell.number: [match.turns for match in state.matches[self._before[state.cell.number] :]]
            for state in self._states
        }
        known = [turns for each in played.values() for turns in each]
        if not known:
            return None
        usual = sum(known) / len(known)
        done = sum(sum(played[state.cell.number]) * _cost(state) for state in self._states)
        left = 0.0
        for state in self._states:
            own = played[state.cell.number]
            left += state.left * _cost(state) * (sum(own) / len(own) if own else usual)
        return left * (time.monotonic() - self._began) / max(done, 1.0)

    def _table(self, moves: int) -> Table:
        table = Table(box=None, pad_edge=False, title=f"{moves:,} moves; {self._left_text()}", title_justify="left")
        for name in ("cell", "games", "score", "95 % interval"):
            table.add_column(name, justify="left" if name == "cell" else "right", no_wrap=True)
        shown = sorted(
            self._states,
            key=lambda state: (state.left == 0, -self._last.get(state.cell.number, 0.0), state.cell.number),
        )
        for state in shown[:_MOST_ROWS]:
            low, high = state.score.interval
            score = f"{100 * state.score.share:.1f}" if state.score.games else ""
            interval = f"{100 * low:.1f} .. {100 * high:.1f}" if state.score.games else ""
            table.add_row(printable(str(state.cell)), f"{len(state.matches):,}/{state.games:,}", score, interval)
        return table


def _cost(state: CellState) -> float:
    contestant = state.cell.tested
    return float(contestant.simulations or contestant.milliseconds or 1)


def score_text(score: Score) -> str:
    """Say a score with its interval.

    >>> score_text(Score(60, 10, 30))
    '65.0 % (55.3 .. 73.6) of 100 games'
    """
    low, high = score.interval
    return f"{100 * score.share:.1f} % ({100 * low:.1f} .. {100 * high:.1f}) of {score.games:,} games"

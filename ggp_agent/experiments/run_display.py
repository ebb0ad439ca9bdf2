"""Show the progress of a run: a live table of cells on a terminal, otherwise lines for finished cells and minutes."""

from __future__ import annotations

import time
from collections.abc import Sequence

from rich.table import Table

from ..arena.match_result import MatchResult
from ..arena.scores import Score, pair_interval
from ..common.progress import ProgressDisplay, clock, plain_table
from ..common.terminal_text import amount, printable
from .runner import CellState

# Rows of the live table: cells in progress first, then waiting cells.
_MAX_ROWS = 24
_LINE_SECONDS = 60.0


class RunDisplay(ProgressDisplay):
    """Show the progress of a run on stderr."""

    def __init__(self, *, lines: bool = True) -> None:
        super().__init__(quiet=not lines)
        self._states: Sequence[CellState] = ()
        self._began = self._said = time.monotonic()
        self._before: dict[int, int] = {}
        self._done: set[int] = set()
        self._last: dict[int, float] = {}
        self._moves = 0

    def started(self, states: Sequence[CellState], jobs: int) -> None:
        """Begin to count."""
        self._states = states
        self._began = self._said = time.monotonic()
        self._before = {state.cell.number: len(state.matches) for state in states}
        left, kept = sum(state.left for state in states), sum(self._before.values())
        known = f", {kept:,} are already played" if kept else ""
        self.line(f"{amount(len(states), 'cell')}, {amount(left, 'game')} to play on {amount(jobs, 'process')}{known}")

    def ended(self, state: CellState, match: MatchResult) -> None:
        """Count a game; print a line if its cell is finished."""
        number = state.cell.number
        if match.error:
            self.line(f"{state.cell}: a game does not count: {match.error}")
        if state.left == 0 and number not in self._done:
            self._done.add(number)
            test = f", {state.test_text()}" if state.sprt is not None else ""
            self.line(f"{state.cell}: {score_text(state.score, state.dependent_pairs)}{test}; {self._left_text()}")
            self._said = time.monotonic()
        self._last[number] = time.monotonic()

    def refresh(self, moves: int) -> None:
        """Draw the table again, or print the progress once a minute."""
        self._moves = moves
        if self._live is not None:
            self._draw(self._table())
        elif time.monotonic() - self._said >= _LINE_SECONDS:
            self._said = time.monotonic()
            done = sum(len(state.matches) for state in self._states)
            planned = done + sum(state.left for state in self._states)  # a cell may have more games than were asked for
            self.line(f"{done:,} of {planned:,} games; {self._left_text()}")

    def _left_text(self) -> str:
        left = sum(state.left for state in self._states)
        if not left:
            return "nothing left"
        seconds = self.seconds_left()
        return f"{amount(left, 'game')} left, " + ("first moves" if seconds is None else f"about {clock(seconds)}")

    def seconds_left(self) -> float | None:
        """Return an estimate from the games of this run, or None before the first."""
        # The assumed cost of a game is its number of searches times the limit of a search in its cell. So all finished
        # games count, also if several cells are in progress. Searches of unfinished games count with the limit of the
        # first unfinished cell.
        played = {
            state.cell.number: [_searches(state, match) for match in state.matches[self._before[state.cell.number] :]]
            for state in self._states
        }
        known = [searches for each in played.values() for searches in each]
        if not known:
            return None
        usual = sum(known) / len(known)
        done = sum(sum(played[state.cell.number]) * _cost(state) for state in self._states)
        left = 0.0
        for state in self._states:
            own = played[state.cell.number]
            left += state.left * _cost(state) * (sum(own) / len(own) if own else usual)
        current = next((_cost(state) for state in self._states if state.left), 0.0)
        begun = min(left, max(0.0, self._moves - sum(known)) * current)
        done, left = done + begun, left - begun
        return left * (time.monotonic() - self._began) / max(done, 1.0)

    def _table(self) -> Table:
        title = f"{amount(self._moves, 'move')}; {self._left_text()}"
        table = plain_table("cell", "games", "score", "95 % interval", title=title, title_justify="left")
        shown = sorted(
            self._states,
            key=lambda state: (state.left == 0, -self._last.get(state.cell.number, 0.0), state.cell.number),
        )
        for state in shown[:_MAX_ROWS]:
            low, high = pair_interval(state.score, state.dependent_pairs)
            score = f"{100 * state.score.share:.1f}" if state.score.games else ""
            interval = f"{100 * low:.1f} .. {100 * high:.1f}" if state.score.games else ""
            table.add_row(printable(str(state.cell)), f"{len(state.matches):,}/{state.games:,}", score, interval)
        return table


def _cost(state: CellState) -> float:
    contestant = state.cell.tested
    return float(contestant.simulations or contestant.milliseconds or 1)


def _searches(state: CellState, match: MatchResult) -> float:
    """Return the number of searches in a match; the number of turns if searches have a time limit."""
    limit = state.cell.tested.simulations
    return sum(match.simulations) / limit if limit else match.turns


def score_text(score: Score, pairs: Sequence[int] = ()) -> str:
    """Return a score with its interval, by the numbers of pairs, as text.

    >>> score_text(Score(60, 10, 30))
    '65.0 % (55.3 .. 73.6) of 100 games'
    """
    low, high = pair_interval(score, pairs)
    return f"{100 * score.share:.1f} % ({100 * low:.1f} .. {100 * high:.1f}) of {amount(score.games, 'game')}"

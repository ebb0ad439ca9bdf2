"""Play the missing games of a study and store every game as it ends.

Games in the store are not played again, so a killed run resumes. A cell is played by matches of the arena, whose seeds
depend on the seed of the study and the pair only. So with limited simulations the games of a cell do not depend on the
processes that play them or on their order.
"""

from __future__ import annotations

import contextlib
import functools
import time
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from ..arena.adjudication import NEVER
from ..arena.arena import require_fitting
from ..arena.comparison import compare
from ..arena.match_result import MatchPlan, MatchResult, schedule
from ..arena.positions import PositionTask
from ..arena.scores import Score
from ..arena.sprt import Sprt, TwoSidedTest
from ..arena.workers import MatchTask, WorkerProgress, play_in_processes
from ..bench.bench_record import describe_host
from ..common.errors import UserError
from ..common.interrupts import interrupts_held
from ..common.terminal_text import amount
from ..game.game import Game, has_hidden_information, require_perfect_information
from ..game.load import load_game
from .study_file import Cell
from .study_store import StudyStore

# The test that decides cells.
NEED_TEST = TwoSidedTest()


@dataclass(frozen=True, slots=True)
class CellProgress:
    """The results of an unfinished cell so far."""

    number: int  # number of the cell
    pairs: Sequence[int]  # numbers of complete pairs with 0, 1/2, 1, 3/2 and 2 points


def in_turn(cells: Sequence[CellProgress]) -> list[int]:
    """Return the cells in the given order."""
    return [cell.number for cell in cells]


def by_need(cells: Sequence[CellProgress]) -> list[int]:
    """Return the cells in the order in which further games are useful.

    First come cells without a complete pair of games, then undecided cells, the closest to a verdict first, then
    decided cells. A cell is decided by a sequential test that is valid at any time (`arena/sprt.py`), because
    the order depends on the results: intervals for a fixed number of games would be wrong in more than 5 % of the
    cells. The idea to choose trials by need is from Stephenson et al. (arXiv 2507.00451, 2025), who use Wilson
    intervals.

    >>> few, many, clear = [3, 6, 12, 6, 3], [10, 20, 60, 32, 22], [0, 0, 10, 50, 200]
    >>> by_need([CellProgress(0, few), CellProgress(1, many), CellProgress(2, clear), CellProgress(3, [0] * 5)])
    [3, 1, 0, 2]
    """
    return [cell.number for cell in sorted(cells, key=_need)]


def _need(cell: CellProgress) -> tuple[int, float]:
    games = sum(cell.pairs)
    if games == 0:
        return 0, 0.0
    if NEED_TEST.verdict(cell.pairs):
        return 2, games
    return 1, -NEED_TEST.progress(cell.pairs)


# Seconds between two updates of the stored time of a run.
_STORE_SECONDS = 5.0
# Number of games of a cell that a process begins before the next cell is chosen again, if results affect the order.
_GAMES_PER_CHOICE = 200
# Number of games that a process plays side by side if a sequential test may end the cell. Such games end at about the
# same time, so a larger number means more games after the decision.
_GAMES_UNDER_TEST = 64

Order = Callable[[Sequence[CellProgress]], list[int]]


@dataclass(slots=True)
class CellState:
    """The progress of a cell."""

    cell: Cell
    games: int  # number of games to play
    roles: tuple[str, ...]  # roles of its game
    matches: list[MatchResult] = field(default_factory=list)  # finished games, including games that do not count
    verdict: str = ""  # accepted hypothesis of the sequential test; empty without one. It ends the cell
    score: Score = field(default_factory=Score)
    # Numbers of complete pairs with 0, 1/2, 1, 3/2 and 2 points.
    pairs: list[int] = field(default_factory=lambda: [0] * 5)
    sprt: Sprt | None = None  # the sequential test, or None
    # Whether results have affected the order of games, so a sequential test decides about significance.
    by_need: bool = False
    # Values of the cell when its games were played, if they are not the present ones; else None.
    earlier: dict[str, Any] | None = None
    is_alike: bool = True  # whether the two games of every complete pair had the same moves; False if this is unknown
    _waiting: dict[int, MatchResult] = field(default_factory=dict)

    def judge(self) -> None:
        """Set the verdict of the sequential test, if there is a test and no verdict yet."""
        if self.sprt is not None and not self.verdict:
            self.verdict = self.sprt.verdict(self.pairs)

    def test_text(self) -> str:
        """Return the state of the sequential test in one line; empty without a test."""
        return "" if self.sprt is None else self.sprt.text(self.pairs, self.cell.variant)

    def decision(self) -> str | None:
        """Return the verdict of the test for games that were played by need; None if the order was fixed."""
        return NEED_TEST.verdict(self.pairs) if self.by_need else None

    def has_half(self, round_: int) -> bool:
        """Return whether exactly one game of a pair is counted."""
        return round_ in self._waiting

    def add(self, match: MatchResult) -> None:
        """Count a game; its moves are not kept."""
        self.matches.append(replace(match, moves=(), percepts=(), samples=()) if match.moves else match)
        other = self._waiting.pop(match.plan.round, None)
        if other is None:
            self._waiting[match.plan.round] = match
        alone = sum(seat is not None for seat in match.plan.seats) == 1
        if not alone and not match.error:
            self.score += Score.of([match.mean_goal(0) - match.mean_goal(1)])
        if other is None:
            return
        self.is_alike &= bool(match.moves) and match.moves == other.moves
        together = compare(self.roles, (match, other), 0, 1)
        if alone:  # the two games of a pair are one result
            self.score += together.score
        self.pairs = [one + more for one, more in zip(self.pairs, together.pairs, strict=True)]

    @property
    def dependent_pairs(self) -> list[int]:
        """The numbers of complete pairs by points, for intervals; empty for positions, which are independent."""
        return [] if self.cell.kind else self.pairs

    @property
    def without_difference(self) -> str:
        """The words for two sides that made the same moves in all games, so that the score says nothing; else empty."""
        pairs = sum(self.pairs)
        if not pairs or not self.is_alike or self.cell.kind:
            return ""
        return f"both sides made the same moves ({amount(pairs, 'pair')} of games)"

    @property
    def errors(self) -> list[str]:
        """The reasons of the games that do not count."""
        return [match.error for match in self.matches if match.error]

    @property
    def left(self) -> int:
        """The number of games that remain."""
        return 0 if self.verdict else max(0, self.games - len(self.matches))


class RunWatcher(Protocol):
    """Receiver of the progress of a run."""

    def started(self, states: Sequence[CellState], jobs: int) -> None:
        """Called once, before the first game."""

    def ended(self, state: CellState, match: MatchResult) -> None:
        """Called after every game."""

    def refresh(self, moves: int) -> None:
        """Called about twice per second, with the number of moves searched so far."""


@dataclass(frozen=True, slots=True)
class RunSettings:
    """The options of a run."""

    jobs: int  # number of processes
    games: int | None = None  # number of games of each cell; None for the number of the study
    cells: tuple[Cell, ...] = ()  # cells to play; empty for all
    minutes: float | None = None  # time limit in minutes; None for no limit
    sprt: Sprt | None = None  # sequential test that ends a cell when it is decided, or None
    order: Order = in_turn  # order of the cells


@dataclass(frozen=True, slots=True)
class PlayedGames:
    """Finished games of a cell."""

    cell: int  # number of the cell
    matches: tuple[MatchResult, ...]  # the games
    host: str  # machine that played them, as in `describe_host`


class PlayGames(Protocol):
    """A way to play the games of a handout."""

    def __call__(
        self,
        handout: StudyHandout,
        settings: RunSettings,
        on_progress: Callable[[WorkerProgress], None],
        idle: Callable[[], None],
    ) -> Generator[PlayedGames, None, None]:
        """Yield games as they end; games in progress are stopped when the iterator is closed.

        Args:
            handout: the games.
            settings: the options of the run.
            on_progress: called with the moves and processor time since the last call.
            idle: called about twice per second; an exception ends the iteration.
        """


def load_states(store: StudyStore, cells: Iterable[Cell], games: int | None = None) -> list[CellState]:
    """Return the progress of cells from the games in the store."""
    states = []
    sprt = store.test()
    for cell in cells:
        stored = store.stored_document(cell)
        earlier = stored if stored != cell.document() else None
        state = CellState(
            cell, games or cell.games, store.roles(cell), sprt=sprt, by_need=store.ordered_by_need(), earlier=earlier
        )
        for match in store.matches(cell):
            state.add(match)
        state.is_alike = not state.matches or store.is_alike(cell)
        state.judge()
        states.append(state)
    return states


def run_study(
    store: StudyStore, cells: Sequence[Cell], settings: RunSettings, watcher: RunWatcher, play: PlayGames | None = None
) -> list[CellState]:
    """Play the missing games and return the progress of the cells."""
    store.keep_test(settings.sprt)
    if settings.order is not in_turn:
        store.keep_order_by_need()
    states = load_states(store, settings.cells or cells, settings.games)
    games = {word: load_game(word) for word in dict.fromkeys(state.cell.game for state in states)}
    for state in states:
        game = games[state.cell.game]
        _require_supported(state.cell, game)
        state.roles = game.sheet.roles()
        store.name_roles(state.cell, state.roles)
    handout = StudyHandout(states, games, settings)
    watcher.started(states, settings.jobs)
    number_of_host = functools.cache(store.host)
    with _Account(store, settings.jobs, number_of_host(describe_host())) as account:

        def idle() -> None:
            account.keep()
            watcher.refresh(account.moves)
            if settings.minutes is not None and account.seconds > 60 * settings.minutes:
                raise _TimeIsUp

        playing = (play or play_here)(handout, settings, account.add, idle)
        with contextlib.suppress(_TimeIsUp), contextlib.closing(playing):
            pairs = _WholePairs()
            for played in playing:
                state = handout.states[played.cell]
                for matches in pairs.of(state, played.matches):
                    with interrupts_held():  # store and progress change together
                        for match in matches:
                            state.add(match)
                        store.add(state.cell, matches, number_of_host(played.host), alike=state.is_alike)
                        state.judge()
                        for match in matches:
                            watcher.ended(state, match)
                if settings.sprt is not None and not any(state.left for state in states):
                    break  # games in progress could not change a verdict
    return states


def _require_supported(cell: Cell, game: Game) -> None:
    """Refuse what a cell cannot have if its game hides information, and keys without effect."""
    if cell.kind:
        require_perfect_information(game, "a study of positions")
    if cell.adjudication != NEVER and has_hidden_information(game):
        raise UserError(f"{cell}: {game.word} hides information, so its matches have no adjudication; leave it out")
    require_fitting(game, (cell.tested, cell.opponent))


class _WholePairs:
    """Hold the first game of each pair back until the second one ends, if a sequential test ends cells.

    So a cell that ends early has whole pairs only. Games that end after the verdict are dropped.
    """

    def __init__(self) -> None:
        self._held: dict[tuple[int, int], MatchResult] = {}

    def of(self, state: CellState, matches: Sequence[MatchResult]) -> Iterator[tuple[MatchResult, ...]]:
        """Yield the games to count together; without a test, all games at once."""
        if state.sprt is None:
            yield tuple(matches)
            return
        for match in matches:
            if state.verdict:
                return
            pair = state.cell.number, match.plan.round
            other = self._held.pop(pair, None)
            if other is not None:
                yield other, match
            elif state.has_half(match.plan.round):
                yield (match,)
            else:
                self._held[pair] = match


def play_here(
    handout: StudyHandout,
    settings: RunSettings,
    on_progress: Callable[[WorkerProgress], None],
    idle: Callable[[], None],
) -> Generator[PlayedGames, None, None]:
    """Play games in processes of this machine; a `PlayGames`."""
    jobs = min(settings.jobs, sum(state.left for state in handout.states.values()))
    if jobs == 0:
        return
    host = describe_host()
    with contextlib.closing(play_in_processes(handout, jobs, on_progress, idle)) as playing:
        for task, match in playing:
            yield PlayedGames(task.number, (match,), host)


class _TimeIsUp(Exception):  # noqa: N818
    """Report that the time limit of a run is over."""


class StudyHandout:
    """The missing games of a study, handed out cell by cell in an order that may depend on the results.

    A process is faster with more games of one cell side by side. So each process gets its own cell as long as the cells
    can be divided evenly; all processes share the remaining cells.
    """

    def __init__(self, states: Sequence[CellState], games: Mapping[str, Game], settings: RunSettings) -> None:
        self.states = {state.cell.number: state for state in states}
        self._games = games
        self._settings = settings
        self._missing = {state.cell.number: _Missing(state) for state in states}
        open_cells = [number for number in self._missing if self._wanted(number)]
        # The remaining cells, after each process has had the same number of cells.
        self._shared = set(open_cells[len(open_cells) // settings.jobs * settings.jobs :])
        # Number of games of a cell that were handed out since a process chose it.
        self._handed_out = dict.fromkeys(self.states, 0)

    def next_task(self, others: Collection[int] = ()) -> MatchTask | None:
        """Return the next cell to play: the first one that no other process plays, if there is one."""
        open_cells = [
            CellProgress(number, self.states[number].pairs) for number in self._missing if self._wanted(number)
        ]
        if not open_cells:
            return None
        ordered = self._settings.order(open_cells)
        number = next((each for each in ordered if each not in others), ordered[0])
        cell = self.states[number].cell
        self._handed_out[number] = 0
        alone = number not in others and number not in self._shared
        matches = -(-self._missing[number].left // (1 if alone else self._settings.jobs))
        if self._settings.sprt is not None:
            matches = min(matches, _GAMES_UNDER_TEST)
        game, contestants = self._games[cell.game], (cell.tested, cell.opponent)
        if cell.kind:
            return PositionTask(number, game, contestants, matches, kind=cell.kind)
        return MatchTask(
            number, game, contestants, matches, cell.opening_plies, adjudication=cell.adjudication, samples=True
        )

    def _wanted(self, number: int) -> bool:
        return self._missing[number].left > 0 and not self.states[number].verdict

    def next_plan(self, task: MatchTask) -> MatchPlan | None:
        """Return another game of a cell; None if there is none or it is time to choose the next cell."""
        choose = self._settings.order is not in_turn and self._handed_out[task.number] >= _GAMES_PER_CHOICE
        if choose or not self._wanted(task.number):
            return None
        self._handed_out[task.number] += 1
        return self._missing[task.number].take()

    def give_back(self, task: MatchTask, plans: Iterable[MatchPlan]) -> None:
        """Put games back."""
        self._missing[task.number].give_back(plans)


class _Missing:
    """The games of a cell that were not played, in their order."""

    def __init__(self, state: CellState) -> None:
        cell = state.cell
        played = {match.plan.number for match in state.matches}
        plans = schedule(state.roles, contestants=2, matches=state.games, seed=cell.seed)
        self._plans = (plan for plan in plans if plan.number not in played)
        self._again: deque[MatchPlan] = deque()
        self.left = state.games - sum(number < state.games for number in played)  # number of these games

    def take(self) -> MatchPlan:
        self.left -= 1
        return self._again.popleft() if self._again else next(self._plans)

    def give_back(self, plans: Iterable[MatchPlan]) -> None:
        listed = list(plans)
        self._again.extend(listed)
        self.left += len(listed)


class _Account:
    """The time and moves of a run, stored regularly."""

    def __init__(self, store: StudyStore, jobs: int, host: int) -> None:
        self._store = store
        self._run = store.start_run(jobs, host)
        self._began = time.monotonic()
        self._next = 0.0
        self.moves = 0
        self._cpu_seconds = 0.0

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._began

    def add(self, progress: WorkerProgress) -> None:
        self.moves += progress.moves
        self._cpu_seconds += progress.cpu_seconds

    def keep(self) -> None:
        """Store time and moves, if the last update is _STORE_SECONDS old."""
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + _STORE_SECONDS
            self._store.keep_run(self._run, seconds=self.seconds, cpu_seconds=self._cpu_seconds, moves=self.moves)

    def __enter__(self) -> _Account:
        return self

    def __exit__(self, *error: object) -> None:
        self._next = 0.0
        self.keep()

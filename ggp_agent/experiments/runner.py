"""Play what is missing of a study, and keep every game as it ends.

The store is the truth: what it holds is not played again, so a run that was killed goes on where it was. A cell is
played by matches of the arena, whose seeds depend on the study's seed and the pair alone; with equal simulations the
games of a cell are therefore the same whatever processes played them, in whatever order.
"""

from __future__ import annotations

import contextlib
import functools
import time
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from ..arena.comparison import compare
from ..arena.match_plan import MatchPlan, schedule
from ..arena.match_result import MatchResult
from ..arena.positions import PositionTask
from ..arena.scores import Score
from ..arena.sprt import Sprt, count_pairs
from ..arena.workers import MatchTask, WorkerProgress, play_in_processes
from ..common.interrupts import interrupts_held
from ..game.game import Game
from ..game.load import load_game
from .cell_order import in_turn
from .provenance import describe_host
from .study_file import Cell
from .study_store import StudyStore

# Seconds between two notes of what a run has taken.
_KEEP_EVERY = 5.0
# Games of a cell that a process begins before it asks again which cell comes next, where results decide that.
_GAMES_BETWEEN_LOOKS = 200

Order = Callable[[Sequence[tuple[int, Score]]], list[int]]


@dataclass(slots=True)
class CellState:
    """How far a cell is.

    Attributes:
        cell: it.
        games: that are wanted.
        roles: of its game.
        matches: that were played, also those that do not count.
        pairs: points of the two games of each pair that is complete, 0, 1/2 or 1 each.
        verdict: of the sequential test, where there is one; then no more games are handed out.
    """

    cell: Cell
    games: int
    roles: tuple[str, ...]
    matches: list[MatchResult] = field(default_factory=list)
    verdict: str = ""
    score: Score = field(default_factory=Score)
    pairs: list[int] = field(default_factory=lambda: [0] * 5)
    _waiting: dict[int, MatchResult] = field(default_factory=dict)

    def add(self, match: MatchResult) -> None:
        """Take in a game; its moves are not kept."""
        self.matches.append(replace(match, moves=()) if match.moves else match)
        other = self._waiting.pop(match.plan.round, None)
        if other is None:
            self._waiting[match.plan.round] = match
        alone = sum(seat is not None for seat in match.plan.seats) == 1
        if not alone and not match.error:
            self.score += _score(match)
        if other is None or match.error or other.error:
            return
        if alone:  # the two plays of a pair are one result
            together = compare(self.roles, (match, other), 0, 1).score
            self.score += together
            points = together.share, together.share
        else:
            points = _score(match).share, _score(other).share
        self.pairs = [one + more for one, more in zip(self.pairs, count_pairs([points]), strict=True)]

    @property
    def errors(self) -> list[str]:
        """Why games do not count."""
        return [match.error for match in self.matches if match.error]

    @property
    def left(self) -> int:
        """How many games are still to be played."""
        return 0 if self.verdict else max(0, self.games - len(self.matches))


def _score(match: MatchResult) -> Score:
    return Score.of([match.mean_goal(0) - match.mean_goal(1)])


class RunWatcher(Protocol):
    """Who is told how a run goes."""

    def started(self, states: Sequence[CellState], jobs: int) -> None:
        """Told once, before the first game."""

    def ended(self, state: CellState, match: MatchResult) -> None:
        """Told of every game."""

    def refresh(self, moves: int) -> None:
        """Told about twice a second, with the number of moves searched so far."""


@dataclass(frozen=True, slots=True)
class RunSettings:
    """How a study is run.

    Attributes:
        jobs: processes that play at once.
        games: of each cell, in place of what the study says.
        cells: that are played; all where there are none.
        minutes: after which no more games are played.
        sprt: ends a cell as soon as it is decided.
        order: of the cells.
    """

    jobs: int
    games: int | None = None
    cells: tuple[Cell, ...] = ()
    minutes: float | None = None
    sprt: Sprt | None = None
    order: Order = in_turn


@dataclass(frozen=True, slots=True)
class PlayedGames:
    """Games that have ended.

    Attributes:
        cell: its number.
        matches: of it.
        host: where they were played, as `describe_host` puts it.
    """

    cell: int
    matches: tuple[MatchResult, ...]
    host: str


class PlayGames(Protocol):
    """A way to play what is handed out."""

    def __call__(
        self,
        handout: StudyHandout,
        settings: RunSettings,
        told: Callable[[WorkerProgress], None],
        idle: Callable[[], None],
    ) -> Generator[PlayedGames, None, None]:
        """Yield games as they end, until there are no more; what is under way ends with the iteration.

        Args:
            handout: of games.
            settings: of the run.
            told: of moves and processor time.
            idle: called about twice a second; what it raises ends the iteration.
        """


def load_states(store: StudyStore, cells: Iterable[Cell], games: int | None = None) -> list[CellState]:
    """Return how far the cells are, by what the store holds."""
    states = []
    sprt = store.test()
    for cell in cells:
        state = CellState(cell, games or cell.games, store.roles(cell.number))
        for match in store.matches(cell):
            state.add(match)
        if sprt is not None:
            state.verdict = sprt.verdict(state.pairs)
        states.append(state)
    return states


def run_study(
    store: StudyStore, cells: Sequence[Cell], settings: RunSettings, watcher: RunWatcher, play: PlayGames | None = None
) -> list[CellState]:
    """Play what is missing and return how far the cells are then.

    Args:
        store: which holds the study already and is owned by this process.
        cells: of the study.
        settings: how it is run.
        watcher: told what happens.
        play: where; by default in processes of this machine.

    Raises:
        UserError: a game cannot be loaded, or the search cannot play it.
        RuntimeError: processes died again and again.
        KeyboardInterrupt: after what had ended was kept.
    """
    store.keep_test(settings.sprt)
    states = load_states(store, settings.cells or cells, settings.games)
    games = {word: load_game(word) for word in dict.fromkeys(state.cell.game for state in states)}
    for state in states:
        state.roles = games[state.cell.game].sheet.roles()
        store.name_roles(state.cell.number, state.roles)
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
            for played in playing:
                state = handout.states[played.cell]
                with interrupts_held():  # what counts is kept, and the other way round
                    store.add(state.cell, played.matches, number_of_host(played.host))
                    for match in played.matches:
                        state.add(match)
                        if settings.sprt is not None and not state.verdict:
                            state.verdict = settings.sprt.verdict(state.pairs)
                        watcher.ended(state, match)
    return states


def play_here(
    handout: StudyHandout, settings: RunSettings, told: Callable[[WorkerProgress], None], idle: Callable[[], None]
) -> Generator[PlayedGames, None, None]:
    """Play what is handed out in processes of this machine; a `PlayGames`."""
    jobs = min(settings.jobs, sum(state.left for state in handout.states.values()))
    if jobs == 0:
        return
    host = describe_host()
    with contextlib.closing(play_in_processes(handout, jobs, told, idle)) as playing:
        for task, match in playing:
            yield PlayedGames(task.number, (match,), host)


class _TimeIsUp(Exception):  # noqa: N818
    """Ends a run whose minutes are over."""


class StudyHandout:
    """The missing games of a study, handed out cell by cell in an order that may change with the results.

    The more games of a cell a process plays side by side the faster it is, so each process gets a cell of its own as
    long as the cells can be dealt out evenly; what is left of them then is shared by all.

    Args:
        states: of the cells; whoever adds games to them changes what is handed out.
        games: by word.
        settings: jobs and order.
    """

    def __init__(self, states: Sequence[CellState], games: Mapping[str, Game], settings: RunSettings) -> None:
        self.states = {state.cell.number: state for state in states}
        self._games = games
        self._settings = settings
        self._missing = {state.cell.number: _Missing(state) for state in states}
        open_cells = [number for number in self._missing if self._wanted(number)]
        # The last cells, which are shared where each process has had as many of the others.
        self._shared = set(open_cells[len(open_cells) // settings.jobs * settings.jobs :])
        # Games of a cell that were handed out since a process took it up.
        self._handed_out = dict.fromkeys(self.states, 0)

    def next_task(self, others: Collection[int] = ()) -> MatchTask | None:
        """Return the cell that is to be played next: the first that no other process is at, where there is one."""
        open_cells = [(number, self.states[number].score) for number in self._missing if self._wanted(number)]
        if not open_cells:
            return None
        ordered = self._settings.order(open_cells)
        number = next((each for each in ordered if each not in others), ordered[0])
        cell = self.states[number].cell
        self._handed_out[number] = 0
        alone = number not in others and number not in self._shared
        matches = -(-self._missing[number].left // (1 if alone else self._settings.jobs))
        game, contestants = self._games[cell.game], (cell.tested, cell.opponent)
        if cell.kind:
            return PositionTask(number, game, contestants, matches, kind=cell.kind)
        return MatchTask(number, game, contestants, matches, cell.opening_plies)

    def _wanted(self, number: int) -> bool:
        return self._missing[number].left > 0 and not self.states[number].verdict

    def next_plan(self, task: MatchTask) -> MatchPlan | None:
        """Return another game of a cell; none where it is time to look which cell needs games most."""
        another_look = self._settings.order is not in_turn and self._handed_out[task.number] >= _GAMES_BETWEEN_LOOKS
        if another_look or not self._wanted(task.number):
            return None
        self._handed_out[task.number] += 1
        return self._missing[task.number].take()

    def give_back(self, task: MatchTask, plans: Iterable[MatchPlan]) -> None:
        """Take back games."""
        self._missing[task.number].give_back(plans)


class _Missing:
    """The games of a cell that were not played, in their order.

    Attributes:
        left: how many they are.
    """

    def __init__(self, state: CellState) -> None:
        cell = state.cell
        played = {match.plan.number for match in state.matches}
        plans = schedule(state.roles, contestants=2, matches=state.games, seed=cell.seed)
        self._plans = (plan for plan in plans if plan.number not in played)
        self._again: deque[MatchPlan] = deque()
        self.left = state.games - sum(number < state.games for number in played)

    def take(self) -> MatchPlan:
        self.left -= 1
        return self._again.popleft() if self._again else next(self._plans)

    def give_back(self, plans: Iterable[MatchPlan]) -> None:
        listed = list(plans)
        self._again.extend(listed)
        self.left += len(listed)


class _Account:
    """What a run takes, kept in the store."""

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
        """Note what was taken, now and then."""
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + _KEEP_EVERY
            self._store.keep_run(self._run, seconds=self.seconds, cpu_seconds=self._cpu_seconds, moves=self.moves)

    def __enter__(self) -> _Account:
        return self

    def __exit__(self, *error: object) -> None:
        self._next = 0.0
        self.keep()

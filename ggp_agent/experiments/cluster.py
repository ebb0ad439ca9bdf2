"""Play a study on a Ray cluster: the same games as on one machine, in tasks of 10 to 60 seconds.

A task is a pure function from the parameters of a cell and the plans of some pairs to their results. The driver, which
is the process that the user started, owns the store and the list of open games. Ray does not repeat a task that is lost
with its worker or node; the driver hands its games out again. So no game is stored twice and none is missing. Both
games of a pair are played side by side by one process, so comparisons at equal time use one machine.
"""

from __future__ import annotations

import functools
import platform
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gdl import parse_sheet

from ..arena.adjudication import AdjudicationRules
from ..arena.arena import AnyContestant, Arena
from ..arena.match_result import MatchPlan, MatchResult
from ..arena.workers import Handout, MatchTask, WorkerProgress
from ..bench.bench_record import describe_host
from ..common.ray_cluster import RayCluster, connected_cluster, require_equal, this_program
from ..game.game import Game
from .runner import CellState, PlayedGames, RunSettings, RunWatcher, StudyHandout, run_study
from .study_file import Cell
from .study_store import StudyStore

if TYPE_CHECKING:
    from gdl import CompiledMachine

# The number of pairs of games of each task of a cluster.
#
# A task should take 10 to 60 seconds: shorter ones cost too much overhead, and longer ones lose too much with a node.
# The time of a pair is unknown at first, so the first task of a cell has one pair, and each task at most sixteen times
# as many as the largest before. The worker measures the time. Side by side with others a pair takes less time than
# alone, so tasks rather take less time than expected.

_TARGET_SECONDS = 20.0
_GROWTH = 16
# The largest part of the remaining time of a run for one task: other tasks are queued before it.
_SHARE_OF_TIME = 1 / 4


class BatchSizes:
    """Choose the number of pairs of the next task of each cell.

    >>> sizes = BatchSizes()
    >>> sizes.pairs(0, share=200)
    1
    >>> sizes.ended(0, games=2, seconds=0.5)
    >>> sizes.pairs(0, share=198)
    16
    >>> sizes.ended(0, games=32, seconds=6.4)
    >>> sizes.pairs(0, share=180), sizes.pairs(0, share=3), sizes.pairs(1, share=180)
    (50, 2, 1)
    """

    def __init__(self, end: float | None = None) -> None:
        self._end = end
        self._seconds: dict[int, float] = {}
        self._most: dict[int, int] = {}

    def pairs(self, cell: int, share: int) -> int:
        """Return the number of pairs of the next task, at least 1."""
        target = _TARGET_SECONDS
        if self._end is not None:
            target = min(target, _SHARE_OF_TIME * (self._end - time.monotonic()))
        fitting = target / max(self._seconds.get(cell, target), 1e-6)
        return int(max(1, min(fitting, self._most.get(cell, 1), -(-share // 2))))

    def ended(self, cell: int, games: int, seconds: float) -> None:
        """Use the time of a finished task."""
        pairs = -(-games // 2)
        self._seconds[cell] = seconds / pairs
        self._most[cell] = max(self._most.get(cell, 1), _GROWTH * pairs)


def take_pairs(handout: Handout, task: MatchTask, pairs: int) -> tuple[MatchPlan, ...]:
    """Return the missing games of a number of pairs.

    Games of a pair are adjacent; if only the first game of a pair is missing, the next pair comes with it.
    """
    plans: list[MatchPlan] = []
    rounds: set[int] = set()
    while len(rounds) < pairs or plans[-1].number % 2 == 0:
        plan = handout.next_plan(task)
        if plan is None:
            break
        plans.append(plan)
        rounds.add(plan.round)
    return tuple(plans)


# Largest number of tasks per core, including the one in progress, so that the next one is ready when one ends.
_TASKS_PER_CORE = 2
_IDLE_SECONDS = 0.5
# Largest number of compiled machines that a worker process keeps.
_MACHINES = 8


@dataclass(frozen=True, slots=True)
class Batch:
    """Pairs of one cell, with everything that is needed to play them on any node."""

    rules: str  # text of the rule sheet
    source: str  # origin of the rule sheet, for messages
    module: str | None  # name of the native game, or None
    contestants: tuple[AnyContestant, ...]  # contestants in the order of their numbers in seats
    opening_plies: int  # number of random joint moves at the beginning
    adjudication: AdjudicationRules  # the conditions under which a match ends before its terminal state
    plans: tuple[MatchPlan, ...]  # both games of each pair
    program: tuple[str, str, str]  # version of the program, see `this_program`


@dataclass(frozen=True, slots=True)
class BatchResult:
    """The result of a batch."""

    matches: tuple[MatchResult, ...]  # the games without their moves
    moves: int  # number of searched moves
    cpu_seconds: float  # processor time of the process
    seconds: float  # wall-clock time of the games
    host: str  # the machine, see `describe_host`


def play_batch(batch: Batch) -> BatchResult:
    """Play a batch in a worker of the cluster."""
    require_equal(platform.node(), this_program(), batch.program)
    cpu = time.process_time()
    machine = _machine(batch.rules, batch.source, batch.module)
    arena = Arena(machine, batch.contestants, batch.opening_plies, adjudication=batch.adjudication)
    counted: list[int] = []
    began = time.monotonic()
    played = arena.play(batch.plans, arena.seats_side_by_side(len(batch.plans)), counted.append)
    matches = tuple(replace(match, moves=(), percepts=()) for match in played)
    seconds = time.monotonic() - began
    return BatchResult(matches, sum(counted), time.process_time() - cpu, seconds, describe_host())


@functools.lru_cache(_MACHINES)
def _machine(rules: str, source: str, module: str | None) -> CompiledMachine:
    return Game(source, parse_sheet(rules, source=source), "", module).machine()


def run_on_cluster(
    address: str, store: StudyStore, cells: Sequence[Cell], settings: RunSettings, watcher: RunWatcher
) -> list[CellState]:
    """Play the missing games of a study on all cores of a Ray cluster and return the progress of the cells."""
    with connected_cluster(address) as cluster:
        return run_study(
            store, cells, replace(settings, jobs=cluster.cores), watcher, functools.partial(_play, cluster)
        )


def _play(
    cluster: RayCluster,
    handout: StudyHandout,
    settings: RunSettings,
    on_progress: Callable[[WorkerProgress], None],
    idle: Callable[[], None],
) -> Generator[PlayedGames, None, None]:
    """Play the games of a handout; a `PlayGames`.

    When the iterator is closed, tasks in progress end with the connection: `ray.cancel` of a task that ends at the
    same moment kills this process ("Tried to complete task that was not pending", Ray 2.60).
    """
    ray = cluster.ray
    remote = ray.remote(num_cpus=1, max_retries=0, scheduling_strategy="SPREAD")(play_batch)
    sizes = BatchSizes(None if settings.minutes is None else time.monotonic() + 60 * settings.minutes)
    flying: dict[Any, tuple[MatchTask, tuple[MatchPlan, ...]]] = {}
    cores, looked = cluster.cores, time.monotonic()
    while True:
        # Tasks are short, so cells are played one after the other, each by all cores.
        while len(flying) < _TASKS_PER_CORE * cores and (task := handout.next_task(handout.states)) is not None:
            plans = take_pairs(handout, task, sizes.pairs(task.number, task.matches))
            flying[remote.remote(_batch(task, plans))] = task, plans
        if not flying:
            return
        ray.wait(list(flying), num_returns=1, timeout=_IDLE_SECONDS)
        ended, _ = ray.wait(list(flying), num_returns=len(flying), timeout=0)
        idle()
        if time.monotonic() - looked >= _IDLE_SECONDS:  # nodes may join and leave
            cores, looked = cluster.cores, time.monotonic()
        for reference in ended:
            task, plans = flying.pop(reference)
            result: BatchResult | None = cluster.result(reference, _TASKS_PER_CORE * cores)
            if result is None:
                handout.give_back(task, plans)
                continue
            sizes.ended(task.number, len(plans), result.seconds)
            on_progress(WorkerProgress(result.moves, result.cpu_seconds))
            yield PlayedGames(task.number, result.matches, result.host)


def _batch(task: MatchTask, plans: tuple[MatchPlan, ...]) -> Batch:
    game = task.game
    return Batch(
        str(game.sheet),
        game.sheet.source,
        game.module,
        task.contestants,
        task.opening_plies,
        task.adjudication,
        plans,
        this_program(),
    )

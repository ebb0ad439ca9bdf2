"""Play matches in several workers, which request one match after the other.

A worker with a free seat requests another match of its task, and another task when the task has no more matches. A
worker that is killed is restarted, and its matches are handed out again.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any, Protocol

from ..common.pipe_worker import PipeWorker, WorkerDiedError, wait_for_workers
from ..game.game import Game
from .adjudication import NEVER, AdjudicationRules
from .arena import AnyContestant, Arena
from .match_result import MatchPlan, MatchResult

if TYPE_CHECKING:
    from gdl import CompiledMachine

# Seconds between two reports of progress.
_REPORT_SECONDS = 0.5
# A run fails when more workers die in a row while no match ends.
_MAX_DEATHS = 5
# Seconds in which a worker ends when nothing is left for it.
_EXIT_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class MatchTask:
    """What a worker plays: matches of one game between the same contestants."""

    number: int  # identifies the task
    game: Game
    # The contestants, in the order in which the seats of the matches number them.
    contestants: tuple[AnyContestant, ...]
    matches: int  # approximate number of matches that one worker plays
    opening_plies: int = 0  # number of random joint moves at the start of a match
    in_flight: int | None = None  # simulations under way at a time, for contestants whose configuration does not set it
    adjudication: AdjudicationRules = NEVER  # the conditions under which a match ends before its terminal state
    samples: bool = False  # whether results have statistics of simulations

    def arena(self, machine: CompiledMachine) -> Arena:
        """Return the arena for the matches, given a machine of the game."""
        return Arena(
            machine,
            self.contestants,
            self.opening_plies,
            self.in_flight,
            adjudication=self.adjudication,
            game=self.game,
            samples=self.samples,
        )


class Handout(Protocol):
    """The tasks and matches of a run, handed out one at a time."""

    def next_task(self, others: Collection[int] = ()) -> MatchTask | None:
        """Return the next task of a worker; None if nothing is left for it.

        Args:
            others: the numbers of the tasks of the other workers.
        """

    def next_plan(self, task: MatchTask) -> MatchPlan | None:
        """Return another match of a task; None if none is left."""

    def give_back(self, task: MatchTask, plans: Iterable[MatchPlan]) -> None:
        """Accept the unfinished matches of a worker that died."""


@dataclass(frozen=True, slots=True)
class WorkerProgress:
    """What a worker has done since its last report: searched moves and CPU-seconds."""

    moves: int
    cpu_seconds: float


def play_in_processes(
    handout: Handout, jobs: int, on_progress: Callable[[WorkerProgress], None], idle: Callable[[], None] = lambda: None
) -> Generator[tuple[MatchTask, MatchResult], None, None]:
    """Play all matches of a handout and yield each match with its task as it ends, in any order.

    The workers end with the iteration, also if it is closed early.
    """
    workers: list[_ArenaWorker] = []
    deaths = 0
    try:
        workers += (_ArenaWorker() for _ in range(jobs))
        while workers:
            ready = wait_for_workers(workers, _REPORT_SECONDS)
            idle()
            for worker in ready:
                try:
                    message = worker.receive()
                except WorkerDiedError as died:
                    if died.error is not None:
                        raise died.error from None
                    deaths += 1
                    if deaths > _MAX_DEATHS:
                        times = f"{deaths} times in a row"
                        raise RuntimeError(f"processes that play matches ended {times}: {died}") from None
                    worker.play_again(handout)
                    continue
                match message:
                    case "task":
                        others = [each.task.number for each in workers if each is not worker and each.task is not None]
                        worker.task = handout.next_task(others)
                        worker.send(worker.task)
                        if worker.task is None:
                            workers.remove(worker)
                            worker.stop(_EXIT_SECONDS)
                    case "match":
                        assert worker.task is not None
                        plan = handout.next_plan(worker.task)
                        if plan is not None:
                            worker.under_way[plan.number] = plan
                        worker.send(plan)
                    case WorkerProgress():
                        on_progress(message)
                    case MatchResult():
                        assert worker.task is not None
                        deaths = 0
                        del worker.under_way[message.plan.number]
                        yield worker.task, message
    finally:
        for worker in workers:
            worker.stop()


class _ArenaWorker(PipeWorker):
    """A worker, its task and its unfinished matches."""

    def __init__(self) -> None:
        super().__init__(_work)
        self.task: MatchTask | None = None
        self.under_way: dict[int, MatchPlan] = {}

    def play_again(self, handout: Handout) -> None:
        """Restart the worker after its death and give its matches back."""
        if self.task is not None:
            handout.give_back(self.task, self.under_way.values())
        self.task, self.under_way = None, {}
        self.restart()


class OneTask:
    """The matches of one task, handed out in their order."""

    def __init__(self, task: MatchTask, plans: Iterable[MatchPlan]) -> None:
        self._task = task
        self._plans = iter(plans)
        self._again: deque[MatchPlan] = deque()
        self._done = False

    def next_task(self, others: Collection[int] = ()) -> MatchTask | None:
        """Return the task while there are matches."""
        return None if self._done and not self._again else self._task

    def next_plan(self, task: MatchTask) -> MatchPlan | None:
        """Return another match."""
        if self._again:
            return self._again.popleft()
        plan = next(self._plans, None)
        self._done = plan is None
        return plan

    def give_back(self, task: MatchTask, plans: Iterable[MatchPlan]) -> None:
        """Accept the unfinished matches of a worker that died."""
        self._again.extend(plans)


def _work(pipe: Connection[Any, Any]) -> None:
    """Play what the parent process hands out."""
    made: tuple[str, CompiledMachine] | None = None
    progress = _Progress(pipe)
    while (task := _request(pipe, "task")) is not None:
        game: Game = task.game
        key = f"{game.module} {game.sheet}"
        if made is None or made[0] != key:
            made = key, game.machine()
        arena: Arena = task.arena(made[1])
        plans = iter(lambda: _request(pipe, "match"), None)
        for result in arena.play(plans, arena.seats_side_by_side(task.matches), progress.add):
            pipe.send(result)
        progress.report()


def _request(pipe: Connection[Any, Any], what: str) -> Any:
    pipe.send(what)
    return pipe.recv()


class _Progress:
    """Report progress about twice a second."""

    def __init__(self, pipe: Connection[Any, Any]) -> None:
        self._pipe = pipe
        self._moves = 0
        self._cpu_seconds = 0.0
        self._next = 0.0

    def add(self, moves: int) -> None:
        self._moves += moves
        if time.monotonic() >= self._next:
            self.report()

    def report(self) -> None:
        cpu_seconds = time.process_time()
        self._pipe.send(WorkerProgress(self._moves, cpu_seconds - self._cpu_seconds))
        self._moves, self._cpu_seconds = 0, cpu_seconds
        self._next = time.monotonic() + _REPORT_SECONDS

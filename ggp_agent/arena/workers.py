"""Play matches in several processes, which ask for one match after the other.

What is played is handed out match by match: a process that has a free seat asks for another match of its task, and for
another task when there is none. A process that is killed is replaced, and its matches are handed out again.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
import time
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any, Protocol

from ..common.processes import ctrl_c_held, end_with_parent, how_it_ended, start_masked
from ..game.game import Game
from ..game.native.native_machine import NativeMachine
from .arena import Arena, Contestant
from .match_plan import MatchPlan
from .match_result import MatchResult

if TYPE_CHECKING:
    from multiprocessing.context import SpawnContext, SpawnProcess

    from gdl import CompiledMachine

# Seconds between two numbers of moves.
_TELL_EVERY = 0.5
# Processes that may die in a row while no match ends.
_MOST_DEATHS = 5


@dataclass(frozen=True, slots=True)
class MatchTask:
    """What a process is to play: matches of one game between the same contestants.

    Attributes:
        number: tells tasks apart.
        game: that is played.
        contestants: as the seats of the matches number them.
        matches: how many a process may get, about.
        opening_plies: joint moves drawn at random to begin with.
        in_flight: of contestants whose configuration leaves it open.
    """

    number: int
    game: Game
    contestants: tuple[Contestant, ...]
    matches: int
    opening_plies: int = 0
    in_flight: int | None = None

    def arena(self, machine: CompiledMachine) -> Arena:
        """Return the setting of its matches on a machine of the game."""
        return Arena(machine, self.contestants, self.opening_plies, self.in_flight)


class Handout(Protocol):
    """What is to be played, handed out bit by bit."""

    def next_task(self, others: Collection[int] = ()) -> MatchTask | None:
        """Return what a process is to play next; None where there is nothing left for it.

        Args:
            others: numbers of the tasks that other processes are at.
        """

    def next_plan(self, task: MatchTask) -> MatchPlan | None:
        """Return another match of a task; None where there is none left."""

    def give_back(self, task: MatchTask, plans: Iterable[MatchPlan]) -> None:
        """Take back matches that a process which died had begun."""


@dataclass(frozen=True, slots=True)
class WorkerProgress:
    """What a process has done since it told so last: searched moves and processor seconds."""

    moves: int
    cpu_seconds: float


def play_in_processes(
    handout: Handout, jobs: int, told: Callable[[WorkerProgress], None], idle: Callable[[], None] = lambda: None
) -> Generator[tuple[MatchTask, MatchResult], None, None]:
    """Play what is handed out and yield each match as it ends, with its task, in no certain order.

    The processes end with the iteration, also when it is left early.

    Args:
        handout: of tasks and matches.
        jobs: processes.
        told: of what was done, now and then.
        idle: called about twice a second.

    Raises:
        RuntimeError: processes died again and again.
        Exception: whatever ended a worker.
    """
    context = multiprocessing.get_context("spawn")
    workers: list[_Worker] = []
    deaths = 0
    try:
        with ctrl_c_held():
            workers += [_Worker.start(context) for _ in range(jobs)]
        while workers:
            ready = wait([worker.connection for worker in workers], _TELL_EVERY)
            idle()
            for worker in [each for each in workers if each.connection in ready]:
                try:
                    message = worker.connection.recv()
                except (EOFError, ConnectionError):
                    deaths += 1
                    _replace(workers, worker, context, handout, deaths)
                    continue
                match message:
                    case "task":
                        others = [each.task.number for each in workers if each is not worker and each.task is not None]
                        worker.task = handout.next_task(others)
                        worker.answer(worker.task)
                        if worker.task is None:
                            workers.remove(worker)
                            worker.process.join()
                    case "match":
                        assert worker.task is not None
                        plan = handout.next_plan(worker.task)
                        if plan is not None:
                            worker.under_way[plan.number] = plan
                        worker.answer(plan)
                    case WorkerProgress():
                        told(message)
                    case MatchResult():
                        assert worker.task is not None
                        deaths = 0
                        del worker.under_way[message.plan.number]
                        yield worker.task, message
                    case _:
                        raise message
    finally:
        for worker in workers:
            worker.process.terminate()
        for worker in workers:
            worker.process.join()


@dataclass(eq=False, slots=True)
class _Worker:
    """A process that plays, and what it has begun."""

    process: SpawnProcess
    connection: Connection[Any, Any]
    task: MatchTask | None = None
    under_way: dict[int, MatchPlan] = field(default_factory=dict)

    @classmethod
    def start(cls, context: SpawnContext) -> _Worker:
        here, there = context.Pipe()
        process = context.Process(target=_work, args=(there,), daemon=True)
        start_masked(process)
        there.close()
        return cls(process, here)

    def answer(self, value: object) -> None:
        # One that has just died is noticed when it is listened to.
        with contextlib.suppress(ConnectionError):
            self.connection.send(value)


def _replace(workers: list[_Worker], dead: _Worker, context: SpawnContext, handout: Handout, deaths: int) -> None:
    dead.process.join()
    if deaths > _MOST_DEATHS:
        end = how_it_ended(dead.process.exitcode)
        raise RuntimeError(f"processes that play matches ended unexpectedly {deaths} times in a row, last with {end}")
    if dead.task is not None:
        handout.give_back(dead.task, dead.under_way.values())
    with ctrl_c_held():
        workers[workers.index(dead)] = _Worker.start(context)


class OneTask:
    """Matches of one task, handed out in their order."""

    def __init__(self, task: MatchTask, plans: Iterable[MatchPlan]) -> None:
        self._task = task
        self._plans = iter(plans)
        self._again: deque[MatchPlan] = deque()
        self._done = False

    def next_task(self, others: Collection[int] = ()) -> MatchTask | None:
        """Return the task as long as there are matches."""
        return None if self._done and not self._again else self._task

    def next_plan(self, task: MatchTask) -> MatchPlan | None:
        """Return another match."""
        if self._again:
            return self._again.popleft()
        plan = next(self._plans, None)
        self._done = plan is None
        return plan

    def give_back(self, task: MatchTask, plans: Iterable[MatchPlan]) -> None:
        """Take back matches."""
        self._again.extend(plans)


def game_of(machine: CompiledMachine) -> Game:
    """Say what the machine of a worker is to be built from."""
    module = machine.module.name if isinstance(machine, NativeMachine) else None
    return Game(machine.sheet.source, machine.sheet, "", module)


def _work(connection: Connection[Any, Any]) -> None:
    """Play what the parent hands out."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        end_with_parent()
        made: tuple[str, CompiledMachine] | None = None
        tell = _Teller(connection)
        while (task := _ask(connection, "task")) is not None:
            game: Game = task.game
            key = f"{game.module} {game.sheet}"
            if made is None or made[0] != key:
                made = key, game.machine()
            arena: Arena = task.arena(made[1])
            plans = iter(lambda: _ask(connection, "match"), None)
            for result in arena.play(plans, arena.seats_side_by_side(task.matches), tell):
                connection.send(result)
            tell.now()
    except Exception as error:
        connection.send(error)


def _ask(connection: Connection[Any, Any], what: str) -> Any:
    connection.send(what)
    return connection.recv()


class _Teller:
    """Tell of progress, not too often."""

    def __init__(self, connection: Connection[Any, Any]) -> None:
        self._connection = connection
        self._moves = 0
        self._cpu_seconds = 0.0
        self._next = 0.0

    def __call__(self, moves: int) -> None:
        self._moves += moves
        if time.monotonic() >= self._next:
            self.now()

    def now(self) -> None:
        cpu_seconds = time.process_time()
        self._connection.send(WorkerProgress(self._moves, cpu_seconds - self._cpu_seconds))
        self._moves, self._cpu_seconds = 0, cpu_seconds
        self._next = time.monotonic() + _TELL_EVERY

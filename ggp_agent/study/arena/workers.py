"""Play matches in several processes, which ask for one match after the other.

A worker sends None for "another match, please", a number of moves to tell that it is alive, a result, or the exception
that ended it.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any

from ...games import Game
from ...hand_coded import ModuleMachine
from ...processes import end_with_parent
from .match import MatchResult
from .play import Arena, Contestant
from .schedule import MatchPlan

if TYPE_CHECKING:
    from multiprocessing.context import SpawnProcess

# Seconds between two numbers of moves.
_TELL_EVERY = 0.5


def play_in_processes(
    setting: Arena, plans: Iterator[MatchPlan], seats: int, jobs: int, moved: Callable[[int], None]
) -> Iterator[MatchResult]:
    """Play matches and yield each as it ends, in no certain order.

    The processes end with the iteration, also when it is left early.

    Raises:
        RuntimeError: a process ended unexpectedly.
        Exception: whatever ended a worker.
    """
    context = multiprocessing.get_context("spawn")
    work = _Work(_game(setting), setting.contestants, setting.opening_plies, setting.in_flight, seats)
    processes: list[SpawnProcess] = []
    connections: list[Connection[Any, Any]] = []
    try:
        with _undisturbed():
            for _ in range(jobs):
                here, there = context.Pipe()
                process = context.Process(target=_work, args=(work, there), daemon=True)
                process.start()
                there.close()
                processes.append(process)
                connections.append(here)
        while connections:
            for connection in wait(connections):
                assert isinstance(connection, Connection)
                message = _receive(connection)
                if message is None:
                    plan = next(plans, None)
                    connection.send(plan)
                elif isinstance(message, int):
                    moved(message)
                elif isinstance(message, MatchResult):
                    yield message
                elif isinstance(message, _Finished):
                    connections.remove(connection)
                else:
                    raise message
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.join()


@dataclass(frozen=True, slots=True)
class _Work:
    """Hold what a worker needs to know."""

    game: Game
    contestants: tuple[Contestant, ...]
    opening_plies: int
    in_flight: int | None
    seats: int


def _game(setting: Arena) -> Game:
    """Say what the machine of a worker is to be built from."""
    machine = setting.machine
    module = machine.module.name if isinstance(machine, ModuleMachine) else None
    return Game(machine.sheet.source, machine.sheet, "", module)


class _Finished:
    """Tell that a worker has no more to do."""


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Let the processes that are started meanwhile ignore Ctrl-C from the first: it is ours to handle."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


def _receive(connection: Connection[Any, Any]) -> Any:
    try:
        return connection.recv()
    except (EOFError, ConnectionError):
        raise RuntimeError("a process that plays matches ended unexpectedly") from None


def _work(work: _Work, connection: Connection[Any, Any]) -> None:
    """Play what the parent hands out."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        end_with_parent()
        setting = Arena(work.game.machine(), work.contestants, work.opening_plies, work.in_flight)
        for result in setting.play(_asked(connection), work.seats, _Teller(connection)):
            connection.send(result)
        connection.send(_Finished())
    except Exception as error:
        connection.send(error)


def _asked(connection: Connection[Any, Any]) -> Iterable[MatchPlan]:
    while True:
        connection.send(None)
        plan: MatchPlan | None = connection.recv()
        if plan is None:
            return
        yield plan


class _Teller:
    """Send numbers of moves, not too often."""

    def __init__(self, connection: Connection[Any, Any]) -> None:
        self._connection = connection
        self._moves = 0
        self._next = 0.0

    def __call__(self, moves: int) -> None:
        self._moves += moves
        if time.monotonic() >= self._next:
            self._connection.send(self._moves)
            self._moves = 0
            self._next = time.monotonic() + _TELL_EVERY

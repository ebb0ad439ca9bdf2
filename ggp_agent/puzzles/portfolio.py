"""Solve a puzzle in several ways at the same time, each in a worker process."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import TypeAlias

from ..common.pipe_worker import PipeWorker, WorkerDiedError, wait_for_workers
from ..common.processes import limit_memory
from .circuit import UnservedError
from .line import KnownGoal, Report

Task: TypeAlias = Callable[[Report], None]


@dataclass(frozen=True, slots=True)
class Way:
    """A way of solving."""

    name: str  # the name in reports
    task: Task  # searches for lines, reports each, and returns when no more can be found; must be picklable


@dataclass(frozen=True, slots=True)
class SolverMessage:
    """A message of a way."""

    way: str  # the name of the way
    finding: KnownGoal | None  # the line that the way found; None if the way has ended
    reason: str = ""  # the reason of the end; empty if nothing more can be found
    cpu_s: float = 0.0  # CPU-seconds that the worker has used so far


class Portfolio:
    """Run ways until each has ended or the portfolio is closed."""

    def __init__(self, ways: Sequence[Way], memory_mb: int) -> None:
        self._workers: dict[PipeWorker, str] = {}
        try:
            for way in ways:
                self._workers[PipeWorker(_run, way, memory_mb)] = way.name
        except BaseException:
            self.close()
            raise

    @property
    def running(self) -> bool:
        """Whether any way has not ended."""
        return bool(self._workers)

    def news(self, seconds: float) -> Iterator[SolverMessage]:
        """Wait until a way reports something, at most this number of seconds and an hour; yield the reports."""
        for worker in wait_for_workers(self._workers, seconds):
            try:
                message = worker.receive()
            except WorkerDiedError as died:
                message = SolverMessage(self._workers[worker], None, f"its process ended early: {died}")
            if message.finding is None:
                del self._workers[worker]
                worker.stop()
            yield message

    def close(self) -> None:
        """Stop all ways."""
        for worker in self._workers:
            worker.stop()
        self._workers.clear()

    def __enter__(self) -> Portfolio:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _run(pipe: Connection, way: Way, memory_mb: int) -> None:
    """Run a way; send what it finds and why it ends."""
    limit_memory(memory_mb)

    def report(finding: KnownGoal) -> None:
        pipe.send(SolverMessage(way.name, finding, "", time.process_time()))

    reason = ""
    try:
        way.task(report)
    except UnservedError as error:
        reason = str(error)
    except MemoryError:
        reason = f"more than {memory_mb:,} MB would be needed"
    except ImportError as error:  # an imported library may not fit into the memory
        reason = f"a library cannot be loaded with {memory_mb:,} MB: {' '.join(str(error).split())}"
    except RuntimeError as error:  # raised by clingo
        reason = str(error) or type(error).__name__
    pipe.send(SolverMessage(way.name, None, reason, time.process_time()))

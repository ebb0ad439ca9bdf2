"""Ways of solving side by side, each in a process of its own, and what they tell meanwhile."""

from __future__ import annotations

import contextlib
import multiprocessing
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from ..common.processes import begin_work, how_it_ended, start_masked
from .circuit import UnservedError
from .line import KnownGoal, Report

if TYPE_CHECKING:
    from multiprocessing.context import SpawnProcess

# Seconds that one wait takes at most: the system counts milliseconds in 32 bits.
_LONGEST_WAIT = 3600.0

Task: TypeAlias = Callable[[Report], None]


@dataclass(frozen=True, slots=True)
class Way:
    """A way of solving.

    Attributes:
        name: for reports.
        task: looks for lines, tells of them, and ends when there is no more to be found; picklable.
    """

    name: str
    task: Task


@dataclass(frozen=True, slots=True)
class SolverMessage:
    """What a way tells.

    Attributes:
        way: its name.
        finding: what it has found; None where it ends.
        reason: why it has ended, empty where it has nothing more to find.
        cpu_s: CPU-seconds of its process by now.
    """

    way: str
    finding: KnownGoal | None
    reason: str = ""
    cpu_s: float = 0.0


class Portfolio:
    """Run ways until closed.

    Args:
        ways: all start at once.
        memory_mb: address space that each process may take beside what it has when it begins.
    """

    def __init__(self, ways: Sequence[Way], memory_mb: int) -> None:
        self._runners: dict[Connection, tuple[str, SpawnProcess]] = {}
        context = multiprocessing.get_context("spawn")
        try:
            for way in ways:
                receiver, sender = context.Pipe(duplex=False)
                process = context.Process(target=_run, args=(way, sender, memory_mb), name=way.name)
                self._runners[receiver] = way.name, process
                start_masked(process)
                sender.close()
        except BaseException:
            self.close()
            raise

    @property
    def running(self) -> bool:
        """Whether any way goes on."""
        return bool(self._runners)

    def news(self, seconds: float) -> Iterator[SolverMessage]:
        """Wait until a way reports something, at most this number of seconds and an hour; yield the reports."""
        for receiver in wait(list(self._runners), min(seconds, _LONGEST_WAIT)):
            assert isinstance(receiver, Connection)
            name, process = self._runners[receiver]
            try:
                told = receiver.recv()
            except (EOFError, OSError):
                process.join()
                told = SolverMessage(name, None, f"its process ended early ({how_it_ended(process.exitcode)})")
            if told.finding is None:
                del self._runners[receiver]
                _end(receiver, process)
            yield told

    def close(self) -> None:
        """End all ways at once."""
        for receiver, (_, process) in self._runners.items():
            _end(receiver, process)
        self._runners.clear()

    def __enter__(self) -> Portfolio:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _end(receiver: Connection, process: SpawnProcess) -> None:
    if process.pid is not None:
        process.kill()
        process.join()
    receiver.close()


def _run(way: Way, sender: Connection, memory_mb: int) -> None:
    """Work in the process of a way, until it ends or nobody receives its reports any more."""
    begin_work()
    _limit_memory(memory_mb)
    with contextlib.suppress(BrokenPipeError):
        _report_on(way, sender, memory_mb)


def _report_on(way: Way, sender: Connection, memory_mb: int) -> None:
    """Run a way, and send what it finds and why it ends."""

    def report(finding: KnownGoal) -> None:
        sender.send(SolverMessage(way.name, finding, "", time.process_time()))

    reason = ""
    try:
        way.task(report)
    except UnservedError as error:
        reason = str(error)
    except MemoryError:
        reason = f"more than {memory_mb:,} MB would be needed"
    except ImportError as error:  # what is imported here may not fit into the memory
        reason = f"a library cannot be loaded with {memory_mb:,} MB: {' '.join(str(error).split())}"
    except RuntimeError as error:  # what clingo throws
        reason = str(error) or type(error).__name__
    sender.send(SolverMessage(way.name, None, reason, time.process_time()))


def _limit_memory(memory_mb: int) -> None:
    """Let this process take so much more address space, where the system tells how much it has and takes limits."""
    with contextlib.suppress(ValueError, OSError):
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + (memory_mb << 20), most))

"""Processes: started, given work, ended with this one, told of in words; their families, cores and memory."""

from __future__ import annotations

import contextlib
import ctypes
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnContext, SpawnProcess
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

# malloc.h of glibc.
_M_MMAP_THRESHOLD = -3
_M_ARENA_MAX = -8
# prctl.h of Linux.
_PR_SET_PDEATHSIG = 1
# Bytes from which a block is given back to the system as soon as it is freed; glibc would raise the limit by itself.
_LARGE_BLOCK = 128 * 1024


def cores() -> int:
    """Count the cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def child_environment() -> dict[str, str]:
    """Return our environment, in which the package is found where this one was, whatever folder we are called from."""
    root = str(Path(__file__).resolve().parents[1])
    path = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
    return {**os.environ, "PYTHONPATH": path}


def use_one_arena() -> None:
    """Let all threads of this process allocate from one heap; to be called before there is a second one.

    glibc opens heaps of their own for threads that meet in `malloc`, and each keeps what it has grown to; a player that
    serves a thread per connection so grows by half without holding on to anything. Large blocks, the texts of
    messages, stay out of the heap, which they would leave full of holes. Elsewhere this does nothing.
    """
    with contextlib.suppress(OSError, AttributeError):
        library = ctypes.CDLL(None)
        library.mallopt(_M_ARENA_MAX, 1)
        library.mallopt(_M_MMAP_THRESHOLD, _LARGE_BLOCK)


def how_it_ended(status: int | None) -> str:
    """Say how a process ended, by its exit code or, where that is negative, the signal.

    >>> how_it_ended(-9), how_it_ended(3)
    ('SIGKILL', 'status 3')
    """
    if status is None or status >= 0:
        return f"status {status}"
    try:
        return signal.Signals(-status).name
    except ValueError:  # one of those for real time
        return f"signal {-status}"


class WorkerDiedError(Exception):
    """Report that a process ended before its work was done, without a word about why."""


class _MaskedProcess(SpawnProcess):
    def start(self) -> None:
        with _masked():
            super().start()


class _MaskedContext(SpawnContext):
    Process = _MaskedProcess


def process_pool(jobs: int) -> ProcessPoolExecutor:
    """Return a pool of worker processes, of which so many run at once, started as `start_masked` does.

    Work is to be submitted under `ctrl_c_held`: the pool forgets a process in the start of which it is interrupted.
    """
    return ProcessPoolExecutor(jobs, mp_context=_MaskedContext(), initializer=begin_work)


def run_alone(task: Callable[[], T]) -> T:
    """Run a task in a fresh process, so that its memory and time are its own, and return its result.

    The process has ended when this function does, whichever way it ends; on Ctrl-C too.

    Args:
        task: it, its result and what it may raise must be picklable.

    Raises:
        WorkerDiedError: the process was killed, for want of memory, say.
        Exception: what the task raised.
    """
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_answer, args=(task, sender))
    try:
        start_masked(process)
        sender.close()
        try:
            raised, value = receiver.recv()
        except EOFError:
            process.join()
            raise WorkerDiedError(f"its process ended early ({how_it_ended(process.exitcode)})") from None
        if raised:
            raise value
        result: T = value
        return result
    finally:
        sender.close()
        receiver.close()
        if process.pid is not None:
            process.kill()
            process.join()


def start_masked(process: SpawnProcess) -> None:
    """Start a process that does not hear Ctrl-C before it unblocks SIGINT.

    A process that is only just starting would tell of Ctrl-C with a traceback.
    """
    with _masked():
        process.start()


@contextlib.contextmanager
def _masked() -> Iterator[None]:
    """Let processes that are started in the block begin with SIGINT blocked, and Ctrl-C wait until it has ended."""
    resource_tracker.ensure_running()  # process.start() would, and would undo the mask
    with ctrl_c_held():
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)


@contextlib.contextmanager
def ctrl_c_held() -> Iterator[None]:
    """Let Ctrl-C wait until the block has ended.

    The mask of the main thread does not do it: the system gives the signal to any other thread, of numpy, say, and
    Python answers it in the main thread all the same.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    handler = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler or signal.SIG_DFL)
        if came:
            signal.raise_signal(signal.SIGINT)


def begin_work() -> None:
    """Make this process, which `start_masked` started, hear Ctrl-C, end by it quietly, and end with its parent."""
    # Ctrl-C reaches the whole group; a worker ends by the signal itself, without a traceback of its own.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    end_with_parent()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _answer(task: Callable[[], Any], sender: Connection) -> None:
    begin_work()
    try:
        answer = (False, task())
    except Exception as error:
        answer = (True, error)
    sender.send(answer)


def end_with_parent() -> None:
    """Make this worker process end when its parent is gone, even if that was killed."""
    threading.Thread(target=_end_after_parent, name="parent watch", daemon=True).start()


def _end_after_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


class Lifeline:
    """Lets processes that this one forks end with it, even if it is killed, and even if they hang.

    Linux kills a process when its parent ends, if it asks for that. Elsewhere, macOS say, there is a pipe whose one end
    this process alone holds, and which nobody writes to: a thread of each forked process reads it until it ends. This
    process needs no thread, so it may fork.
    """

    def __init__(self) -> None:
        self._owner = os.getpid()
        self._reader, self._writer = os.pipe()

    def hold(self, *, by_pipe: bool = False) -> None:
        """End with the process that has made this; to be called once by one that it has forked.

        Args:
            by_pipe: whether to take the pipe where the system would do without, too.
        """
        os.close(self._writer)
        if by_pipe or not _killed_with_parent():
            threading.Thread(target=self._end_with_owner, name="lifeline", daemon=True).start()
        else:
            os.close(self._reader)
        if os.getppid() != self._owner:  # it had ended before
            os._exit(0)

    def _end_with_owner(self) -> None:
        os.read(self._reader, 1)
        os.kill(os.getpid(), signal.SIGKILL)


def _killed_with_parent() -> bool:
    """Ask the system to kill this process when its parent ends; tell whether it will."""
    with contextlib.suppress(OSError, AttributeError):
        return bool(ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL) == 0)
    return False


# ---- what the system tells of processes (Linux)


def family(pid: int) -> list[int]:
    """Return a process and all that it started, directly or not, as far as they still run; it alone without /proc.

    >>> os.getpid() in family(os.getpid())
    True
    """
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        if entry.name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):
                # The name of the program, in parentheses, may hold anything.
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                children.setdefault(parent, []).append(int(entry.name))
    found = [pid]
    for each in found:
        found += children.get(each, ())
    return found


def pin(pid: int, cores: Collection[int]) -> None:
    """Let a process and all that it started run on these cores alone; nothing where the system has no such thing."""
    if not hasattr(os, "sched_setaffinity"):
        return
    for each in family(pid):
        with contextlib.suppress(OSError):
            for thread in os.listdir(f"/proc/{each}/task"):
                with contextlib.suppress(OSError):
                    os.sched_setaffinity(int(thread), cores)


def resident_mb(pid: int, *, alone: bool = False) -> float:
    """Return the resident memory of a process and, unless alone, of all that it started, in MB; 0 where it is gone.

    >>> resident_mb(os.getpid(), alone=True) > 1
    True
    """
    pages = 0
    for each in [pid] if alone else family(pid):
        with contextlib.suppress(OSError, ValueError, IndexError):
            pages += int(Path(f"/proc/{each}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def machine_memory_mb() -> int:
    """Return the memory of this machine in units of 2^20 bytes, at least 1.

    >>> machine_memory_mb() > 64
    True
    """
    return max(1, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20)

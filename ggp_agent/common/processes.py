"""Processes: started, given work, ended with this one, told of in words; their families, cores and memory."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import threading
from collections.abc import Collection
from pathlib import Path

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
    root = str(Path(__file__).resolve().parents[2])
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

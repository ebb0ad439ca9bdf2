"""Processes: their environment, their end, their children, cores and memory."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import threading
from collections.abc import Callable, Collection
from pathlib import Path

# malloc.h of glibc.
_M_MMAP_THRESHOLD = -3
_M_ARENA_MAX = -8
# prctl.h of Linux.
_PR_SET_PDEATHSIG = 1
# Larger blocks are returned to the system as soon as they are freed; by default glibc raises this limit.
_LARGE_BLOCK = 128 * 1024
# Address space of libraries that are loaded later, stacks of threads and fragments of the heap.
_LIBRARIES_MB = 256


def cores() -> int:
    """Count the cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def child_environment() -> dict[str, str]:
    """Return the environment of this process, extended so that a child finds this package from any folder."""
    root = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
    return {**os.environ, "PYTHONPATH": path}


def use_one_arena() -> None:
    """Let all threads of this process allocate from one heap; must be called before other threads start.

    glibc opens more heaps when threads allocate at the same time, and no heap shrinks: a player with a thread per
    connection grows by half. Large blocks stay out of the heap and do not fragment it. Without glibc nothing happens.
    """
    with contextlib.suppress(OSError, AttributeError):
        library = ctypes.CDLL(None)
        library.mallopt(_M_ARENA_MAX, 1)
        library.mallopt(_M_MMAP_THRESHOLD, _LARGE_BLOCK)


def how_it_ended(status: int | None) -> str:
    """Describe the end of a process by its exit status or, if the status is negative, its signal.

    >>> how_it_ended(-9), how_it_ended(3)
    ('SIGKILL', 'status 3')
    """
    if status is None or status >= 0:
        return f"status {status}"
    try:
        return signal.Signals(-status).name
    except ValueError:  # a real-time signal
        return f"signal {-status}"


class Lifeline:
    """End forked processes with this process, even if this process is killed or they hang.

    Linux kills a process with its parent on request. On other systems a thread of each forked process reads from a pipe
    that ends with this process. This process needs no thread, so it may fork.
    """

    def __init__(self) -> None:
        self._owner = os.getpid()
        self._reader, self._writer = os.pipe()

    def hold(self, *, by_pipe: bool = False) -> None:
        """End this process with the process that created the object; must be called once in each forked process."""
        os.close(self._writer)
        if by_pipe or not end_with_parent():
            when_closed(self._reader, lambda: os.kill(os.getpid(), signal.SIGKILL))
        else:
            os.close(self._reader)
        if os.getppid() != self._owner:  # the owner has already ended
            os._exit(0)


def end_with_parent() -> bool:
    """Request that the system kills this process with its parent; return whether it will, which only Linux does."""
    with contextlib.suppress(OSError, AttributeError):
        return bool(ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL) == 0)
    return False


def when_closed(descriptor: int, end: Callable[[], object]) -> None:
    """Start a thread that calls a function when the other end of a pipe is closed, as by the end of its process."""

    def wait() -> None:
        while os.read(descriptor, 4096):
            pass
        end()

    threading.Thread(target=wait, name="parent watch", daemon=True).start()


def family(pid: int) -> list[int]:
    """Return a process and its running descendants; without /proc only the process.

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
    """Restrict a process and its descendants to cores, if the system supports it."""
    if not hasattr(os, "sched_setaffinity"):
        return
    for each in family(pid):
        with contextlib.suppress(OSError):
            for thread in os.listdir(f"/proc/{each}/task"):
                with contextlib.suppress(OSError):
                    os.sched_setaffinity(int(thread), cores)


def resident_mb(pid: int, *, alone: bool = False) -> float:
    """Return the resident memory of a process and, unless `alone`, of its descendants, in MB; 0 if it has ended.

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


def limit_memory(memory_mb: int) -> None:
    """Limit what this process may add to its address space, libraries excepted, if the system supports limits."""
    with contextlib.suppress(ValueError, OSError):
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        _, maximum = resource.getrlimit(resource.RLIMIT_AS)
        limit = pages * resource.getpagesize() + (memory_mb + _LIBRARIES_MB << 20)
        resource.setrlimit(resource.RLIMIT_AS, (limit, maximum))

"""Processes as the system lists them: families, cores and memory (Linux)."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection
from pathlib import Path


def family(pid: int) -> list[int]:
    """Return a process and all that it started, directly or not, as far as they still run.

    >>> os.getpid() in family(os.getpid())
    True
    """
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
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

"""Run work in child processes that end quietly with us."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from concurrent.futures import ProcessPoolExecutor


def process_pool(jobs: int, *, fresh: bool = False) -> ProcessPoolExecutor:
    """Return a pool of worker processes.

    Args:
        jobs: how many run at once.
        fresh: give every task a process of its own, so that its memory and time are its own too.
    """
    return ProcessPoolExecutor(
        jobs,
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_end_quietly,
        max_tasks_per_child=1 if fresh else None,
    )


def end_with_parent() -> None:
    """Make this worker process end when its parent is gone, even if that was killed."""
    threading.Thread(target=_end_after_parent, name="parent watch", daemon=True).start()


def _end_quietly() -> None:
    # Ctrl-C reaches the whole group; a worker ends by the signal itself, without a traceback of its own.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    end_with_parent()


def _end_after_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)

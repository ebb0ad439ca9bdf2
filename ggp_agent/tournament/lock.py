"""One process at a time: locks that end with their owner, however it ends."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path

from ..errors import UserError

# Seconds that the workers of a killed tournament may take to notice.
_PATIENCE = 15.0


@contextlib.contextmanager
def owned(state: Path) -> Iterator[None]:
    """Own the state of a tournament, and wait until no worker of an earlier owner is left.

    The locks are the system's (flock): a process that was killed holds none. The files stay, the owner's number in one.

    Raises:
        UserError: another process owns it.
        OSError: the lock file cannot be made.
    """
    own = os.open(_own(state), os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(own, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            pid = os.pread(own, 32, 0).decode("ascii", "replace").strip() or "another process"
            raise UserError(
                f"{state}: this tournament is being played by process {pid}; wait for its end, or end it with Ctrl-C"
            ) from None
        os.ftruncate(own, 0)
        os.pwrite(own, f"{os.getpid()}\n".encode(), 0)
        _await_workers(state)
        yield
        os.ftruncate(own, 0)
    finally:
        os.close(own)


def keep_worker_lock(state: Path) -> int:
    """Hold the lock of workers until this process ends; return its handle."""
    handle = os.open(_workers(state), os.O_RDWR | os.O_CREAT, 0o644)
    fcntl.flock(handle, fcntl.LOCK_SH)
    return handle


def _await_workers(state: Path) -> None:
    handle = os.open(_workers(state), os.O_RDWR | os.O_CREAT, 0o644)
    try:
        deadline = time.monotonic() + _PATIENCE
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise UserError(
                        f"{state}: workers of an earlier run still play; wait a moment, then try again"
                    ) from None
            time.sleep(0.05)
    finally:
        os.close(handle)


def _own(state: Path) -> Path:
    return state.with_name(state.name + ".lock")


def _workers(state: Path) -> Path:
    return state.with_name(state.name + ".tables.lock")

"""A table as the director sees it: a process, the pipe to it, the match that it hosts."""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
import time
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

from .store import Order
from .table import Beat, Done, Failed, Note, TableSetup, run_table

if TYPE_CHECKING:
    from multiprocessing.context import SpawnProcess


class TableDiedError(Exception):
    """Report that a table ended without a word."""


class TableProcess:
    """Start a table.

    Args:
        number: from 0.
        setup: what it needs to know.

    Attributes:
        order: what it plays; None while it has nothing to do.
        since: when it was given the order, on the monotonic clock.
        heard: when it was last heard of, on the monotonic clock.
    """

    def __init__(self, number: int, setup: TableSetup) -> None:
        context = multiprocessing.get_context("spawn")
        self.number = number
        self.order: Order | None = None
        self.since = self.heard = time.monotonic()
        here, there = context.Pipe()
        self.connection: Connection[Any, Any] = here
        self._process: SpawnProcess = context.Process(
            target=run_table, args=(setup, there), name=f"table {number + 1}", daemon=True
        )
        resource_tracker.ensure_running()  # start() would, and would undo the mask
        # A table that is only just starting would tell of Ctrl-C with a traceback: a mask keeps it from it.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            self._process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        there.close()

    @property
    def pid(self) -> int:
        """The process."""
        assert self._process.pid is not None
        return self._process.pid

    def play(self, order: Order) -> None:
        """Hand out a match; whether the table is still there is found out by `receive`."""
        self.order = order
        self.since = self.heard = time.monotonic()
        with contextlib.suppress(OSError):
            self.connection.send(order)

    def receive(self) -> Done | Failed | Note | Beat:
        """Return the next message.

        Raises:
            TableDiedError: there will be none.
        """
        try:
            message: Done | Failed | Note | Beat = self.connection.recv()
        except (EOFError, OSError):
            raise TableDiedError from None
        self.heard = time.monotonic()
        return message

    def give_up(self) -> None:
        """Ask it to abort its match, and to end."""
        with contextlib.suppress(OSError):
            self.connection.send(None)
        self._process.terminate()

    def end(self, seconds: float) -> None:
        """Let it end by itself within some seconds, or else by force; its order stays to be seen."""
        with contextlib.suppress(OSError):
            self.connection.send(None)
        self._process.join(seconds)
        self._process.kill()
        self._process.join()
        self.connection.close()
        self._process.close()

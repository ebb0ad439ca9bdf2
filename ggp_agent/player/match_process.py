"""A process that the fork server has forked, for one match or to learn a game, as seen by the server process."""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import signal
import socket
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

from .fork_server import ForkServer
from .match_messages import Order, Report

logger = logging.getLogger(__name__)

# A process is stuck if it has sent nothing for this time and was idle in this number of consecutive checks.
_SILENT_SECONDS = 1.0
_IDLE_CHECKS = 4


class MatchProcess:
    """Start a process, send orders to it and pass on its reports. No method except `wait` blocks."""

    def __init__(
        self,
        fork_server: ForkServer,
        on_report: Callable[[MatchProcess, Report], None],
        on_end: Callable[[MatchProcess, str], None],
    ) -> None:
        self.turns_sent = 0  # the number of turns sent to the process; updated by the owner
        self.started = False  # whether the process was started
        self.pid: int | None = None  # the process id while the process runs, otherwise None
        self._fork_server = fork_server
        self._on_report = on_report
        self._on_end = on_end
        self._orders: queue.SimpleQueue[Order | None] = queue.SimpleQueue()
        self._unwanted = False
        self._gone = threading.Event()
        self._lock = threading.Lock()
        self._last_report = time.monotonic()
        self._idle_checks = 0
        threading.Thread(target=self._run, name="match process", daemon=True).start()

    def send(self, order: Order) -> None:
        """Queue an order; it is dropped if the process has ended."""
        self._orders.put(order)

    def kill(self) -> None:
        """Kill the process."""
        with self._lock:
            self._unwanted = True
            if self.pid is not None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self.pid, signal.SIGKILL)

    def end_within(self, seconds: float) -> None:
        """Kill the process after a number of seconds if it has not ended by itself."""

        def wait() -> None:
            if not self._gone.wait(seconds):
                self.kill()

        threading.Thread(target=wait, name="end of a match", daemon=True).start()

    def wait(self, seconds: float) -> bool:
        """Wait for the end of the process; return whether it has ended."""
        return self._gone.wait(seconds)

    def stuck(self) -> bool:
        """Check once more whether the process is silent and idle; return whether it is stuck."""
        pid = self.pid
        silent = pid is not None and time.monotonic() - self._last_report > _SILENT_SECONDS
        self._idle_checks = self._idle_checks + 1 if silent and pid is not None and _is_idle(pid) else 0
        return self._idle_checks >= _IDLE_CHECKS

    def _run(self) -> None:
        ours, theirs = socket.socketpair()
        try:
            pid = self._fork_server.fork(theirs)
        except OSError as error:
            ours.close()
            how = error.strerror or str(error)
        else:
            self.started = True
            how = self._serve(pid, Connection(ours.detach()))
        self._gone.set()
        self._on_end(self, how)

    def _serve(self, pid: int, pipe: Connection) -> str:
        """Exchange orders and reports until the process ends; describe how it ended."""
        self._last_report = time.monotonic()
        with self._lock:
            self.pid = pid
        if self._unwanted:
            self.kill()
        sender = threading.Thread(target=self._send_all, args=(pipe,), name="orders", daemon=True)
        sender.start()
        try:
            while True:
                report = pipe.recv()
                self._last_report = time.monotonic()
                self._on_report(self, report)
        except (EOFError, OSError):  # the process has ended
            pass
        except Exception:
            logger.exception("a report of a match process cannot be processed")
            self.kill()
        with self._lock:  # afterwards another process may get this process id
            self.pid = None
            how = self._fork_server.end(pid)
        self._orders.put(None)
        sender.join()
        pipe.close()
        return how

    def _send_all(self, pipe: Connection) -> None:
        with contextlib.suppress(OSError):
            while (order := self._orders.get()) is not None:
                pipe.send(order)


def _is_idle(pid: int) -> bool:
    """Return whether no thread of a process needs the processor; False if this is unknown.

    A process that computes, or waits for the processor of a busy machine, is not idle.
    """
    try:
        threads = list(Path(f"/proc/{pid}/task").iterdir())
        states = [(thread / "stat").read_text().rpartition(")")[2].split()[0] for thread in threads]
    except (OSError, IndexError):
        return False
    return not {"R", "D"} & set(states)

"""The process of one match, seen from the front of the player."""

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

# A process that has said nothing for so many seconds, and is found idle so many times in a row, is stuck.
_SILENT = 1.0
_SUSPICIONS = 4


class MatchProcess:
    """Send orders to a process of its own and hand on what it reports; nothing here waits for it, nor for its start.

    Args:
        fork_server: where it comes from.
        heard: called with every report, from one thread.
        ended: called once, from that thread, when the process has ended or was killed, with a word on how.

    Attributes:
        told: how many turns of the match it was told of; kept by the owner.
        born: whether there was a process at all, once it has ended.
    """

    def __init__(
        self,
        fork_server: ForkServer,
        heard: Callable[[MatchProcess, Report], None],
        ended: Callable[[MatchProcess, str], None],
    ) -> None:
        self.told = 0
        self.born = False
        self.pid: int | None = None
        self._fork_server = fork_server
        self._heard = heard
        self._ended = ended
        self._orders: queue.SimpleQueue[Order | None] = queue.SimpleQueue()
        self._unwanted = False
        self._gone = threading.Event()
        self._lock = threading.Lock()
        self._last_word = time.monotonic()
        self._suspicion = 0
        threading.Thread(target=self._run, name="match process", daemon=True).start()

    def send(self, order: Order) -> None:
        """Have an order sent; in time if the process listens, never if it has ended."""
        self._orders.put(order)

    def kill(self) -> None:
        """End the process at once."""
        with self._lock:
            self._unwanted = True
            if self.pid is not None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self.pid, signal.SIGKILL)

    def end_within(self, seconds: float) -> None:
        """Let the process end by itself, but kill it after so many seconds."""

        def wait() -> None:
            if not self._gone.wait(seconds):
                self.kill()

        threading.Thread(target=wait, name="end of a match", daemon=True).start()

    def wait(self, seconds: float) -> bool:
        """Wait for the end of the process; return whether it has ended."""
        return self._gone.wait(seconds)

    def stuck(self) -> bool:
        """Tell whether the process has given no sign of life for a while; to be asked again and again."""
        pid = self.pid
        silent = pid is not None and time.monotonic() - self._last_word > _SILENT
        self._suspicion = self._suspicion + 1 if silent and pid is not None and _is_idle(pid) else 0
        return self._suspicion >= _SUSPICIONS

    def _run(self) -> None:
        ours, theirs = socket.socketpair()
        try:
            pid = self._fork_server.fork(theirs)
        except OSError as error:
            ours.close()
            how = error.strerror or str(error)
        else:
            self.born = True
            how = self._live(pid, Connection(ours.detach()))
        self._gone.set()
        self._ended(self, how)

    def _live(self, pid: int, pipe: Connection) -> str:
        """Exchange orders and reports until the process ends; say how it did."""
        self._last_word = time.monotonic()
        with self._lock:
            self.pid = pid
        if self._unwanted:
            self.kill()
        sender = threading.Thread(target=self._send_all, args=(pipe,), name="orders", daemon=True)
        sender.start()
        try:
            while True:
                report = pipe.recv()
                self._last_word = time.monotonic()
                self._heard(self, report)
        except (EOFError, OSError):  # the process has ended
            pass
        except Exception:
            logger.exception("what the process of a match reports cannot be understood")
            self.kill()
        with self._lock:  # from here on another process may have this number
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
    """Tell whether no thread of a process wants the processor; False where that cannot be told.

    A process that computes for long without a word, or is not given the processor by a busy machine, is not idle.
    """
    try:
        threads = list(Path(f"/proc/{pid}/task").iterdir())
        states = [(thread / "stat").read_text().rpartition(")")[2].split()[0] for thread in threads]
    except (OSError, IndexError):
        return False
    return not {"R", "D"} & set(states)

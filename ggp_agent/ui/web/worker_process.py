"""A process beside the server that does one thing: plays a game, or looks into rule sheets."""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import signal
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from ...common.processes import end_with_parent, how_it_ended, start_masked


class WorkerProcess:
    """Start a process, hand it what is sent, and hand on what it says, in the thread of the event loop.

    Args:
        work: runs in the process, with its end of a pipe and what follows; it can be imported from there.
        arguments: for it, picklable.
        heard: called with whatever the process says.
        ended: called once, when the process is gone, with how it ended.
    """

    def __init__(
        self,
        work: Callable[..., None],
        arguments: tuple[Any, ...],
        heard: Callable[[Any], None],
        ended: Callable[[str], None],
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._heard = heard
        self._ended = ended
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_run, args=(work, theirs, *arguments), daemon=True)
        self._thread = threading.Thread(target=self._listen, args=(theirs,), name="worker process", daemon=True)
        self._sending = threading.Lock()
        self._unwanted = False
        self._thread.start()

    def send(self, what: object) -> None:
        """Send something; it is lost where the process has ended."""
        with contextlib.suppress(OSError, ValueError), self._sending:
            self._pipe.send(what)

    def kill(self) -> None:
        """End the process at once."""
        self._unwanted = True
        if self._process.pid is not None:
            self._process.kill()

    def wait(self, seconds: float) -> None:
        """Wait until the process is gone, so many seconds at most."""
        self._thread.join(seconds)

    def _listen(self, theirs: Connection) -> None:
        try:
            start_masked(self._process)
        except OSError as error:
            self._call(self._ended, error.strerror or str(error))
            return
        finally:
            theirs.close()
        if self._unwanted:
            self._process.kill()
        with contextlib.suppress(EOFError, OSError):
            while True:
                self._call(self._heard, self._pipe.recv())
        self._process.join()
        self._pipe.close()
        self._call(self._ended, how_it_ended(self._process.exitcode))

    def _call(self, listener: Callable[[Any], None], what: object) -> None:
        with contextlib.suppress(RuntimeError):  # the event loop has ended
            self._loop.call_soon_threadsafe(listener, what)


def _run(work: Callable[..., None], pipe: Connection, *arguments: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, with which this process ends
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    end_with_parent()
    work(pipe, *arguments)

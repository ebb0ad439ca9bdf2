"""The fork server: a process with the code of matches loaded, which forks one process per match.

A fork takes about a millisecond; a new start of Python takes a second. The fork server has one thread, so forking is
safe. It ends when the server process ends, because its socket is closed then. The match processes end with it.

The fork server of `multiprocessing` is not used for two reasons (measured with Python 3.11). It ends, together with the
processes of all other matches, if the system refuses a fork. And `Process.start()` waits for ever while it is stopped.
Here a refused fork is an error of the caller, and a fork server that does not answer is replaced.
"""

from __future__ import annotations

import contextlib
import gc
import logging
import os
import resource
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import NoReturn

from ..common.processes import Lifeline, child_environment, how_it_ended

logger = logging.getLogger(__name__)

# The requests: fork a process for the enclosed pipe; end a process and return its exit status.
_FORK = b"f"
_END = b"e"
_REQUEST = struct.Struct("=ci")
_REPLY = struct.Struct("=i")
# Replies instead of an exit status: the process was still running and was killed; it was not forked here.
_STILL_RUNNING = 1 << 30
_NOT_OURS = _STILL_RUNNING + 1

# Seconds to wait for the start of the process, on a busy machine, and for an answer.
_START_SECONDS = 30.0
_ANSWER_SECONDS = 3.0

# Seconds to wait for the end of a process that has closed its pipe.
_ENDING_SECONDS = 0.2

_PROGRAM = "import sys; from ggp_agent.player.fork_server import serve; serve(int(sys.argv[1]))"
# Without this, the linear algebra library of NumPy starts threads.
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1"}


class ForkServer:
    """Start and control the fork server process.

    The process starts in the background. If it ends or hangs, the next request starts another one. Safe to call from
    many threads at once.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._greeted = False
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._closed = False
        with contextlib.suppress(OSError):
            self._start()

    def fork(self, pipe: socket.socket) -> int:
        """Fork a process that plays a match over `pipe`, which is closed here; return its process id."""
        with self._lock, pipe:
            for attempt in (1, 2):
                try:
                    child = self._ask(_FORK, 0, pipe)
                except OSError:
                    self._stop()
                    if attempt == 2:
                        raise
                    continue
                if child < 0:
                    raise OSError(-child, os.strerror(-child))
                return child
        raise AssertionError

    def wait(self) -> None:
        """Wait, without a time limit, until the process can fork; log a warning every 30 seconds."""
        with self._lock:
            if self._process is None:
                self._start()
            began = time.monotonic()
            while True:
                try:
                    self._greet()
                    return
                except TimeoutError:
                    waited = time.monotonic() - began
                    logger.warning("the player is not ready after %.0f s: the machine is busy; still waiting", waited)

    def end(self, child: int) -> str:
        """Wait for the end of a process, kill it if it still runs, and describe how it ended."""
        with self._lock:
            try:
                status = self._ask(_END, child)
            except OSError:
                self._stop()
                return "cause unknown"
        if status in (_STILL_RUNNING, _NOT_OURS):
            return "killed by the player" if status == _STILL_RUNNING else "the fork server had ended"
        return how_it_ended(status)

    def close(self) -> None:
        """End the process, and with it the processes that it has forked."""
        with self._lock:
            self._closed = True
            self._stop()

    def __enter__(self) -> ForkServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(self, kind: bytes, number: int, pipe: socket.socket | None = None) -> int:
        if self._closed:
            raise OSError("the player has ended")
        if self._process is None:
            self._start()
        control = self._greet()
        request = _REQUEST.pack(kind, number)
        if pipe is None:
            control.sendall(request)
        else:
            socket.send_fds(control, [request], [pipe.fileno()])
        return self._receive(control)

    def _greet(self) -> socket.socket:
        """Wait until the process has loaded all code."""
        control = self._control
        assert control is not None
        if not self._greeted:
            control.settimeout(_START_SECONDS)
            self._receive(control)
            self._greeted = True
            control.settimeout(_ANSWER_SECONDS)
        return control

    def _receive(self, control: socket.socket) -> int:
        data = control.recv(_REPLY.size, socket.MSG_WAITALL)
        if len(data) < _REPLY.size:
            raise OSError("the fork server has ended")
        number: int = _REPLY.unpack(data)[0]
        return number

    def _start(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _PROGRAM, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
                env=child_environment() | _ONE_THREAD,
                start_new_session=True,  # Ctrl-C must reach only the server process
            )
        self._control = ours
        self._greeted = False

    def _stop(self) -> None:
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


# ---- the process itself


def serve(descriptor: int) -> None:
    """Fork processes until the other end of a socket is closed; never return."""
    from .match_worker import play, preload  # imports the search, which the server process does not need

    control = socket.socket(fileno=descriptor)
    preload()
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, most))  # a process that crashes must end at once
    gc.freeze()  # the collector must not write to memory that all processes share
    dying: set[int] = set()
    lifeline = Lifeline()
    with contextlib.suppress(OSError):  # the server process may have ended; then the loop ends at once
        control.sendall(_REPLY.pack(os.getpid()))
    while True:
        dying = {child for child in dying if _collect(child) == _STILL_RUNNING}
        control.settimeout(1.0 if dying else None)
        try:
            data, descriptors, _, _ = socket.recv_fds(control, _REQUEST.size, 1)
        except TimeoutError:
            continue
        except OSError:
            break
        if len(data) < _REQUEST.size:
            break
        kind, number = _REQUEST.unpack(data)
        reply = _fork(control, descriptors[0], lifeline, play) if kind == _FORK else _end(number, dying)
        try:
            control.sendall(_REPLY.pack(reply))
        except OSError:
            break
    os._exit(0)


def _fork(control: socket.socket, pipe: int, lifeline: Lifeline, play: Callable[[Connection], NoReturn]) -> int:
    """Fork a process for a pipe; return its process id, or the negative error number."""
    parent = os.getpid()
    try:
        child = os.fork()
    except OSError as error:
        return -(error.errno or 1)
    finally:
        if os.getpid() == parent:
            os.close(pipe)
    if child == 0:
        control.close()
        lifeline.hold()
        play(Connection(pipe))
    return child


def _end(child: int, dying: set[int]) -> int:
    """Return the exit code of a process as `os.waitstatus_to_exitcode` does; kill the process if it still runs."""
    until = time.monotonic() + _ENDING_SECONDS
    while (status := _collect(child)) == _STILL_RUNNING and time.monotonic() < until:
        time.sleep(0.005)
    if status == _STILL_RUNNING:
        os.kill(child, signal.SIGKILL)  # its process id is not used again before it is collected
        dying.add(child)
    return status


def _collect(child: int) -> int:
    try:
        ended, status = os.waitpid(child, os.WNOHANG)
    except ChildProcessError:
        return _NOT_OURS
    if not ended:
        return _STILL_RUNNING
    return os.waitstatus_to_exitcode(status)

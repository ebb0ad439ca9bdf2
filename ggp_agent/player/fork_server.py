"""The fork server: a process that has everything read in and forks one process per match.

A fork takes about a millisecond, where a new start of Python takes half a second. The process stays with one thread, so
that forking is safe. All that it has forked end with it, and it ends with the front of the player, whose end of the
socket is closed then, however it ended.

The fork server of `multiprocessing` does not keep two promises: a fork that the system refuses ends it, and with it the
processes of all other matches; and where it is stopped, `Process.start()` waits for it without an end (measured with
Python 3.11). Here a refusal is told to the one who asked, and a fork server that does not answer is replaced.
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

# The requests: fork a process for the pipe that is sent along; end a process and tell how it ended.
_FORK = b"f"
_END = b"e"
_REQUEST = struct.Struct("=ci")
_REPLY = struct.Struct("=i")
# Answers in place of a status: it was still running and is killed now; the process was not forked here.
_STILL_RUNNING = 1 << 30
_NOT_OURS = _STILL_RUNNING + 1

# Seconds that the process may take to start, on a busy machine, and to answer.
_START = 30.0
_ANSWER = 3.0

# A process whose pipe has ended is about to end, too; it is waited for so many seconds.
_ENDING = 0.2

_PROGRAM = "import sys; from ggp_agent.player.fork_server import serve; serve(int(sys.argv[1]))"
# Otherwise the linear algebra library that comes with numpy starts threads.
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1"}


class ForkServer:
    """The front's side of the process.

    It starts at once and in the background. Should it end or hang, another one is started when next it is needed.
    Safe to call from many threads at once.
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
        """Return a new process that plays a match on its end of a pipe, which is closed here.

        Raises:
            OSError: the system gives no process.
        """
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
        """Wait until it can fork, however long this takes on a busy machine; a warning is logged now and then.

        Raises:
            OSError: it does not start, or ends before it can fork.
        """
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
                    logger.warning("the player is not ready after %.0f s: the machine is busy; waiting on", waited)

    def end(self, child: int) -> str:
        """See a process to its end, by force if it still runs; say how it ended."""
        with self._lock:
            try:
                status = self._ask(_END, child)
            except OSError:
                self._stop()
                return "nobody knows how"
        if status in (_STILL_RUNNING, _NOT_OURS):
            return "killed by the player" if status == _STILL_RUNNING else "with the process that forked it"
        return how_it_ended(status)

    def close(self) -> None:
        """End the process, and all that it has forked."""
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
        """Wait until the process has read in everything."""
        control = self._control
        assert control is not None
        if not self._greeted:
            control.settimeout(_START)
            self._receive(control)
            self._greeted = True
            control.settimeout(_ANSWER)
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
                start_new_session=True,  # Ctrl-C is for the front
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
    """Fork a process per match until the other end of a socket is closed; never return."""
    from .match_worker import play, read_in  # imports the search, which the process of the front does not need

    control = socket.socket(fileno=descriptor)
    read_in()
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, most))  # a process that crashes must be gone at once
    gc.freeze()  # so that the collector does not write to memory that all processes share
    dying: set[int] = set()
    lifeline = Lifeline()
    with contextlib.suppress(OSError):  # the front may have ended; then the loop ends at once
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
    """Return the process that plays on a pipe, or the negative error number."""
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
    """Return how a process ended, as `os.waitstatus_to_exitcode` does, or kill it if it still runs."""
    until = time.monotonic() + _ENDING
    while (status := _collect(child)) == _STILL_RUNNING and time.monotonic() < until:
        time.sleep(0.005)
    if status == _STILL_RUNNING:
        os.kill(child, signal.SIGKILL)  # its number is not used again before it is collected
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

"""The fork server, a process with the code of matches loaded, and the processes that it forks, one per match.

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
import queue
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
from pathlib import Path
from typing import NoReturn

from ...common.processes import Lifeline, child_environment, how_it_ended
from ..match.messages import Order, Report

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

# A process is stuck if it has sent nothing for this time and was idle in this number of consecutive checks.
_SILENT_SECONDS = 1.0
_IDLE_CHECKS = 4

_PROGRAM = "import sys; from ggp_agent.player.guard.fork_server import serve; serve(int(sys.argv[1]))"
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


# ---- the process itself


def serve(descriptor: int) -> None:
    """Fork processes until the other end of a socket is closed; never return."""
    from ..match.worker import play, preload  # imports the search, which the server process does not need

    control = socket.socket(fileno=descriptor)
    preload()
    _, maximum = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, maximum))  # a process that crashes must end at once
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

"""Where the front of a player gets the processes of its matches from."""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import subprocess
import sys
import threading

from ..processes import child_environment, how_it_ended

# What is asked of the process that forks: a process for the pipe that comes along, or to end one and tell how it ended.
FORK = b"f"
END = b"e"
REQUEST = struct.Struct("=ci")
REPLY = struct.Struct("=i")
# Instead of a status: it was killed now, or it is none of ours.
STILL_RUNNING = 1 << 30
NOT_OURS = STILL_RUNNING + 1

# Seconds that it may take to start, on a machine that is busy, and to answer.
_START = 30.0
_ANSWER = 3.0


class ForkServer:
    """Keep a process that has everything read in, and have it fork one per match.

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
                    child = self._ask(FORK, 0, pipe)
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
        """Wait until it can fork.

        Raises:
            OSError: it does not start.
        """
        with self._lock:
            if self._process is None:
                self._start()
            self._greet()

    def end(self, child: int) -> str:
        """See a process to its end, by force if it still runs; say how it ended."""
        with self._lock:
            try:
                status = self._ask(END, child)
            except OSError:
                self._stop()
                return "nobody knows how"
        if status in (STILL_RUNNING, NOT_OURS):
            return "killed by the player" if status == STILL_RUNNING else "with the process that forked it"
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
        request = REQUEST.pack(kind, number)
        if pipe is None:
            control.sendall(request)
        else:
            socket.send_fds(control, [request], [pipe.fileno()])
        return self._receive(control)

    def _greet(self) -> socket.socket:
        """Wait for the first word of the process."""
        control = self._control
        assert control is not None
        if not self._greeted:
            control.settimeout(_START)
            self._receive(control)
            self._greeted = True
            control.settimeout(_ANSWER)
        return control

    def _receive(self, control: socket.socket) -> int:
        data = control.recv(REPLY.size, socket.MSG_WAITALL)
        if len(data) < REPLY.size:
            raise OSError("the process that forks has ended")
        number: int = REPLY.unpack(data)[0]
        return number

    def _start(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "ggp_agent.player.match_child", str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
                env=child_environment(),
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

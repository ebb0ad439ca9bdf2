"""Limits on the connections of a server, in total and for one answer."""

from __future__ import annotations

import contextlib
import os
import resource
import select
import socket
import threading
from collections import Counter, deque
from typing import Protocol

from .messages import Thoughts

# Open files reserved for other uses than connections: processes, journals, logs.
_OTHER_FILES = 24
_MIN_CONNECTIONS = 4
# A lower limit of open files is raised to this number if the system allows it.
_WANTED_FILES = 4096

_PEER_CLOSED = getattr(select, "POLLRDHUP", 0)  # Linux; other systems report only resets


def room_for_connections(maximum: int) -> int:
    """Return the allowed number of open connections: at most `maximum`, and less if the limit of open files is low.

    Raise the limit of open files first, as far as the system allows it.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return maximum
    wanted = _WANTED_FILES if hard == resource.RLIM_INFINITY else min(hard, _WANTED_FILES)
    if soft < wanted:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    try:
        opened = len(os.listdir("/dev/fd"))
    except OSError:
        opened = 0
    return max(_MIN_CONNECTIONS, min(maximum, soft - opened - _OTHER_FILES))


class Caller(Protocol):
    """The sender of a message, which waits for the answer."""

    def start_waiting(self) -> None:
        """Note that the answer takes some time; `WaitingCallers` limits the number of waiting callers."""

    def hung_up(self) -> bool:
        """Return whether the caller can no longer receive the answer."""

    def note_turn(self, number: int, clock: float, thoughts: Thoughts | None) -> None:
        """Receive, before the answer, the number of the turn, from 1, its clock, and what its search found, if any."""


class _LocalCaller:
    """A caller within this process, which never hangs up."""

    def start_waiting(self) -> None:
        pass

    def hung_up(self) -> bool:
        return False

    def note_turn(self, number: int, clock: float, thoughts: Thoughts | None) -> None:
        pass


LOCAL_CALLER: Caller = _LocalCaller()


class WaitingCallers:
    """Hold the latest callers that wait for one answer: a peer that repeats a message has lost its connection.

    >>> waiting = WaitingCallers(1)
    >>> first, second = _LocalCaller(), _LocalCaller()
    >>> waiting.add(first); waiting.add(second)
    >>> waiting.keep(first), waiting.keep(second)
    (False, True)
    """

    def __init__(self, max_callers: int) -> None:
        self._lock = threading.Lock()
        self._callers: deque[Caller] = deque(maxlen=max_callers)

    def add(self, caller: Caller) -> None:
        """Let a caller wait."""
        with self._lock:
            self._callers.append(caller)
        caller.start_waiting()

    def keep(self, caller: Caller) -> bool:
        """Return whether a caller may keep waiting: it was not replaced and has not hung up."""
        with self._lock:
            kept = any(other is caller for other in self._callers)
        return kept and not caller.hung_up()


class Slot:
    """One connection; as a `Caller`, the sender of the message on it."""

    __slots__ = ("_connections", "bytes", "connection", "gone", "half_closed", "host", "noted", "whole")

    def __init__(self, connections: Connections, connection: socket.socket, host: str) -> None:
        self._connections = connections
        self.connection = connection
        self.host = host
        self.whole = False  # whether the complete request was received
        self.half_closed = False  # whether the peer has closed its sending side to mark the end of the request
        self.bytes = 0  # the number of bytes of the request in memory
        self.gone = False  # whether the peer has hung up
        # What the log needs of a PLAY: the number of the turn, from 1, its clock, and the findings of its search.
        self.noted: tuple[int, float | None, Thoughts | None] = (0, None, None)

    def received(self, count: int) -> None:
        """Count received bytes of the request."""
        self._connections.hold(self, count)

    def start_waiting(self) -> None:
        """Stop counting this connection; see `Caller`."""
        self._connections.release(self)

    def note_turn(self, number: int, clock: float, thoughts: Thoughts | None) -> None:
        """Store the turn, its clock and the findings of its search; see `Caller`."""
        self.noted = number, clock, thoughts

    def hung_up(self) -> bool:
        """Return whether the peer has closed the connection or cannot be reached."""
        poll = select.poll()
        try:
            poll.register(self.connection, 0 if self.half_closed else _PEER_CLOSED)
            self.gone = self.gone or bool(poll.poll(0))  # errors and resets are always reported
        except (OSError, ValueError):
            self.gone = True
        return self.gone


class Connections:
    """Count the connections, and cut some off if there are too many.

    A new connection above the limit replaces the oldest connection with an incomplete request. A manager sends its
    request within milliseconds, so idle connections cannot keep a manager out. If the requests need too much memory,
    the largest incomplete request is cut off. A connection with a complete request is never cut off. A connection that
    waits for a slow answer is not counted.
    """

    def __init__(self, maximum: int, max_of_host: int, max_bytes: int) -> None:
        self._maximum = maximum
        self._max_of_host = max_of_host
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._slots: dict[Slot, None] = {}  # the oldest first
        self._of_host: Counter[str] = Counter()
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._slots)

    def admit(self, connection: socket.socket, host: str) -> Slot | None:
        """Return a slot for a new connection; None if there are too many connections."""
        with self._lock:
            if self._of_host[host] >= self._max_of_host and not self._cut_off_oldest(host):
                return None
            if len(self._slots) >= self._maximum and not self._cut_off_oldest(None):
                return None
            slot = Slot(self, connection, host)
            self._slots[slot] = None
            self._of_host[host] += 1
            return slot

    def hold(self, slot: Slot, count: int) -> None:
        """Count bytes received on a connection."""
        with self._lock:
            if slot not in self._slots:
                return
            slot.bytes += count
            self._bytes += count
            while self._bytes > self._max_bytes:
                incomplete = [other for other in self._slots if not other.whole]
                if not incomplete:
                    return
                self._cut_off(max(incomplete, key=lambda other: other.bytes))

    def release(self, slot: Slot) -> None:
        """Stop counting a connection; a repeated call has no effect."""
        with self._lock:
            self._remove(slot)

    def _cut_off_oldest(self, host: str | None) -> bool:
        """Cut off the oldest connection with an incomplete request, of one host or any; return whether one existed."""
        for slot in self._slots:
            if not slot.whole and (host is None or slot.host == host):
                self._cut_off(slot)
                return True
        return False

    def _cut_off(self, slot: Slot) -> None:
        self._remove(slot)
        with contextlib.suppress(OSError):
            slot.connection.shutdown(socket.SHUT_RDWR)  # wakes the thread that reads from it

    def _remove(self, slot: Slot) -> None:
        if slot in self._slots:
            del self._slots[slot]
            self._bytes -= slot.bytes
            slot.bytes = 0
            self._of_host[slot.host] -= 1
            if not self._of_host[slot.host]:
                del self._of_host[slot.host]

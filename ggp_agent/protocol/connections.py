"""The connections of a server: how many at once, and how many of them may wait for the same answer."""

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

# Of the files that the process may open, so many are kept for other things than connections: processes, journals, logs.
_OTHER_FILES = 24
_FEWEST_CONNECTIONS = 4
# A limit of open files below this is raised, where the system allows it.
_FILES_WANTED = 4096

_PEER_CLOSED = getattr(select, "POLLRDHUP", 0)  # Linux; elsewhere only resets are noticed


def room_for_connections(most: int) -> int:
    """Return how many connections may be open at once, `most` or as many as the limit of open files leaves room for.

    The limit is raised first as far as the system lets a process do so.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return most
    wanted = _FILES_WANTED if hard == resource.RLIM_INFINITY else min(hard, _FILES_WANTED)
    if soft < wanted:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    try:
        opened = len(os.listdir("/dev/fd"))
    except OSError:
        opened = 0
    return max(_FEWEST_CONNECTIONS, min(most, soft - opened - _OTHER_FILES))


class Caller(Protocol):
    """The other end of a connection, as far as those who answer need to know it."""

    def waits(self) -> None:
        """Learn that the answer takes a while; the number of those who wait is limited elsewhere."""

    def hung_up(self) -> bool:
        """Tell whether nobody is there any more to receive the answer."""

    def learn(self, thoughts: Thoughts | None) -> None:
        """Receive, before the answer, what was thought about the turn that it is for; None if nothing was."""


class _Patient:
    """A caller within this process, who stays until the answer comes."""

    def waits(self) -> None:
        pass

    def hung_up(self) -> bool:
        return False

    def learn(self, thoughts: Thoughts | None) -> None:
        pass


PATIENT: Caller = _Patient()


class Waiters:
    """Keep the callers that wait for one answer: the latest so many, as a peer that asks again has lost its connection.

    >>> waiters = Waiters(1)
    >>> first, second = _Patient(), _Patient()
    >>> waiters.add(first); waiters.add(second)
    >>> waiters.keep(first), waiters.keep(second)
    (False, True)

    Args:
        most: how many may wait.
    """

    def __init__(self, most: int) -> None:
        self._lock = threading.Lock()
        self._callers: deque[Caller] = deque(maxlen=most)

    def add(self, caller: Caller) -> None:
        """Let a caller wait, in place of the one that has waited longest where there are too many."""
        with self._lock:
            self._callers.append(caller)
        caller.waits()

    def keep(self, caller: Caller) -> bool:
        """Tell whether a caller is to wait on: it is there, and not too many have come after it."""
        with self._lock:
            kept = any(other is caller for other in self._callers)
        return kept and not caller.hung_up()


class Slot:
    """One connection, and the caller of the message that comes on it.

    Attributes:
        whole: whether its request has come and is being answered.
        half_closed: whether the peer has ended its side to mark the end of its request, and may still read.
        bytes: how many of its request are held.
        gone: whether the peer was found to have hung up.
        thoughts: what was thought about the turn that the answer is for, for the log; None if nothing was.
    """

    __slots__ = ("_connections", "bytes", "connection", "gone", "half_closed", "host", "thoughts", "whole")

    def __init__(self, connections: Connections, connection: socket.socket, host: str) -> None:
        self._connections = connections
        self.connection = connection
        self.host = host
        self.whole = False
        self.half_closed = False
        self.bytes = 0
        self.gone = False
        self.thoughts: Thoughts | None = None

    def received(self, count: int) -> None:
        """Take note of bytes of the request."""
        self._connections.hold(self, count)

    def waits(self) -> None:
        """Count no more among the connections that others need; see `Caller`."""
        self._connections.release(self)

    def learn(self, thoughts: Thoughts | None) -> None:
        """Keep what was thought about the turn; see `Caller`."""
        self.thoughts = thoughts

    def hung_up(self) -> bool:
        """Tell whether the peer has closed the connection, or is out of reach."""
        poll = select.poll()
        try:
            poll.register(self.connection, 0 if self.half_closed else _PEER_CLOSED)
            self.gone = self.gone or bool(poll.poll(0))  # errors and resets are reported without being asked for
        except (OSError, ValueError):
            self.gone = True
        return self.gone


class Connections:
    """Count the connections, and make room for new ones.

    Where there are too many, the oldest one that has not sent its whole request is cut off: an honest manager sends it
    in a few milliseconds, so whoever opens connections and says nothing cannot keep others out. Where the requests
    that are under way hold too many bytes, the largest one that is not whole is cut off. Those whose request is being
    answered are never cut off; those that wait for an answer which takes a while do not count here.

    Args:
        most: connections in all.
        most_of_host: connections of one host.
        most_bytes: bytes that all requests may hold.
    """

    def __init__(self, most: int, most_of_host: int, most_bytes: int) -> None:
        self._most = most
        self._most_of_host = most_of_host
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._slots: dict[Slot, None] = {}  # the oldest first
        self._of_host: Counter[str] = Counter()
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._slots)

    def admit(self, connection: socket.socket, host: str) -> Slot | None:
        """Take a connection in; None when there is no room for it."""
        with self._lock:
            if self._of_host[host] >= self._most_of_host and not self._cut_off_oldest(host):
                return None
            if len(self._slots) >= self._most and not self._cut_off_oldest(None):
                return None
            slot = Slot(self, connection, host)
            self._slots[slot] = None
            self._of_host[host] += 1
            return slot

    def hold(self, slot: Slot, count: int) -> None:
        """Take note of bytes that have come on a connection."""
        with self._lock:
            if slot not in self._slots:
                return
            slot.bytes += count
            self._bytes += count
            while self._bytes > self._most_bytes:
                incomplete = [other for other in self._slots if not other.whole]
                if not incomplete:
                    return
                self._cut_off(max(incomplete, key=lambda other: other.bytes))

    def release(self, slot: Slot) -> None:
        """Let a connection go; again is harmless."""
        with self._lock:
            self._remove(slot)

    def _cut_off_oldest(self, host: str | None) -> bool:
        """Cut off the oldest incomplete connection, of one host or of any; return whether there was one."""
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

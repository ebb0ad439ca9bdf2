"""Who waits for the answer to a message, and how many may wait for the same one."""

from __future__ import annotations

import threading
from collections import deque
from typing import Protocol


class Caller(Protocol):
    """The other end of a connection, as far as those who answer need to know it."""

    def waits(self) -> None:
        """Learn that the answer takes a while; the number of those who wait is limited elsewhere."""

    def hung_up(self) -> bool:
        """Tell whether nobody is there any more to receive the answer."""


class _Patient:
    """A caller within this process, who stays until the answer comes."""

    def waits(self) -> None:
        pass

    def hung_up(self) -> bool:
        return False


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

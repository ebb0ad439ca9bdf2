"""One value for each thread, for thread-safe objects with data that only one thread at a time may use."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

_Value = TypeVar("_Value")


class _Here(threading.local):
    """The data of the calling thread."""

    value: Any = None
    loan: _Loan | None = None


class _Loan:
    """Give a value back when the thread that holds it ends."""

    __slots__ = ("_idle", "_process", "_value")

    def __init__(self, value: Any, idle: list[Any]) -> None:
        self._value = value
        self._idle = idle
        self._process = os.getpid()

    def __del__(self, getpid: Callable[[], int] = os.getpid) -> None:
        # In a forked process the other threads were stopped at an arbitrary place, so their values may be half changed.
        # `getpid` is bound as a default because globals may be gone when the interpreter ends.
        if self._process == getpid():
            self._idle.append(self._value)


class PerThread(Generic[_Value]):
    """Hold one value for each thread.

    When a thread ends, the next new thread gets its value. So a server that starts a thread for each request needs only
    as many values as it has threads at the same time. All values are freed with this object.

    >>> lists: PerThread[list[int]] = PerThread()
    >>> lists.get(list).append(1)
    >>> thread = threading.Thread(target=lambda: lists.get(list).append(2))
    >>> thread.start(), thread.join(), lists.get(list)
    (None, None, [1])
    """

    __slots__ = ("_idle", "here")

    def __init__(self) -> None:
        # Object whose `value` is the value of the calling thread, None before `get` or `put` in this thread.
        self.here = _Here()
        self._idle: list[_Value] = []

    def get(self, make: Callable[[], _Value]) -> _Value:
        """Return the value of the calling thread; `make` is called if there is no unused value."""
        value: _Value | None = self.here.value
        if value is None:
            try:
                value = self._idle.pop()
            except IndexError:
                value = make()
            self.put(value)
        return value

    def put(self, value: _Value) -> None:
        """Set the value of the calling thread."""
        self.here.value = value
        self.here.loan = _Loan(value, self._idle)

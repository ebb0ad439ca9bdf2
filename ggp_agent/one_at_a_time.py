"""Objects that change and that only one thread at a time may use: a second thread gets an error, not a wrong answer."""

from __future__ import annotations

import threading


class OneAtATime:
    """Let one call at a time work on an object.

    It is a context manager that does not wait. A copy is free, also if the original is in use.

    Args:
        message: what the RuntimeError says.

    >>> use = OneAtATime("the lanes are in use")
    >>> with use:
    ...     with use:
    ...         pass
    Traceback (most recent call last):
    RuntimeError: the lanes are in use
    """

    __slots__ = ("_lock", "_message")

    def __init__(self, message: str) -> None:
        self._message = message
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        """Start a call.

        Raises:
            RuntimeError: another call has not ended.
        """
        if not self._lock.acquire(blocking=False):
            raise RuntimeError(self._message)

    def __exit__(self, *_: object) -> None:
        """End the call."""
        self._lock.release()

    def __reduce__(self) -> tuple[type[OneAtATime], tuple[str]]:
        return OneAtATime, (self._message,)

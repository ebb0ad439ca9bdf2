"""Objects that change and that only one thread at a time may use: a second thread gets an error, not a wrong answer."""

from __future__ import annotations


class OneAtATime:
    """Let one call at a time work on an object.

    It is a context manager that does not wait. A copy is free, also if the original is in use.

    Args:
        message: what the RuntimeError says.

    Attributes:
        message: as given.
        token: a list that is empty during a call. A very short call does what the context manager does by itself:
            it pops the only item, which fails during another call, and appends an item at its end.

    >>> use = OneAtATime("the lanes are in use")
    >>> with use:
    ...     with use:
    ...         pass
    Traceback (most recent call last):
    RuntimeError: the lanes are in use
    """

    __slots__ = ("message", "token")

    def __init__(self, message: str) -> None:
        self.message = message
        # To pop an item is atomic, as to acquire a lock is, and takes a third of the time.
        self.token = [True]

    def __enter__(self) -> None:
        """Start a call.

        Raises:
            RuntimeError: another call has not ended.
        """
        try:
            self.token.pop()
        except IndexError:
            raise RuntimeError(self.message) from None

    def __exit__(self, *_: object) -> None:
        """End the call."""
        self.token.append(True)

    def __reduce__(self) -> tuple[type[OneAtATime], tuple[str]]:
        return OneAtATime, (self.message,)

"""Keep the memory of a process with many short-lived threads level."""

from __future__ import annotations

import contextlib
import ctypes

_M_ARENA_MAX = -8  # malloc.h of glibc


def use_one_arena() -> None:
    """Let all threads allocate from one heap; to be called before there is a second one.

    glibc opens heaps of their own for threads that meet in `malloc`, and each keeps what it has grown to; a player that
    serves a thread per connection so grows by half without holding on to anything. Elsewhere this does nothing.
    """
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)

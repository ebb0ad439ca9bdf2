"""Ctrl-C and SIGTERM: postponed while something must not be left half done, and repeated where Python ignored them."""

from __future__ import annotations

import contextlib
import itertools
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

# Seconds between an interrupt that was ignored and its repetition, in turn. They differ, because with a constant time
# every repetition can meet a destructor of a program that runs one after the other.
_REPEAT_SECONDS = (0.0005, 0.001, 0.002, 0.004, 0.01, 0.02)


@contextlib.contextmanager
def interrupts_held() -> Iterator[None]:
    """Postpone Ctrl-C and SIGTERM until the block has ended.

    A signal mask is not enough: another thread, for example of numpy, may receive the signal, and Python handles it in
    the main thread. In other threads the block has no effect, because Python raises no KeyboardInterrupt there.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []
    on_interrupt, on_termination = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    try:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda came, _: received.append(came))
        yield
    finally:
        try:
            signal.signal(signal.SIGTERM, on_termination or signal.SIG_DFL)
        finally:  # SIGTERM may raise KeyboardInterrupt as soon as it has its own handler again
            signal.signal(signal.SIGINT, on_interrupt or signal.SIG_DFL)
        for each in received:
            signal.raise_signal(each)


@contextlib.contextmanager
def interrupts_repeated() -> Iterator[None]:
    """Repeat each Ctrl-C that Python ignored in the block; as a decorator, in the function.

    A KeyboardInterrupt in a destructor or a callback of the garbage collector cannot propagate: Python calls
    `sys.unraisablehook` and continues. A thread then sends the signal again. The hook is a function in C, so a second
    Ctrl-C cannot interrupt it.
    """
    ignored: queue.SimpleQueue[Any] = queue.SimpleQueue()
    before = sys.unraisablehook
    thread = threading.Thread(target=_repeat, args=(ignored, before), name="repeat interrupts", daemon=True)
    thread.start()
    try:
        sys.unraisablehook = ignored.put
        yield
    finally:
        sys.unraisablehook = before
        ignored.put(None)
        thread.join()


def _repeat(ignored: queue.SimpleQueue[Any], otherwise: Callable[[Any], object]) -> None:
    delays = itertools.cycle(_REPEAT_SECONDS)
    while (event := ignored.get()) is not None:
        if issubclass(event.exc_type, KeyboardInterrupt):
            time.sleep(next(delays))
            # Sent to the main thread, because a signal in another thread does not end a wait of the main thread.
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        else:
            otherwise(event)


@contextlib.contextmanager
def stopped_by_signals() -> Iterator[threading.Event]:
    """Set an event on the first Ctrl-C or SIGTERM; a second one has its usual effect."""
    stopping = threading.Event()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def stop(number: int, _: object) -> None:
        stopping.set()
        signal.signal(number, before[signal.Signals(number)])

    try:
        for number in before:
            signal.signal(number, stop)
        yield stopping
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

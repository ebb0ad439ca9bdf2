"""Waiting for an event that a test expects."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


def timed(action: Callable[[], str]) -> tuple[str, float]:
    """Return the result of a function and the seconds that the call took."""
    began = time.monotonic()
    return action(), time.monotonic() - began


def wait_for(condition: Callable[[], Any], seconds: float = 60) -> Any:
    """Wait until a condition returns a true value, and return the value."""
    until = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.02)
    return value

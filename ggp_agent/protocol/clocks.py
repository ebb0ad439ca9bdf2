"""Deadlines on the monotonic clock, the safety margin before them, and the limits of a match."""

from __future__ import annotations

import re
import time

# The longest clock of a match: a day, in seconds.
MAX_CLOCK = 86_400.0
# The default limit of turns of a match, and the largest allowed limit.
MAX_TURNS = 1_000
LARGEST_MAX_TURNS = 1_000_000
# Seconds between the answer and the end of the clock, including the time on the network.
DEFAULT_MARGIN = 0.15
# The largest share of a clock that serves as margin; it matters on short clocks.
MAX_MARGIN_SHARE = 0.25
# The share of the margin that is left when the match process stops waiting for its search, and when the server stops
# waiting for the match process.
FALLBACK_SHARE = 0.65
WATCHDOG_SHARE = 0.35
# Seconds that managers wait after the playclock; known managers wait one second. Only a player that has found no legal
# move uses this time.
MANAGER_TOLERANCE_SECONDS = 0.8


# Excludes other numbers that Python accepts, such as 1_0, +5, inf and digits of other scripts.
_SECONDS = re.compile(r"[0-9]{1,40}(?:\.[0-9]{0,400})?|\.[0-9]{1,400}")


def read_clock(text: str) -> float:
    """Parse a clock of START or PREVIEW, in seconds: decimal digits with an optional decimal point.

    >>> read_clock("10"), read_clock("0.3")
    (10.0, 0.3)
    """
    if _SECONDS.fullmatch(text) is None or float(text) > MAX_CLOCK:
        raise ValueError(f"a clock is a number of seconds, {MAX_CLOCK:g} at most, not {text[:40]!r}")
    return float(text)


def margin_for(clock: float, margin: float = DEFAULT_MARGIN) -> float:
    """Return the margin for a clock, in seconds.

    >>> margin_for(10), margin_for(0.1)
    (0.15, 0.025)
    """
    return min(margin, clock * MAX_MARGIN_SHARE)


class Deadline:
    """A moment of the monotonic clock."""

    __slots__ = ("at",)

    def __init__(self, seconds: float, since: float | None = None) -> None:
        self.at = (time.monotonic() if since is None else since) + seconds

    def left(self) -> float:
        """Return the remaining seconds; 0 after the deadline."""
        return max(0.0, self.at - time.monotonic())

    def passed(self) -> bool:
        """Return whether the deadline is over."""
        return time.monotonic() >= self.at

"""Deadlines on the monotonic clock, the margin kept before them, and the limits of a match."""

from __future__ import annotations

import re
import time

# The longest clock of a match: a day, in seconds.
LONGEST_CLOCK = 86_400.0
# Turns after which a match is stopped by default, and the largest limit that can be set.
MAX_TURNS = 1_000
LARGEST_MAX_TURNS = 1_000_000
# Seconds between the answer and the end of the clock; the way over the network and back is in it.
DEFAULT_MARGIN = 0.15
# On clocks so short that the margin would eat them, at most this part is given up.
LARGEST_SHARE = 0.25
# What is left of the margin when the search, which should have ended, is not waited for any more, and then when the
# process it runs in is not.
LAST_RESORT = 0.65
WATCHDOG = 0.35
# Managers wait so much longer than the playclock, known ones a second; only who has no legal move at all counts on it.
TOLERANCE = 0.8


# What Python takes for a number beside this, such as 1_0, +5, inf or digits of other scripts, is no clock.
_SECONDS = re.compile(r"[0-9]{1,40}(?:\.[0-9]{0,400})?|\.[0-9]{1,400}")


def read_clock(text: str) -> float:
    """Read a clock of a START or PREVIEW, in seconds: decimal digits, with a decimal point or without.

    >>> read_clock("10"), read_clock("0.3")
    (10.0, 0.3)

    Raises:
        ValueError: it is no such number, or longer than `LONGEST_CLOCK`.
    """
    if _SECONDS.fullmatch(text) is None or float(text) > LONGEST_CLOCK:
        raise ValueError(f"a clock is a number of seconds, {LONGEST_CLOCK:g} at most, not {text[:40]!r}")
    return float(text)


def margin_for(clock: float, margin: float = DEFAULT_MARGIN) -> float:
    """Return the seconds to keep in hand on a clock.

    >>> margin_for(10), margin_for(0.1)
    (0.15, 0.025)
    """
    return min(margin, clock * LARGEST_SHARE)


class Deadline:
    """A moment of the monotonic clock.

    Args:
        seconds: how long from `since` on.
        since: the moment at which the clock started; now by default.
    """

    __slots__ = ("at",)

    def __init__(self, seconds: float, since: float | None = None) -> None:
        self.at = (time.monotonic() if since is None else since) + seconds

    def left(self) -> float:
        """Return the seconds that are left, 0 when it has passed."""
        return max(0.0, self.at - time.monotonic())

    def passed(self) -> bool:
        """Tell whether the moment is over."""
        return time.monotonic() >= self.at

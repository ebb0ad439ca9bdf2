"""A text player in a comparison: a program that reads requests and writes moves."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ..protocol.clocks import LONGEST_CLOCK
from ..protocol.text_command import TextCommand

# The default time of an answer in milliseconds, if simulations limit the search of the other side.
ANSWER_MILLISECONDS = 10_000.0
# Additional time in seconds for the first answer of a match, in which the program starts.
START_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class TextContestant:
    """A text player with the time of each answer.

    >>> TextContestant("a", TextCommand(("./player.sh",)), -1.0)
    Traceback (most recent call last):
    ...
    ValueError: the time of an answer must be above 0 and at most 86400000 milliseconds, not -1
    """

    name: str  # name in results
    command: TextCommand  # command of the program, which is started for each match
    # Wall-clock time of each answer, above 0; the first answer of a match has `START_SECONDS` more.
    milliseconds: float = ANSWER_MILLISECONDS

    def __post_init__(self) -> None:
        longest = LONGEST_CLOCK * 1000
        if not (math.isfinite(self.milliseconds) and 0 < self.milliseconds <= longest):
            raise ValueError(
                f"the time of an answer must be above 0 and at most {longest:.0f} milliseconds, "
                f"not {self.milliseconds:g}"
            )

    @property
    def simulations(self) -> None:
        """None, because simulations do not limit a text player."""
        return None

    def document(self) -> dict[str, Any]:
        """Return the values that determine the moves, as JSON types."""
        return {"command": str(self.command), "simulations": None, "milliseconds": self.milliseconds}

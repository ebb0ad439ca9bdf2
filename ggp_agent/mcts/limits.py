"""When a run of the search ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """The end of a run: the limit that is reached first; what is None limits nothing.

    Attributes:
        simulations: exactly so many are completed, unless another limit comes first; 0 .. 2**63 - 1.
        seconds: at least 0, by the clock on the wall; overrun by less than one turn in all lanes.
        cpu_seconds: the same in processor time of the thread that searches, which other work on the machine does not
            shorten.
        settled_role: number of a role; the run ends also when its best move can no longer change, looked at ten times a
            second.
        stopped: asked before the run and ten times a second; true ends the run.

    Raises:
        TypeError: the number of simulations is no whole number.
        ValueError: a limit is negative or not a number.

    >>> Limits(seconds=-1)
    Traceback (most recent call last):
    ...
    ValueError: seconds must be at least 0, not -1
    """

    simulations: int | None = None
    seconds: float | None = None
    cpu_seconds: float | None = None
    settled_role: int | None = None
    stopped: Callable[[], bool] | None = None

    def __post_init__(self) -> None:
        simulations = self.simulations
        if simulations is not None:
            if isinstance(simulations, bool) or not isinstance(simulations, int):
                raise TypeError(f"simulations must be a whole number, not {simulations!r}")
            if not 0 <= simulations < 2**63:
                raise ValueError(f"simulations must be at least 0, not {simulations}")
        for name, limit in (("seconds", self.seconds), ("cpu_seconds", self.cpu_seconds)):
            if limit is not None and not limit >= 0:
                raise ValueError(f"{name} must be at least 0, not {limit}")

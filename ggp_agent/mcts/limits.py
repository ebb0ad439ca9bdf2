"""The conditions that end a run of the search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import SupportsFloat

from ..common.errors import ArgumentTypeError


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a run; the first one that is reached ends it. None means no limit.

    >>> Limits(seconds=-1)
    Traceback (most recent call last):
    ...
    ValueError: seconds must be at least 0, not -1
    """

    simulations: int | None = None  # number of simulations to complete exactly, 0 .. 2**63 - 1
    seconds: float | None = None  # wall-clock time, at least 0; exceeded by less than one turn of all lanes
    # Processor time of the searching thread, at least 0; other programs do not affect it.
    cpu_seconds: float | None = None
    # Number of a role; the run ends if the best move of this role can no longer change and the root has received a
    # quarter of the simulations of a whole run, checked ten times per second.
    settled_role: int | None = None
    # Called before the run and ten times per second; the run ends if it returns true.
    stopped: Callable[[], bool] | None = None

    def __post_init__(self) -> None:
        simulations = self.simulations
        if simulations is not None:
            if isinstance(simulations, bool) or not isinstance(simulations, int):
                raise ArgumentTypeError(f"simulations must be a whole number, not {simulations!r}")
            if not 0 <= simulations < 2**63:
                raise ValueError(f"simulations must be at least 0, not {simulations}")
        for name, limit in (("seconds", self.seconds), ("cpu_seconds", self.cpu_seconds)):
            if limit is None:
                continue
            if isinstance(limit, bool) or not isinstance(limit, SupportsFloat):
                raise ArgumentTypeError(f"{name} must be a number, not {limit!r}")
            if not float(limit) >= 0:
                raise ValueError(f"{name} must be at least 0, not {limit}")

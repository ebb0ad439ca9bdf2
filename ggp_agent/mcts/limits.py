"""The conditions that end a run of the search, and the number of simulations in progress that suits a short run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import SupportsFloat

from gdl import CompiledMachine
from gdl.machines.compiled import LANE_WIDTHS

from .. import _search
from ..common.errors import ArgumentTypeError
from .config import SearchConfig


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


# With this number of simulations per lane or more all lanes are in use, as in `csrc/search/driver/simulations.cpp`.
_MANY_PER_LANE = 6
# With fewer simulations per lane each counts less: most of them are selected before any of them has ended.
_FEW_PER_LANE = 2
_PILOT_CPU_SECONDS = 0.04


def fitting_in_flight(machine: CompiledMachine, seconds: float) -> int | None:
    """Return the number of simulations in progress that suits searches of the given time from the initial state.

    A round of all lanes takes longer than a round of fewer lanes on a narrower kernel. If the time suffices for few
    rounds of play-outs only, fewer lanes complete more rounds, and each round profits from the results before it.

    A short search of this time with each lane width w completes N simulations. The result is the width with the
    highest N min(1, N / 2w), the wider one if two are equal.
    """
    if machine.in_flight is not None:
        return None
    widest = machine.simulator().lanes
    pilot = min(seconds, _PILOT_CPU_SECONDS)
    if _simulations(machine, widest, pilot) * seconds / pilot >= _MANY_PER_LANE * widest:
        return None
    best, highest = None, -1.0
    for width in sorted((width for width in LANE_WIDTHS if width <= widest), reverse=True):
        simulations = _simulations(machine, width, seconds)
        value = simulations * min(1.0, simulations / (_FEW_PER_LANE * width))
        if value > highest:
            best, highest = width, value
    return best


def _simulations(machine: CompiledMachine, width: int, seconds: float) -> int:
    """Return the number of simulations of the second of two searches, after the network is in the processor's cache."""
    searcher = _search.Searcher(machine.simulator(width), replace(SearchConfig(), in_flight=width))
    root = searcher.root_state
    found = 0
    for _ in range(2):
        searcher.set_root(root)
        found = searcher.run(Limits(cpu_seconds=seconds)).simulations
    return found

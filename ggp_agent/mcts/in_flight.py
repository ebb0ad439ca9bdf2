"""The number of simulations in progress at the same time, for slow games in which each move has the same short time.

A round of all lanes takes longer than a round of fewer lanes on a narrower kernel. If the time of a move suffices for
few rounds of play-outs only, fewer lanes complete more rounds, and each round profits from the results before it.
"""

from __future__ import annotations

from dataclasses import replace

from gdl import CompiledMachine
from gdl.machines.compiled import LANE_WIDTHS

from .. import _search
from .config import SearchConfig
from .limits import Limits

# With this number of simulations per lane or more all lanes are in use, as in `csrc/search/driver/in_flight.hpp`.
_MANY_PER_LANE = 6
# With fewer simulations per lane each counts less: most of them are selected before any of them has ended.
_FEW_PER_LANE = 2
_PILOT_CPU_SECONDS = 0.04


def fitting_in_flight(machine: CompiledMachine, seconds: float) -> int | None:
    """Return the number of simulations in progress that suits searches of the given time from the initial state.

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

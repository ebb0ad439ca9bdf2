"""How many simulations may be under way at once in a slow game, where every move has the same short time.

A network evaluates as many lanes at once as it has, and a round of all takes longer than one of fewer lanes on a
narrower kernel. Where the time of a move has room for a few generations of play-outs only, fewer lanes can make more
of them, and each generation is chosen by what those before it have found.
"""

from __future__ import annotations

from dataclasses import replace

from gdl import CompiledMachine

from .. import _search
from .config import LANE_WIDTHS, SearchConfig
from .limits import Limits

# With so many simulations for each lane all lanes are in use, as `csrc/search/in_flight.hpp` has it.
_MANY = 6
# With fewer simulations for each lane they count the less: most are chosen before any of them has ended.
_FEW = 2
# Processor seconds of a first look.
_PILOT = 0.04


def fitting_in_flight(machine: CompiledMachine, seconds: float) -> int | None:
    """Return how many simulations should be under way in searches of so much processor time from the initial state.

    For each width w of the lanes it searches that long, N simulations, and takes the width with the highest
    N min(1, N / 2w); ties go to the wider.

    Args:
        machine: of the game; no other thread uses it.
        seconds: of a move, above 0. The measuring takes less than a tenth of a second, but in games as slow as that
            up to ten times as long as a move.

    Returns:
        A width; None where the search should choose by itself, because there is time for many simulations in all
        lanes, or because the machine says how many it wants.
    """
    if machine.in_flight is not None:
        return None
    widest = machine.simulator().lanes
    pilot = min(seconds, _PILOT)
    if _simulations(machine, widest, pilot) * seconds / pilot >= _MANY * widest:
        return None
    best, highest = None, -1.0
    for width in sorted((width for width in LANE_WIDTHS if width <= widest), reverse=True):
        simulations = _simulations(machine, width, seconds)
        worth = simulations * min(1.0, simulations / (_FEW * width))
        if worth > highest:
            best, highest = width, worth
    return best


def _simulations(machine: CompiledMachine, width: int, seconds: float) -> int:
    """Return how many simulations a search makes when the network has been read in already."""
    searcher = _search.Searcher(machine.simulator(width), replace(SearchConfig(), in_flight=width))
    root = searcher.root_state
    found = 0
    for _ in range(2):
        searcher.set_root(root)
        found = searcher.run(Limits(cpu_seconds=seconds)).simulations
    return found

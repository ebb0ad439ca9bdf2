"""Beam search through the states of a game: a limited number of states of each depth is expanded.

Beams of width w use the orders of `csrc/simulation/breadth_first.hpp` in turn: random, by the goal that the state would
give if the game ended there, by the most and by the fewest legal moves. Then 2w follows, and so on, up to the memory
limit. At first, states that differ only in the clock are the same. A beam that left out no state has expanded all
states of this kind; then the clock is included, and after another such beam the search stops. A beam proves nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from gdl import RuleSheet, StopFlag
from gdl._simulation import BreadthFirst

from .breadth_first import TURN, StateSpace, state_space
from .line import KnownGoal, Report

# The width of the first beams.
_WIDTH = 256


def beam(sheet: RuleSheet, before: Sequence[str], memory_mb: int, report: Report) -> None:
    """Search for lines with wider and wider beams.

    The search ends when the best possible goal is reached or all states were expanded. Otherwise it does not end.
    """
    space = state_space(sheet, before, memory_mb)
    best = -1
    for mask in dict.fromkeys([space.but_the_clock, space.everything]):
        best = _widen(space, mask, report, best)
        if best >= space.target:
            return


def _widen(space: StateSpace, mask: bytes, report: Report, best: int) -> int:
    """Search with wider and wider beams through the states that differ in a mask; return the best goal."""
    search = space.search(mask)
    width, seed, fits = _WIDTH, 0, True
    while True:
        for order in range(BreadthFirst.ORDERS):
            seed += 1
            search.begin(width, order, seed)
            status = BreadthFirst.GOES_ON
            while status == BreadthFirst.GOES_ON:
                status = search.run(TURN, StopFlag())
                best = _report_better(space, search, report, best, f"width {width:,}, order {order}")
            if status == BreadthFirst.FOUND_TARGET or (status == BreadthFirst.SAW_ALL and not search.has_left_out):
                return best
            fits = fits and status != BreadthFirst.OUT_OF_MEMORY
        if fits:
            width *= 2


def _report_better(space: StateSpace, search: BreadthFirst, report: Report, best: int, progress: str) -> int:
    """Report a line that is better than the best so far; return the best goal."""
    if search.best is None or search.best <= best:
        return best
    report(KnownGoal(search.best, space.line(search), space.target, progress))
    return search.best

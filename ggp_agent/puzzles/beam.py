"""Beams through the states of a game: of every depth so many are expanded, chosen by simple orders in turn.

Beams of width w go through the orders of `csrc/simulation/breadth_first.hpp`: at random, by the goal that would hold if
the game ended there, by the most and by the fewest legal moves; then 2w, and so on, as far as the memory has room. The
clock is left out of what tells states apart. A beam that left out no state has expanded all that differ in more than
the clock; then the clock counts, too, and after another such beam the search stops. A beam proves nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from gdl import RuleSheet, StopFlag
from gdl._simulation import BreadthFirst

from .breadth_first import TURN, StateSpace, state_space
from .line import Finding, Report

# The width of the first beams.
_WIDTH = 256


def beam(sheet: RuleSheet, before: Sequence[str], memory_mb: int, report: Report) -> None:
    """Look for lines with wider and wider beams.

    The search ends when the best possible goal is reached or when all states were expanded. Otherwise it runs for ever.

    Args:
        sheet: the rules.
        before: moves made already, which lead to the state to begin with.
        memory_mb: what the states may take.
        report: takes what is found.

    Raises:
        UnservedError: the rules are too large for a network.
    """
    space = state_space(sheet, before, memory_mb)
    best = -1
    for mask in dict.fromkeys([space.but_the_clock, space.everything]):
        best = _widen(space, mask, report, best)
        if best >= space.target:
            return


def _widen(space: StateSpace, mask: bytes, report: Report, best: int) -> int:
    """Search with wider and wider beams through the states that a mask tells apart; return the best goal."""
    search = space.search(mask)
    width, seed, fits = _WIDTH, 0, True
    while True:
        for order in range(BreadthFirst.ORDERS):
            seed += 1
            search.begin(width, order, seed)
            status = BreadthFirst.GOES_ON
            while status == BreadthFirst.GOES_ON:
                status = search.run(TURN, StopFlag())
                best = _tell(space, search, report, best, f"width {width:,}, order {order}")
            if status == BreadthFirst.FOUND_TARGET or (status == BreadthFirst.SAW_ALL and not search.has_left_out):
                return best
            fits = fits and status != BreadthFirst.OUT_OF_MEMORY
        if fits:
            width *= 2


def _tell(space: StateSpace, search: BreadthFirst, report: Report, best: int, told: str) -> int:
    """Report a line that is better than the best so far; return the best goal."""
    if search.best is None or search.best <= best:
        return best
    report(Finding(search.best, space.line(search), space.target, told))
    return search.best

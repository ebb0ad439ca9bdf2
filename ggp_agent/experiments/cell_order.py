"""The order in which cells of a study are played.

`in_turn` keeps the order of the study. `by_need` prefers the cells that are closest to a decision. First come cells
without a complete pair of games. Then come undecided cells, the closest to a verdict first. Decided cells come last. A
cell is decided by a sequential test that is valid at any time (`arena/sprt.py`), because the order depends on
the results: intervals for a fixed number of games would be wrong in more than 5 % of the cells. The idea to choose
trials by need is from Stephenson et al. (arXiv 2507.00451, 2025), who use Wilson intervals.

>>> few, many, clear = [3, 6, 12, 6, 3], [10, 20, 60, 32, 22], [0, 0, 10, 50, 200]
>>> by_need([CellProgress(0, few), CellProgress(1, many), CellProgress(2, clear), CellProgress(3, [0] * 5)])
[3, 1, 0, 2]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..arena.sprt import TwoSidedTest

# The test that decides cells.
NEED_TEST = TwoSidedTest()


@dataclass(frozen=True, slots=True)
class CellProgress:
    """The results of an unfinished cell so far."""

    number: int  # number of the cell
    pairs: Sequence[int]  # numbers of complete pairs with 0, 1/2, 1, 3/2 and 2 points


def in_turn(cells: Sequence[CellProgress]) -> list[int]:
    """Return the cells in the given order."""
    return [cell.number for cell in cells]


def by_need(cells: Sequence[CellProgress]) -> list[int]:
    """Return the cells in the order in which further games are useful."""
    return [cell.number for cell in sorted(cells, key=_need)]


def _need(cell: CellProgress) -> tuple[int, float]:
    games = sum(cell.pairs)
    if games == 0:
        return 0, 0.0
    if NEED_TEST.verdict(cell.pairs):
        return 2, games
    return 1, -NEED_TEST.progress(cell.pairs)

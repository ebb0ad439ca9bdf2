"""The order in which cells of a study are played.

`in_turn` keeps the order of the study. `by_need` prefers the cells whose result is closest to a decision. First come
cells without games. Then come undecided cells, whose 95 % interval contains 50 %: the less the interval extends beyond
50 %, the earlier. Decided cells come last. The idea is from Stephenson et al. (arXiv 2507.00451, 2025), who choose
trials by Wilson intervals to find the best agent of each game.

>>> by_need([(0, Score(50, 0, 50)), (1, Score(56, 0, 44)), (2, Score(90, 0, 10))])
[1, 0, 2]
"""

from __future__ import annotations

from collections.abc import Sequence

from ..arena.scores import Score


def in_turn(cells: Sequence[tuple[int, Score]]) -> list[int]:
    """Return the cells in the given order."""
    return [number for number, _ in cells]


def by_need(cells: Sequence[tuple[int, Score]]) -> list[int]:
    """Return the cells in the order in which further games are useful.

    Args:
        cells: number and current score of each unfinished cell.
    """
    return [number for number, _ in sorted(cells, key=lambda cell: _need(cell[1]))]


def _need(score: Score) -> tuple[int, float]:
    if score.games == 0:
        return 0, 0.0
    low, high = score.interval
    if low < 0.5 < high:
        return 1, min(0.5 - low, high - 0.5)
    return 2, score.games

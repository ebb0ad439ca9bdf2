"""Which cell of a study is played next.

`in_turn` goes through the cells as the study lists them. `by_need` gives games first to the cells whose interval
decides most: of those that are not decided (the 95 % interval of the score holds 50 %), the one that the fewest further
games may decide, which is where the interval reaches beyond 50 % by the least; cells without games come before all
others. It follows the idea of Stephenson et al. (arXiv 2507.00451, 2025), who spend trials where Wilson intervals leave
most open; theirs is to find the best agent of each game, ours to tell each variant from its opponent.

>>> by_need([(0, Score(50, 0, 50)), (1, Score(56, 0, 44)), (2, Score(90, 0, 10))])
[1, 0, 2]
"""

from __future__ import annotations

from collections.abc import Sequence

from ..arena.scores import Score


def in_turn(cells: Sequence[tuple[int, Score]]) -> list[int]:
    """Order cells as they come."""
    return [number for number, _ in cells]


def by_need(cells: Sequence[tuple[int, Score]]) -> list[int]:
    """Order cells by what a further game tells.

    Args:
        cells: number and score so far of each that is not finished.
    """
    return [number for number, _ in sorted(cells, key=lambda cell: _need(cell[1]))]


def _need(score: Score) -> tuple[int, float]:
    if score.games == 0:
        return 0, 0.0
    low, high = score.interval
    if low < 0.5 < high:
        return 1, min(0.5 - low, high - 0.5)
    return 2, score.games

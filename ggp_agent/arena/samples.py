"""Statistics of the simulations of searches: their length, and what it explains of their rewards.

A search gives one set of values, for the simulations that ended with goals and the role that chooses at the root:

    length               mean number of plies from the root to the end
    length_deviation     standard deviation of this number
    length_correlation   correlation of this number with the reward of the goal
    reward_deviation     standard deviation of the reward of the goal
    root_deviation       standard deviation of the mean reward at the root: the deviation of the reward of one
                         simulation, with bonuses, divided by the square root of the number of simulations
    quality_correlation  correlation of the quality of the end with the reward of the goal

A value that is not defined is left out: a correlation with a constant, or the quality of a game that has none.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import mean

# The sums of one number x and the reward y: count, x, y, x x, y y, x y (`SampleSums` in csrc).
Sums = tuple[float, float, float, float, float, float]


def of_search(plies: Sums, backed_up: Sums, quality: Sums) -> dict[str, float]:
    """Return the values of one search.

    >>> plies = (4, 4 + 6 + 6 + 8, 1 + 1 - 1 - 1, 16 + 36 + 36 + 64, 4, 4 + 6 - 6 - 8)
    >>> of_search(plies, (4, 0, 0, 4, 4, 4), (0, 0, 0, 0, 0, 0))["length"]
    6.0
    """
    count = plies[0]
    if count < 2:
        return {}
    found = {
        "length": plies[1] / count,
        "length_deviation": _deviation(count, plies[1], plies[3]),
        "length_correlation": _correlation(plies),
        "reward_deviation": _deviation(count, plies[2], plies[4]),
        "root_deviation": _deviation(count, backed_up[1], backed_up[3]) / math.sqrt(count),
        "quality_correlation": _correlation(quality),
    }
    return {name: value for name, value in found.items() if value is not None}


def means(searches: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the mean of each value over the searches that have it.

    >>> means([{"length": 4.0}, {"length": 2.0, "reward_deviation": 1.0}])
    {'length': 3.0, 'reward_deviation': 1.0}
    """
    names = dict.fromkeys(name for search in searches for name in search)
    return {name: mean(search[name] for search in searches if name in search) for name in names}


# The part of a sum of squares below which deviations are rounding errors: all numbers are equal.
_ROUNDING = 1e-10


def _deviation(count: float, total: float, squares: float) -> float:
    around = squares - total * total / count
    return math.sqrt(around / (count - 1)) if around > _ROUNDING * squares else 0.0


def _correlation(sums: Sums) -> float | None:
    count, x, y, xx, yy, xy = sums
    if count < 2:
        return None
    both = _deviation(count, x, xx) * _deviation(count, y, yy)
    return (xy - x * y / count) / (count - 1) / both if both > 0 else None

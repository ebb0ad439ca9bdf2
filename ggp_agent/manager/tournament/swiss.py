"""The Swiss system: pair players with similar scores that have not met.

For games of two, the pairs of a round are a perfect matching with the least cost, computed exactly by HiGHS as a
zero-one programme (polytope: Edmonds, Journal of Research of the National Bureau of Standards 69B, 1965):

    minimise  sum over pairs of  x_ij (B m_ij + (rank_i - rank_j)^2)    with every player in one pair.

m_ij is the number of times that i and j have met. B is larger than any sum of squares, so two players meet again only
if it is unavoidable; otherwise the ranks of a pair are close. If the number of players is odd, the bye is added as the
last player. No player has a second bye if it can be avoided.

For games of three or more, groups are filled from the top of the ranking: each group adds the player that has met its
members least and is closest in rank. The lowest players that are left over have a bye.

>>> pair(["a", "b", "c", "d"], {})[0]
[('a', 'b'), ('c', 'd')]
>>> pair(["a", "c", "b", "d"], {("a", "b"): 1, ("c", "d"): 1}, {})[0]
[('a', 'c'), ('b', 'd')]
>>> pair(["a", "b", "c"], {}, {"c": 1})
([('a', 'c')], ['b'])
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np


def pair(
    ranking: Sequence[str], met: Mapping[tuple[str, str], int], byes: Mapping[str, int] | None = None
) -> tuple[list[tuple[str, ...]], list[str]]:
    """Pair all players."""
    from scipy.optimize import Bounds, LinearConstraint, milp  # the import takes a second

    count = len(ranking)
    if count < 2:
        return [], list(ranking)
    nodes = count + count % 2
    edges = list(itertools.combinations(range(nodes), 2))
    again = nodes**3
    costs = []
    for i, j in edges:
        times = (byes or {}).get(ranking[i], 0) if j == count else times_met(met, ranking[i], ranking[j])
        costs.append(again * times + (i - j) ** 2)
    touches = np.zeros((nodes, len(edges)))
    for column, (i, j) in enumerate(edges):
        touches[i, column] = touches[j, column] = 1
    solution = milp(
        np.array(costs, dtype=float),
        integrality=np.ones(len(edges)),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(touches, 1, 1),
        options={"mip_rel_gap": 0.0},
    )
    if solution.x is None:
        raise RuntimeError(f"no pairs were found: {solution.message}")
    chosen = [edge for edge, taken in zip(edges, solution.x, strict=True) if taken > 0.5]
    pairs: list[tuple[str, ...]] = [(ranking[i], ranking[j]) for i, j in chosen if j < count]
    return pairs, [ranking[i] for i, j in chosen if j == count]


def group(
    ranking: Sequence[str], size: int, met: Mapping[tuple[str, str], int], byes: Mapping[str, int]
) -> tuple[list[tuple[str, ...]], list[str]]:
    """Form groups of `size` players; other arguments and result as in `pair`."""
    if size == 1:
        return [(player,) for player in ranking], []
    if size == 2:
        return pair(ranking, met, byes)
    ranks = {player: rank for rank, player in enumerate(ranking)}
    leaving = sorted(ranking, key=lambda player: (byes.get(player, 0), -ranks[player]))
    out = leaving[: len(ranking) % size]
    left = [player for player in ranking if player not in out]
    groups: list[tuple[str, ...]] = []
    while left:
        members = [left.pop(0)]
        while len(members) < size:
            best = min(
                left, key=lambda player: (sum(times_met(met, player, member) for member in members), ranks[player])
            )
            left.remove(best)
            members.append(best)
        groups.append(tuple(members))
    return groups, out


def times_met(met: Mapping[tuple[str, str], int], a: str, b: str) -> int:
    """Return the number of meetings of two players.

    >>> times_met({("a", "b"): 2}, "b", "a")
    2
    """
    return met.get((min(a, b), max(a, b)), 0)

"""Schedules: the players of each match and their roles.

A meeting is a group of players, one per role of a game. It has as many matches as players: the roles rotate, so that
each player plays each role once. In games with three or more roles, the cyclic order of the players differs from round
to round.

In a round of a *round robin*, every group of players meets in every game. In a round of a *gauntlet*, every group
that contains the challenger meets. Games of one role are played by each player alone. The matches of a round are in
random order, so intermediate results are meaningful. Later rounds do not change earlier ones.

>>> [fixture.seats for fixture in meeting(0, ("a", "b"), ("x", "o"), "g", 1)]
[('a', 'b'), ('b', 'a')]
>>> [fixture.seats for fixture in meeting(0, ("a",), ("solver", "random"), "g", 1)]
[('a', None)]

The Swiss system: pair players with similar scores that have not met.

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

import hashlib
import itertools
import math
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...arena.match_result import moving_on
from ...game.roles import roles_to_play

ROUND_ROBIN, GAUNTLET, SWISS, ELIMINATION = SCHEDULES = ("round-robin", "gauntlet", "swiss", "elimination")


@dataclass(frozen=True, slots=True)
class Fixture:
    """One match of the schedule."""

    round: int  # the number of the round, from 0
    game: str  # the name of the game
    seats: tuple[str | None, ...]  # the player of each role, in the order of the rules; None for chance
    seed: int  # the seed of the manager's random moves; equal in all matches of a meeting


def groups_of(players: Sequence[str], size: int, challenger: str = "") -> Iterator[tuple[str, ...]]:
    """Yield the groups of players that meet: all, or only groups with the challenger if `size` is above 1."""
    for group in itertools.combinations(players, size):
        if not challenger or challenger in group or size == 1:
            yield group


def meeting(round_: int, group: Sequence[str], roles: Sequence[str], game: str, seed: int) -> Iterator[Fixture]:
    """Yield the matches of one meeting; `group` has one player per role that is not chance."""
    own_seed = int.from_bytes(hashlib.sha256(f"{seed} {round_} {game} {sorted(group)}".encode()).digest()[:4])
    first, *others = group
    orders = math.factorial(len(others))
    around = (first, *next(itertools.islice(itertools.permutations(others), round_ % orders, None)))
    for seats in moving_on(around, roles):
        yield Fixture(round_, game, seats, own_seed)


def schedule_round(
    round_: int, games: Mapping[str, Sequence[str]], groups: Mapping[int, Iterable[Sequence[str]]], seed: int
) -> list[Fixture]:
    """Return all matches of a round."""
    listed = {size: list(of_size) for size, of_size in groups.items()}
    fixtures = [
        fixture
        for game, roles in games.items()
        for group in listed[len(roles_to_play(roles))]
        for fixture in meeting(round_, group, roles, game, seed)
    ]
    random.Random(f"{seed} {round_} order").shuffle(fixtures)
    return fixtures


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

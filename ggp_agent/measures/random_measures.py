"""Measures from random games: length, branching, results, sizes of game tree and state space.

Sizes. Knuth (Mathematics of Computation 29, 1975) estimates the size of a tree from random paths: if a path meets b_1,
b_2, .. branches, b_1 b_2 .. b_d is an unbiased estimate of the number of leaves, and 1 + b_1 + b_1 b_2 + .. of the
number of nodes. A branch is a legal joint move of all roles. In long games few paths dominate the mean; the interval
then is too narrow and the estimate usually too small.

States. Chao (Biometrics 43, 1987) estimates a lower bound of the number of species from samples: with m games, S
different states, Q_1 states that occurred in one game and Q_2 in two,

    S + (m - 1) / m * Q_1 (Q_1 - 1) / (2 (Q_2 + 1)).

Results. The outcome of a role is 1 / k if k roles share the highest goal and the role is one of them, else 0: in games
of two roles 1 for a win and 1/2 for a draw.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..arena.scores import Z
from ..game.outcomes import outcomes
from ..game.roles import is_chance
from .estimates import Estimate, Measure, Undefined, log10_mean_estimate, mean_estimate, share_estimate
from .random_games import Hashes, Numbers, RandomGames

ONE_ROLE = Undefined("the game has one role")
NO_END = "no game ended within the turn limit"


def random_measures(games: RandomGames, roles: Sequence[str]) -> dict[str, Measure]:
    """Return all measures of random games by key, in the order of the output."""
    endless = games.games - int(games.ended.sum())
    found: dict[str, Measure] = {
        "length_random": mean_estimate(games.lengths),
        "unfinished_random": share_estimate(~games.ended),
        "branching": _branching(games),
        "simultaneous": Estimate(float(games.simultaneous)),
        "chance": Estimate(float(games.chance)),
    }
    if endless:
        tree: Measure = Undefined(f"{endless:,} of {games.games:,} random games did not end within the turn limit")
        found |= {"log10_games": tree, "log10_nodes": tree}
    else:
        found["log10_games"] = log10_mean_estimate(games.log_leaves)
        found["log10_nodes"] = log10_mean_estimate(games.log_nodes)
    found["log10_states"] = _states(games.visits, games.visited_games)
    players = [number for number, role in enumerate(roles) if not is_chance(role)]
    ended = games.ended
    return found | result_measures(games.goals[ended][:, players], _places(games.first[ended], players), "random")


def result_measures(goals: npt.ArrayLike, first: npt.ArrayLike, strength: str) -> dict[str, Measure]:
    """Return the measures of the results of games: draws, decisive games, advantage of the first player, balance."""
    keys = [f"{name}_{strength}" for name in ("draws", "decisive", "first_player", "balance", "goal")]
    given, starting = np.asarray(goals, np.int64), np.asarray(first, np.int64)
    if not len(given):
        return dict.fromkeys(keys, Undefined(NO_END))
    if given.shape[1] == 0:
        return dict.fromkeys(keys, Undefined("chance is the only role"))
    valued = np.maximum(given, 0)
    goal = mean_estimate(valued[:, 0])
    if given.shape[1] == 1:
        return {**dict.fromkeys(keys[:-1], ONE_ROLE), keys[-1]: goal}
    share = outcomes(valued)
    best = share.max(axis=1)
    chose = starting >= 0
    outcome = share[chose, starting[chose]]
    values: list[Measure] = [
        share_estimate(best < 1 / given.shape[1] + 1e-9),
        share_estimate(best > 1 - 1e-9),
        share_estimate(outcome) if len(outcome) else Undefined("no role has a choice"),
        _balance(share),
        goal,
    ]
    return dict(zip(keys, values, strict=True))


def _branching(games: RandomGames) -> Measure:
    """Return the mean number of legal moves of a role that has a choice, in the games that have choices."""
    chose = games.decisions > 0
    if not chose.any():
        return Undefined("no role has a choice")
    return mean_estimate(games.options[chose] / games.decisions[chose])


def _balance(share: npt.NDArray[np.float64]) -> Estimate:
    """Return 1 minus the difference between the highest and the lowest mean outcome of the players."""
    means = share.mean(axis=0)
    gap = mean_estimate(share[:, means.argmax()] - share[:, means.argmin()])
    if gap.low is None or gap.high is None:
        return Estimate(1 - gap.value)
    smallest = 0.0 if gap.low <= 0 <= gap.high else min(abs(gap.low), abs(gap.high))
    return Estimate(1 - gap.value, max(0.0, 1 - max(abs(gap.low), abs(gap.high))), 1 - smallest)


def _states(visits: Hashes, games: int) -> Measure:
    """Return log10 of Chao's lower bound of the number of states, with the interval of Chao (1987)."""
    if not games:
        return Undefined("no states were stored")
    _, counts = np.unique(visits, return_counts=True)
    seen, once, twice = len(counts), int((counts == 1).sum()), int((counts == 2).sum())
    share = (games - 1) / games
    unseen = share * once * (once - 1) / (2 * (twice + 1))
    if unseen <= 0:
        return Estimate(*[math.log10(seen)] * 3)
    if twice:
        ratio = once / twice
        variance = twice * (share * ratio**2 / 2 + share**2 * (ratio**3 + ratio**4 / 4))
    else:
        variance = share * once * (once - 1) / 2 + share**2 * once * (2 * once - 1) ** 2 / 4
        variance -= share**2 * once**4 / (4 * (seen + unseen))
    spread = math.exp(Z * math.sqrt(math.log1p(max(0.0, variance) / unseen**2)))
    return Estimate(math.log10(seen + unseen), math.log10(seen + unseen / spread), math.log10(seen + unseen * spread))


def _places(first: Numbers, players: Sequence[int]) -> Numbers:
    """Return the numbers of roles as numbers of players, -1 for -1."""
    places = {role: place for place, role in enumerate(players)}
    return np.array([places.get(role, -1) for role in first.tolist()], np.int64)

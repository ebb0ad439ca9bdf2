"""Elo ratings with confidence intervals, from the results of matches.

The model of Zermelo (Mathematische Zeitschrift 29, 1929) and of Bradley and Terry (Biometrika 39, 1952), on the Elo
scale: player i with rating r_i beats player j with probability

    p_ij = 1 / (1 + 10^((r_j - r_i) / 400)) = s(b (r_i - r_j)),    s the logistic function, b = ln 10 / 400.

Let w_ij be the points of i against j: 1 for a win, 1/2 for a draw. The ratings maximise

    L(r) = sum_ij w_ij ln p_ij + (q / 2) sum_i [ ln s(b r_i) + ln s(-b r_i) ],

which is concave. The second sum is the prior: each player has drawn q = 1 games with a player rated 0, like the virtual
draws of Coulom (Computers and Games, LNCS 5131, 2008). So a player that always loses has a finite rating. The matrix H
of the negative second derivatives of L is the Fisher information; its inverse is the covariance of the ratings. Ratings
are relative to their mean: with C = I - 1/n, their covariance is C H^-1 C^T. The 95 % confidence interval is 1.96
standard deviations to both sides.

>>> two = ratings({("a", "b"): 75.0, ("b", "a"): 25.0})
>>> round(two["a"].elo), round(two["b"].elo), [round(end) for end in two["a"].interval]
(95, -95, [56, 134])
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from ...arena.scores import Score, Z

# Players whose goals are compared, with their goals, 0 .. 1.
Group = list[tuple[str, float]]

_SCALE = math.log(10) / 400
_PRIOR = 1.0


@dataclass(frozen=True, slots=True)
class Rating:
    """The rating of a player: Elo points relative to the mean of all players, and the 95 % confidence interval."""

    elo: float
    interval: tuple[float, float]


def scores(groups: Iterable[Group]) -> dict[tuple[str, str], Score]:
    """Return the score of the first player against the second, for each pair.

    >>> scores([[("a", 1.0), ("b", 0.0)], [("a", 0.5), ("b", 0.5)]])["b", "a"]
    Score(wins=0, draws=1, losses=1)
    """
    differences: dict[tuple[str, str], list[float]] = {}
    for group in groups:
        for (one, goal), (other, others_goal) in itertools.permutations(group, 2):
            differences.setdefault((one, other), []).append(goal - others_goal)
    return {pair: Score.of(listed) for pair, listed in differences.items()}


def total(cross: Mapping[tuple[str, str], Score], player: str) -> Score:
    """Return the total score of a player."""
    return sum((score for (one, _), score in cross.items() if one == player), Score())


def points(groups: Iterable[Group]) -> dict[tuple[str, str], float]:
    """Return the points of the first player against the second, for each pair.

    In a group of k players, only k - 1 of the k (k - 1) / 2 comparisons are independent, so each comparison counts 2/k.

    >>> points([[("a", 1.0), ("b", 0.0)], [("a", 0.5), ("b", 0.5)]])
    {('a', 'b'): 1.5, ('b', 'a'): 0.5}
    """
    won: dict[tuple[str, str], float] = {}
    for group in groups:
        for pair, score in scores([group]).items():
            won[pair] = won.get(pair, 0.0) + 2 / len(group) * score.points
    return won


def ratings(won: Mapping[tuple[str, str], float]) -> dict[str, Rating]:
    """Return the ratings of all players."""
    names = sorted({name for pair in won for name in pair})
    count = len(names)
    if not count:
        return {}
    from scipy import optimize, special  # the import takes a second

    numbers = {name: number for number, name in enumerate(names)}
    wins = np.zeros((count, count))
    for (one, other), value in won.items():
        wins[numbers[one], numbers[other]] += value
    games = wins + wins.T

    def loss(r: np.ndarray) -> float:
        apart = r[:, None] - r[None, :]
        prior = special.log_expit(r) + special.log_expit(-r)
        return float(-(wins * special.log_expit(apart)).sum() - _PRIOR / 2 * prior.sum())

    def slope(r: np.ndarray) -> np.ndarray:
        expected = games * special.expit(r[:, None] - r[None, :])
        result: np.ndarray = expected.sum(1) - wins.sum(1) + _PRIOR * (special.expit(r) - 0.5)
        return result

    def information(r: np.ndarray) -> np.ndarray:
        p = special.expit(r[:, None] - r[None, :])
        between = games * p * (1 - p)
        own = special.expit(r)
        result: np.ndarray = np.diag(between.sum(1) + _PRIOR * own * (1 - own)) - between
        return result

    start, options = np.zeros(count), {"gtol": 1e-8}
    found = optimize.minimize(loss, start, jac=slope, hess=information, method="trust-exact", options=options)
    centre = np.eye(count) - 1 / count
    covariance = centre @ np.linalg.inv(information(found.x)) @ centre.T
    elos = centre @ found.x / _SCALE
    halves = Z * np.sqrt(np.diag(covariance).clip(0)) / _SCALE
    return {
        name: Rating(float(elo), (float(elo - half), float(elo + half)))
        for name, elo, half in zip(names, elos, halves, strict=True)
    }

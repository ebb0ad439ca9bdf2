"""Values with 95 % intervals.

Means have Student's interval, shares the Wilson interval (`arena/scores.py`). A logarithm of a mean has the interval of
the delta method: log10 m -+ 1.96 s / (m sqrt(n) ln 10).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..arena.scores import Z, wilson_interval
from ..game.lanes import outcomes

Values = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value and its 95 % interval."""

    value: float  # the estimate
    low: float | None = None  # lower end of the interval; None if it is unknown, for example with one game
    high: float | None = None  # upper end of the interval; None if it is unknown

    def document(self) -> dict[str, float | str | None]:
        """Return the JSON object of the estimate, rounded to 6 significant digits."""
        return {"value": _rounded(self.value), "low": _rounded(self.low), "high": _rounded(self.high)}


@dataclass(frozen=True, slots=True)
class Undefined:
    """A measure that is not defined for a game."""

    reason: str  # the reason, one line

    def document(self) -> dict[str, float | str | None]:
        """Return the JSON object of the measure."""
        return {"undefined": self.reason}


Measure = Estimate | Undefined


def mean_estimate(values: npt.ArrayLike) -> Estimate:
    """Return the mean of independent values with Student's 95 % interval.

    >>> found = mean_estimate([7.0, 9.0, 8.0, 8.0])
    >>> found.value, round(found.low or 0, 2), round(found.high or 0, 2)
    (8.0, 6.7, 9.3)
    """
    listed = np.asarray(values, np.float64)
    if not len(listed):
        raise ValueError("a mean needs at least one value")
    mean = float(listed.mean())
    if len(listed) == 1:
        return Estimate(mean)
    from scipy.special import stdtrit  # the import takes a second

    half = float(stdtrit(len(listed) - 1, 0.975) * listed.std(ddof=1) / math.sqrt(len(listed)))
    return Estimate(mean, mean - half, mean + half)


def share_estimate(values: npt.ArrayLike) -> Estimate:
    """Return the mean of values 0..1 with the Wilson interval, which is too wide if values between 0 and 1 occur.

    >>> share_estimate([1.0, 0.0, 1.0, 1.0]).value
    0.75
    """
    listed = np.asarray(values, np.float64)
    if not len(listed):
        raise ValueError("a share needs at least one value")
    share = float(listed.mean())
    return Estimate(share, *wilson_interval(share, len(listed)))


def log10_mean_estimate(logarithms: npt.ArrayLike) -> Estimate:
    """Return log10 of the mean of positive values, with the interval of the delta method.

    >>> log10_mean_estimate(np.log([100.0, 100.0]))
    Estimate(value=2.0, low=2.0, high=2.0)
    """
    listed = np.asarray(logarithms, np.float64)
    if not len(listed):
        raise ValueError("a mean needs at least one value")
    largest = float(listed.max())
    scaled = np.exp(listed - largest)
    mean = float(scaled.mean())
    value = (largest + math.log(mean)) / math.log(10)
    if len(listed) == 1:
        return Estimate(value)
    half = Z * float(scaled.std(ddof=1)) / (mean * math.sqrt(len(listed)) * math.log(10))
    return Estimate(value, value - half, value + half)


def effective_number(logarithms: npt.ArrayLike) -> float:
    """Return the number of equal values that would estimate a mean as precisely: (sum x)^2 / sum x^2.

    >>> effective_number(np.log([3.0, 3.0, 3.0, 0.001])) < 3.1
    True
    """
    listed = np.asarray(logarithms, np.float64)
    scaled = np.exp(listed - listed.max())
    return float(scaled.sum() ** 2 / (scaled**2).sum())


# The outcome of a role is 1 / k if k roles share the highest goal and the role is one of them, else 0: in
# games of two roles 1 for a win and 1/2 for a draw.

ONE_ROLE = Undefined("the game has one role")
NO_END = "no game ended within the turn limit"


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


def _balance(share: npt.NDArray[np.float64]) -> Estimate:
    """Return 1 minus the difference between the highest and the lowest mean outcome of the players."""
    means = share.mean(axis=0)
    gap = mean_estimate(share[:, means.argmax()] - share[:, means.argmin()])
    if gap.low is None or gap.high is None:
        return Estimate(1 - gap.value)
    smallest = 0.0 if gap.low <= 0 <= gap.high else min(abs(gap.low), abs(gap.high))
    return Estimate(1 - gap.value, max(0.0, 1 - max(abs(gap.low), abs(gap.high))), 1 - smallest)


def _rounded(value: float | None) -> float | None:
    if value is None or not math.isfinite(value):
        return None
    return float(f"{value:.6g}")

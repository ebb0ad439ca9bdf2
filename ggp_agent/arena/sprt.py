"""End a comparison when it is decided: the generalised sequential probability ratio test on pairs of games.

The hypotheses are H0: the score of the tested side corresponds to `elo0` points (s0), and H1: it corresponds to `elo1`
points (s1), with s(elo) = 1 / (1 + 10^(-elo / 400)). The two games of a pair with swapped roles depend on each other,
so the test counts pairs by their points, 0, 1/2, 1, 3/2 or 2 of 2 (pentanomial). With n pairs, of which the part p_i
had the mean score a_i = 0, 1/4, 1/2, 3/4, 1, the log-likelihood ratio is

    LLR = n sum_i p_i ln(q1_i / q0_i),      q_h the distribution of maximum likelihood with mean s_h:
    q_i = p_i / (1 + x (a_i - s)),          x the root of sum_i p_i (a_i - s) / (1 + x (a_i - s)) = 0

(Van den Bergh, "Comments on normalized Elo" and "A practical introduction to the GSPRT", 2019 to 2020, used by
fishtest; Owen, "Empirical Likelihood", 2001). After Wald (Annals of Mathematical Statistics 16, 1945) the test accepts
H1 if LLR >= ln((1 - beta) / alpha) and H0 if LLR <= ln(beta / (1 - alpha)); alpha and beta bound the probabilities of
both errors. Zero counts are replaced by a thousandth of a pair.

>>> test = Sprt(0, 10)
>>> [round(bound, 2) for bound in test.bounds]
[-2.94, 2.94]
>>> round(test.llr([10, 60, 140, 80, 20]), 2), test.verdict([10, 60, 140, 80, 20])
(2.15, '')
>>> test.verdict([40, 240, 560, 400, 160])
'H1'
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from .scores import expected_share

# Points of a pair, as the mean score of its two games.
SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
# The count that replaces zero.
_ZERO_COUNT = 1e-3
# Halvings of an interval of a few units, after which its middle is exact.
_HALVINGS = 60


@dataclass(frozen=True, slots=True)
class Sprt:
    """A test of H0, the tested side leads by `elo0` points, against H1, it leads by `elo1` points."""

    elo0: float  # Elo points of H0, below elo1
    elo1: float  # Elo points of H1
    alpha: float = 0.05  # largest probability of accepting H1 if H0 is true; 0 < alpha < 0.5
    beta: float = 0.05  # largest probability of accepting H0 if H1 is true; 0 < beta < 0.5

    def __post_init__(self) -> None:
        if not (-2000 <= self.elo0 < self.elo1 <= 2000):
            raise ValueError(
                f"a test needs two differences in Elo points, the lower first, not {self.elo0} {self.elo1}"
            )
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise ValueError(f"the errors of a test are probabilities below 0.5, not {self.alpha} and {self.beta}")

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which H0 and H1 are accepted."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def llr(self, pairs: Sequence[int]) -> float:
        """Return the log-likelihood ratio."""
        total = sum(pairs)
        if total == 0:
            return 0.0
        counts = [max(count, _ZERO_COUNT) for count in pairs]
        shares = [count / sum(counts) for count in counts]
        under = [_nearest(shares, expected_share(elo)) for elo in (self.elo0, self.elo1)]
        return float(total * sum(p * math.log(q1 / q0) for p, q0, q1 in zip(shares, *under, strict=True)))

    def verdict(self, pairs: Sequence[int]) -> str:
        """Return the accepted hypothesis, `H0` or `H1`, or an empty string if more games are needed."""
        low, high = self.bounds
        ratio = self.llr(pairs)
        return "H1" if ratio >= high else "H0" if ratio <= low else ""

    def text(self, pairs: Sequence[int], side: str = "a") -> str:
        """Return the state of the test in one line, as tools of engine testing print it.

        >>> Sprt(0, 10).text([10, 60, 140, 80, 20])
        'undecided, LLR 2.15 (-2.94, 2.94) of (0, 10) Elo, Ptnml(0-2): [10, 60, 140, 80, 20]'
        >>> Sprt(0, 10).text([40, 240, 560, 400, 160], "bold").partition(",")[0]
        'H1 accepted (bold is 10 Elo points ahead)'
        """
        verdict = self.verdict(pairs)
        accepted = {"H0": self.elo0, "H1": self.elo1}.get(verdict)
        found = "undecided" if accepted is None else f"{verdict} accepted ({side} is {_lead(accepted)})"
        low, high = self.bounds
        ratio = f"LLR {self.llr(pairs):z.2f} ({low:.2f}, {high:.2f}) of ({self.elo0:g}, {self.elo1:g}) Elo"
        return f"{found}, {ratio}, Ptnml(0-2): {list(pairs)}"

    def document(self, pairs: Sequence[int]) -> dict[str, Any]:
        """Return the state of the test as a JSON document; arguments as for `text`."""
        return {
            "elo0": self.elo0,
            "elo1": self.elo1,
            "alpha": self.alpha,
            "beta": self.beta,
            "llr": self.llr(pairs),
            "bounds": list(self.bounds),
            "pairs": list(pairs),
            "verdict": self.verdict(pairs),
        }

    def __str__(self) -> str:
        return f"SPRT ({self.elo0:g}, {self.elo1:g}) Elo, errors {self.alpha:g} and {self.beta:g}"


def count_pairs(scores: Iterable[tuple[float, float]]) -> list[int]:
    """Count pairs by their points.

    >>> count_pairs([(1, 0), (1, 1), (0.5, 0)])
    [0, 1, 1, 0, 1]
    """
    counted = Counter(round(2 * (one + other)) for one, other in scores)
    return [counted[points] for points in range(len(SCORES))]


def _lead(elo: float) -> str:
    """Describe a difference in Elo points."""
    return "equally strong" if elo == 0 else f"{abs(elo):g} Elo points {'ahead' if elo > 0 else 'behind'}"


def _nearest(shares: Sequence[float], mean: float) -> list[float]:
    """Return the distribution of maximum likelihood over SCORES with the given mean, 0 < mean < 1."""
    distances = [score - mean for score in SCORES]
    # Between these ends all q_i are positive, and the sum falls from plus to minus infinity.
    low, high = -1 / max(distances), -1 / min(distances)
    for _ in range(_HALVINGS):
        x = (low + high) / 2
        if sum(p * d / (1 + x * d) for p, d in zip(shares, distances, strict=True)) > 0:
            low = x
        else:
            high = x
    return [p / (1 + x * d) for p, d in zip(shares, distances, strict=True)]


# Decide at any time whether a side is stronger, weaker or about equal, with bounded errors.
#
# An interval for a fixed number of games leaves 50 % at some time far more often than in 5 % of the comparisons of
# equal sides. This test is valid after every pair. It consists of two sequential tests around equality, of
# 0 points against a lead of `elo` points, and of 0 points against the same lag:
#
#     above   if the first accepts its lead; of two equal sides with a probability of at most alpha / 2, at any time
#     below   if the second accepts its lag; likewise
#     equal   if both accept 0 points; of a side that is `elo` points ahead or behind with a probability of at most beta
#
# Both bounds follow from Ville's inequality for likelihood ratios (Wald, 1945); as above they hold
# approximately, because the distribution of the pairs is estimated.


@dataclass(frozen=True, slots=True)
class TwoSidedTest:
    """A test of equality against a lead or a lag.

    >>> TwoSidedTest().verdict([0, 0, 10, 0, 0]), TwoSidedTest().verdict([10, 60, 200, 260, 170])
    ('', 'above')
    """

    elo: float = 35  # lead or lag in Elo points, above 0; 35 points are a score of 55 %
    alpha: float = 0.05  # largest probability of `above` or `below` for equal sides
    beta: float = 0.05  # largest probability of `equal` for a lead or lag of `elo` points

    @property
    def _tests(self) -> tuple[Sprt, Sprt]:
        return (
            Sprt(0, self.elo, alpha=self.alpha / 2, beta=self.beta),
            Sprt(-self.elo, 0, alpha=self.beta, beta=self.alpha / 2),
        )

    def verdict(self, pairs: Sequence[int]) -> str:
        """Return `above`, `below` or `equal`, or an empty string if more games are needed."""
        lead, lag = (test.verdict(pairs) for test in self._tests)
        if lead == "H1":
            return "above"
        if lag == "H0":
            return "below"
        return "equal" if (lead, lag) == ("H0", "H1") else ""

    def progress(self, pairs: Sequence[int]) -> float:
        """Return how near a verdict is: 0 without games, at least 1 with a verdict; arguments as for `verdict`."""
        lead, lag = ((test.llr(pairs), *test.bounds) for test in self._tests)
        shares = [ratio / (high if ratio > 0 else low) for ratio, low, high in (lead, lag)]
        if lead[0] <= 0 <= lag[0]:
            return min(shares)  # both have to accept 0 points
        return lead[0] / lead[2] if lead[0] > 0 else lag[0] / lag[1]

"""Decide at any time whether a side is stronger, weaker or about equal, with bounded errors.

An interval for a fixed number of games leaves 50 % at some time far more often than in 5 % of the comparisons of equal
sides. This test is valid after every pair. It consists of two sequential tests (`sprt.py`) around
equality, of 0 points against a lead of `elo` points, and of 0 points against the same lag:

    above   if the first accepts its lead; of two equal sides with a probability of at most alpha / 2, at any time
    below   if the second accepts its lag; likewise
    equal   if both accept 0 points; of a side that is `elo` points ahead or behind with a probability of at most beta

Both bounds follow from Ville's inequality for likelihood ratios (Wald, 1945); as in `sprt.py` they hold approximately,
because the distribution of the pairs is estimated.

>>> TwoSidedTest().verdict([0, 0, 10, 0, 0]), TwoSidedTest().verdict([10, 60, 200, 260, 170])
('', 'above')
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .sprt import Sprt


@dataclass(frozen=True, slots=True)
class TwoSidedTest:
    """A test of equality against a lead or a lag."""

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

"""The probability that a candidate wins a game against the default, estimated from test games.

This probability p has a beta distribution, updated by games against the default (a draw is half a win and half a loss):

    p ~ Beta(a, b),    a = prior wins + wins + draws / 2,    b = prior losses + losses + draws / 2

The prior is predicted from similar games (prior.py), or two wins and two losses. It pulls the mean of few games
towards the prediction, which compensates for the luck of the best of several candidates.

Results at milliseconds per move predict results of longer moves only partly. If there are games with longer moves, all
other games together count as at most `SHORT_GAMES`, in their proportion.

>>> few, many = WinProbability.of(Score(wins=3, losses=1)), WinProbability.of(Score(wins=30, losses=10))
>>> round(few.mean, 3), few.is_better, round(many.mean, 3), many.is_better
(0.625, False, 0.727, True)
>>> WinProbability.of(Score(wins=30, losses=10), Score(wins=2, losses=6)).is_better
False
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import Self

from ..arena.scores import Score

# Wins and losses before the first game, without a prediction.
PRIOR = (2.0, 2.0)

# The largest number of games that games with short moves count as, beside games with longer moves.
SHORT_GAMES = 12.0

# The 85 % quantile of the normal distribution.
_QUANTILE_85 = 1.0364


@dataclass(frozen=True, slots=True)
class WinProbability:
    """A beta distribution of the probability to win."""

    wins: float  # parameter a, above 0
    losses: float  # parameter b, above 0

    @classmethod
    def of(cls, short: Score, longer: Score | None = None, prior: tuple[float, float] = PRIOR) -> Self:
        """Return the distribution after test games."""
        share = 1.0 if longer is None or not short.games else min(1.0, SHORT_GAMES / short.games)
        later = longer or Score()
        return cls(
            prior[0] + share * short.points + later.points,
            prior[1] + share * (short.games - short.points) + (later.games - later.points),
        )

    @property
    def mean(self) -> float:
        """The expected score, 0 .. 1."""
        return self.wins / (self.wins + self.losses)

    @property
    def is_better(self) -> bool:
        """Whether it wins more than it loses with a probability of at least 85 % (normal approximation)."""
        mean = self.mean
        deviation = math.sqrt(mean * (1 - mean) / (self.wins + self.losses + 1))
        return mean - 0.5 >= _QUANTILE_85 * deviation

    def draw(self, source: random.Random) -> float:
        """Draw a probability to win."""
        return source.betavariate(self.wins, self.losses)

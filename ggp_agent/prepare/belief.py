"""What games say of a candidate: how likely it is to win one against the default.

That chance has a beta distribution, which games against the default update (a draw is half a win and half a loss):

    p ~ Beta(a, b),    a = prior wins + wins + draws / 2,    b = prior losses + losses + draws / 2

The prior is two wins and two losses, or what a candidate has shown in other games (`candidates.PRIORS`). It pulls the
mean of few games towards one half, so that the luck which made one of several candidates the best is paid for.

What is won with milliseconds a move says something of longer moves, but not all. Beside games with longer moves the
others count as `SHORT_GAMES` at the most, in their proportion.

>>> few, many = Belief.of(Score(wins=3, losses=1)), Belief.of(Score(wins=30, losses=10))
>>> round(few.mean, 3), few.is_better, round(many.mean, 3), many.is_better
(0.625, False, 0.727, True)
>>> Belief.of(Score(wins=30, losses=10), Score(wins=2, losses=6)).is_better
False
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import Self

from ..arena.scores import Score

# What is believed before the first game.
PRIOR = (2.0, 2.0)

# Games with short moves that count beside games with longer ones.
SHORT_GAMES = 12.0

# The 85 % quantile of the normal distribution.
_SURE = 1.0364


@dataclass(frozen=True, slots=True)
class Belief:
    """A beta distribution of the chance to win.

    Attributes:
        wins, losses: its two parameters, above 0.
    """

    wins: float
    losses: float

    @classmethod
    def of(cls, short: Score, longer: Score | None = None, prior: tuple[float, float] = PRIOR) -> Self:
        """Return what is believed after games, some of them perhaps with longer moves.

        Args:
            short: with the moves of the first trials.
            longer: with longer moves; games or not, where it is given, the others count less.
            prior: wins and losses beforehand, above 0.
        """
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
        """Whether it wins more than it loses with a probability of 85 % or more (the beta taken for a normal one)."""
        mean = self.mean
        deviation = math.sqrt(mean * (1 - mean) / (self.wins + self.losses + 1))
        return mean - 0.5 >= _SURE * deviation

    def draw(self, source: random.Random) -> float:
        """Draw a chance to win from it."""
        return source.betavariate(self.wins, self.losses)

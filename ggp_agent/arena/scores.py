"""The result of many games: score, confidence interval and difference in Elo points.

A win counts 1 and a draw 1/2; the score is their mean. Its interval is the Wilson interval (Journal of the American
Statistical Association 22, 1927) for independent games,

    (s + z^2 / 2n +- z sqrt(s (1 - s) / n + z^2 / 4n^2)) / (1 + z^2 / n),    z = 1.96,

which stays within 0..1 and is valid for few games and for scores near the ends. With draws, and if the same role tends
to win both games of a pair with swapped roles, the score varies less than this, so the interval is too wide. If the
same side tends to win both games, the interval is too narrow. `pair_interval` accounts for both.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

# The 97.5 % quantile of the normal distribution, for 95 % intervals.
Z = 1.959963984540054
# The 80 % quantile, for a power of 80 %.
_Z_OF_POWER = 0.8416212335729143


@dataclass(frozen=True, slots=True)
class Score:
    """Numbers of wins, draws and losses.

    >>> score = Score(wins=55, draws=10, losses=35)
    >>> score.games, score.share, [round(end, 3) for end in score.interval]
    (100, 0.6, [0.502, 0.691])
    >>> round(score.elo), [round(end) for end in score.elo_interval]
    (70, [1, 139])
    """

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @classmethod
    def of(cls, differences: Iterable[float]) -> Score:
        """Count results by their sign: above 0 a win, 0 a draw, below 0 a loss.

        >>> Score.of([100, -50, 0, 1])
        Score(wins=2, draws=1, losses=1)
        """
        signs = [(difference > 0) - (difference < 0) for difference in differences]
        return cls(signs.count(1), signs.count(0), signs.count(-1))

    @property
    def points(self) -> float:
        """Points, 1 for a win and 1/2 for a draw."""
        return self.wins + self.draws / 2

    def __add__(self, other: Score) -> Score:
        """Return the sum of both."""
        return Score(self.wins + other.wins, self.draws + other.draws, self.losses + other.losses)

    @property
    def games(self) -> int:
        """The number of games."""
        return self.wins + self.draws + self.losses

    @property
    def share(self) -> float:
        """The score, 0..1; 0.5 without games."""
        return self.points / self.games if self.games else 0.5

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the score; 0..1 without games."""
        return wilson_interval(self.share, self.games)

    @property
    def superiority(self) -> float:
        """The likelihood of superiority, 0..1, given the decided games.

        With w wins and l losses it is the normal distribution function of (w - l) / sqrt(w + l); draws say nothing
        about the side. It is 0.5 without decided games.

        >>> round(Score(wins=55, draws=10, losses=35).superiority, 3), Score(draws=3).superiority
        (0.982, 0.5)
        """
        decided = self.wins + self.losses
        return 0.5 if not decided else (1 + math.erf((self.wins - self.losses) / math.sqrt(2 * decided))) / 2

    @property
    def elo(self) -> float:
        """The difference in Elo points that corresponds to the score; infinite if all games are won or lost."""
        return elo_difference(self.share)

    @property
    def elo_interval(self) -> tuple[float, float]:
        """The differences in Elo points that correspond to the ends of the interval."""
        low, high = self.interval
        return elo_difference(low), elo_difference(high)


def wilson_interval(share: float, games: float) -> tuple[float, float]:
    """Return the 95 % interval of a score after the given number of games.

    >>> [round(end, 4) for end in wilson_interval(0.5, 100)]
    [0.4038, 0.5962]
    >>> [round(end, 4) for end in wilson_interval(1.0, 10)]
    [0.7225, 1.0]
    """
    if games == 0:
        return 0.0, 1.0
    square = Z * Z / games
    centre = share + square / 2
    half = math.sqrt(square * share * (1 - share) + square * square / 4)
    return max(0.0, (centre - half) / (1 + square)), min(1.0, (centre + half) / (1 + square))


def effective_games(score: Score, pairs: Sequence[int]) -> float:
    """Return the number of independent games whose score varies as much as the score of these pairs.

    With m pairs whose mean score s has the variance v between pairs, the number is m s (1 - s) / v (Korn and Graubard,
    Survey Methodology 24, 1998). A lost and a won pair are added to s and v, because few pairs, or equal ones, say
    little about v. Without a complete pair, all games count as independent.

    >>> round(effective_games(Score(100, 0, 100), [0, 0, 100, 0, 0]))  # the first role always wins
    5050
    """
    if not any(pairs):
        return score.games
    counts = [count + (place in (0, 4)) for place, count in enumerate(pairs)]
    number = sum(counts)
    mean = sum(count * place / 4 for place, count in enumerate(counts)) / number
    variance = sum(count * (place / 4 - mean) ** 2 for place, count in enumerate(counts)) / (number - 1)
    return sum(pairs) * mean * (1 - mean) / variance


def pair_interval(score: Score, pairs: Sequence[int]) -> tuple[float, float]:
    """Return the 95 % interval of a score by the results of pairs: Wilson's, of the effective number of games.

    In simulations of 10 to 200 pairs, with and without draws and correlation, the interval contained the true score in
    95 % and more. `pairs` are the numbers of complete pairs with 0, 1/2, 1, 3/2 and 2 points.

    >>> [round(end, 3) for end in pair_interval(Score(100, 0, 100), [25, 0, 50, 0, 25])]
    [0.43, 0.57]
    """
    return wilson_interval(score.share, effective_games(score, pairs))


def p_value(score: Score, pairs: Sequence[int]) -> float:
    """Return the probability of a score at least as far from one half, if both sides are equal; 1 without games.

    It is below 0.05 if `pair_interval` does not contain one half.

    >>> round(p_value(Score(60, 0, 40), []), 3)
    0.046
    """
    return math.erfc(abs(score.share - 0.5) * math.sqrt(2 * effective_games(score, pairs)))


def difference_interval(
    one: float, one_interval: tuple[float, float], other: float, other_interval: tuple[float, float]
) -> tuple[float, float]:
    """Return the 95 % interval of the difference of two independent scores (Newcombe, Statistics in Medicine 17, 1998).

    >>> [round(end, 3) for end in difference_interval(0.7, (0.6, 0.8), 0.5, (0.4, 0.6))]
    [0.059, 0.341]
    """
    difference = one - other
    low = math.hypot(one - one_interval[0], other_interval[1] - other)
    high = math.hypot(one_interval[1] - one, other - other_interval[0])
    return difference - low, difference + high


def elo_difference(share: float) -> float:
    """Return the lead in Elo points that corresponds to a score, 0..1.

    >>> round(elo_difference(0.75)), elo_difference(0.5), elo_difference(0.0)
    (191, 0.0, -inf)
    """
    if share <= 0:
        return -math.inf
    if share >= 1:
        return math.inf
    return -400 * math.log10(1 / share - 1) + 0.0


def expected_share(elo: float) -> float:
    """Return the expected score, 0..1, for a lead in Elo points.

    >>> round(expected_share(191), 2), expected_share(0.0)
    (0.75, 0.5)
    """
    return 1 / (1 + 10 ** (-elo / 400))


def games_needed(share: float) -> int:
    """Return the number of games after which a score differs significantly from one half with a power of 80 %.

    With the true score p, not one half, and without draws, the two-sided test at 5 % needs

        n = ((1.96 / 2 + 0.84 sqrt(p (1 - p))) / (p - 1/2))^2    games

    (Fleiss, Statistical Methods for Rates and Proportions, 1981, section 1.4). With draws fewer games are enough.

    >>> games_needed(0.6), games_needed(0.45)
    (194, 783)
    """
    return math.ceil(((Z / 2 + _Z_OF_POWER * math.sqrt(share * (1 - share))) / (share - 0.5)) ** 2)

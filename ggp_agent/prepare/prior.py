"""The probability that a candidate wins, before its first test game: a prediction from similar games.

scored_sheets.csv has the features (game_features.py) of public rule sheets, and the scores of the candidates in test
games (`tools/measure_candidates.py`). Let z_1 .. z_m be the features of a game, divided by their deviations over these
sheets, z_k1 .. z_km the features of sheet k, n_k the number of games of a candidate in sheet k, and p_k its share of
their points. The prior is

    w_k = exp(-((z_1 - z_k1)^2 + .. + (z_m - z_km)^2) / (2 h^2 m)),    e_k = n_k c / (n_k + c)
    prior wins = s p + sum of w_k e_k p_k,    prior losses = s (1 - p) + sum of w_k e_k (1 - p_k)

with the share p of the points of all games in all sheets (kernel regression: Nadaraya, 1964; Watson, 1964). If wins and
losses together are above S, both are scaled to a sum of S. So the games of similar sheets count like test games of the
game itself, and for a game without similar sheets only the mean remains.
The width h, the largest number of games c of a sheet, the strength s of the mean and the largest strength S gave good
predictions of each sheet by the others (docs/notebook/preparation.md).
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import astuple, dataclass, fields
from functools import cache
from importlib.resources import files

import numpy as np
import numpy.typing as npt

from ..arena.scores import Score
from .belief import PRIOR
from .candidates import CANDIDATES
from .game_features import GameFeatures

# The candidates with test games in scored_sheets.csv, by the names of their columns. The others depend on an evaluation
# or a network, or differ little from the default.
PLAYED = {"rank": CANDIDATES[0], "rank_mild": CANDIDATES[1], "grave": CANDIDATES[2]}
RESULTS = ("wins", "draws", "losses")
FEATURES = tuple(field.name for field in fields(GameFeatures))

# Priors that do not depend on the game, from the scores in twelve games (docs/notebook/preparation.md).
_FIXED = {CANDIDATES[3]: (14.4, 15.6)}

# h, c, s and S of the formula.
_WIDTH = 0.15
_MOST_GAMES = 20.0
_STRENGTH = 10.0
_MOST_STRENGTH = 16.0

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ScoredSheets:
    """Test games of the candidates in rule sheets."""

    names: tuple[str, ...]  # names of the sheets
    features: Floats  # features of each sheet, [sheets, features]
    points: Mapping[str, Floats]  # points of each candidate by name of the column, [sheets]
    games: Mapping[str, Floats]  # numbers of games of each candidate by name of the column, [sheets]

    @classmethod
    def read(cls, text: str) -> ScoredSheets:
        """Read the text of a CSV file with the columns `game`, the features, and results such as `rank_wins`."""
        rows = list(csv.DictReader(text.splitlines()))
        counts = {
            name: np.array([[float(row[f"{name}_{result}"]) for result in RESULTS] for row in rows]) for name in PLAYED
        }
        return cls(
            tuple(row["game"] for row in rows),
            np.array([[float(row[name]) for name in FEATURES] for row in rows]),
            {name: count @ [1.0, 0.5, 0.0] for name, count in counts.items()},
            {name: count.sum(axis=1) for name, count in counts.items()},
        )

    def similarities(self, features: Floats) -> Floats:
        """Return the weights w_k of the sheets for a game: [features] -> [sheets]."""
        distances = (self.features - features) / self.features.std(axis=0)
        weights: Floats = np.exp(-(distances**2).mean(axis=1) / (2 * _WIDTH**2))
        return weights

    def prior(self, name: str, weights: Floats) -> tuple[float, float]:
        """Return wins and losses of a candidate before the first game, with weights of the sheets, [sheets]."""
        games, points = self.games[name], self.points[name]
        mean = float(points.sum() / games.sum())
        effective = weights * _MOST_GAMES / (games + _MOST_GAMES)
        wins = _STRENGTH * mean + float(effective @ points)
        losses = _STRENGTH * (1 - mean) + float(effective @ (games - points))
        share = min(1.0, _MOST_STRENGTH / (wins + losses))
        return share * wins, share * losses


@cache
def scored_sheets() -> ScoredSheets:
    """Return the test games of the package."""
    return ScoredSheets.read(files(__package__).joinpath("scored_sheets.csv").read_text())


def prior_of_score(score: Score) -> tuple[float, float]:
    """Return wins and losses for a score in earlier games of the game itself.

    One win and one loss are added, and both count as at most S games together.

    >>> prior_of_score(Score(wins=3, losses=1)), prior_of_score(Score(wins=158))
    ((4.0, 2.0), (15.9, 0.1))
    """
    wins, losses = score.points + 1, score.games - score.points + 1
    share = min(1.0, _MOST_STRENGTH / (wins + losses))
    return share * wins, share * losses


def prior_of(word: str, features: GameFeatures | None) -> tuple[float, float]:
    """Return wins and losses of a candidate before its first test game.

    >>> prior_of("playout.policy=nst", None)
    (2.0, 2.0)
    """
    name = next((name for name, played in PLAYED.items() if played == word), None)
    if name is None:
        return _FIXED.get(word, PRIOR)
    known = scored_sheets()
    weights = np.zeros(len(known.names)) if features is None else known.similarities(np.array(astuple(features)))
    return known.prior(name, weights)

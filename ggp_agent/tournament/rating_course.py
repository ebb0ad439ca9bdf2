"""How the ratings of a tournament came about: those after each part of what was compared."""

from __future__ import annotations

from .ratings import points, ratings
from .standings import groups_of_results
from .store import Store

# Times at which all players are rated.
_MOST_POINTS = 24


def rating_course(store: Store) -> list[tuple[int, dict[str, float]]]:
    """Return the Elo ratings after so many comparisons, in the order of the schedule: number, and rating by player."""
    groups = list(groups_of_results(store))
    steps = min(len(groups), _MOST_POINTS)
    counts = sorted({len(groups) * (step + 1) // steps for step in range(steps)}) if steps else []
    return [(count, {name: rating.elo for name, rating in ratings(points(groups[:count])).items()}) for count in counts]

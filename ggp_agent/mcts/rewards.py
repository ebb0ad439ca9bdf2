"""Rewards of recorded simulations, as a search would give them: for studies, plots and tests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from .. import _search
from .config import RewardConfig, SearchConfig


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a simulation.

    Attributes:
        goals: one per role, 0..100, or -1 where it is undefined.
        tree_plies: from the root to the edge of the tree.
        playout_plies: from there to the end.
        quality: of the terminal state for the winner, 0..1; NaN where the game gives none.
    """

    goals: tuple[int, ...]
    tree_plies: int
    playout_plies: int
    quality: float = math.nan


def rewards(config: RewardConfig, endings: Sequence[Ending]) -> list[list[float]]:
    """Return the rewards of each simulation, by role, for simulations that come in this order after a move.

    As many simulations are expected as there are endings. The formulas, with their sources, stand in
    `csrc/search/reward.hpp`.

    >>> rewards(RewardConfig(), [Ending((100, 0), 3, 20), Ending((50, 50), 3, 20)])
    [[1.0, -1.0], [0.0, 0.0]]
    """
    rows = [(ending.goals, ending.tree_plies, ending.playout_plies, ending.quality) for ending in endings]
    return _search.map_rewards(SearchConfig(reward=config), rows, 0.0, 1 / max(1, len(rows)))

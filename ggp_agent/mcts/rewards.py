"""Rewards of recorded simulations, computed as in a search: for studies, plots and tests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from .. import _search
from .config import RewardConfig, SearchConfig


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a simulation."""

    goals: tuple[int, ...]  # goal of each role, 0..100, or -1 if it is undefined
    tree_plies: int  # number of plies in the tree
    playout_plies: int  # number of plies of the play-out
    quality: float = math.nan  # quality of the terminal state for the winner, 0..1; NaN if the game does not define one


def rewards(config: RewardConfig, endings: Sequence[Ending]) -> list[list[float]]:
    """Return the rewards of simulations that end in this order after a move: one list per simulation, with its roles.

    The expected number of simulations is the number of endings. `reward.hpp` has the formulas and sources.

    >>> rewards(RewardConfig(), [Ending((100, 0), 3, 20), Ending((50, 50), 3, 20)])
    [[1.0, -1.0], [0.0, 0.0]]
    """
    rows = [(ending.goals, ending.tree_plies, ending.playout_plies, ending.quality) for ending in endings]
    return _search.map_rewards(SearchConfig(reward=config), rows, 0.0, 1 / max(1, len(rows)))

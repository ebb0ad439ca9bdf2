"""The outcome of a game for each player, from the goals: 1 / k if it is one of k players with the highest, else 0."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def outcomes(goals: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return the outcome of each player, 0..1, [games, players]; the outcomes of a game add up to 1.

    >>> outcomes(np.array([[100, 0], [50, 50]])).tolist()
    [[1.0, 0.0], [0.5, 0.5]]
    """
    highest = goals == goals.max(axis=1, keepdims=True)
    shares: npt.NDArray[np.float64] = highest / highest.sum(axis=1, keepdims=True)
    return shares

"""A player of one role in a game with hidden information, whose search can be stopped and whose belief can be shown."""

from __future__ import annotations

import time
from collections.abc import Callable

from ...hidden.hidden_players import KnowingPlayer
from ...hidden.hidden_searcher import HiddenResult
from ...hidden.role_belief import Belief

# The largest part of the time of a search in which an equilibrium of a small game is computed.
_SOLVE_SHARE = 0.8


class ThinkingPlayer(KnowingPlayer):
    """Play one role by its own moves and percepts, or advise the person who plays it."""

    @property
    def belief(self) -> Belief:
        """What the role knows."""
        return self._searcher.belief

    def think(self, seconds: float, stopped: Callable[[], bool]) -> HiddenResult:
        """Search for the next move; compute an equilibrium first if the game is small."""
        until = time.monotonic() + seconds
        self._searcher.solve(_SOLVE_SHARE * seconds, stopped)
        return self._searcher.run(seconds=max(0.0, until - time.monotonic()), stopped=stopped)

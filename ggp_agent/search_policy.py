"""The policy `agent`: Monte-Carlo tree search for as long as the clock allows."""

from __future__ import annotations

import random
import threading
from collections.abc import Sequence

from gdl.machine import State, StateMachine

from .clocks import Deadline
from .policies import Policy
from .protocol import Thoughts
from .search import SearchConfig, Searcher

# A search is run in slices, so that a stop that arrives between two of them is never lost; seconds.
_SLICE = 0.5


class SearchPolicy(Policy):
    """Play the move that the search finds best; the tree is kept from move to move.

    Args:
        seed: of the search and of the moves played before there is anything to search on; random by default.
    """

    species = "agent"
    thinks = True

    def __init__(self, seed: int | None = None) -> None:
        self._random = random.Random(seed)
        self._config = SearchConfig(seed=self._random.getrandbits(63))
        self._role = ""
        self._searcher: Searcher | None = None
        self._stopped = threading.Event()
        self._thinking = False

    def pick(self, legal: Sequence[str]) -> str:
        return self._random.choice(sorted(legal))

    def prepare(self, machine: StateMachine, role: str) -> None:
        searcher = Searcher(machine, self._config)
        searcher.set_root(machine.initial())
        self._role = role
        self._searcher = searcher

    def advance(self, state: State, moves: Sequence[str]) -> None:
        if self._searcher is not None:
            self._searcher.advance(moves)

    def think(self, deadline: Deadline) -> str | None:
        searcher = self._searcher
        if searcher is None:
            return None
        self._stopped.clear()
        self._thinking = True
        try:
            while not deadline.passed() and not self._stopped.is_set():
                searcher.run(seconds=min(_SLICE, deadline.left()))
            return searcher.best_move(self._role)
        finally:
            self._thinking = False

    def stop(self) -> None:
        self._stopped.set()
        if self._searcher is not None and self._thinking:
            self._searcher.stop()

    def thoughts(self) -> Thoughts | None:
        searcher = self._searcher
        if searcher is None or not self._thinking:
            return None
        statistics = searcher.statistics()
        moves = statistics.moves[self._role]
        if not moves:
            return None
        best = max(moves, key=lambda move: move.visits)
        return Thoughts(best.move, best.value, statistics.simulations)

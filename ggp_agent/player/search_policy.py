"""The policy `agent`: Monte-Carlo tree search for as long as the clock allows."""

from __future__ import annotations

import os
import random
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace

from gdl import CompiledMachine, State, StateMachine

from ..hand_coded.sheet_machine import SheetMachine
from ..search.config import SearchConfig
from ..search.searcher import Searcher
from ..search.twin_search import TwinSearcher
from ..wire.clocks import Deadline
from ..wire.messages import Thoughts
from .policy import Policy


class SearchPolicy(Policy):
    """Play the move that the search finds best; the tree is kept from move to move.

    Args:
        seed: of the search and of the moves played before there is anything to search on; random by default.
        config: of the search, all but the seed; where it leaves the threads open, there is one for each core.
    """

    species = "agent"
    thinks = True

    def __init__(self, seed: int | None = None, config: SearchConfig | None = None) -> None:
        self._random = random.Random(seed)
        config = config or SearchConfig()
        threads = config.threads or cores()
        self._config = replace(config, seed=self._random.getrandbits(63), threads=threads)
        self._role = ""
        self._searcher: Searcher | TwinSearcher | None = None
        self._stopped = threading.Event()
        self._running = False
        self._thinking = False
        self._thought: Thoughts | None = None  # what was thought when the thinking ended

    def pick(self, legal: Sequence[str]) -> str:
        return self._random.choice(sorted(legal))

    def prepare(self, machine: StateMachine, role: str) -> None:
        """Take over a compiled machine, or that of a hand-coded game under other names.

        Raises:
            TypeError: the machine is none that the search can run on.
        """
        self._role = role
        if isinstance(machine, SheetMachine):
            self._searcher = TwinSearcher(machine, self._config)
        elif isinstance(machine, CompiledMachine):
            self._searcher = Searcher(machine, self._config)
        else:
            raise TypeError(f"the search needs a compiled machine, not {machine.kind}")

    def advance(self, state: State, moves: Sequence[str]) -> None:
        self._thought = None
        if self._searcher is None:
            return
        try:
            self._searcher.advance(moves)
        except ValueError:
            # The manager made a move that is not legal here; the state it says it led to is what counts.
            self._searcher.set_root(state)

    def think(self, deadline: Deadline) -> str | None:
        searcher = self._searcher
        if searcher is None:
            return None
        self._stopped.clear()
        self._running = self._thinking = True
        try:
            searcher.run(seconds=deadline.left(), settled=self._role, stopped=self._stopped.is_set)
            best = searcher.best_move(self._role)
            self._thought = self._look(searcher)
            return best
        finally:
            self._running = self._thinking = False

    def ponder(self, wanted: Callable[[], bool]) -> None:
        searcher = self._searcher
        if searcher is None:
            return
        self._stopped.clear()
        self._running = True
        try:
            searcher.run(stopped=lambda: wanted() or self._stopped.is_set())
        finally:
            self._running = False

    def stop(self) -> None:
        # The event ends a run that is about to begin, the call one that has begun.
        self._stopped.set()
        if self._searcher is not None and self._running:
            self._searcher.stop()

    def favourite(self) -> str | None:
        return super().favourite() if self._thinking else None

    def thoughts(self) -> Thoughts | None:
        searcher = self._searcher
        return self._look(searcher) if searcher is not None and self._thinking else self._thought

    def _look(self, searcher: Searcher | TwinSearcher) -> Thoughts | None:
        statistics = searcher.statistics()
        if statistics.terminal or statistics.visits == 0:
            return None
        moves = statistics.moves[self._role]
        return Thoughts(moves[0].move, moves[0].value, statistics.simulations) if moves else None


def cores() -> int:
    """Count the cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

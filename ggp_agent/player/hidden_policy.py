"""Search in games with hidden information: a policy whose search knows only the percepts of its role."""

from __future__ import annotations

import logging
import random
import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict

from gdl import CompiledMachine, StateMachine

from ..game.game import Game
from ..hidden.hidden_searcher import HiddenResult, HiddenSearcher
from ..mcts.config import SearchConfig
from ..protocol.clocks import Deadline
from ..protocol.messages import Thoughts
from .policies import Policy

logger = logging.getLogger(__name__)

# The search reports its findings after runs of this length, in seconds.
_RUN_SECONDS = 0.25
# The time to compute it while no move is requested.
_PONDER_SECONDS = 10.0
# The largest part of the time of a turn in which an equilibrium of a small game is computed.
_SOLVE_SHARE = 0.8


class HiddenPolicy(Policy):
    """Search with `HiddenSearcher`; the methods of `RoleBelief` replace `advance`."""

    def __init__(self, seed: int | None = None, config: SearchConfig | None = None) -> None:
        self._config = config or SearchConfig()
        self._random = random.Random(seed)
        self._machine: CompiledMachine
        self._role = ""
        self._searcher: HiddenSearcher | None = None  # None until `restart`
        self._stopped = threading.Event()
        self._thought: Thoughts | None = None
        self._thinking = False

    def prepare(self, machine: StateMachine, role: str) -> None:
        """Use a compiled machine of a game that hides information."""
        assert isinstance(machine, CompiledMachine)
        self._machine, self._role = machine, role
        if without := self._config.keys_without_effect(hides_information=True):
            logger.warning("the game hides information; these keys have no effect: %s", ", ".join(without))

    def restart(self) -> None:
        """Begin with the first turn, and forget all turns so far."""
        game = Game("the game", self._machine.sheet, "")
        seed = self._random.getrandbits(63)
        options = asdict(self._config.hidden)
        self._searcher = HiddenSearcher(game, self._role, seed=seed, machine=self._machine, **options)

    # ---- belief

    @property
    def is_empty(self) -> bool:
        """True if no possible state explains the percepts."""
        return self._of_hidden().belief.is_empty

    def observe(
        self, move: str | None, percepts: Sequence[str], *, terminal: bool, refused: str | None, seconds: float
    ) -> tuple[str, ...]:
        """Process a turn; see `Belief.observe`."""
        self._thought = None
        return self._of_hidden().observe(move, percepts, terminal=terminal, refused=refused, seconds=seconds)

    def moves(self) -> list[tuple[str, float]]:
        """Return the moves of the role that may be legal, each with the probability that it is legal."""
        return self._of_hidden().belief.moves()

    def _of_hidden(self) -> HiddenSearcher:
        assert self._searcher is not None
        return self._searcher

    # ---- search

    def think(self, deadline: Deadline) -> str | None:
        searcher = self._of_hidden()
        self._stopped.clear()
        self._thinking = True
        simulations = 0
        result: HiddenResult | None = None
        try:
            searcher.solve(_SOLVE_SHARE * deadline.left(), self._stopped.is_set)
            while result is None or (not result.exact and deadline.left() > 0 and not self._stopped.is_set()):
                seconds = min(_RUN_SECONDS, deadline.left())
                result = searcher.run(seconds=seconds, stopped=self._stopped.is_set)
                simulations += result.simulations
                self._thought = _thoughts(result, simulations)
            return result.move
        finally:
            self._thinking = False

    def ponder(self, wanted: Callable[[], bool]) -> None:
        searcher = self._of_hidden()
        self._stopped.clear()

        def stopped() -> bool:
            return wanted() or self._stopped.is_set()

        if searcher.belief.moves() and not searcher.solve(_PONDER_SECONDS, stopped):
            searcher.run(stopped=stopped)

    def stop(self) -> None:
        self._stopped.set()
        if self._searcher is not None:
            self._searcher.stop()

    def favourite(self) -> str | None:
        return super().favourite() if self._thinking else None

    def thoughts(self) -> Thoughts | None:
        return self._thought


def _thoughts(result: HiddenResult, simulations: int) -> Thoughts:
    """Return the findings of a run: the move to play, and the expected goal of the strategy."""
    total = sum(each.probability for each in result.strategy)
    value = sum(each.probability * each.value for each in result.strategy) / total if total else 0.0
    return Thoughts(result.move, min(100.0, max(0.0, value)), simulations, simulations)

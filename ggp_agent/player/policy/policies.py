"""How a player chooses among its legal moves: policies search, and a `Pick` chooses without a search."""

from __future__ import annotations

import logging
import random
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import Any, TypeAlias

from gdl import CompiledMachine, MachineState

from ...common.errors import UserError
from ...common.processes import cores
from ...game.game import Game
from ...hidden.hidden_searcher import HiddenResult, HiddenSearcher
from ...hidden.role_belief import Belief
from ...mcts.config import BackupConfig, SearchConfig
from ...mcts.searcher import Searcher
from ...protocol.clocks import Deadline
from ...protocol.messages import Thoughts

logger = logging.getLogger(__name__)


Pick: TypeAlias = Callable[[Sequence[str]], str]


def picker(player: str, seed: int | None) -> Pick:
    """Return the choice among legal moves, at least one, of a kind of player, one of `POLICIES` of `match/messages.py`.

    The player `legal` plays the first legal move in the order of code points. The others draw a move; equal seeds
    choose equal moves.

    >>> picker("legal", None)(["(mark 2 1)", "(mark 1 1)"])
    '(mark 1 1)'
    """
    if player == "legal":
        return min
    draw = random.Random(seed)
    return lambda legal: draw.choice(sorted(legal))  # machines list the moves in different orders


class Policy(ABC):
    """Search for the moves of one role in one match.

    One thread calls `prepare`, `advance`, `think` and `ponder`, in the order of the match. Other threads may call
    `stop`, `favourite`, `thoughts` and `wait` at the same time.
    """

    @abstractmethod
    def prepare(self, machine: CompiledMachine, role: str) -> None:
        """Use a machine, in its initial state, for the search."""

    def advance(self, state: MachineState, moves: Sequence[str]) -> None:  # noqa: B027 - optional
        """Note the joint move that was made and the next state."""

    @abstractmethod
    def think(self, deadline: Deadline) -> str | None:
        """Choose a move by the deadline, or when stopped; return None if no move was found."""

    def ponder(self, wanted: Callable[[], bool]) -> None:  # noqa: B027 - optional
        """Search the current state while no move is requested, until stopped or until `wanted()` is true."""

    def stop(self) -> None:  # noqa: B027 - optional
        """End `think` or `ponder` as soon as possible, if one of them runs."""

    def wait(self, seconds: float) -> bool:
        """Wait before the first turn while this improves the play, at most the given number of seconds.

        Returns:
            Whether more search cannot change the moves of this match.
        """
        return False

    def close(self) -> None:  # noqa: B027 - optional
        """End all work for the match."""

    def favourite(self) -> str | None:
        """Return the best move found so far while `think` runs; None without one."""
        thoughts = self.thoughts()
        return thoughts.move if thoughts is not None else None

    def thoughts(self) -> Thoughts | None:
        """Return the result of the search of the current state, running or ended; None without a search."""
        return None


class SearchPolicy(Policy):
    """Play the best move of the search; the tree is kept from move to move.

    If the game does not have the evaluation of the configuration, the search runs without an evaluation, with a warning
    in the log.
    """

    def __init__(self, seed: int | None = None, config: SearchConfig | None = None) -> None:
        config = config or SearchConfig()
        threads = config.threads or cores()
        self._config = replace(config, seed=random.Random(seed).getrandbits(63), threads=threads)
        self._role = ""
        self._searcher: Searcher | None = None
        self._stopped = threading.Event()
        self._running = False
        self._thinking = False
        self._thought: Thoughts | None = None  # the result of the last `think`

    def prepare(self, machine: CompiledMachine, role: str) -> None:
        self._role = role
        self._make_searcher(machine, self._config)

    def _make_searcher(self, machine: CompiledMachine, config: SearchConfig) -> None:
        plain = config.without_evaluation()
        try:
            self._searcher = searcher_for(machine, config)
        except (UserError, ValueError) as error:
            if plain == config:
                raise
            logger.warning("the search runs without an evaluation: %s", error)
            self._searcher = searcher_for(machine, plain)

    def advance(self, state: MachineState, moves: Sequence[str]) -> None:
        self._thought = None
        if self._searcher is None:
            return
        try:
            self._searcher.advance(moves)
        except ValueError:
            # The manager accepted a move that is not legal on this machine; only the next state matters.
            self._searcher.set_root(state)

    def think(self, deadline: Deadline) -> str | None:
        searcher = self._searcher
        if searcher is None:
            return None
        self._stopped.clear()
        self._running = self._thinking = True
        try:
            settled = self._role if self._config.settle else None  # a clock does not refund
            searcher.run(seconds=deadline.left(), settled=settled, stopped=self._stopped.is_set)
            best = searcher.best_move(self._role)
            self._thought = self._summary(searcher, ended_early=deadline.left() > 0 and not self._stopped.is_set())
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
        # The event stops a run that is about to start, the call stops a running one.
        self._stopped.set()
        if self._searcher is not None and self._running:
            self._searcher.stop()

    def favourite(self) -> str | None:
        return super().favourite() if self._thinking else None

    def thoughts(self) -> Thoughts | None:
        searcher = self._searcher
        return self._summary(searcher) if searcher is not None and self._thinking else self._thought

    def best_line(self, seconds: float) -> tuple[int, tuple[str, ...]] | None:
        """Return the goal and the moves of the best line found, in a game of one role; None without one.

        The line leads from the current state to the end of the game, and is computed within a time in seconds. Only the
        thread of `think` may call this, outside `think` and `ponder`.
        """
        searcher = self._searcher
        if searcher is None:
            return None
        return searcher.best_line(seconds / (self._config.threads or 1))

    def _summary(self, searcher: Searcher, *, ended_early: bool = False) -> Thoughts | None:
        statistics = searcher.statistics()
        if statistics.terminal or statistics.visits == 0:
            return None
        moves = statistics.moves[self._role]
        if not moves:
            return None
        low, high = statistics.bounds[self._role]
        value = float(low) if low == high else moves[0].value
        why = ""
        if ended_early:
            why = "no other move can get as many visits"
            if low == high:
                why = "the goal is proven"
            if len(moves) == 1:
                why = "there is one move"
        made = statistics.simulations, statistics.visits, statistics.max_depth
        return Thoughts(moves[0].move, value, *made, (low, high), why)


# Without opponents, a node with at least this number of visits gets the value of its best move instead of the mean.
ONE_ROLE_MAXIMUM = BackupConfig(maximum_from=50)


def searcher_for(machine: CompiledMachine, config: SearchConfig) -> Searcher:
    """Return a searcher for a player; games of one role use maximum backpropagation by default."""
    if len(machine.roles) == 1 and config.backup == BackupConfig():
        config = replace(config, backup=ONE_ROLE_MAXIMUM)
    return Searcher(machine, config)


# The search reports its findings after runs of this length, in seconds.
_RUN_SECONDS = 0.25
# The time to compute it while no move is requested.
_PONDER_SECONDS = 10.0
# The largest part of the time of a turn in which an equilibrium of a small game is computed.
_SOLVE_SHARE = 0.8


class HiddenPolicy(Policy):
    """Search with `HiddenSearcher`; `observe` replaces `advance`."""

    def __init__(self, seed: int | None = None, config: SearchConfig | None = None) -> None:
        self._config = config or SearchConfig()
        self._random = random.Random(seed)
        self._machine: CompiledMachine
        self._role = ""
        self._searcher: HiddenSearcher | None = None  # None until `restart`
        self._stopped = threading.Event()
        self._thought: Thoughts | None = None
        self._thinking = False

    def prepare(self, machine: CompiledMachine, role: str) -> None:
        self._machine, self._role = machine, role
        if without := self._config.keys_without_effect(hides_information=True):
            logger.warning("the game hides information; these keys have no effect: %s", ", ".join(without))

    def restart(self) -> Belief:
        """Begin with the first turn, and forget all turns so far; return the belief of the search."""
        game = Game("the game", self._machine.sheet, "")
        seed = self._random.getrandbits(63)
        options = asdict(self._config.hidden)
        self._searcher = HiddenSearcher(game, self._role, seed=seed, machine=self._machine, **options)
        return self._searcher.belief

    def observe(self, *seen: Any, **known: Any) -> tuple[str, ...]:
        """Process a turn; see `Belief.observe`."""
        assert self._searcher is not None
        self._thought = None
        return self._searcher.observe(*seen, **known)

    def think(self, deadline: Deadline) -> str | None:
        searcher = self._searcher
        assert searcher is not None
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
        searcher = self._searcher
        assert searcher is not None
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

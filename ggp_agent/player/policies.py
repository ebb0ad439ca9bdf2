"""Policies: how a player chooses among its legal moves; `agent` searches, `random` and `legal` do not."""

from __future__ import annotations

import logging
import random
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace

from gdl import CompiledMachine, MachineState, StateMachine

from ..common.errors import UserError
from ..common.processes import cores
from ..mcts.config import BackupConfig, SearchConfig
from ..mcts.searcher import Searcher
from ..protocol.clocks import Deadline
from ..protocol.messages import Thoughts

logger = logging.getLogger(__name__)


class Policy(ABC):
    """Choose the moves of one role in one match.

    One thread calls `prepare`, `advance`, `think` and `ponder`, in the order of the match. Other threads may call
    `pick`, `stop`, `favourite`, `thoughts` and `wait` at the same time.

    Attributes:
        species: the kind of player in the answer to INFO.
        thinks: whether `think` searches; otherwise `pick` chooses the moves.
    """

    species: str
    thinks: bool = False

    @abstractmethod
    def pick(self, legal: Sequence[str]) -> str:
        """Choose one of the legal moves, at least one, without a search."""

    def prepare(self, machine: StateMachine, role: str) -> None:  # noqa: B027 - optional
        """Use a machine, in its initial state, for the search."""

    def advance(self, state: MachineState, moves: Sequence[str]) -> None:  # noqa: B027 - optional
        """Note the joint move that was made and the next state."""

    def think(self, deadline: Deadline) -> str | None:
        """Choose a move by the deadline, or when stopped; return None if no move was found."""
        return None

    def ponder(self, wanted: Callable[[], bool]) -> None:  # noqa: B027 - optional
        """Search the current state while no move is requested, until stopped or until `wanted()` is true."""

    def stop(self) -> None:  # noqa: B027 - optional
        """End `think` or `ponder` as soon as possible, if one of them runs."""

    @property
    def is_done(self) -> bool:
        """Whether more search cannot change the moves of this match."""
        return False

    def wait(self, seconds: float) -> None:  # noqa: B027 - optional
        """Wait before the first turn while this improves the play, at most the given number of seconds."""

    def close(self) -> None:  # noqa: B027 - optional
        """End all work for the match."""

    def favourite(self) -> str | None:
        """Return the best move found so far while `think` runs; None without one."""
        thoughts = self.thoughts()
        return thoughts.move if thoughts is not None else None

    def thoughts(self) -> Thoughts | None:
        """Return the result of the search of the current state, running or ended; None without a search."""
        return None

    def best_line(self, seconds: float) -> tuple[int, tuple[str, ...]] | None:
        """Return the goal and the moves of the best line found, in a game of one role; None without one.

        The line leads from the current state to the end of the game. Only the thread of `think` may call this, outside
        `think` and `ponder`.

        Args:
            seconds: the time limit; a line that takes longer is not returned.
        """
        return None


class LegalPolicy(Policy):
    """Play the first legal move in the order of code points."""

    species = "legal"

    def pick(self, legal: Sequence[str]) -> str:
        return min(legal)


class RandomPolicy(Policy):
    """Play a uniformly random legal move; equal seeds choose equal moves."""

    species = "random"

    def __init__(self, seed: int | None = None) -> None:
        self._random = random.Random(seed)

    def pick(self, legal: Sequence[str]) -> str:
        # Sorted, because machines list the moves in different orders.
        return self._random.choice(sorted(legal))


class SearchPolicy(Policy):
    """Play the best move of the search; the tree is kept from move to move.

    If the game does not have the evaluation of the configuration, the search runs without an evaluation, with a warning
    in the log.
    """

    species = "agent"
    thinks = True

    def __init__(self, seed: int | None = None, config: SearchConfig | None = None) -> None:
        self._random = random.Random(seed)
        config = config or SearchConfig()
        threads = config.threads or cores()
        self._config = replace(config, seed=self._random.getrandbits(63), threads=threads)
        self._role = ""
        self._searcher: Searcher | None = None
        self._stopped = threading.Event()
        self._running = False
        self._thinking = False
        self._thought: Thoughts | None = None  # the result of the last `think`

    def pick(self, legal: Sequence[str]) -> str:
        return self._random.choice(sorted(legal))

    def prepare(self, machine: StateMachine, role: str) -> None:
        """Start to search on a compiled machine."""
        self._role = role
        plain = self._config.without_evaluation()
        try:
            self._searcher = searcher_for(machine, self._config)
        except (UserError, ValueError) as error:
            if plain == self._config:
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
            searcher.run(seconds=deadline.left(), settled=self._role, stopped=self._stopped.is_set)
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


def searcher_for(machine: StateMachine, config: SearchConfig) -> Searcher:
    """Return a searcher for a player; games of one role use maximum backpropagation by default."""
    if len(machine.roles) == 1 and config.backup == BackupConfig():
        config = replace(config, backup=ONE_ROLE_MAXIMUM)
    if isinstance(machine, CompiledMachine):
        return Searcher(machine, config)
    raise TypeError(f"the search needs a compiled machine, not {machine.kind}")


def make_policy(name: str, seed: int | None = None, config: SearchConfig | None = None) -> Policy:
    """Make the policy of one match by its name, one of `POLICIES` of `match_messages`.

    >>> make_policy("legal").pick(["(mark 2 1)", "(mark 1 1)"])
    '(mark 1 1)'
    """
    if name == "legal":
        return LegalPolicy()
    if name == "random":
        return RandomPolicy(seed)
    if name == "agent":
        return SearchPolicy(seed, config)
    raise ValueError(f"no policy is called {name!r}")

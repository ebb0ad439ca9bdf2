"""How a player chooses among its legal moves: `agent` searches, `random` and `legal` do not."""

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

    `pick` is called from any thread. The methods of thinking (`prepare`, `advance`, `think`) are called from one
    thread, in the order of the match; `stop`, `favourite` and `thoughts` from others meanwhile.

    Attributes:
        species: what the answer to INFO calls this kind of player.
        thinks: whether `think` is worth waiting for; if not, `pick` is the choice.
    """

    species: str
    thinks: bool = False

    @abstractmethod
    def pick(self, legal: Sequence[str]) -> str:
        """Choose from the legal moves at once; `legal` holds at least one."""

    def prepare(self, machine: StateMachine, role: str) -> None:  # noqa: B027 - optional
        """Take over the machine on which to think, in its initial state."""

    def advance(self, state: MachineState, moves: Sequence[str]) -> None:  # noqa: B027 - optional
        """Learn the joint move that was made, and the state it led to."""

    def think(self, deadline: Deadline) -> str | None:
        """Choose by the deadline, or earlier when stopped; None when nothing was found."""
        return None

    def ponder(self, wanted: Callable[[], bool]) -> None:  # noqa: B027 - optional
        """Think about the present state while no move is asked for, until stopped or `wanted()` elsewhere."""

    def stop(self) -> None:  # noqa: B027 - optional
        """End `think` or `ponder` as soon as possible; without effect while nothing is thought."""

    @property
    def is_done(self) -> bool:
        """Whether there is nothing left to think about in this match."""
        return False

    def wait(self, seconds: float) -> None:  # noqa: B027 - optional
        """Wait before the first turn, for so long at most, as long as it is worth it; called from another thread."""

    def close(self) -> None:  # noqa: B027 - optional
        """End all work for the match."""

    def favourite(self) -> str | None:
        """Return the best move found so far, while `think` still runs."""
        thoughts = self.thoughts()
        return thoughts.move if thoughts is not None else None

    def thoughts(self) -> Thoughts | None:
        """Tell what is thought of the present state, or was when `think` ended; None when nothing is."""
        return None

    def best_line(self, seconds: float) -> tuple[int, tuple[str, ...]] | None:
        """Tell goal and moves, to the end of a game of one role, of the best line that thinking has come upon.

        From the thread that thinks, not while it does; None where no line is known, or telling it would take longer.
        """
        return None


class LegalPolicy(Policy):
    """Play the first legal move in the order of the code points."""

    species = "legal"

    def pick(self, legal: Sequence[str]) -> str:
        return min(legal)


class RandomPolicy(Policy):
    """Play a uniformly random legal move; equal seeds play equal matches."""

    species = "random"

    def __init__(self, seed: int | None = None) -> None:
        self._random = random.Random(seed)

    def pick(self, legal: Sequence[str]) -> str:
        # Sorted, so that the choice does not depend on the machine that listed the moves.
        return self._random.choice(sorted(legal))


class SearchPolicy(Policy):
    """Play the move that the search finds best; the tree is kept from move to move.

    Args:
        seed: of the search and of the moves played before there is anything to search on; random by default.
        config: of the search, all but the seed; where it leaves the threads open, there is one for each core. In games
            that do not have its evaluation the search goes without, and the log says so.
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
        self._thought: Thoughts | None = None  # what was thought when the thinking ended

    def pick(self, legal: Sequence[str]) -> str:
        return self._random.choice(sorted(legal))

    def prepare(self, machine: StateMachine, role: str) -> None:
        """Start to search on a compiled machine.

        Raises:
            TypeError: the machine is none that the search can run on.
        """
        self._role = role
        plain = self._config.without_evaluation()
        try:
            self._searcher = searcher_for(machine, self._config)
        except (UserError, ValueError) as error:
            if plain == self._config:
                raise
            logger.warning("the search goes without an evaluation: %s", error)
            self._searcher = searcher_for(machine, plain)

    def advance(self, state: MachineState, moves: Sequence[str]) -> None:
        self._thought = None
        if self._searcher is None:
            return
        try:
            self._searcher.advance(moves)
        except ValueError:
            # The manager made a move that is not legal here; what counts is the state after it.
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
            self._thought = self._look(searcher, ended_early=deadline.left() > 0 and not self._stopped.is_set())
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

    def best_line(self, seconds: float) -> tuple[int, tuple[str, ...]] | None:
        searcher = self._searcher
        if searcher is None:
            return None
        return searcher.best_line(seconds / (self._config.threads or 1))

    def _look(self, searcher: Searcher, *, ended_early: bool = False) -> Thoughts | None:
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


# Visits from which the best move of a node counts rather than the mean, where nobody plays against it.
ONE_ROLE_MAXIMUM = BackupConfig(maximum_from=50)


def searcher_for(machine: StateMachine, config: SearchConfig) -> Searcher:
    """Return the search of a player: the configuration's, with maximum backpropagation in games of one role.

    Raises:
        TypeError: the machine cannot be searched.
    """
    if len(machine.roles) == 1 and config.backup == BackupConfig():
        config = replace(config, backup=ONE_ROLE_MAXIMUM)
    if isinstance(machine, CompiledMachine):
        return Searcher(machine, config)
    raise TypeError(f"the search needs a compiled machine, not {machine.kind}")


def make_policy(name: str, seed: int | None = None, config: SearchConfig | None = None) -> Policy:
    """Make the policy of one match by its name, one of `POLICIES` of `match_messages`.

    Args:
        name: of the policy.
        seed: of its random choices, random by default.
        config: how `agent` searches, all but the seed; the others have no use for it.

    >>> make_policy("legal").pick(["(mark 2 1)", "(mark 1 1)"])
    '(mark 1 1)'

    Raises:
        ValueError: no policy has this name.
    """
    if name == "legal":
        return LegalPolicy()
    if name == "random":
        return RandomPolicy(seed)
    if name == "agent":
        return SearchPolicy(seed, config)
    raise ValueError(f"no policy is called {name!r}")

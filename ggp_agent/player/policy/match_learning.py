"""Learn the game of a match: a network that is trained while the search does not need the processor.

The network of an earlier match or of `ggp-agent learn` is continued. Self-play begins in the position of the match in
three quarters of its games. The network is stored at the end, unless a network with more training is stored.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from gdl import CompiledMachine, NetworkMachine

from ...common.errors import UserError, one_line
from ...evaluation.learned_network import LearnedNetwork, LearnedStore, add_learned
from ...game.roles import roles_to_play
from ...learning.learner import Learner
from ...learning.options import LearningOptions
from ...mcts.config import SearchConfig

logger = logging.getLogger(__name__)

# The part of the games of self-play that begins in the position of the match.
_FROM_MATCH = 0.75
# The part of the start clock for the first random play-outs, the part for symmetries, which larger games do not get,
# and the part of the memory limit for positions.
_FACTS_SHARE, _SYMMETRY_SHARE, _MEMORY_SHARE = 0.05, 0.1, 1 / 8
_MAX_SYMMETRIC = 3_000  # fluents and moves
# The training is planned for the start clock and this number of turns of the opponents.
_PLANNED_TURNS = 25
# The network is used again after this growth of its training.
_PUBLISHED_GROWTH = 1.05


class MatchLearning:
    """The training of a network during a match; one thread at a time calls `work` and `publish`.

    The machine gets the network. The times are those until the first turn, and of a turn. The constructor raises
    UserError if nothing can be learned about the game.
    """

    def __init__(
        self, machine: NetworkMachine, config: SearchConfig, seconds: float, turn_seconds: float, store: LearnedStore
    ) -> None:
        threads = config.threads or 1
        size = len(machine.fluent_names) + sum(len(machine.move_names(role)) for role in range(len(machine.roles)))
        options = LearningOptions(
            minutes=(seconds + _PLANNED_TURNS * turn_seconds) / 60,
            threads=threads,
            window_mb=_MEMORY_SHARE * config.memory_mb,
            facts_seconds=_FACTS_SHARE * seconds,
            symmetry_seconds=_SYMMETRY_SHARE * seconds if size <= _MAX_SYMMETRIC else 0,
            seed=config.seed % 10**6,
        )
        self._machine = machine
        self._store = store
        known = store.read(machine)
        self._learner = Learner(machine.another(), options, start=known)
        self._network: LearnedNetwork | None = None  # the network that the machine has

    @property
    def cpu_seconds(self) -> float:
        """The processor time of the training so far."""
        return self._learner.counts.cpu_seconds

    def __str__(self) -> str:
        """Return the training in a few words."""
        counts = self._learner.counts
        return f"a network of {counts.cpu_seconds:.0f} CPU-seconds and {counts.games:,} games of self-play"

    def work(self, stopped: Callable[[], bool], state: bytes | None = None) -> None:
        """Learn until `stopped()` becomes true; new games begin in a state of the match or in the initial state."""
        if state is not None:
            self._learner.set_start(state, _FROM_MATCH)
        self._learner.work(stopped)

    def publish(self) -> bool:
        """Give the network to the machine if its training has grown; return whether it has."""
        if self._network is not None and self.cpu_seconds < _PUBLISHED_GROWTH * self._network.training.cpu_seconds:
            return False
        self._network = self._learner.network()
        add_learned(self._machine, self._network)
        return True

    def keep(self) -> None:
        """Store the network of the machine for later matches, unless a network with more training is stored.

        Another thread may call `work` at the same time.
        """
        network, known = self._network, self._store.read(self._machine)
        if network is not None and (known is None or known.training.cpu_seconds < network.training.cpu_seconds):
            try:
                self._store.write(self._machine, network)
            except UserError as error:
                logger.info("%s", error)


def learning_for(
    machine: CompiledMachine, config: SearchConfig, seconds: float, turn_seconds: float, store: LearnedStore
) -> MatchLearning | None:
    """Return the learning of a match; None, with a line in the log, if the game cannot be learned."""
    if not isinstance(machine, NetworkMachine) or len(roles_to_play(machine.roles)) < 2:
        return None
    try:
        return MatchLearning(machine, config, seconds, turn_seconds, store)
    except UserError as error:
        logger.info("this game is not learned: %s", error)
    except Exception as error:  # the match continues without learning
        logger.warning("this game is not learned: %s", one_line(error))
    return None

"""The evaluation for the candidates that use one: the stored one, or a new one computed before the test games."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from gdl import CompiledMachine, NetworkMachine

from ..game.roles import roles_to_play
from ..mcts.found_evaluation import FOUND, EvaluationStore, Found
from ..mcts.learned_store import LearnedStore, add_learned
from .preparer import LEAST_SECONDS

logger = logging.getLogger(__name__)

# The part of the time of a preparation for finding an evaluation, and the number of seconds that suffice.
SHARE = 0.3
MOST_SECONDS = 30.0
# A stored evaluation is replaced if it was found in less than this part of the time that is available now.
_REPLACED_BELOW = 0.5


def give_evaluation(
    machine: CompiledMachine,
    store: EvaluationStore,
    *,
    seconds: float,
    by_processor: bool = False,
    seed: int = 1,
    stopped: Callable[[], bool] = lambda: False,
) -> Found | None:
    """Add the evaluation of its game to a machine; find and store it if there is none, or if it had little time.

    The network that was learned for the game is added, too, if there is one.
    """
    if isinstance(machine, NetworkMachine) and (network := LearnedStore().read(machine)) is not None:
        add_learned(machine, network)
    if not isinstance(machine, NetworkMachine) or len(roles_to_play(machine.roles)) < 2:
        return None
    budget = min(MOST_SECONDS, SHARE * seconds)
    until = time.monotonic() + budget
    found = store.read(machine)
    if (1 - SHARE) * seconds < LEAST_SECONDS:
        if found is None:
            logger.info("no evaluation: %.1f s are too short for an evaluation and test games", seconds)
            return None
    elif found is None or found.cpu_seconds < _REPLACED_BELOW * budget:
        from .evaluation.finder import find_evaluation  # imports SciPy, which takes half a second

        found = find_evaluation(
            machine,
            cpu_seconds=budget,
            seed=seed,
            stopped=lambda: stopped() or (not by_processor and time.monotonic() > until),
        )
        if not stopped():
            store.write(machine, found)
        logger.info("evaluation after %.1f s: %s", budget, found)
    if not found.obstacle:
        machine.add_evaluation(FOUND, found.weights)
    return found

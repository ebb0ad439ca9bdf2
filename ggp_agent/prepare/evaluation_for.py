"""An evaluation for the candidates that use one: what is known of the game, or is found before the trials."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from gdl import CompiledMachine, NetworkMachine

from ..game.roles import roles_to_play
from ..mcts.found_evaluation import FOUND, EvaluationStore, Found
from .evaluation.finder import find_evaluation
from .preparer import LEAST_SECONDS

logger = logging.getLogger(__name__)

# The part of the time for a choice that may go into finding an evaluation, and seconds that suffice.
SHARE = 0.3
MOST_SECONDS = 30.0
# What was found in less than this part of the time that there is now is looked for again.
_AGAIN = 0.5


def give_evaluation(
    machine: CompiledMachine,
    store: EvaluationStore,
    *,
    seconds: float,
    by_processor: bool = False,
    seed: int = 1,
    stopped: Callable[[], bool] = lambda: False,
) -> Found | None:
    """Give a machine the evaluation of its game, finding and keeping it where there is none or there was little time.

    Args:
        machine: of the game.
        store: of evaluations.
        seconds: that a choice among candidates may take, of which this takes a part.
        by_processor: whether these are processor time rather than those of the clock on the wall.
        seed: of play-outs and games.
        stopped: asked often; true ends it with what there is.

    Returns:
        What was found, or why nothing; None for games that have no use for it, and where there is no time.
    """
    if not isinstance(machine, NetworkMachine) or len(roles_to_play(machine.roles)) < 2:
        return None
    budget = min(MOST_SECONDS, SHARE * seconds)
    until = time.monotonic() + budget
    found = store.read(machine)
    if (1 - SHARE) * seconds < LEAST_SECONDS:
        if found is None:
            logger.info("looks for no evaluation: %.1f s are too short for that and for trials", seconds)
            return None
    elif found is None or found.cpu_seconds < _AGAIN * budget:
        found = find_evaluation(
            machine,
            cpu_seconds=budget,
            seed=seed,
            stopped=lambda: stopped() or (not by_processor and time.monotonic() > until),
        )
        if not stopped():
            store.write(machine, found)
        logger.info("looked for an evaluation in %.1f s: %s", budget, found)
    if not found.obstacle:
        machine.add_evaluation(FOUND, found.weights)
    return found

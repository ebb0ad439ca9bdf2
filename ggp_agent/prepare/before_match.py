"""Preparation before a match: the evaluation and the configuration of a game, with or without test games."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gdl import CompiledMachine, NetworkMachine

from ..evaluation import FOUND
from ..evaluation.found_evaluation import EvaluationStore, Found
from ..evaluation.learned_network import LearnedStore, add_learned
from ..game.roles import roles_to_play
from ..mcts.config import SearchConfig
from .candidates import for_play, is_open, lacks_evaluation
from .choice import Choice, ChoiceStore
from .preparer import LEAST_SECONDS, Preparer

logger = logging.getLogger(__name__)

# The part of the time of a preparation for finding an evaluation, and the number of seconds that suffice.
_EVALUATION_SHARE = 0.3
_EVALUATION_SECONDS = 30.0
# A stored evaluation is replaced if it was found in less than this part of the time that is available now.
_REPLACED_BELOW = 0.5
# The time limit of a preparation without test games; the prediction takes at most 15 % of it.
_PREDICTION_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class PreparedGame:
    """The result of preparing one game."""

    choice: Choice  # the chosen configuration
    # The evaluation of the game, or a message if the game has none; None without a search for one.
    evaluation: Found | None
    kept: bool  # whether the choice was stored; otherwise an earlier choice stays

    def document(self, game: str) -> dict[str, Any]:
        """Return the result for a game of this name as JSON types."""
        evaluation = None if self.evaluation is None else str(self.evaluation)
        return {**choice_document(game, self.choice), "evaluation": evaluation}


def choice_document(game: str, choice: Choice) -> dict[str, Any]:
    """Return the choice for a game of this name as JSON types."""
    return {"game": game, "chosen": choice.word, "reason": str(choice), **choice.to_json()}


def prepare_beforehand(machine: CompiledMachine, *, seconds: float, jobs: int, seed: int) -> PreparedGame:
    """Choose and store the configuration of a game."""
    interrupted: list[bool] = []
    began = time.thread_time()
    try:
        evaluation = give_evaluation(machine, EvaluationStore(), seconds=seconds, by_processor=True, seed=seed)
        choice = Preparer(
            machine,
            SearchConfig(),
            seconds=seconds - (time.thread_time() - began),
            jobs=jobs,
            by_processor=True,
            seed=seed,
            stopped=lambda: bool(interrupted),
        ).choose()
    except KeyboardInterrupt:
        interrupted.append(True)
        raise
    return PreparedGame(choice, evaluation, ChoiceStore().keep_run(machine, choice, seconds))


def as_chosen(machine: CompiledMachine, config: SearchConfig, store: ChoiceStore | None = None) -> SearchConfig:
    """Return the configuration for a game, if a configuration is open to preparation.

    It is the stored choice, or else the one that similar games predict, which is stored.
    """
    if not is_open(config):
        return config
    store = store or ChoiceStore()
    known = store.read(machine) or predicted(machine, config, store, seconds=_PREDICTION_SECONDS)
    if lacks_evaluation(machine, chosen := for_play(known.word, config)):
        return config
    return chosen


def predicted(
    machine: CompiledMachine,
    config: SearchConfig,
    store: ChoiceStore,
    *,
    seconds: float,
    stopped: Callable[[], bool] = lambda: False,
) -> Choice:
    """Return the choice from similar games alone, and store it."""
    choice = Preparer(machine, config, seconds=seconds, seed=config.seed % 2**32, stopped=stopped).predict()
    store.keep(machine, choice)
    return choice


def give_evaluation(
    machine: CompiledMachine,
    store: EvaluationStore,
    *,
    seconds: float,
    by_processor: bool = False,
    seed: int = 1,
    stopped: Callable[[], bool] = lambda: False,
) -> Found | None:
    """Add the evaluation of a game to its machine; find a new one if the stored one is missing or had little time.

    The network that was learned for the game is added, too, if there is one.
    """
    if isinstance(machine, NetworkMachine) and (network := LearnedStore().read(machine)) is not None:
        add_learned(machine, network)
    if not isinstance(machine, NetworkMachine) or len(roles_to_play(machine.roles)) < 2:
        return None
    budget = min(_EVALUATION_SECONDS, _EVALUATION_SHARE * seconds)
    until = time.monotonic() + budget
    found = store.read(machine)
    if (1 - _EVALUATION_SHARE) * seconds < LEAST_SECONDS:
        if found is None:
            logger.info("no evaluation: %.1f s are too short for an evaluation and test games", seconds)
            return None
    elif found is None or found.cpu_seconds < _REPLACED_BELOW * budget:
        from .evaluation_finder import find_evaluation  # imports SciPy, which takes half a second

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

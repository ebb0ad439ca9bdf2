"""Prepare one game beforehand: find an evaluation, choose a configuration by test games, and store both."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from gdl import CompiledMachine

from ..mcts.config import SearchConfig
from ..mcts.found_evaluation import EvaluationStore, Found
from .evaluation_for import give_evaluation
from .preparation import Preparation
from .preparation_store import PreparationStore
from .preparer import Preparer


@dataclass(frozen=True, slots=True)
class Prepared:
    """The result of preparing one game."""

    choice: Preparation  # the chosen configuration
    # The evaluation of the game, or a message if the game has none; None without a search for one.
    evaluation: Found | None
    kept: bool  # whether the choice was stored; otherwise an earlier choice stays

    def document(self, game: str) -> dict[str, Any]:
        """Return the result for a game of this name as JSON types."""
        evaluation = None if self.evaluation is None else str(self.evaluation)
        return {**choice_document(game, self.choice), "evaluation": evaluation}


def choice_document(game: str, choice: Preparation) -> dict[str, Any]:
    """Return the choice for a game of this name as JSON types."""
    return {"game": game, "chosen": choice.word, "reason": str(choice), **choice.to_json()}


def prepare_beforehand(machine: CompiledMachine, *, seconds: float, jobs: int, seed: int) -> Prepared:
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
    return Prepared(choice, evaluation, PreparationStore().keep_run(machine, choice, seconds))

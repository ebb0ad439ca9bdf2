"""The configuration of a game for players that have no time for test games: stored, or predicted from similar games."""

from __future__ import annotations

from collections.abc import Callable

from gdl import CompiledMachine

from ..mcts.config import SearchConfig
from .candidates import for_play, lacks_evaluation
from .open_configuration import is_open
from .preparation import Preparation
from .preparation_store import PreparationStore
from .preparer import Preparer

# The time limit of preparation; the prediction takes at most 15 % of it.
_SECONDS = 2.0


def as_chosen(machine: CompiledMachine, config: SearchConfig, store: PreparationStore | None = None) -> SearchConfig:
    """Return the configuration for a game, if a configuration is open to preparation.

    It is the stored choice, or else the one that similar games predict, which is stored.
    """
    if not is_open(config):
        return config
    store = store or PreparationStore()
    known = store.read(machine) or predicted(machine, config, store, seconds=_SECONDS)
    if lacks_evaluation(machine, chosen := for_play(known.word, config)):
        return config
    return chosen


def predicted(
    machine: CompiledMachine,
    config: SearchConfig,
    store: PreparationStore,
    *,
    seconds: float,
    stopped: Callable[[], bool] = lambda: False,
) -> Preparation:
    """Return the choice from similar games alone, and store it."""
    choice = Preparer(machine, config, seconds=seconds, seed=config.seed % 2**32, stopped=stopped).predict()
    store.keep(machine, choice)
    return choice

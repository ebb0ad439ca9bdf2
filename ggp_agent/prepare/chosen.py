"""The configuration of a game for players that have no time for test games: stored, or predicted from similar games."""

from __future__ import annotations

from gdl import CompiledMachine

from ..mcts.config import SearchConfig
from .candidates import for_play, lacks_evaluation
from .open_configuration import is_open
from .preparation_store import PreparationStore
from .preparer import Preparer

# The seconds that the prediction may take as a part of (preparer.py).
_SECONDS = 2.0


def as_chosen(machine: CompiledMachine, config: SearchConfig, store: PreparationStore | None = None) -> SearchConfig:
    """Return the configuration for a game, if a configuration is open to preparation.

    It is the stored choice, or else the one that similar games predict, which is stored.

    Args:
        machine: the machine of the game.
        config: the given configuration; returned unchanged unless it is open.
        store: the stored results; None for those in the cache of the user.
    """
    if not is_open(config):
        return config
    store = store or PreparationStore()
    known = store.read(machine)
    if known is None:
        known = Preparer(machine, config, seconds=_SECONDS).predict()
        store.keep(machine, known)
    if lacks_evaluation(machine, chosen := for_play(known.word, config)):
        return config
    return chosen

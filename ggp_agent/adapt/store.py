"""Choices on disk, beside the compiled games: by the structure of a game, its machine, the kernel and the candidates.

What is kept stands for every copy of the game under other names. What cannot be read is chosen anew.
"""

from __future__ import annotations

import json
import logging

from gdl import CompiledMachine
from gdl.compile.cache import Cache, default_cache
from gdl.compile.structure import structure_of

from ..games import safe_name
from ..hand_coded import ModuleMachine
from ..search.config import SearchConfig
from ..search.found_evaluation import FOUND
from .candidates import VERSION, for_play, is_open
from .choice import Choice
from .tuned import tuned

logger = logging.getLogger(__name__)


class ChoiceStore:
    """The choices of this user.

    Args:
        cache: where they are kept; that of the user by default.
    """

    def __init__(self, cache: Cache | None = None) -> None:
        self._cache = cache or default_cache()

    def read(self, machine: CompiledMachine) -> Choice | None:
        """Return what was chosen for a game, on this kind of machine and kernel.

        Where nothing was, that is what the program comes with (`tuned.py`), and None for most games.
        """
        content = self._cache.read_beside(_name(machine))
        if content is None:
            return tuned(machine)
        try:
            return Choice.from_json(json.loads(content))
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            logger.debug("what is kept as the choice is none: %s", error)
            return tuned(machine)

    def write(self, machine: CompiledMachine, choice: Choice) -> None:
        """Keep a choice in place of what was there."""
        self._cache.write_beside(_name(machine), json.dumps(choice.to_json()).encode())


def as_chosen(machine: CompiledMachine, config: SearchConfig, store: ChoiceStore | None = None) -> SearchConfig:
    """Return how to search a game as was chosen for it, where a configuration leaves that open.

    Args:
        machine: of the game.
        config: what says more than seed, threads and memory stays as it is.
        store: of choices; that of the user by default.
    """
    if not is_open(config):
        return config
    known = (store or ChoiceStore()).read(machine)
    if known is None or lacks_evaluation(machine, chosen := for_play(known.word, config)):
        return config
    return chosen


def lacks_evaluation(machine: CompiledMachine, config: SearchConfig) -> bool:
    """Tell whether a configuration asks for an evaluation that was not found, or not given to the machine."""
    return config.evaluation.name == FOUND and FOUND not in machine.evaluations


def _name(machine: CompiledMachine) -> str:
    if isinstance(machine, ModuleMachine):
        key = safe_name(f"fast_{machine.module.name}")
    else:
        key = structure_of(machine.sheet).key
    return f"{key}-{machine.kind.replace(' ', '_')}-{machine.simulator(64).isa}-choice{VERSION}"

"""Choices on disk, beside the compiled games: by the structure of a game, its machine, the kernel and the candidates.

What is kept stands for every copy of the game under other names. What cannot be read is chosen anew.
"""

from __future__ import annotations

import json
import logging

from gdl import CompiledMachine
from gdl.compile.cache import Cache, default_cache
from gdl.compile.structure import structure_of
from gdl.json_text import parse_json

from ..game.load import safe_name
from ..game.native.native_machine import NativeMachine
from ..mcts.config import SearchConfig
from .candidates import VERSION, for_play, is_open, lacks_evaluation
from .preparation import CandidateResult, Preparation
from .tuned import TUNED, TUNED_MS

logger = logging.getLogger(__name__)


class PreparationStore:
    """The choices of this user.

    Args:
        cache: where they are kept; that of the user by default.
    """

    def __init__(self, cache: Cache | None = None) -> None:
        self._cache = cache or default_cache()

    def read(self, machine: CompiledMachine) -> Preparation | None:
        """Return what was chosen for a game, on this kind of machine and kernel.

        Where nothing was, that is what the program comes with (`tuned()`), and None for most games.
        """
        return self._kept(machine) or tuned(machine)

    def _kept(self, machine: CompiledMachine) -> Preparation | None:
        content = self._cache.read_beside(_name(machine))
        if content is None:
            return None
        try:
            return Preparation.from_json(parse_json(content))
        except (ValueError, RecursionError) as error:
            logger.debug("what is kept as the choice is none: %s", error)
            return None

    def keep(self, machine: CompiledMachine, choice: Preparation) -> bool:
        """Keep what trials have found, where another match need not find it out again; tell whether it was kept.

        That the default stays does not displace what was tuned: trials of seconds say less than 100 games and more.
        """
        if not choice.is_worth_keeping or (choice.is_default and tuned(machine) is not None):
            return False
        self.write(machine, choice)
        return True

    def write(self, machine: CompiledMachine, choice: Preparation) -> None:
        """Keep a choice in place of what was there."""
        self._cache.write_beside(_name(machine), json.dumps(choice.to_json()).encode())


def tuned(machine: CompiledMachine) -> Preparation | None:
    """Return what was found for a game before this program was handed out; None where the default was not beaten."""
    if not isinstance(machine, NativeMachine) or (found := TUNED.get(machine.module.name)) is None:
        return None
    word, score = found
    return Preparation(word, score, TUNED_MS, 0.0, (CandidateResult(word, score),))


def as_chosen(machine: CompiledMachine, config: SearchConfig, store: PreparationStore | None = None) -> SearchConfig:
    """Return how to search a game as was chosen for it, where a configuration leaves that open.

    Args:
        machine: of the game.
        config: what says more than seed, threads and memory stays as it is.
        store: of choices; that of the user by default.
    """
    if not is_open(config):
        return config
    known = (store or PreparationStore()).read(machine)
    if known is None or lacks_evaluation(machine, chosen := for_play(known.word, config)):
        return config
    return chosen


def _name(machine: CompiledMachine) -> str:
    if isinstance(machine, NativeMachine):
        key = safe_name(f"fast_{machine.module.name}")
    else:
        key = structure_of(machine.sheet).key
    return f"{key}-{machine.kind.replace(' ', '_')}-{machine.simulator(64).isa}-choice{VERSION}"

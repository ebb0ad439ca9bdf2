"""Give a machine the state evaluation that a configuration names."""

from __future__ import annotations

from gdl import CompiledMachine, NetworkMachine

from ..common.errors import UserError
from .config import SearchConfig
from .core_keys import FOUND, LEARNED
from .evaluation_file import add_evaluation_file
from .found_evaluation import load_found
from .learned_store import load_learned


def load_evaluation(machine: CompiledMachine, config: SearchConfig) -> None:
    """Add the evaluation of a configuration, read from a file or found for the game, to a machine that lacks it."""
    if config.evaluation.name == FOUND:
        load_found(machine)
    if config.evaluation.name == LEARNED:
        load_learned(machine)
    path = config.evaluation.file
    if not config.evaluation.is_read or path in machine.evaluations:
        return
    if not isinstance(machine, NetworkMachine):
        advice = "name one of its own evaluations in evaluation.name" if machine.kind == "module" else "leave it out"
        raise UserError(f"evaluation.file is {path}, but only games that are played as networks use weights; {advice}")
    add_evaluation_file(machine, path)

"""Give a machine the state evaluation that a configuration names."""

from __future__ import annotations

from gdl import CompiledMachine, NetworkMachine

from ..common.errors import UserError
from .config import SearchConfig
from .found_evaluation import FOUND, load_found
from .weights_file import WeightsFile


def load_evaluation(machine: CompiledMachine, config: SearchConfig) -> None:
    """Give a machine the evaluation whose file a configuration names, or that was found, unless it has it.

    Raises:
        UserError: the file cannot be read, has a mistake or is about another game, or the machine is not a network; or
            none was found for the game.
    """
    if config.evaluation.name == FOUND:
        load_found(machine)
    path = config.evaluation.file
    if not config.evaluation.is_read or path in machine.evaluations:
        return
    if not isinstance(machine, NetworkMachine):
        advice = "its evaluations are named by evaluation.name" if machine.kind == "module" else "give none"
        raise UserError(f"evaluation.file is {path}, but only games that are played as networks take weights; {advice}")
    machine.add_evaluation(path, WeightsFile.load(path).weights_for(machine))

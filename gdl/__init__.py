"""The Game Description Language: from the text of a rule sheet to a state machine.

language   parse text into rules          checks     find errors in a rule sheet
compile    compile rules into a network   machines   the state machines
graphs     strongly connected components
files      safe opening and atomic writing of files

The public names are imported on first use, so that programs which need few of them start quickly.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._core import LaneSimulator, StopFlag
    from .compile.compiler_process import CompilerLimits
    from .language.errors import GdlError, GdlLimitError, GdlRuleError, GdlSyntaxError
    from .language.parse import parse_sheet, parse_term, read_sheet
    from .language.rules import RuleSheet
    from .machines.choose import MachineChoice, choose_machine, load_machine
    from .machines.compiled import CompiledMachine
    from .machines.machine import State, StateMachine
    from .machines.network import NetworkMachine
    from .machines.numbered import NumberedMachine
    from .machines.reasoner import ReasonerMachine
    from .machines.reference import ReferenceMachine

__all__ = [
    "CompiledMachine",
    "CompilerLimits",
    "GdlError",
    "GdlLimitError",
    "GdlRuleError",
    "GdlSyntaxError",
    "LaneSimulator",
    "MachineChoice",
    "NetworkMachine",
    "NumberedMachine",
    "ReasonerMachine",
    "ReferenceMachine",
    "RuleSheet",
    "State",
    "StateMachine",
    "StopFlag",
    "choose_machine",
    "load_machine",
    "parse_sheet",
    "parse_term",
    "read_sheet",
]

_MODULES = {
    "_core": ("LaneSimulator", "StopFlag"),
    "compile.compiler_process": ("CompilerLimits",),
    "language.errors": ("GdlError", "GdlLimitError", "GdlRuleError", "GdlSyntaxError"),
    "language.parse": ("parse_sheet", "parse_term", "read_sheet"),
    "language.rules": ("RuleSheet",),
    "machines.compiled": ("CompiledMachine",),
    "machines.choose": ("MachineChoice", "choose_machine", "load_machine"),
    "machines.machine": ("State", "StateMachine"),
    "machines.network": ("NetworkMachine",),
    "machines.numbered": ("NumberedMachine",),
    "machines.reasoner": ("ReasonerMachine",),
    "machines.reference": ("ReferenceMachine",),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> object:
    """Import the module of a public name on first use."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f".{_MODULE_OF[name]}", __name__), name)
    globals()[name] = found
    return found

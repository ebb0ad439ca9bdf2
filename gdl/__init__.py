"""The Game Description Language: text in, state machine out."""

from ._core import LaneSimulator, StopFlag
from .compile.compiler_process import CompilerLimits
from .language.errors import GdlError, GdlLimitError, GdlRuleError, GdlSyntaxError
from .language.parse import parse_sheet, parse_term, read_sheet
from .language.rules import RuleSheet
from .machines.compiled import CompiledMachine
from .machines.ladder import Climb, climb
from .machines.machine import State, StateMachine
from .machines.network import NetworkMachine
from .machines.reasoner import ReasonerMachine
from .machines.reference import ReferenceMachine

__all__ = [
    "Climb",
    "CompiledMachine",
    "CompilerLimits",
    "GdlError",
    "GdlLimitError",
    "GdlRuleError",
    "GdlSyntaxError",
    "LaneSimulator",
    "NetworkMachine",
    "ReasonerMachine",
    "ReferenceMachine",
    "RuleSheet",
    "State",
    "StateMachine",
    "StopFlag",
    "climb",
    "parse_sheet",
    "parse_term",
    "read_sheet",
]

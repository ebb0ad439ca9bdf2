"""The Game Description Language: text in, state machine out."""

from ._core import LaneSimulator, StopFlag
from .compiled import CompiledMachine
from .compiler_process import CompilerLimits
from .errors import GdlError, GdlLimitError, GdlRuleError, GdlSyntaxError
from .ladder import Climb, climb
from .machine import State, StateMachine
from .network import NetworkMachine
from .parse import parse_sheet, parse_term, read_sheet
from .reasoner import ReasonerMachine
from .reference import ReferenceMachine
from .rules import RuleSheet

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

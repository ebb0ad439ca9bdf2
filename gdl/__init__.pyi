from ._simulator import LaneSimulator, StopFlag
from .compile.compiler_process import CompilerLimits
from .language.errors import GdlError, GdlLimitError, GdlRuleError, GdlSyntaxError
from .language.parse import parse_sheet, parse_term, read_sheet
from .language.rule_sheet import RuleSheet
from .machines.choose import MachineChoice, choose_machine, load_machine
from .machines.compiled import CompiledMachine
from .machines.machine import MachineState, StateMachine
from .machines.network import NetworkMachine, NumberedMachine
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
    "MachineState",
    "NetworkMachine",
    "NumberedMachine",
    "ReasonerMachine",
    "ReferenceMachine",
    "RuleSheet",
    "StateMachine",
    "StopFlag",
    "choose_machine",
    "load_machine",
    "parse_sheet",
    "parse_term",
    "read_sheet",
]

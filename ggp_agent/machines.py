"""The state machine that players, managers and commands run on."""

from __future__ import annotations

from gdl import CompiledMachine, GdlLimitError, NetworkMachine, ReferenceMachine, RuleSheet, StateMachine, StopFlag

from .errors import UserError


def load_machine(sheet: RuleSheet, kind: str = "any", *, stop: StopFlag | None = None) -> StateMachine:
    """Build a machine for a sheet: by default the fastest there is.

    Args:
        sheet: the rules.
        kind: `network`, `reference`, or `any`: the network, or the reference interpreter where the rules
            are too large for a network.
        stop: set it from another thread to give up compiling early.

    Raises:
        GdlError: the rules describe no game that can be played, or none that the machine asked for can play.
    """
    if kind == "reference":
        return ReferenceMachine(sheet)
    try:
        return NetworkMachine(sheet, stop=stop)
    except GdlLimitError:
        if kind == "network":
            raise
        return ReferenceMachine(sheet)


def load_compiled(sheet: RuleSheet) -> CompiledMachine:
    """Build a machine for a sheet that the search can run on.

    Raises:
        GdlError: the rules describe no game that can be played, or none that can be compiled.
        UserError: there is no compiled machine for them.
    """
    machine = load_machine(sheet)
    if not isinstance(machine, CompiledMachine):
        raise UserError(f"{sheet.source}: the search needs a compiled machine, and these rules are too large for one")
    return machine

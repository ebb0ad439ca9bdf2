"""The state machine that players, managers and commands run on."""

from __future__ import annotations

from gdl import (
    CompiledMachine,
    CompilerLimits,
    ReasonerMachine,
    ReferenceMachine,
    RuleSheet,
    StateMachine,
    StopFlag,
    climb,
)

from .errors import UserError


def load_machine(
    sheet: RuleSheet, kind: str = "any", *, stop: StopFlag | None = None, seconds: float | None = None
) -> StateMachine:
    """Build a machine for a sheet: by default the fastest there is.

    Args:
        sheet: the rules.
        kind: `network`, `reasoner`, `reference`, or `any`: the network, or the reasoner where the rules are too
            large for a network.
        stop: set it from another thread to give up compiling early.
        seconds: CPU-seconds that compiling may take; by default those of `CompilerLimits`, which are also the most.

    Raises:
        GdlError: the rules describe no game that can be played, or none that the machine asked for can play.
    """
    if kind == "reference":
        return ReferenceMachine(sheet)
    if kind == "reasoner":
        return ReasonerMachine(sheet)
    limits = CompilerLimits()
    if seconds is not None:
        limits = CompilerLimits(seconds=min(seconds, limits.seconds))
    return climb(sheet, limits=limits, stop=stop, last=None if kind == "network" else ReasonerMachine).machine


def load_compiled(sheet: RuleSheet) -> CompiledMachine:
    """Build a machine for a sheet that the search can run on.

    Raises:
        GdlError: the rules describe no game that can be played.
        UserError: there is no compiled machine for them.
    """
    machine = load_machine(sheet)
    if not isinstance(machine, CompiledMachine):
        raise UserError(f"{sheet.source}: the search needs a compiled machine, and these rules are too large for one")
    return machine

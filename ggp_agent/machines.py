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
    choose_machine,
)

from .errors import UserError
from .games import MODULE_PREFIX, Game


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
    return choose_machine(sheet, limits=limits, stop=stop, last=None if kind == "network" else ReasonerMachine).machine


def machine_of(game: Game, kind: str = "any") -> StateMachine:
    """Build a machine for a game: its hand-coded module if that was asked for, or else one for the rules.

    Raises:
        GdlError, UserError: as in `load_machine`; or a module was asked for together with another kind of machine.
    """
    if game.module is None:
        return load_machine(game.sheet, kind)
    if kind != "any":
        rules = game.sheet.source
        raise UserError(f"{MODULE_PREFIX}{game.module} is a machine of its own; a {kind} is made of its rules, {rules}")
    return _module_machine(game.module)


def compiled_machine_of(game: Game) -> CompiledMachine:
    """Build a machine for a game that the search can run on; raises what `load_compiled` does."""
    return load_compiled(game.sheet) if game.module is None else _module_machine(game.module)


def _module_machine(name: str) -> CompiledMachine:
    from .hand_coded import ModuleMachine, module

    return ModuleMachine(module(name))


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

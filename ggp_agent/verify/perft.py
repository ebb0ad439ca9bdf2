"""perft: count the sequences of joint moves of each length, the usual test of an implementation of rules."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from gdl import CompiledMachine, MachineState, StateMachine, StopFlag, _simulation

from ..common.errors import UserError
from ..game.native.native_machine import NativeMachine


@dataclass(slots=True)
class PerftLevel:
    """The number of sequences of `depth` joint moves; `terminals` of them end the game."""

    depth: int
    leaves: int = 0
    terminals: int = 0


def perft(
    machine: StateMachine, depth: int, *, start: MachineState | None = None, stop: StopFlag | None = None
) -> list[PerftLevel]:
    """Count the sequences of 1 to `depth` joint moves from a state, by default the initial one.

    Terminal states are leaves at their depth and are not continued.

    Raises:
        UserError: a role has no legal move in a state that is not terminal.
    """
    start = machine.initial() if start is None else start
    if isinstance(machine, NativeMachine):
        assert isinstance(start, bytes)
        counts = machine.perft(start, depth, stop or StopFlag())
        return [PerftLevel(number, *count) for number, count in enumerate(counts, start=1)]
    if isinstance(machine, CompiledMachine):
        assert isinstance(start, bytes)
        try:
            counts = _simulation.perft(machine.simulator(), start, depth, stop or StopFlag())
        except RuntimeError as error:
            raise UserError(f"{machine.sheet.source}: {error}") from None
        return [PerftLevel(number, *count) for number, count in enumerate(counts, start=1)]
    levels = [PerftLevel(number) for number in range(1, depth + 1)]
    _count(machine, start, levels, 0)
    return levels


def _count(machine: StateMachine, state: MachineState, levels: list[PerftLevel], played: int) -> None:
    terminal = machine.terminal(state)
    if played:
        levels[played - 1].leaves += 1
        levels[played - 1].terminals += terminal
    if terminal or played == len(levels):
        return
    choices = [machine.legal(state, role) for role in machine.roles]
    for role, moves in zip(machine.roles, choices, strict=True):
        if not moves:
            raise UserError(f"{role} has no legal move after {played} turns")
    for joint_move in itertools.product(*choices):
        _count(machine, machine.next(state, joint_move), levels, played + 1)

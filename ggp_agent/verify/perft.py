"""perft: count the sequences of joint moves of each length, the usual test of an implementation of rules."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from gdl import CompiledMachine, MachineState, StateMachine, StopFlag, _simulation

from ..common.errors import UserError
from ..game.native.registry import native_game
from ..game.roles import no_legal_move


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
    """
    start = machine.initial() if start is None else start
    try:
        return _perft(machine, depth, start, stop or StopFlag())
    except _StuckRoleError:
        pass
    try:  # the shortest sequences are counted first, so that every machine finds the same number of turns
        return [_perft(machine, each, start, stop or StopFlag())[-1] for each in range(1, depth + 1)]
    except _StuckRoleError as error:
        raise UserError(no_legal_move(machine.roles[error.role], error.turns)) from None


class _StuckRoleError(Exception):
    """Report that a role has no legal move after a number of turns."""

    def __init__(self, role: int, turns: int) -> None:
        super().__init__(role, turns)
        self.role = role
        self.turns = turns


def _perft(machine: StateMachine, depth: int, start: MachineState, stop: StopFlag) -> list[PerftLevel]:
    if machine.native is not None:
        assert isinstance(start, bytes)
        counts = native_game(machine.native).core.perft(start, depth, stop)
        return [PerftLevel(number, *count) for number, count in enumerate(counts, start=1)]
    if isinstance(machine, CompiledMachine):
        assert isinstance(start, bytes)
        try:
            counts = _simulation.perft(machine.simulator(), start, depth, stop)
        except _simulation.StuckRoleError as error:
            raise _StuckRoleError(error.role, error.turns) from None
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
    if not all(choices):
        raise _StuckRoleError(choices.index([]), played)
    for joint_move in itertools.product(*choices):
        _count(machine, machine.next(state, joint_move), levels, played + 1)

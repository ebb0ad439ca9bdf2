"""perft: count the sequences of joint moves of each length, the classical proof that rules are implemented right."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from gdl import CompiledMachine, State, StateMachine, StopFlag, _simulation

from .._games import turns_of
from ..errors import UserError
from ..hand_coded import GameModule, ModuleMachine

# The move of the role whose turn it is not, in every reference sheet.
WAITS = "noop"


@dataclass(slots=True)
class PerftLevel:
    """Count sequences of `depth` joint moves; `terminals` of these leaves end the game."""

    depth: int
    leaves: int = 0
    terminals: int = 0


def perft(
    machine: StateMachine, depth: int, *, start: State | None = None, stop: StopFlag | None = None
) -> list[PerftLevel]:
    """Count the sequences of 1 to `depth` joint moves from a state, by default the initial one.

    Terminal states are leaves at their depth and are not continued.

    Raises:
        UserError: a role has no legal move in a state that is not terminal.
    """
    start = machine.initial() if start is None else start
    if isinstance(machine, ModuleMachine):
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


def perft_turns(
    machine: StateMachine, module: GameModule, depth: int, *, stop: StopFlag | None = None
) -> list[PerftLevel]:
    """Count the sequences of 1 to `depth` whole turns of a game whose rules are the reference sheet of a module.

    A turn is one move of the module. Where the sheet makes it out of several, those that come to the same move count
    once.

    Raises:
        UserError: as in `perft`, or the machine is none that plays turns in lanes.
    """
    if module.one_to_one:
        return perft(machine, depth, stop=stop)
    if not isinstance(machine, CompiledMachine):
        raise UserError(f"turns of several moves are counted on a compiled machine only, not on {machine.kind}")
    levels = [PerftLevel(number) for number in range(1, depth + 1)]
    _TurnCounter(machine, module, levels, stop or StopFlag()).count(machine.initial(), 0)
    return levels


class _TurnCounter:
    """Count turns by what the module calls them."""

    def __init__(self, machine: CompiledMachine, module: GameModule, levels: list[PerftLevel], stop: StopFlag) -> None:
        self._lanes = machine.simulator()
        self._waits = [machine.move_number(role, WAITS) for role in range(len(machine.roles))]
        self._machine = machine
        self._module = module
        self._levels = levels
        self._stop = stop
        self._names: dict[tuple[int, tuple[int, ...]], str] = {}

    def count(self, state: bytes, played: int) -> None:
        try:
            role, turns = turns_of(self._lanes, state, self._waits, self._stop)
        except RuntimeError as error:
            raise UserError(f"{self._machine.sheet.source}: {error} after {played} turns") from None
        found = {self._name(role, moves): (after, over) for moves, after, over in turns}
        level = self._levels[played]
        level.leaves += len(found)
        level.terminals += sum(over for _, over in found.values())
        if played + 1 == len(self._levels):
            return
        for after, over in found.values():
            if not over and not self._stop.is_set:
                self.count(after, played + 1)

    def _name(self, role: int, moves: tuple[int, ...]) -> str:
        key = role, moves
        if key not in self._names:
            texts = [self._machine.move_name(role, move) for move in moves]
            self._names[key] = self._module.turn(self._machine.roles[role], texts)
        return self._names[key]


def _count(machine: StateMachine, state: State, levels: list[PerftLevel], played: int) -> None:
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

"""perft: count the sequences of joint moves of each length, the classical proof that rules are implemented right."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from gdl import CompiledMachine, State, StateMachine, StopFlag

from .errors import UserError
from .modules import GameModule, ModuleMachine

# The move of the role whose turn it is not, in every twin.
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
            counts = machine.simulator().perft(start, depth, stop or StopFlag())
        except RuntimeError as error:
            raise UserError(f"{machine.sheet.source}: {error}") from None
        return [PerftLevel(number, *count) for number, count in enumerate(counts, start=1)]
    levels = [PerftLevel(number) for number in range(1, depth + 1)]
    _count(machine, start, levels, 0)
    return levels


def perft_turns(machine: StateMachine, module: GameModule, depth: int) -> list[PerftLevel]:
    """Count the sequences of 1 to `depth` whole turns of a game whose rules are those of the twin of a module.

    A turn is one move of the module. Where the twin makes it out of several, all that come to the same move count once.
    """
    if module.one_to_one:
        return perft(machine, depth)
    levels = [PerftLevel(number) for number in range(1, depth + 1)]
    _count_turns(machine, module, machine.initial(), levels, 0)
    return levels


def _count_turns(
    machine: StateMachine, module: GameModule, state: State, levels: list[PerftLevel], played: int
) -> None:
    for successor in _turns(machine, module, state).values():
        over = machine.terminal(successor)
        levels[played].leaves += 1
        levels[played].terminals += over
        if not over and played + 1 < len(levels):
            _count_turns(machine, module, successor, levels, played + 1)


def _turns(machine: StateMachine, module: GameModule, state: State) -> dict[str, State]:
    """Play all turns of a state, by what the module calls them; a turn lasts while the same role has the moves."""
    mover = _mover(machine, state)
    turns: dict[str, State] = {}
    under_way: list[tuple[State, tuple[str, ...]]] = [(state, ())]
    while under_way:
        here, moves = under_way.pop()
        for move in machine.legal(here, mover):
            joint = [move if role == mover else machine.legal(here, role)[0] for role in machine.roles]
            after = machine.next(here, joint)
            if machine.terminal(after) or _mover(machine, after) != mover:
                turns[module.turn(mover, (*moves, move))] = after
            else:
                under_way.append((after, (*moves, move)))
    return turns


def _mover(machine: StateMachine, state: State) -> str:
    """Return the role that does not wait."""
    return next((role for role in machine.roles if machine.legal(state, role) != [WAITS]), machine.roles[0])


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

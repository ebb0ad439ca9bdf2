"""The moves of a rule sheet and those of the hand-coded game that plays by it, the ones told in the others.

>>> from . import ModuleMachine, module
>>> machine = ModuleMachine(module("amazons_6x6"))
>>> joined(machine, [("(move 2 1 1 1)", "noop"), ("(shoot 2 1)", "noop")])
[(('b1-a1/b1', 'noop'), 2)]
>>> from gdl import ReasonerMachine
>>> sheet = ReasonerMachine(machine.sheet)
>>> apart(machine.module, sheet, sheet.initial(), ("b1-a1/b1", "noop"))
[('(move 2 1 1 1)', 'noop'), ('(shoot 2 1)', 'noop')]
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gdl import State, StateMachine

from .game import GameModule
from .machine import ModuleMachine
from .sheet_machine import SheetMachine

_NOOP = "noop"


def by_sheet(machine: ModuleMachine) -> SheetMachine:
    """Return a machine on the same module whose moves are those of its rule sheet."""
    return SheetMachine(machine, machine.sheet, {})


def joined(
    machine: ModuleMachine, moves: Iterable[Sequence[str]], start: State | None = None
) -> list[tuple[tuple[str, ...], int]]:
    """Put legal joint moves of the sheet together to joint moves of the module.

    Args:
        machine: of the module.
        moves: joint moves of the sheet.
        start: state of the machine; by default the initial one.

    Returns:
        The joint moves of the module, each with the number of joint moves of the sheet that it stands for.

    Raises:
        ValueError: they end within a turn of the module.
    """
    sheet = by_sheet(machine)
    state = sheet.initial() if start is None else sheet.at(start)
    turns = []
    count = 0
    for joint in moves:
        count += 1
        whole = sheet.completed(state, joint)
        state = sheet.next(state, joint)
        if whole is not None:
            turns.append((whole, count))
            count = 0
    if count:
        raise ValueError(f"they end within a turn of {machine.module.name}, after {' '.join(state.played)}")
    return turns


def apart(module: GameModule, sheet: StateMachine, state: State, joint: Sequence[str]) -> list[tuple[str, ...]]:
    """Take a joint move of the module apart into those of its sheet.

    Args:
        module: the hand-coded game.
        sheet: a machine of its sheet, on which the moves are legal from `state` on.
        state: of that machine.
        joint: one move of the module for each role.

    Raises:
        ValueError: it is no legal joint move here.
    """
    movers = [
        (role, number)
        for role, move in enumerate(joint)
        if (number := module.core.read_move(role, move.lower())) >= 0 and move.lower() != _NOOP
    ]
    if len(joint) != len(module.roles) or len(movers) != 1:
        raise ValueError(f"{' '.join(joint)} is no joint move of {module.name}")
    ((mover, number),) = movers
    for turn in module.sheet_turns(module.roles[mover], module.core.move_text(mover, number)):
        here, turns = state, []
        for move in turn:
            legal = [sheet.legal(here, role) for role in sheet.roles]
            if sheet.terminal(here) or move not in legal[mover] or not all(legal):
                break
            turns.append(tuple(move if role == mover else options[0] for role, options in enumerate(legal)))
            here = sheet.next(here, turns[-1])
        else:
            return turns
    raise ValueError(f"{joint[mover]} is not legal for {module.roles[mover]}")

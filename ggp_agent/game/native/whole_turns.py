"""Translate moves of a native game to the moves of its rule sheet and back.

A match of a native game is recorded in the moves of the rule sheet. One move of Amazons or checkers is several moves
of the sheet.

>>> from .registry import native_game
>>> machine = NativeMachine(native_game("amazons_6x6"))
>>> join_turns(machine, [("(move 2 1 1 1)", "noop"), ("(shoot 2 1)", "noop")])
[(('b1-a1/b1', 'noop'), 2)]
>>> from gdl import ReasonerMachine
>>> sheet = ReasonerMachine(machine.sheet)
>>> split_turn(machine.module, sheet, sheet.initial(), ("b1-a1/b1", "noop"))
[('(move 2 1 1 1)', 'noop'), ('(shoot 2 1)', 'noop')]
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gdl import MachineState, StateMachine

from .native_game import NativeGame
from .native_machine import NativeMachine
from .sheet_machine import NOOP


def join_turns(
    machine: NativeMachine, moves: Iterable[Sequence[str]], start: MachineState | None = None
) -> list[tuple[tuple[str, ...], int]]:
    """Join legal joint moves of the rule sheet to joint moves of the native game."""
    module = machine.module
    state = machine.initial() if start is None else start
    turns: list[tuple[tuple[str, ...], int]] = []
    open_turn: list[str] = []
    for joint in moves:
        assert isinstance(state, bytes)
        mover = module.core.mover(state)
        open_turn.append(joint[mover])
        move = _whole_move(machine, state, mover, open_turn)
        if move is not None:
            turn = tuple(move if role == mover else NOOP for role in range(len(joint)))
            turns.append((turn, len(open_turn)))
            state = machine.next(state, turn)
            open_turn.clear()
    if open_turn:
        raise ValueError(f"they end within a turn of {module.name}, after {' '.join(open_turn)}")
    return turns


def _whole_move(machine: NativeMachine, state: MachineState, mover: int, moves: Sequence[str]) -> str | None:
    """Return the legal move of the native game that consists of these moves; None if the turn is not complete."""
    try:
        number = machine.move_number(mover, machine.module.turn(machine.roles[mover], moves))
    except ValueError:
        return None
    return machine.move_name(mover, number) if number in machine.legal_numbers(state, mover) else None


def split_turn(
    module: NativeGame, sheet: StateMachine, state: MachineState, joint: Sequence[str]
) -> list[tuple[str, ...]]:
    """Split a joint move of a native game into joint moves of its rule sheet."""
    movers = [
        (role, number)
        for role, move in enumerate(joint)
        if (number := module.core.read_move(role, move.lower())) >= 0 and move.lower() != NOOP
    ]
    if len(joint) != len(module.roles) or len(movers) != 1:
        raise ValueError(f"{' '.join(joint)} is not a joint move of {module.name}")
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

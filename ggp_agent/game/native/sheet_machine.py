"""A rule sheet played by a hand-coded game, under whatever names it has; the moves of the one told in the other's.

>>> from .machine import ModuleMachine
>>> from .registry import native_game
>>> machine = ModuleMachine(native_game("amazons_6x6"))
>>> joined(machine, [("(move 2 1 1 1)", "noop"), ("(shoot 2 1)", "noop")])
[(('b1-a1/b1', 'noop'), 2)]
>>> from gdl import ReasonerMachine
>>> sheet = ReasonerMachine(machine.sheet)
>>> apart(machine.module, sheet, sheet.initial(), ("b1-a1/b1", "noop"))
[('(move 2 1 1 1)', 'noop'), ('(shoot 2 1)', 'noop')]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gdl import MachineState, RuleSheet, StateMachine, parse_sheet

from .native_game import NativeGame
from .native_machine import NativeMachine

_NOOP = "noop"
_WORD = re.compile(r"[^\s()]+")


class RuleMismatchError(Exception):
    """A hand-coded game and the rules that are played disagree."""


@dataclass(frozen=True, slots=True)
class SheetState:
    """A state of the reference sheet: that of the module when the turn began, and the moves made since."""

    module_state: bytes
    played: tuple[str, ...] = ()


class SheetMachine(StateMachine):
    """Play a sheet by the module; moves and fluents are those of the sheet.

    Where the sheet makes one turn out of several moves, so does this machine: the module moves with the last of them.
    The fluents within a turn are not known.

    Attributes:
        module_machine: the machine of the module, for which a turn is one move.

    Args:
        module_machine: see there.
        sheet: the rules, isomorphic to those of the module's reference sheet.
        names: what the sheet calls each symbol of the reference sheet.

    >>> from gdl import parse_sheet
    >>> from kif_games import rules
    >>> from . import native_game
    >>> sheet = parse_sheet(rules("breakthrough_6x6"))
    >>> machine = SheetMachine(ModuleMachine(native_game("breakthrough_6x6")), sheet, {"move": "shift", "1": "one"})
    >>> machine.legal(machine.initial(), "white")[:2], machine.legal(machine.initial(), "black")
    (['(shift one 2 one 3)', '(shift one 2 2 3)'], ['noop'])
    """

    kind = "module"

    def __init__(self, module_machine: NativeMachine, sheet: RuleSheet, names: Mapping[str, str]) -> None:
        self.module_machine = module_machine
        self.roles = sheet.roles()
        self._sheet = sheet
        self._names = names
        self._own_names = {name: symbol for symbol, name in names.items()}
        self._noop = names.get(_NOOP, _NOOP)
        # By role: the turns of each move of the module that was met.
        self._turns: tuple[dict[str, list[tuple[str, ...]]], ...] = tuple({} for _ in self.roles)

    def another(self) -> SheetMachine:
        """Return a machine of the same game, for another thread."""
        return SheetMachine(NativeMachine(self.module_machine.module), self._sheet, self._names)

    def rules(self) -> RuleSheet:
        """Return the rules of the sheet in the order of the reference sheet, in which they are quick to interpret."""
        return parse_sheet(_respelt(str(self.module_machine.sheet), self._names), source=self._sheet.source)

    def initial(self) -> SheetState:
        return SheetState(self.module_machine.initial())

    def at(self, module_state: MachineState) -> SheetState:
        """Return the state that a state of the module's machine is here: the beginning of a turn."""
        assert isinstance(module_state, bytes)
        return SheetState(module_state)

    def legal(self, state: MachineState, role: str) -> list[str]:
        here = _read(state)
        number = self.roles.index(role)
        if number != self._mover(here):
            return [self._noop]
        moves = self.module_machine.legal(here.module_state, self.module_machine.roles[number])
        return list(dict.fromkeys(rest[0] for move in moves for rest in self.remaining(here, number, move)))

    def next(self, state: MachineState, moves: Sequence[str]) -> SheetState:
        """Return the state after a joint move.

        Raises:
            ValueError: the number of moves is not the number of roles.
            RuleMismatchError: a move is not legal here, so only the rules know what comes of it.
        """
        here = _read(state)
        joint_move = self.completed(here, moves)
        if joint_move is None:
            return SheetState(here.module_state, (*here.played, moves[self._mover(here)]))
        return SheetState(self.module_machine.next(here.module_state, joint_move))

    def terminal(self, state: MachineState) -> bool:
        here = _read(state)
        return not here.played and self.module_machine.terminal(here.module_state)

    def goals(self, state: MachineState, role: str) -> list[int]:
        """List the goal values of a role; none within a turn."""
        here = _read(state)
        return (
            []
            if here.played
            else self.module_machine.goals(here.module_state, self.module_machine.roles[self.roles.index(role)])
        )

    def fluents(self, state: MachineState) -> list[str]:
        """List the fluents that hold in the state, sorted by code point.

        Raises:
            ValueError: the state is within a turn.
        """
        here = _read(state)
        if here.played:
            raise ValueError(f"the fluents within a turn are not known, as after {' '.join(here.played)}")
        return sorted(_respelt(fluent, self._names) for fluent in self.module_machine.fluents(here.module_state))

    def state(self, fluents: Iterable[str]) -> SheetState:
        """Return the state in which exactly these fluents hold.

        Raises:
            ValueError: there is none, or it is within a turn.
        """
        return SheetState(self.module_machine.state([_respelt(fluent, self._own_names) for fluent in fluents]))

    # ---- turns

    def completed(self, here: SheetState, moves: Sequence[str]) -> tuple[str, ...] | None:
        """Return the joint move of the module that is made with a joint move; None where the turn goes on.

        Raises:
            ValueError, RuleMismatchError: as in `next`.
        """
        if len(moves) != len(self.roles):
            raise ValueError(f"a joint move has {len(self.roles)} moves, not {len(moves)}")
        mover = self._mover(here)
        for role, move in enumerate(moves):
            if role != mover and move != self._noop:
                raise RuleMismatchError(f"{move} is no legal move of {self.roles[role]}")
        goes_on = False
        if not self.module_machine.terminal(here.module_state):
            for module_move in self.module_machine.legal(here.module_state, self.module_machine.roles[mover]):
                for first, *others in self.remaining(here, mover, module_move):
                    if first == moves[mover] and not others:
                        return tuple(module_move if role == mover else _NOOP for role in range(len(self.roles)))
                    goes_on = goes_on or first == moves[mover]
        if not goes_on:
            raise RuleMismatchError(f"{moves[mover]} is no legal move of {self.roles[mover]}")
        return None

    def remaining(self, here: SheetState, role: int, move: str) -> list[tuple[str, ...]]:
        """Return what is still to be played of the turns that make up a move of the module; safe from any thread.

        It is nothing where all these turns begin with other moves than those that were made.
        """
        known = self._turns[role]
        turns = known.get(move)
        if turns is None:
            module = self.module_machine.module
            own = [(_NOOP,)] if move == _NOOP else module.sheet_turns(self.module_machine.roles[role], move)
            turns = known[move] = [tuple(_respelt(each, self._names) for each in turn) for turn in own]
        if role != self._mover(here) or not here.played:
            return turns
        count = len(here.played)
        return [turn[count:] for turn in turns if turn[:count] == here.played and len(turn) > count]

    def _mover(self, here: SheetState) -> int:
        return self.module_machine.module.core.mover(here.module_state)


def _read(state: MachineState) -> SheetState:
    if not isinstance(state, SheetState):
        raise TypeError(f"a state of this machine is a SheetState, not {type(state).__name__}")
    return state


def _respelt(text: str, names: Mapping[str, str]) -> str:
    """Rename the symbols of a term."""
    return _WORD.sub(lambda word: names.get(word[0], word[0]), text)


# ---- moves of the sheet and of the module


def by_sheet(machine: NativeMachine) -> SheetMachine:
    """Return a machine on the same module whose moves are those of its rule sheet."""
    return SheetMachine(machine, machine.sheet, {})


def joined(
    machine: NativeMachine, moves: Iterable[Sequence[str]], start: MachineState | None = None
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


def apart(module: NativeGame, sheet: StateMachine, state: MachineState, joint: Sequence[str]) -> list[tuple[str, ...]]:
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

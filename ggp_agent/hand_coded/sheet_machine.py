"""The state machine of a rule sheet that a hand-coded game plays, under whatever names the sheet has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gdl import RuleSheet, State, StateMachine, parse_sheet

from .machine import ModuleMachine

_NOOP = "noop"
_WORD = re.compile(r"[^\s()]+")


class RuleMismatchError(Exception):
    """Say that a hand-coded game and the rules that are played have come apart."""


@dataclass(frozen=True, slots=True)
class SheetState:
    """Hold a state of the reference sheet: that of the module when the turn began, and the moves made since."""

    whole: bytes
    played: tuple[str, ...] = ()


class SheetMachine(StateMachine):
    """Play a sheet by the module; moves and fluents are those of the sheet.

    Where the sheet makes one turn out of several moves, so does this machine: the module moves with the last of them.
    The fluents within a turn are not known.

    Attributes:
        whole: the machine of the module, for which a turn is one move.

    Args:
        whole: see there.
        sheet: the rules, isomorphic to those of the module's reference sheet.
        names: what the sheet calls each symbol of the reference sheet.

    >>> from gdl import parse_sheet
    >>> from kif_games import rules
    >>> from . import module
    >>> sheet = parse_sheet(rules("breakthrough_6x6"))
    >>> machine = SheetMachine(ModuleMachine(module("breakthrough_6x6")), sheet, {"move": "shift", "1": "one"})
    >>> machine.legal(machine.initial(), "white")[:2], machine.legal(machine.initial(), "black")
    (['(shift one 2 one 3)', '(shift one 2 2 3)'], ['noop'])
    """

    kind = "module"

    def __init__(self, whole: ModuleMachine, sheet: RuleSheet, names: Mapping[str, str]) -> None:
        self.whole = whole
        self.roles = sheet.roles()
        self._sheet = sheet
        self._names = names
        self._own_names = {name: symbol for symbol, name in names.items()}
        self._noop = names.get(_NOOP, _NOOP)
        # By role: the turns of each move of the module that was met.
        self._turns: tuple[dict[str, list[tuple[str, ...]]], ...] = tuple({} for _ in self.roles)

    def another(self) -> SheetMachine:
        """Return a machine of the same game, for another thread."""
        return SheetMachine(ModuleMachine(self.whole.module), self._sheet, self._names)

    def rules(self) -> RuleSheet:
        """Return the rules of the sheet in the order of the reference sheet, in which they are quick to interpret."""
        return parse_sheet(_respelt(str(self.whole.sheet), self._names), source=self._sheet.source)

    def initial(self) -> SheetState:
        return SheetState(self.whole.initial())

    def at(self, whole: State) -> SheetState:
        """Return the state that a state of the module's machine is here: the beginning of a turn."""
        assert isinstance(whole, bytes)
        return SheetState(whole)

    def legal(self, state: State, role: str) -> list[str]:
        here = _read(state)
        number = self.roles.index(role)
        if number != self._mover(here):
            return [self._noop]
        moves = self.whole.legal(here.whole, self.whole.roles[number])
        return list(dict.fromkeys(rest[0] for move in moves for rest in self.rests(here, number, move)))

    def next(self, state: State, moves: Sequence[str]) -> SheetState:
        """Return the state after a joint move.

        Raises:
            ValueError: the number of moves is not the number of roles.
            RuleMismatchError: a move is not legal here, so only the rules know what comes of it.
        """
        here = _read(state)
        joint_move = self.completed(here, moves)
        if joint_move is None:
            return SheetState(here.whole, (*here.played, moves[self._mover(here)]))
        return SheetState(self.whole.next(here.whole, joint_move))

    def terminal(self, state: State) -> bool:
        here = _read(state)
        return not here.played and self.whole.terminal(here.whole)

    def goals(self, state: State, role: str) -> list[int]:
        """List the goal values of a role; none within a turn."""
        here = _read(state)
        return [] if here.played else self.whole.goals(here.whole, self.whole.roles[self.roles.index(role)])

    def fluents(self, state: State) -> list[str]:
        """List the fluents that hold in the state, sorted by code point.

        Raises:
            ValueError: the state is within a turn.
        """
        here = _read(state)
        if here.played:
            raise ValueError(f"the fluents within a turn are not known, as after {' '.join(here.played)}")
        return sorted(_respelt(fluent, self._names) for fluent in self.whole.fluents(here.whole))

    def state(self, fluents: Iterable[str]) -> SheetState:
        """Return the state in which exactly these fluents hold.

        Raises:
            ValueError: there is none, or it is within a turn.
        """
        return SheetState(self.whole.state([_respelt(fluent, self._own_names) for fluent in fluents]))

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
        if not self.whole.terminal(here.whole):
            for whole_move in self.whole.legal(here.whole, self.whole.roles[mover]):
                for first, *others in self.rests(here, mover, whole_move):
                    if first == moves[mover] and not others:
                        return tuple(whole_move if role == mover else _NOOP for role in range(len(self.roles)))
                    goes_on = goes_on or first == moves[mover]
        if not goes_on:
            raise RuleMismatchError(f"{moves[mover]} is no legal move of {self.roles[mover]}")
        return None

    def rests(self, here: SheetState, role: int, move: str) -> list[tuple[str, ...]]:
        """Return what is still to be played of the turns that make up a move of the module; safe from any thread.

        It is nothing where all these turns begin with other moves than those that were made.
        """
        known = self._turns[role]
        turns = known.get(move)
        if turns is None:
            module = self.whole.module
            own = [(_NOOP,)] if move == _NOOP else module.sheet_turns(self.whole.roles[role], move)
            turns = known[move] = [tuple(_respelt(each, self._names) for each in turn) for turn in own]
        if role != self._mover(here) or not here.played:
            return turns
        count = len(here.played)
        return [turn[count:] for turn in turns if turn[:count] == here.played and len(turn) > count]

    def _mover(self, here: SheetState) -> int:
        return self.whole.module.core.mover(here.whole)


def _read(state: State) -> SheetState:
    if not isinstance(state, SheetState):
        raise TypeError(f"a state of this machine is a SheetState, not {type(state).__name__}")
    return state


def _respelt(text: str, names: Mapping[str, str]) -> str:
    """Rename the symbols of a term."""
    return _WORD.sub(lambda word: names.get(word[0], word[0]), text)

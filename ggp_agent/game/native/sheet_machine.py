"""A rule sheet played by the native game that has the same rules, in the names of the sheet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from gdl import MachineState, NumberedMachine, RuleSheet, parse_sheet

from .native_game import NativeGame
from .native_machine import NativeMachine

NOOP = "noop"
_WORD = re.compile(r"[^\s()]+")


class RuleMismatchError(Exception):
    """Report that a native game and the rules of the match disagree."""


class SheetMachine(NativeMachine):
    """Play a sheet by a native game; moves and fluents have the names of the sheet.

    >>> from kif_games import rules
    >>> from .registry import native_game
    >>> sheet = parse_sheet(rules("breakthrough_6x6"))
    >>> machine = SheetMachine(native_game("breakthrough_6x6"), sheet, {"move": "shift", "1": "one"})
    >>> machine.legal(machine.initial(), "white")[:2], machine.legal(machine.initial(), "black")
    (['(shift one 2 one 3)', '(shift one 2 2 3)'], ['noop'])
    """

    def __init__(self, module: NativeGame, sheet: RuleSheet, names: Mapping[str, str]) -> None:
        if not module.one_to_one:
            raise ValueError(f"a move of {module.name} is several moves of its rule sheet")
        super().__init__(module, sheet)
        self._names = names
        self._own_names = {name: symbol for symbol, name in names.items()}
        # The names of the moves used so far, by role and number.
        self._move_names: tuple[dict[int, str], ...] = tuple({} for _ in self.roles)

    def rules(self) -> RuleSheet:
        """Return the rules of the sheet in the order of the reference sheet, in which they are quick to interpret."""
        return parse_sheet(renamed(str(self.module.sheet()), self._names), source=self.sheet.source)

    @property
    def fluent_names(self) -> tuple[str, ...]:
        return tuple(renamed(name, self._names) for name in self.module.fluent_names)

    def move_names(self, role: int) -> tuple[str, ...]:
        printed = self.module.move_names[role]
        return tuple(self.move_name(role, number) if text else "" for number, text in enumerate(printed))

    def move_name(self, role: int, number: int) -> str:
        known = self._move_names[role]
        if number not in known:
            printed = self.module.core.move_text(role, number)
            own = NOOP if printed == NOOP else self.module.sheet_moves(self.module.roles[role], printed)[0]
            known[number] = renamed(own, self._names)
        return known[number]

    def move_number(self, role: int, move: str) -> int:
        wanted = self._canonical(move)
        own = renamed(wanted, self._own_names)
        printed = NOOP if own == NOOP else self.module.turn(self.module.roles[role], (own,))
        number = self.module.core.read_move(role, printed)
        # A word that the sheet does not have may be a word of the reference sheet.
        if number < 0 or self.move_name(role, number) != wanted:
            raise ValueError(f"{self.roles[role]} has no move {move} in this game")
        return number

    def spelled(self, move: str) -> str:
        return NumberedMachine.spelled(self, move)

    def next(self, state: MachineState, moves: Sequence[str]) -> bytes:
        """Return the state after a joint move."""
        if len(moves) == len(self.roles):
            for role, move in zip(self.roles, moves, strict=True):
                if not self.is_legal(state, role, move):
                    raise RuleMismatchError(f"{move} is not a legal move of {role}")
        return super().next(state, moves)

    def fluents(self, state: MachineState) -> list[str]:
        return sorted(renamed(fluent, self._names) for fluent in super().fluents(state))

    def state(self, fluents: Iterable[str]) -> bytes:
        return self.module.state_of(renamed(self.spelled(fluent), self._own_names) for fluent in fluents)


def renamed(text: str, names: Mapping[str, str]) -> str:
    """Return a term with other names for its symbols; a symbol without another name keeps its own."""
    return _WORD.sub(lambda word: names.get(word[0], word[0]), text)

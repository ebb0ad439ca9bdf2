"""The notations in which a user may write the moves of a machine.

A native game and its rule sheet have different notations, such as `b2-b3` and `(move 2 2 2 3)`. The web page prints
the notation of the native game, so a user may type it for the rule sheet, too, and the other way round.

>>> from gdl import NetworkMachine, parse_sheet
>>> from kif_games import rules
>>> notations = MoveNotations(NetworkMachine(parse_sheet(rules("breakthrough_6x6"))))
>>> notations.spelled(0, "b2-b3"), notations.spelled(1, "( MOVE 1 5 1 4 )"), notations.spelled(0, "b9-b3")
('(move 2 2 2 3)', '(move 1 5 1 4)', 'b9-b3')
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property

from gdl import CompiledMachine, GdlError

from .native.native_game import NativeGame
from .native.native_machine import NativeMachine
from .native.recognition import recognise
from .native.registry import native_game
from .native.sheet_machine import SheetMachine, renamed

# The place between two cells that are written together, as in `b2b3`.
_BETWEEN_CELLS = re.compile(r"(?<=[0-9])(?=[a-z])")


class MoveNotations:
    """Translate moves, as users write them, to the notation of a machine."""

    def __init__(self, machine: CompiledMachine) -> None:
        self._machine = machine

    def spelled(self, role: int, text: str) -> str:
        """Return a move in the notation of the machine; a text that is no move of any notation as it is."""
        try:
            own = self._machine.spelled(text)
        except GdlError:
            own = text
        if self._native is None:
            return own
        game, names = self._native
        if isinstance(self._machine, NativeMachine) and not isinstance(self._machine, SheetMachine):
            return _of_sheet(game, role, own)
        return _of_native_game(game, names, role, text) or own

    @cached_property
    def _native(self) -> tuple[NativeGame, Mapping[str, str]] | None:
        """The native game of the rules, and the name in the sheet of each symbol of the reference sheet."""
        if isinstance(self._machine, NativeMachine) and not isinstance(self._machine, SheetMachine):
            return native_game(self._machine.module.name), {}
        return recognise(self._machine.sheet)


def _of_native_game(game: NativeGame, names: Mapping[str, str], role: int, text: str) -> str | None:
    """Return the move of the sheet for a move in the notation of the native game; None if it is not one move."""
    typed = text.strip().lower()
    if not typed.isascii():
        return None
    number = max(game.core.read_move(role, each) for each in (typed, _BETWEEN_CELLS.sub("-", typed)))
    if number < 0 or not (printed := game.core.move_text(role, number)) or printed == "noop":
        return None
    moves = game.sheet_moves(game.roles[role], printed)
    return renamed(moves[0], names) if len(moves) == 1 else None


def _of_sheet(game: NativeGame, role: int, text: str) -> str:
    """Return the move of the native game for one move of its sheet; other texts as they are."""
    if not game.one_to_one or not text.isascii():
        return text
    term = text if text.startswith("(") else f"({text})"
    try:
        number = game.core.read_move(role, game.turn(game.roles[role], (term.lower(),)))
    except ValueError:
        return text
    return text if number < 0 else game.core.move_text(role, number)

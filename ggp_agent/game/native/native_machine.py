"""The state machine of a native game, and the native game that has the rules of a sheet.

A native game and its rule sheet have different notations, such as `b2-b3` and `(move 2 2 2 3)`. Moves, records and
messages have the terms of the sheet. Only games without such terms use their own notation (`NativeGame.has_terms`).
A whole turn of Amazons or checkers is several moves of the sheet, in which its matches are recorded.

>>> machine = NativeMachine(native_game("amazons_6x6"))
>>> join_turns(machine, [("(move 2 1 1 1)", "noop"), ("(shoot 2 1)", "noop")])
[(('b1-a1/b1', 'noop'), 2)]
>>> from gdl import ReasonerMachine
>>> sheet = ReasonerMachine(machine.sheet)
>>> split_turn(machine.game, sheet, sheet.initial(), ("b1-a1/b1", "noop"))
[('(move 2 1 1 1)', 'noop'), ('(shoot 2 1)', 'noop')]
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache

from gdl import (
    GdlError,
    LaneSimulator,
    MachineState,
    NumberedMachine,
    RuleSheet,
    StateMachine,
    parse_sheet,
)
from gdl._simulator import LaneArrays
from gdl.compile.isomorphism import CanonicalForm
from gdl.language.forms import find_forms
from gdl.language.percepts import hides_information, without_percepts
from gdl.machines.compiled import LANE_WIDTHS, fixed_lanes
from gdl.machines.network import KERNEL_VARIABLE
from kif_games import rules

from ... import _games
from .native_game import NativeGame
from .registry import native_game, native_games

ISAS = ("portable", "avx2", "avx512")
# Play-outs in more lanes were not clearly faster.
DEFAULT_LANES = 128

NOOP = "noop"
_WORD = re.compile(r"[^\s()]+")

# Native games that are not stronger than the network of their own rules, with their score in per cent, its 95 %
# interval and the number of games. The source is the section "Native game or rules" of docs/methods/native_games.md.
BETTER_BY_RULES: Mapping[str, str] = {
    "breakthrough": "12.5 (2.2 .. 47.1; 8) at 150 ms, 40.0 (16.8 .. 68.7; 10) at 100 ms",
    "breakthrough_6x6": "25.0 (10.2 .. 49.5; 16) at 100 ms",
    "gomoku_5x5": "50.0 (31.4 .. 68.6; 24) at 100 ms",
    "gomoku_7x7": "43.8 (26.2 .. 63.1; 24) at 100 ms",
    "gomoku_9x9": "25.0 (13.5 .. 41.6; 34) at 100 ms",
    "gomoku_11x11": "29.2 (14.9 .. 49.2; 24) at 100 ms",
    "gomoku_15x15": "25.0 (10.2 .. 49.5; 16) at 100 ms",
}


class RuleMismatchError(Exception):
    """Report that a native game and the rules of the match disagree."""


class NativeMachine(NumberedMachine):
    """Play a native game; states are packed `bytes`, fluents are terms of its rule sheet.

    Moves are terms of the sheet unless the game has no such terms (`NativeGame.has_terms`). A move in the notation of
    the native game is read in any case.

    >>> machine = NativeMachine(native_game("breakthrough_6x6"))
    >>> machine.legal(machine.initial(), "white")[:2], machine.legal(machine.initial(), "black")
    (['(move 1 2 1 3)', '(move 1 2 2 3)'], ['noop'])
    >>> machine.spelled("a2-b3")
    '(move 1 2 2 3)'
    """

    kind = "module"
    # Lanes share hardly any work, and fewer simulations at a time use newer results. 32 and 128 were within 10 % of
    # the speed of 64.
    in_flight = 64

    def __init__(
        self, game: NativeGame, sheet: RuleSheet | None = None, names: Mapping[str, str] | None = None
    ) -> None:
        # `names` has the name in the sheet of each symbol of the reference sheet.
        if names is not None and not game.one_to_one:
            raise ValueError(f"a move of {game.name} is several moves of its rule sheet")
        self.game = game
        # True if moves are in the notation of the native game; False if moves are terms of the sheet.
        self.has_own_notation = names is None and not game.has_terms
        self.names = names or {}
        self._own_names = {name: symbol for symbol, name in self.names.items()}
        # The names of the moves used so far, by role and number.
        self._move_names: tuple[dict[int, str], ...] = tuple({} for _ in game.roles)
        super().__init__(sheet or game.sheet())

    def __reduce__(self) -> tuple[Callable[..., NativeMachine], tuple[str, RuleSheet, Mapping[str, str] | None]]:
        return _unpickled, (self.game.name, self.sheet, self.names or None)

    def simulator(self, lanes: int | None = None, isa: str | None = None) -> LaneSimulator:
        if lanes is None:
            lanes = fixed_lanes() or DEFAULT_LANES
        if lanes not in LANE_WIDTHS:
            raise ValueError(f"lanes are 64, 128, 256 or 512, not {lanes}")
        return self.game.simulator(lanes, isa=usable_isa(isa))

    def lane_arrays(self, n: int, threads: int = 1, chance: int = -1) -> LaneArrays:
        lanes = fixed_lanes() or (64 if n <= 64 else DEFAULT_LANES)
        return self.game.core.lane_arrays(n, lanes, usable_isa(), threads)

    @property
    def native(self) -> str:
        return self.game.name

    def known_fluents(self) -> list[str]:
        return self.game.known_fluents()

    def _game_id(self) -> str:
        return self.game.name

    def rules(self) -> RuleSheet:
        """Return the rules of the sheet in the order of the reference sheet, in which they are quick to interpret."""
        return parse_sheet(renamed(str(self.game.sheet()), self.names), source=self.sheet.source)

    @property
    def fluent_names(self) -> tuple[str, ...]:
        return tuple(renamed(name, self.names) for name in self.game.fluent_names)

    def _numbered_moves(self, role: int) -> tuple[str, ...]:
        return self.game.move_names[role]

    @property
    def constant_fluents(self) -> tuple[str, ...]:
        return ()

    def move_names(self, role: int) -> tuple[str, ...]:
        printed = self.game.move_names[role]
        return tuple(self.move_name(role, number) if text else "" for number, text in enumerate(printed))

    def move_name(self, role: int, number: int) -> str:
        known = self._move_names[role]
        if number not in known:
            printed = self.game.core.move_text(role, number)
            if not self.has_own_notation and printed != NOOP:
                printed = self.game.sheet_moves(self.game.roles[role], printed)[0]
            known[number] = renamed(printed, self.names)
        return known[number]

    def printed(self, role: int, move: str) -> str:
        """Return a move of a role in the notation of the native game."""
        return self.game.core.move_text(role, self.move_number(role, move))

    def move_number(self, role: int, move: str) -> int:
        spelled = move if self.has_own_notation else self._canonical(move)
        printed = renamed(spelled.lower(), self._own_names)
        if not self.has_own_notation and printed != NOOP:
            printed = self.game.turn(self.game.roles[role], (printed,))
        number = self.game.core.read_move(role, printed)
        # A word that the sheet does not have may be a word of the reference sheet.
        if number < 0 or not (self.has_own_notation or self.move_name(role, number) == spelled):
            raise ValueError(f"{self.roles[role]} has no move {move} in this game")
        return number

    def spelled(self, move: str) -> str:
        # Terms and other names are not moves of the native game, although names may look like such moves.
        for role in range(0 if self.names or move.startswith("(") else len(self.roles)):
            number = self.game.core.read_move(role, move.lower())
            if number >= 0:
                return self.move_name(role, number)
        return super().spelled(move)

    def next(self, state: MachineState, moves: Sequence[str]) -> bytes:
        """Return the state after a joint move."""
        if not self.has_own_notation and len(moves) == len(self.roles):
            for role, move in zip(self.roles, moves, strict=True):
                if not self.is_legal(state, role, move):
                    raise RuleMismatchError(f"{move} is not a legal move of {role}")
        return super().next(state, moves)

    def fluents(self, state: MachineState) -> list[str]:
        assert isinstance(state, bytes)
        return sorted(renamed(fluent, self.names) for fluent in self.game.sheet_fluents(state))

    def state(self, fluents: Iterable[str]) -> bytes:
        return self.game.state_of(renamed(self.spelled(fluent), self._own_names) for fluent in fluents)


def own_notation_of(machine: StateMachine) -> NativeMachine | None:
    """Return the machine if it names moves in the notation of a native game; None if moves are terms of the rules."""
    return machine if isinstance(machine, NativeMachine) and machine.has_own_notation else None


def usable_isa(requested: str | None = None) -> str:
    """Return the requested instruction set, or the widest one that this machine has if it does not have this one."""
    wanted = requested or os.environ.get(KERNEL_VARIABLE) or ISAS[-1]
    if wanted not in ISAS:
        message = f"{wanted} is not a kernel; the kernels are portable, avx2 and avx512"
        raise ValueError(message) if requested else GdlError(message, source=KERNEL_VARIABLE)
    return min(wanted, _games.best_isa(), key=ISAS.index)


def _unpickled(name: str, sheet: RuleSheet, names: Mapping[str, str] | None) -> NativeMachine:
    return NativeMachine(native_game(name), sheet, names)


def renamed(text: str, names: Mapping[str, str]) -> str:
    """Return a term with other names for its symbols; a symbol without another name keeps its own."""
    return _WORD.sub(lambda word: names.get(word[0], word[0]), text) if names else text


def recognise(sheet: RuleSheet) -> tuple[NativeGame, Mapping[str, str]] | None:
    """Return the native game that has the rules of a sheet, and the name in the sheet of each symbol of its own sheet.

    Return None if no native game has these rules. This takes milliseconds: a reference sheet is parsed only if it has
    the same number of rules.

    >>> scrambled = rules("breakthrough_6x6").replace("white", "zug").replace("piece", "fnord")
    >>> game, names = recognise(parse_sheet(scrambled))
    >>> game.name, names["white"], names["piece"]
    ('breakthrough_6x6', 'zug', 'fnord')
    >>> recognise(parse_sheet(rules("tic_tac_toe"))) is None
    True
    """
    if hides_information(sheet):
        return None
    sheet = without_percepts(sheet)
    form: CanonicalForm | None = None
    for game in native_games().values():
        if not game.reference_sheet or _rule_count(game.reference_sheet) != len(sheet.rules):
            continue
        form = form or CanonicalForm(sheet)
        names = _form(game.reference_sheet).renaming(form)
        if names is not None:
            return game, names
    return None


def machine_to_play(sheet: RuleSheet) -> NativeMachine | None:
    """Return a machine that plays a sheet by a native game; None if the player plays it by its rules.

    A native game replaces a sheet if each of its moves is one move of the sheet, and if it is not weaker.

    >>> machine_to_play(parse_sheet(rules("kalah"))).game.name
    'kalah'
    >>> [machine_to_play(parse_sheet(rules(name))) for name in ("amazons", "breakthrough")]
    [None, None]
    """
    found = recognise(sheet)
    if found is None:
        return None
    game, names = found
    return NativeMachine(game, sheet, names) if game.one_to_one and game.name not in BETTER_BY_RULES else None


@cache
def _rule_count(name: str) -> int:
    return len(find_forms(rules(name), lambda *_: None, rules=True))


@cache
def _form(name: str) -> CanonicalForm:
    return CanonicalForm(parse_sheet(rules(name), source=name))


def join_turns(
    machine: NativeMachine, moves: Iterable[Sequence[str]], start: MachineState | None = None
) -> list[tuple[tuple[str, ...], int]]:
    """Join legal joint moves of the rule sheet to joint moves of the native game."""
    game = machine.game
    state = machine.initial() if start is None else start
    turns: list[tuple[tuple[str, ...], int]] = []
    open_turn: list[str] = []
    for joint in moves:
        assert isinstance(state, bytes)
        mover = game.core.mover(state)
        open_turn.append(joint[mover])
        move = _whole_move(machine, state, mover, open_turn)
        if move is not None:
            turn = tuple(move if role == mover else NOOP for role in range(len(joint)))
            turns.append((turn, len(open_turn)))
            state = machine.next(state, turn)
            open_turn.clear()
    if open_turn:
        raise ValueError(f"they end within a turn of {game.name}, after {' '.join(open_turn)}")
    return turns


def _whole_move(machine: NativeMachine, state: MachineState, mover: int, moves: Sequence[str]) -> str | None:
    """Return the legal move of the native game that consists of these moves; None if the turn is not complete."""
    try:
        number = machine.move_number(mover, machine.game.turn(machine.roles[mover], moves))
    except ValueError:
        return None
    return machine.move_name(mover, number) if number in machine.legal_numbers(state, mover) else None


def split_turn(
    game: NativeGame, sheet: StateMachine, state: MachineState, joint: Sequence[str]
) -> list[tuple[str, ...]]:
    """Split a joint move of a native game into joint moves of its rule sheet."""
    movers = [
        (role, number)
        for role, move in enumerate(joint)
        if (number := game.core.read_move(role, move.lower())) >= 0 and move.lower() != NOOP
    ]
    if len(joint) != len(game.roles) or len(movers) != 1:
        raise ValueError(f"{' '.join(joint)} is not a joint move of {game.name}")
    ((mover, number),) = movers
    for turn in game.sheet_turns(game.roles[mover], game.core.move_text(mover, number)):
        here, turns = state, []
        for move in turn:
            legal = [sheet.legal(here, role) for role in sheet.roles]
            if sheet.terminal(here) or move not in legal[mover] or not all(legal):
                break
            turns.append(tuple(move if role == mover else options[0] for role, options in enumerate(legal)))
            here = sheet.next(here, turns[-1])
        else:
            return turns
    raise ValueError(f"{joint[mover]} is not legal for {game.roles[mover]}")

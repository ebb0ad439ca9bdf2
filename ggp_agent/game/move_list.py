"""Read a line of moves, as a person writes it, as joint moves.

Moves follow each other, with or without commas between them. Each is written as in `play`: as a KIF term, without
parentheses (`drop 4`), or in the notation of the native game with the same rules (`b2-b3`). A turn has one move for
each role, in the order of the roles. If at most one role has a choice, the move of that role is enough. A turn without
any choice may be omitted. If there are several readings of the whole line, a turn with one move has priority, then a
turn with all moves, then an omitted turn.

>>> from gdl import NetworkMachine, parse_sheet
>>> from kif_games import rules
>>> machine = NetworkMachine(parse_sheet(rules("tic_tac_toe")))
>>> read_moves(machine, "(mark 2 2) (mark 1 1)")
[('(mark 2 2)', 'noop'), ('noop', '(mark 1 1)')]
>>> read_moves(machine, "(mark 2 2) noop  noop (mark 1 1)") == read_moves(machine, "( mark 2 2 ) (MARK 1 1)")
True
>>> read_moves(machine, "mark 2 2, Mark(1 1)") == read_moves(machine, "(mark 2 2) (mark 1 1)")
True
>>> try:
...     read_moves(machine, "(mark 2 2) (mark 2 2)")
... except UserError as error:
...     print(error)
move 2, (mark 2 2), is not legal in turn 2: o has (mark 1 2), (mark 2 1), (mark 2 3), .. (8)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gdl import CompiledMachine, MachineState, ReasonerMachine, StateMachine

from ..common.errors import UserError
from ..protocol.message_text import MessageTextError, split
from .native.native_machine import join_turns, own_notation_of
from .native.registry import native_game
from .typed_moves import MoveNotations, same_moves, some_moves, words_of

# A move without parentheses has at most this number of words.
_MAX_WORDS = 12
# Commas between moves; within a move, as in `MARK(1,2)`, they separate words.
_COMMA = re.compile(r",(?=\s|$)")


@dataclass(frozen=True, slots=True)
class _MoveReading:
    """A reading of the first moves of a line."""

    state: MachineState  # the state after these moves
    read: int  # the number of words and KIF terms read
    moves: int  # the number of moves read
    turn: tuple[str, ...] = ()  # the last joint move
    before: _MoveReading | None = None  # the reading without the last turn; None for the reading of no moves

    def turns(self) -> list[tuple[str, ...]]:
        """Return the joint moves in order."""
        turns = []
        here = self
        while here.before is not None:
            turns.append(here.turn)
            here = here.before
        return turns[::-1]


def read_position(machine: StateMachine, path: Path) -> bytes:
    """Read the position in a file, in the notation of a native game."""
    if machine.native is None:
        raise UserError(f"{path}: positions can be read for native games only; give moves that lead to the position")
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise UserError(f"{path}: cannot read the position: {reason}") from None
    return native_game(machine.native).read_board(text, source=str(path))


def read_moves(machine: CompiledMachine, text: str, start: MachineState | None = None) -> list[tuple[str, ...]]:
    """Read a line of moves from a state, by default the initial one; return the joint moves."""
    try:
        items = [str(item) for item in split(_COMMA.sub("", text))]
    except MessageTextError as error:
        raise UserError(f"the moves {text!r} cannot be read: {error}") from None
    start = machine.initial() if start is None else start
    native = own_notation_of(machine)
    if native is None or native.game.one_to_one or not any(item.startswith("(") for item in items):
        return _MoveReader(machine, items).turns(start)
    # The line has moves of the rule sheet, several for each turn.
    sheet = ReasonerMachine(machine.sheet)
    turns = _MoveReader(sheet, items).turns(sheet.state(machine.fluents(start)))
    try:
        return [joint for joint, _ in join_turns(native, turns, start)]
    except ValueError as error:
        raise UserError(f"the moves cannot be read: {error}") from None


class _MoveReader:
    """Read the words and KIF terms of a line as joint moves."""

    def __init__(self, machine: CompiledMachine, items: Sequence[str]) -> None:
        self._machine = machine
        self._items = items
        self._notations = MoveNotations(machine)

    def turns(self, start: MachineState) -> list[tuple[str, ...]]:
        """Return the joint moves from a state."""
        furthest = _MoveReading(start, 0, 0)
        open_readings = [furthest]
        seen: set[tuple[MachineState, int]] = set()
        while open_readings:
            reading = open_readings.pop()
            if reading.read == len(self._items):
                return reading.turns()
            if (reading.state, reading.read) in seen:
                continue
            seen.add((reading.state, reading.read))
            if reading.read > furthest.read:
                furthest = reading
            if not self._machine.terminal(reading.state):
                open_readings += reversed(list(self._continued(reading)))
        raise UserError(self._complaint(furthest))

    def _typed(self, at: int, role: int, legal: list[str]) -> list[tuple[int, str]]:
        """Return the moves of a role that the next items may mean, each with its number of items, the longest first."""
        if at >= len(self._items):
            return []
        item = self._items[at]
        spelled = self._notations.spelled(role, item)
        if spelled in legal:
            return [(1, spelled)]
        if item.startswith("("):
            return []
        typed = []
        for length in range(1, min(_MAX_WORDS, len(self._items) - at) + 1):
            text = " ".join(self._items[at : at + length])
            # A single number is the place of a move in a list in `play`; a line has no such list.
            found = [] if text.isdigit() else same_moves(text, legal, lambda text: self._notations.spelled(role, text))
            if len(found) == 1:
                typed.append((length, found[0]))
        return typed[::-1]

    def _continued(self, reading: _MoveReading) -> Iterator[_MoveReading]:
        """Yield the readings with one more turn, in the order of their priority."""
        machine, at = self._machine, reading.read
        legal = [machine.legal(reading.state, role) for role in machine.roles]
        forced = tuple(options[0] if options else "" for options in legal)
        choosing = [role for role, options in enumerate(legal) if len(options) > 1]
        turns = []
        if len(choosing) <= 1:
            for role in choosing or range(len(legal)):
                if typed := self._typed(at, role, legal[role]):
                    turns += [(length, 1, (*forced[:role], move, *forced[role + 1 :])) for length, move in typed]
                    break
        joint: list[str] = []
        for role, options in enumerate(legal):
            if not (typed := self._typed(at, role, options)):
                break
            at += typed[0][0]
            joint.append(typed[0][1])
        else:
            turns.append((at - reading.read, len(joint), tuple(joint)))
        if not choosing and all(legal):
            turns.append((0, 0, forced))
        for length, moves, turn in turns:
            state = machine.next(reading.state, turn)
            yield _MoveReading(state, reading.read + length, reading.moves + moves, turn, reading)

    def _complaint(self, reading: _MoveReading) -> str:
        """Return the error of the first move that no reading explains."""
        machine = self._machine
        turn = len(reading.turns()) + 1
        at, number = reading.read, reading.moves + 1
        if machine.terminal(reading.state):
            return f"move {number}, {self._items[at]}, comes after the end of the game in turn {turn - 1}"
        legal = {role: machine.legal(reading.state, role) for role in machine.roles}
        blamed = {role: options for role, options in legal.items() if len(options) > 1} or legal
        # If the turn begins like a joint move, its first illegal move is wrong.
        for place, role in enumerate(machine.roles[1:], start=1):
            if not (typed := self._typed(at, place - 1, legal[machine.roles[place - 1]])):
                break
            at, number = at + typed[0][0], number + 1
            blamed = {role: legal[role]}
            if at == len(self._items):
                return (
                    f"turn {turn} lacks the move of {role}: a turn has one move for each of {', '.join(machine.roles)}"
                )
        move = self._text(at, [move for options in blamed.values() for move in options])
        named = "; ".join(f"{role} has {some_moves(move, options)}" for role, options in blamed.items())
        return f"move {number}, {move}, is not legal in turn {turn}: {named}"

    def _text(self, at: int, legal: Sequence[str]) -> str:
        """Return the text of a wrong move, which has the length of a legal move with the same name."""
        item = self._items[at]
        if item.startswith("("):
            return self._notations.spelled(0, item)
        lengths = [len(words_of(move)) for move in legal if words_of(move)[:1] == [item.lower()]]
        return " ".join(self._items[at : at + max(lengths, default=1)])

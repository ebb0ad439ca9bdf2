"""Read a line of moves, as a person writes it, as joint moves.

Moves are KIF terms, one after the other. A turn has one move for each role, in the order of the roles. If at most one
role has a choice, the move of that role is enough. A turn without any choice may be omitted. If there are several
readings of the whole line, a turn with one move has priority, then a turn with all moves, then an omitted turn.

>>> from gdl import NetworkMachine, parse_sheet
>>> from kif_games import rules
>>> machine = NetworkMachine(parse_sheet(rules("tic_tac_toe")))
>>> read_moves(machine, "(mark 2 2) (mark 1 1)")
[('(mark 2 2)', 'noop'), ('noop', '(mark 1 1)')]
>>> read_moves(machine, "(mark 2 2) noop  noop (mark 1 1)") == read_moves(machine, "( mark 2 2 ) (MARK 1 1)")
True
>>> try:
...     read_moves(machine, "(mark 2 2) (mark 2 2)")
... except UserError as error:
...     print(error)
move 2, (mark 2 2), is not legal in turn 2: o has (mark 1 2), (mark 2 1), (mark 2 3), .. (8)
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from gdl import CompiledMachine, GdlError, MachineState, ReasonerMachine, StateMachine

from ..common.errors import UserError
from ..protocol.message_text import MessageTextError, split
from .native.native_machine import NativeMachine
from .native.sheet_machine import SheetMachine
from .native.whole_turns import join_turns

# Number of legal moves that an error message names.
_MAX_NAMED_MOVES = 3


@dataclass(frozen=True, slots=True)
class _MoveReading:
    """A reading of the first moves of a line.

    Attributes:
        state: the state after these moves.
        read: the number of moves read.
        turn: the last joint move.
        before: the reading without the last turn; None for the reading of no moves.
    """

    state: MachineState
    read: int
    turn: tuple[str, ...] = ()
    before: _MoveReading | None = None

    def turns(self) -> list[tuple[str, ...]]:
        """Return the joint moves in order."""
        turns = []
        here = self
        while here.before is not None:
            turns.append(here.turn)
            here = here.before
        return turns[::-1]


def read_position(machine: CompiledMachine, path: Path) -> MachineState:
    """Read the position in a file, in the notation of a native game.

    Raises:
        UserError: the machine is not a native game, the file cannot be read, or its position cannot occur in the game.
    """
    if not isinstance(machine, NativeMachine):
        raise UserError(f"{path}: positions can be read for native games only; give moves that lead to the position")
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise UserError(f"{path}: cannot read the position: {reason}") from None
    return machine.module.read_board(text, source=str(path))


def read_moves(machine: CompiledMachine, text: str, start: MachineState | None = None) -> list[tuple[str, ...]]:
    """Read a line of moves from a state, by default the initial one; return the joint moves.

    Raises:
        UserError: the text is not a line of legal moves; the message names the move, the turn and legal moves.
    """
    try:
        moves = [machine.spelled(str(item)) for item in split(text)]
    except (GdlError, MessageTextError) as error:
        reason = error.message if isinstance(error, GdlError) else error
        raise UserError(f"the moves {text!r} cannot be read: {reason}") from None
    start = machine.initial() if start is None else start
    if not isinstance(machine, NativeMachine) or not any(move.startswith("(") for move in moves):
        return _read(machine, moves, start)
    # The line has moves of the rule sheet.
    if machine.module.one_to_one:
        turns = _read(SheetMachine(machine.module, machine.sheet, {}), moves, start)
    else:
        sheet = ReasonerMachine(machine.sheet)
        turns = _read(sheet, moves, sheet.state(machine.fluents(start)))
    try:
        return [joint for joint, _ in join_turns(machine, turns, start)]
    except ValueError as error:
        raise UserError(f"the moves cannot be read: {error}") from None


def _read(machine: StateMachine, moves: list[str], start: MachineState) -> list[tuple[str, ...]]:
    furthest = _MoveReading(start, 0)
    open_readings = [furthest]
    seen: set[tuple[MachineState, int]] = set()
    while open_readings:
        reading = open_readings.pop()
        if reading.read == len(moves):
            return reading.turns()
        if (reading.state, reading.read) in seen:
            continue
        seen.add((reading.state, reading.read))
        if reading.read > furthest.read:
            furthest = reading
        if not machine.terminal(reading.state):
            open_readings += reversed(list(_continued(machine, moves, reading)))
    raise UserError(_complaint(machine, moves, furthest))


def _continued(machine: StateMachine, moves: list[str], reading: _MoveReading) -> Iterator[_MoveReading]:
    """Yield the readings with one more turn, in the order of their priority."""
    legal = [machine.legal(reading.state, role) for role in machine.roles]
    forced = tuple(options[0] if options else "" for options in legal)
    choosing = [role for role, options in enumerate(legal) if len(options) > 1]
    turns = []
    move = moves[reading.read]
    if len(choosing) <= 1:
        for role in choosing or range(len(legal)):
            if move in legal[role]:
                turns.append((1, (*forced[:role], move, *forced[role + 1 :])))
                break
    joint = tuple(moves[reading.read : reading.read + len(legal)])
    if len(joint) == len(legal) and all(one in options for one, options in zip(joint, legal, strict=True)):
        turns.append((len(legal), joint))
    if not choosing and all(legal):
        turns.append((0, forced))
    for taken, turn in turns:
        yield _MoveReading(machine.next(reading.state, turn), reading.read + taken, turn, reading)


def _complaint(machine: StateMachine, moves: list[str], reading: _MoveReading) -> str:
    """Return the error of the first move that no reading explains."""
    turn = len(reading.turns()) + 1
    at = reading.read
    if machine.terminal(reading.state):
        return f"move {at + 1}, {moves[at]}, comes after the end of the game in turn {turn - 1}"
    legal = {role: machine.legal(reading.state, role) for role in machine.roles}
    blamed = {role: options for role, options in legal.items() if len(options) > 1} or legal
    # If the turn begins like a joint move, its first illegal move is wrong.
    for place, role in enumerate(machine.roles[1:], start=1):
        if moves[at] not in legal[machine.roles[place - 1]]:
            break
        at += 1
        blamed = {role: legal[role]}
        if at == len(moves):
            return f"turn {turn} lacks the move of {role}: a turn has one move for each of {', '.join(machine.roles)}"
    named = "; ".join(f"{role} has {some_moves(moves[at], options)}" for role, options in blamed.items())
    return f"move {at + 1}, {moves[at]}, is not legal in turn {turn}: {named}"


def some_moves(move: str, legal: list[str]) -> str:
    """List the legal moves that are most similar to a move; an equal beginning counts most.

    >>> some_moves("a2-a3", ["a1-a2", "b2-b3", "a2-b3", "h2-h3", "h3-h4"])
    'a1-a2, a2-b3, b2-b3, .. (5)'
    """
    if len(legal) <= _MAX_NAMED_MOVES:
        return ", ".join(legal) or "none"
    matcher = difflib.SequenceMatcher(b=move)

    def nearness(other: str) -> float:
        matcher.set_seq1(other)
        shared = takewhile(lambda pair: pair[0] == pair[1], zip(other, move, strict=False))
        return matcher.ratio() + len(list(shared)) / (len(move) or 1)

    near = sorted(legal, key=nearness, reverse=True)[:_MAX_NAMED_MOVES]
    return f"{', '.join(sorted(near))}, .. ({len(legal)})"

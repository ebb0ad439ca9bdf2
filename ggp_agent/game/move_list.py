"""From a line of moves, as a person writes it, to joint moves.

Moves are KIF terms, one after the other. A turn takes one move for each role, in the order of the roles, or, where at
most one role has a choice, the move of that role alone. Turns in which nobody has a choice may be left out. Where
several readings explain the whole line, a turn is one move rather than several, and those rather than none.

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

# Legal moves that an error names.
_NAMED = 3


@dataclass(frozen=True, slots=True)
class _MoveReading:
    """A way to read the first moves of a line: the state they lead to, and the turns, latest first."""

    state: MachineState
    read: int
    turn: tuple[str, ...] = ()
    before: _MoveReading | None = None

    def turns(self) -> list[tuple[str, ...]]:
        turns = []
        here = self
        while here.before is not None:
            turns.append(here.turn)
            here = here.before
        return turns[::-1]


def read_position(machine: CompiledMachine, path: Path) -> MachineState:
    """Read the state that a file shows in the notation of a hand-coded game.

    Raises:
        UserError: the machine is of another kind, the file cannot be read, or it shows no position that can arise.
    """
    if not isinstance(machine, NativeMachine):
        raise UserError(f"{path}: positions can be read for hand-coded games alone; give moves that lead there")
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text"
        raise UserError(f"{path}: cannot read the position: {reason}") from None
    return machine.module.read_board(text, source=str(path))


def read_moves(machine: CompiledMachine, text: str, start: MachineState | None = None) -> list[tuple[str, ...]]:
    """Read a line of moves from a state, by default the initial one; return the joint moves.

    Raises:
        UserError: the text is no line of moves of this game; the message names move, turn and legal moves.
    """
    try:
        moves = [machine.spelled(str(item)) for item in split(text)]
    except (GdlError, MessageTextError) as error:
        reason = error.message if isinstance(error, GdlError) else error
        raise UserError(f"the moves {text!r} cannot be read: {reason}") from None
    start = machine.initial() if start is None else start
    if not isinstance(machine, NativeMachine) or not any(move.startswith("(") for move in moves):
        return _read(machine, moves, start)
    # The moves are those of the rule sheet.
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
    """List the ways to read one turn more, the likeliest first."""
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
    """Say what is wrong with the first move that no reading explains."""
    turn = len(reading.turns()) + 1
    at = reading.read
    if machine.terminal(reading.state):
        return f"move {at + 1}, {moves[at]}, is one too many: the game is over after turn {turn - 1}"
    legal = {role: machine.legal(reading.state, role) for role in machine.roles}
    blamed = {role: options for role, options in legal.items() if len(options) > 1} or legal
    # Where it begins like a joint move, the first move of that which does not fit is wrong.
    for place, role in enumerate(machine.roles[1:], start=1):
        if moves[at] not in legal[machine.roles[place - 1]]:
            break
        at += 1
        blamed = {role: legal[role]}
        if at == len(moves):
            return f"turn {turn} lacks the move of {role}: it takes one for each of {', '.join(machine.roles)}"
    named = "; ".join(f"{role} has {some_moves(moves[at], options)}" for role, options in blamed.items())
    return f"move {at + 1}, {moves[at]}, is not legal in turn {turn}: {named}"


def some_moves(move: str, legal: list[str]) -> str:
    """Name the legal moves that look most like a move: those that share the most with it, above all the beginning.

    >>> some_moves("a2-a3", ["a1-a2", "b2-b3", "a2-b3", "h2-h3", "h3-h4"])
    'a1-a2, a2-b3, b2-b3, .. (5)'
    """
    if len(legal) <= _NAMED:
        return ", ".join(legal) or "none"
    matcher = difflib.SequenceMatcher(b=move)

    def nearness(other: str) -> float:
        matcher.set_seq1(other)
        shared = takewhile(lambda pair: pair[0] == pair[1], zip(other, move, strict=False))
        return matcher.ratio() + len(list(shared)) / (len(move) or 1)

    near = sorted(legal, key=nearness, reverse=True)[:_NAMED]
    return f"{', '.join(sorted(near))}, .. ({len(legal)})"

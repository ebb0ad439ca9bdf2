"""Show a recorded match in the terminal, turn by turn, with boards drawn as text."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from gdl import StateMachine

from ..common.errors import UserError
from ..common.terminal_text import printable
from ..game.drawing.board import fluent_board, native_drawing
from ..game.drawing.grid_board import CellBoard
from ..game.drawing.picture import Drawing
from ..game.game import Game
from ..game.native.native_game import NativeGame
from ..game.native.native_machine import recognise, renamed
from .match_record import MatchRecord
from .record_check import RecordDifference
from .record_terms import fluent_key

HELP = "Enter or n: the next turn; b: back; a number: that turn (0 is the beginning); all: the rest at once; q: leave"


@dataclass(frozen=True, slots=True)
class Frame:
    """The output for one turn: a title with the joint move, the state after it, and notes."""

    number: int
    title: str
    fluents: list[str]
    notes: list[str]


class RecordViewer:
    """Show the turns of a record."""

    def __init__(
        self,
        record: MatchRecord,
        roles: Sequence[str],
        *,
        game: Game | None = None,
        machine: StateMachine | None = None,
        differences: Iterable[RecordDifference] = (),
        say: Callable[[str], None],
    ) -> None:
        self._say = say
        spelled = _spelling(record.states, machine)
        states = [[spelled(fluent) for fluent in state] for state in record.states]
        self._board = _board_of(states, game, machine)
        self._frames = [
            Frame(turn, _title(record, roles, turn), state, _notes(record, roles, turn, differences))
            for turn, state in enumerate(states)
        ]
        if len(record.moves) == len(states) > 0:
            last = len(record.moves)
            notes = ["the state after this move was not recorded", *_notes(record, roles, last, differences)]
            self._frames.append(Frame(last, _title(record, roles, last), [], notes))

    @property
    def last(self) -> int:
        """The number of the last turn; -1 if no state is recorded."""
        return len(self._frames) - 1

    def show(self, number: int, before: int | None = None) -> None:
        """Print one turn."""
        if not 0 <= number <= self.last:
            raise UserError(f"there is no turn {number}; the record has 0 to {self.last}")
        frame = self._frames[number]
        lines = [printable(frame.title)]
        if frame.fluents:
            earlier = None if before is None else self._frames[before].fluents
            lines += map(printable, self._board.draw(frame.fluents, earlier).whole_lines())
        self._say("\n".join([*lines, *map(printable, frame.notes)]))

    def run(self, start: int = 0, *, delay: float = 0.0) -> None:
        """Print all turns from a turn on, with `delay` seconds between them."""
        self._begin()
        for number in range(start, self.last + 1):
            if number > start:
                self._say("")
            self.show(number, number - 1 if number > start else None)
            if delay and number < self.last:
                time.sleep(delay)

    def step(self, start: int, read: Callable[[str], str]) -> None:
        """Print the turns that the user requests, until the user leaves or the input ends."""
        self._begin()
        self.show(start)
        now = start
        while True:
            try:
                text = read(f"turn {now} of {self.last}> ").strip().lower()
            except EOFError:
                return
            wanted = self._wanted(text, now)
            if text in ("q", "quit", "exit"):
                return
            if text == "all":
                for number in range(now + 1, self.last + 1):
                    self.show(number, number - 1)
                now = self.last
            elif wanted is None:
                self._say(HELP)
            elif wanted == now + 1 > self.last:
                self._say("this is the end; b goes back, q leaves")
            else:
                try:
                    self.show(wanted, now if wanted == now + 1 else None)
                    now = wanted
                except UserError as error:
                    self._say(str(error))

    def _begin(self) -> None:
        if self.last < 0:
            self._say("the record has no states")
        elif self._board.legend:
            self._say(printable(self._board.legend))

    def _wanted(self, text: str, now: int) -> int | None:
        """Return the turn that a text requests; None if it is not a request of a turn."""
        if text in ("", "n"):
            return now + 1
        if text == "b":
            return max(0, now - 1)
        return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


class _RecordedBoard:
    """Draw the board of the native game with the same rules; use another board for states within its turns."""

    legend = ""

    def __init__(self, native: NativeGame, names: Mapping[str, str], other: CellBoard) -> None:
        self._native = native
        self._own_names = {name: symbol for symbol, name in names.items()}
        self._other = other

    def draw(self, fluents: Sequence[str], before: Sequence[str] | None = None) -> Drawing:
        try:
            state = self._native.state_of(renamed(fluent, self._own_names) for fluent in fluents)
        except ValueError:
            return self._other.draw(fluents, before)
        return native_drawing(self._native, state)


def _board_of(
    states: Sequence[Sequence[str]], game: Game | None, machine: StateMachine | None
) -> CellBoard | _RecordedBoard:
    known = dict.fromkeys(fluent for state in states for fluent in state)
    if machine is not None:
        known.update(dict.fromkeys(machine.known_fluents()))
    board = fluent_board(known, states[0] if states else [], None if game is None else game.guide)
    found = None if game is None else recognise(game.sheet)
    return board if found is None else _RecordedBoard(*found, board)


def _spelling(states: Iterable[Iterable[str]], machine: StateMachine | None) -> Callable[[str], str]:
    """Return the function that spells a fluent as the rules do.

    Without rules, fluents are written in small letters if all of them are in capitals.
    """
    if machine is not None:
        spellings = {fluent_key(fluent): fluent for fluent in machine.known_fluents()}
        return lambda fluent: spellings.get(fluent_key(fluent), fluent)
    in_capitals = not any(c.islower() for state in states for fluent in state for c in fluent)
    return str.lower if in_capitals else str


def _title(record: MatchRecord, roles: Sequence[str], turn: int) -> str:
    if turn == 0:
        return "beginning"
    times = record.move_times[turn - 1] if record.move_times else None
    errors = record.errors[turn] if turn < len(record.errors) else [""] * len(roles)
    line = f"turn {turn}:"
    for number, (role, move) in enumerate(zip(roles, record.moves[turn - 1], strict=True)):
        line += f" {role} {move}"
        line += f" {times[number] / 1000:.2f} s" if times is not None else ""
        line += f" [{errors[number]}]" if errors[number] else ""
    return line


def _notes(record: MatchRecord, roles: Sequence[str], turn: int, differences: Iterable[RecordDifference]) -> list[str]:
    notes = [f"! {each}" for each in differences if each.turn == turn]
    if turn == len(record.moves):
        goals = zip(roles, record.scores, strict=True) if record.goals else ()
        listed = ", ".join(f"{role} {'none' if goal is None else goal}" for role, goal in goals)
        if record.completed:
            notes.append(f"the game is over, goals: {listed or 'not recorded'}")
        elif record.is_stopped_at_turn_limit:
            notes.append("the match was stopped by its turn limit")
        else:
            notes.append(
                "the match was aborted" if record.aborted else "the record ends here, before the end of the game"
            )
    return notes

"""Host one match: tell the players what happens, collect their moves, keep the record."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from gdl import GdlError, State, StateMachine

from .client import INFO_TIMEOUT, Letter, PlayerClient, Reply, presence_in, send_all
from .conditions import Conditions, clock_of
from .errors import UserError
from .games import Game
from .match_record import MatchRecord
from .match_resume import last_state
from .protocol import (
    AVAILABLE,
    BUSY,
    NIL,
    READY,
    Abort,
    Info,
    Message,
    Play,
    Presence,
    Preview,
    Start,
    Stop,
    format_message,
)
from .wording import UnknownNameError, Wording

# Seconds that players have to answer when the match is given up, and at least and at most when it is over.
ABORT_TIMEOUT = 1.0
STOP_TIMEOUT = 1.0, 10.0

_USUAL = Conditions()


@dataclass(frozen=True, slots=True)
class Seat:
    """Say who plays a role.

    Attributes:
        role: the role.
        player: what plays it, as the record calls it.
        client: the way to the player; None where the manager itself plays at random.
    """

    role: str
    player: str
    client: PlayerClient | None


@dataclass(frozen=True, slots=True)
class SeatMove:
    """Hold what one role did in one turn.

    Attributes:
        move: the move that was made.
        seconds: the time the role took for it.
        error: empty, or why the manager drew a random move instead: `TO`, `CE`, `IN ...` or `IL <move>`.
        detail: the error in words.
    """

    move: str
    seconds: float = 0.0
    error: str = ""
    detail: str = ""


class Observer:
    """Learn how a match goes on; every method may be left as it is."""

    def opened(self, record: MatchRecord, seats: Sequence[Seat]) -> None:
        """Learn that the players are about to be told of the match; the record of a resumed one holds moves."""

    def started(self, seconds: float) -> None:
        """Learn that all players are ready, or that the startclock is over."""

    def turn_began(self, number: int) -> None:
        """Learn that the players are asked for their moves."""

    def turn_ended(self, number: int, moves: Sequence[SeatMove]) -> None:
        """Learn the joint move."""

    def note(self, text: str) -> None:
        """Learn something worth telling, in one line; may be called from any thread."""

    def completed(self, goals: Sequence[int | None]) -> None:
        """Learn the goals of the terminal state."""


class MatchHost:
    """Host one match, or go on with one that broke off.

    A host has no threads and shares nothing with others, so that any number may run at once, each in a thread; players
    (`PlayerClient`) are for one match at a time.

    Args:
        game: what is played.
        machine: its state machine.
        seats: one per role, in role order.
        record: to be filled; its clocks are those of the match. One that has states already is gone on with.
        save: called after every change of the record.
        observer: told of everything.
        seed: of the moves drawn by the manager.
        conditions: what else is agreed; written into the record. For a record that is gone on with, `Conditions.read`.
    """

    def __init__(
        self,
        game: Game,
        machine: StateMachine,
        seats: Sequence[Seat],
        record: MatchRecord,
        *,
        save: Callable[[], None],
        observer: Observer | None = None,
        seed: int | None = None,
        conditions: Conditions = _USUAL,
    ) -> None:
        if tuple(seat.role for seat in seats) != machine.roles:
            raise ValueError("there must be one seat per role, in role order")
        self._machine = machine
        self._seats = seats
        self._record = record
        self._save = save
        self._observer = observer if observer is not None else Observer()
        self._random = random.Random(seed)
        self._conditions = conditions
        scramble = conditions.scramble_seed
        self._wordings = [
            Wording(game.sheet, None if scramble is None else random.Random(f"{scramble} {index}"))
            for index in range(len(seats))
        ]
        self._joined = [0] * len(seats)  # how many turns were over when the player was told the rules
        self._refusing: set[int] = set()  # the seats whose player will not have this match
        self._told = False

    def run(self) -> None:
        """Play the match to its end.

        On any exception, KeyboardInterrupt too, the players are told to abort and the record says `isAborted`.

        Raises:
            UserError: the rules leave a role without a legal move; or the record of a match that broke off does not fit
                them, and is left as it is.
            OSError: the record cannot be written (what `save` raises ends the match).
        """
        begun = bool(self._record.states)
        state = last_state(self._record, self._machine) if begun else self._machine.initial()
        try:
            self._play(state, begun)
        except BaseException:
            self._abort()
            raise

    def our_name(self, role: str, move: str) -> str:
        """Translate a move as the player of a role calls it; what makes no sense stays as it is."""
        try:
            return self._wordings[self._machine.roles.index(role)].hear(move)
        except (GdlError, UnknownNameError):
            return move

    # ---- the course of the match

    def _play(self, state: State, begun: bool) -> None:
        machine, record, observer = self._machine, self._record, self._observer
        if begun:
            record.aborted = False
            self._save()
            observer.opened(record, self._seats)
            self._rejoin(state)
        else:
            self._conditions.write(record)
            observer.opened(record, self._seats)
            record.append_state(machine.fluents(state), [""] * len(self._seats))
            self._save()
            self._preview()
            record.errors[0] = self._start()
        while not machine.terminal(state):
            self._readmit(state)
            number = len(record.moves) + 1
            observer.turn_began(number)
            moves = self._turn(state)
            observer.turn_ended(number, moves)
            state = machine.next(state, [each.move for each in moves])
            record.append_moves([each.move for each in moves], [each.seconds for each in moves])
            record.append_state(machine.fluents(state), [each.error for each in moves])
            self._save()
        record.goals = [machine.goal(state, role) for role in machine.roles]
        record.completed = True
        self._save()
        least, most = STOP_TIMEOUT
        stops = {index: Stop(record.match_id, self._last_moves(index)) for index in self._players()}
        self._ask(stops, lambda index: max(least, min(most, self._play_clock(index))))
        for role, goal in zip(machine.roles, record.goals, strict=True):
            if goal is None:
                observer.note(f"{role}: the rules give no single goal value at the end; the record says null")
        observer.completed(record.goals)

    def _preview(self) -> None:
        """Show the rules to all players, if that was agreed."""
        clock = self._conditions.preview_clock
        if clock is None:
            return
        self._told = True
        previews = {index: Preview(self._wordings[index].rules(), clock) for index in self._players()}
        replies = self._ask(previews, lambda _: clock + self._conditions.tolerance)
        errors = self._expect_ready("PREVIEW", replies)
        if any(errors):
            self._record.extra["previewErrors"] = errors

    def _start(self) -> list[str]:
        """Send the rules to all players; return what went wrong, per role."""
        self._told = True
        return self._send_rules(self._players(), None)

    def _rejoin(self, state: State) -> None:
        """Bring the players of a match that broke off to its present state.

        A player of our own make that is busy has the match in mind, and gives the same move when it is asked again. To
        any other that might be a turn too many; it is told to abort, and then rules that begin with this state.
        """
        self._told = True
        if self._machine.terminal(state):
            return
        here = self._players()
        present = self._presences(here)
        strangers = []
        for index in here:
            presence = present[index]
            if presence is None or not presence.tells_thoughts or presence.status != BUSY:
                strangers.append(index)
        abort = Abort(self._record.match_id)
        self._ask(dict.fromkeys(strangers, abort), lambda _: ABORT_TIMEOUT, patient=False)
        self._tell_rules(strangers, state)

    def _readmit(self, state: State) -> None:
        """Tell players that have forgotten the match, as after a new start of theirs, rules that begin with this state.

        They answered `busy` to PLAY, and yet they say that they are available.
        """
        lost = [index for index in self._players() if self._record.errors[-1][index] == f"IN {BUSY}"]
        lost = [index for index in lost if index not in self._refusing]
        present = self._presences(lost)
        free = [index for index in lost if (found := present[index]) is not None and found.status == AVAILABLE]
        for index in free:
            self._note(index, "knows nothing of the match; it is told the rules and the present state")
        self._tell_rules(free, state)

    def _presences(self, players: Sequence[int]) -> dict[int, Presence | None]:
        """Ask players at once who they are and whether they are busy."""
        replies = self._ask(dict.fromkeys(players, Info()), lambda _: INFO_TIMEOUT, patient=False)
        return {index: presence_in(reply) for index, reply in replies.items()}

    def _tell_rules(self, players: Sequence[int], state: State) -> None:
        """Have players begin with the present state."""
        if not players:
            return
        moves = len(self._record.moves)
        for index in players:
            self._joined[index] = moves
        self._send_rules(players, self._machine.fluents(state) if moves else None)

    def _send_rules(self, players: Sequence[int], fluents: Sequence[str] | None) -> list[str]:
        began = time.monotonic()
        starts = {index: self._start_message(index, fluents) for index in players}
        replies = self._ask(starts, lambda index: self._start_clock(index) + self._conditions.tolerance)
        errors = self._expect_ready("START", replies)
        self._refusing.update(index for index in players if errors[index].startswith("IN"))
        self._observer.started(time.monotonic() - began)
        return errors

    def _start_message(self, index: int, fluents: Sequence[str] | None) -> Start:
        wording, role = self._wordings[index], self._seats[index].role
        clocks = self._start_clock(index), self._play_clock(index)
        return Start(self._record.match_id, wording.say(role), wording.rules(fluents), *clocks)

    def _expect_ready(self, what: str, replies: Mapping[int, Reply]) -> list[str]:
        """Return what is wrong with the replies of those who were asked, per role."""
        errors = [""] * len(self._seats)
        for index, reply in replies.items():
            error, detail = reply.error, reply.detail
            if not error and reply.text.lower() != READY:
                error, detail = f"IN {_excerpt(reply.text)}", f"answers {_excerpt(reply.text)!r} to {what}"
            if error:
                self._note(index, f"{what}: {detail}" if reply.error else detail)
            errors[index] = error
        return errors

    # ---- a turn

    def _turn(self, state: State) -> list[SeatMove]:
        """Ask every player for a move; whoever gives none has one drawn."""
        legal = [sorted(self._machine.legal(state, seat.role)) for seat in self._seats]
        for seat, moves in zip(self._seats, legal, strict=True):
            if not moves:
                turn = len(self._record.moves) + 1
                raise UserError(f"turn {turn}: {seat.role} has no legal move, yet the game is not over; mend the rules")
        self._pause()
        plays = {index: Play(self._record.match_id, self._last_moves(index)) for index in self._players()}
        replies = self._ask(plays, lambda index: self._play_clock(index) + self._conditions.tolerance)
        return [self._judge(index, replies.get(index), moves) for index, moves in enumerate(legal)]

    def _judge(self, index: int, reply: Reply | None, legal: list[str]) -> SeatMove:
        """Take the move of a reply if it is legal, else draw one and say why."""
        if reply is None:
            return SeatMove(self._random.choice(legal))
        move, error, detail = "", reply.error, reply.detail
        if not error:
            move, error, detail = self._read(index, reply.text, legal)
        if error:
            move = self._random.choice(legal)
            self._note(index, f"{detail}; {move} is drawn instead")
        return SeatMove(move, reply.seconds, error, detail)

    def _read(self, index: int, text: str, legal: list[str]) -> tuple[str, str, str]:
        """Read a move; return it, or what is wrong with it as code and in words."""
        shown, problem = _excerpt(text), ""
        try:
            move = self._wordings[index].hear(text)
            if move in legal:
                return move, "", ""
        except GdlError:
            return "", f"IN {shown}".strip(), f"{shown!r} is no move"
        except UnknownNameError as error:
            move, problem = shown, f": {error}"
        if move.lower() in (BUSY, NIL):
            return "", f"IN {move.lower()}", f"answers {move.lower()!r} to PLAY"
        if " ?" in f" {move}":
            return "", f"IN {shown}", f"{shown!r} holds a variable"
        return "", f"IL {_excerpt(move)}", f"{_excerpt(move)} is no legal move{problem}"

    def _pause(self) -> None:
        """Leave the players the time between two turns that their dialect has."""
        if self._record.moves:
            pauses = [seat.client.dialect.pause for seat in self._seats if seat.client is not None]
            time.sleep(max(pauses, default=0.0))

    def _last_moves(self, index: int) -> tuple[str, ...] | None:
        """Return the joint move before, in the names of a player; None if it was told the rules after it."""
        moves = self._record.moves
        if len(moves) == self._joined[index]:
            return None
        return tuple(map(self._wordings[index].say, moves[-1]))

    # ---- what all messages share

    def _abort(self) -> None:
        record = self._record
        record.aborted = not record.completed
        try:
            if self._told:
                self._ask(
                    dict.fromkeys(self._players(), Abort(record.match_id)), lambda _: ABORT_TIMEOUT, patient=False
                )
        finally:
            self._save()

    def _players(self) -> list[int]:
        """Return the seats that are not the manager's own."""
        return [index for index, seat in enumerate(self._seats) if seat.client is not None]

    def _start_clock(self, index: int) -> float:
        return clock_of(self._conditions.start_clocks, index, self._record.start_clock)

    def _play_clock(self, index: int) -> float:
        return clock_of(self._conditions.play_clocks, index, self._record.play_clock)

    def _ask(
        self, messages: Mapping[int, Message], timeout_of: Callable[[int], float], *, patient: bool = True
    ) -> dict[int, Reply]:
        """Send messages to players at once, by seat; each has its time-out to answer."""
        letters = []
        for index, message in messages.items():
            client = self._seats[index].client
            assert client is not None

            def unreachable(reason: str, index: int = index) -> None:
                self._note(index, f"{reason}; it is tried again")

            letters.append(Letter(client, format_message(message), timeout_of(index), patient, unreachable))
        return dict(zip(messages, send_all(letters), strict=True))

    def _note(self, index: int, text: str) -> None:
        seat = self._seats[index]
        self._observer.note(f"{seat.role} ({seat.player}): {text}")


def _excerpt(text: str) -> str:
    """Return a text as one line of bounded length."""
    return " ".join(text.split())[:200]

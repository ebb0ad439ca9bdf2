"""Host one match: tell the players what happens, collect their moves, keep the record."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gdl import GdlError, State, StateMachine, parse_term
from gdl.terms import to_kif, variables

from .client import PlayerClient, Reply, send_all
from .errors import UserError
from .games import Game
from .match_record import MatchRecord
from .protocol import READY, Abort, Message, Play, Start, Stop, format_message

# Seconds beyond the playclock in which a move still counts, as GGP-Base's server has it.
TOLERANCE = 1.0
# Seconds that players have to answer when the match is given up.
ABORT_TIMEOUT = 1.0


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
        error: empty, or why the manager drew a random move instead: `TO`, `CE`, `IN` or `IL <move>`.
        detail: the error in words.
    """

    move: str
    seconds: float = 0.0
    error: str = ""
    detail: str = ""


class Observer:
    """Learn how a match goes on; every method may be left as it is."""

    def opened(self, record: MatchRecord, seats: Sequence[Seat]) -> None:
        """Learn that START is about to be sent."""

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
    """Host one match.

    Args:
        game: what is played.
        machine: its state machine.
        seats: one per role, in role order.
        record: to be filled; its clocks are those of the match.
        save: called after every change of the record.
        observer: told of everything.
        seed: of the moves drawn by the manager.
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
    ) -> None:
        if tuple(seat.role for seat in seats) != machine.roles:
            raise ValueError("there must be one seat per role, in role order")
        self._game = game
        self._machine = machine
        self._seats = seats
        self._record = record
        self._save = save
        self._observer = observer if observer is not None else Observer()
        self._random = random.Random(seed)
        self._started = False

    def run(self) -> None:
        """Play the match to its end.

        On any exception, KeyboardInterrupt too, the players are told to abort and the record says `isAborted`.

        Raises:
            UserError: the rules leave a role without a legal move.
            OSError: the record cannot be written.
        """
        try:
            self._play()
        except BaseException:
            self._abort()
            raise

    def _play(self) -> None:
        machine, record, observer = self._machine, self._record, self._observer
        state = machine.initial()
        observer.opened(record, self._seats)
        record.append_state(machine.fluents(state), [""] * len(self._seats))
        self._save()
        record.errors[0] = self._start()
        last_moves: tuple[str, ...] | None = None
        number = 0
        while not machine.terminal(state):
            number += 1
            observer.turn_began(number)
            moves = self._turn(state, last_moves)
            observer.turn_ended(number, moves)
            last_moves = tuple(each.move for each in moves)
            state = machine.next(state, last_moves)
            record.append_moves(last_moves, [each.seconds for each in moves])
            record.append_state(machine.fluents(state), [each.error for each in moves])
            self._save()
        record.goals = [machine.goal(state, role) for role in machine.roles]
        record.completed = True
        self._save()
        self._tell(Stop(record.match_id, last_moves), record.play_clock)
        observer.completed(record.goals)

    def _start(self) -> list[str]:
        """Send the rules to all players; return what went wrong, per role."""
        record = self._record
        rules = " ".join(map(str, self._game.sheet.rules))
        began = time.monotonic()
        self._started = True
        replies = self._send(
            lambda seat: Start(record.match_id, seat.role, rules, record.start_clock, record.play_clock),
            record.start_clock,
        )
        self._observer.started(time.monotonic() - began)
        errors = []
        for seat, reply in zip(self._seats, replies, strict=True):
            error, detail = reply.error, reply.detail
            if not error and reply.text.lower() != READY and seat.client is not None:
                error, detail = f"IN {reply.text[:100]}", f"answers {reply.text[:100]!r} to START"
            if error:
                self._observer.note(f"{seat.role} ({seat.player}): {detail}")
            errors.append(error)
        return errors

    def _turn(self, state: State, last_moves: tuple[str, ...] | None) -> list[SeatMove]:
        """Ask every player for a move; whoever gives none has one drawn."""
        legal = [sorted(self._machine.legal(state, seat.role)) for seat in self._seats]
        for seat, moves in zip(self._seats, legal, strict=True):
            if not moves:
                turn = len(self._record.moves) + 1
                raise UserError(f"turn {turn}: {seat.role} has no legal move, yet the game is not over; mend the rules")
        replies = self._send(lambda _: Play(self._record.match_id, last_moves), self._record.play_clock + TOLERANCE)
        return [self._judge(*each) for each in zip(self._seats, replies, legal, strict=True)]

    def _judge(self, seat: Seat, reply: Reply, legal: list[str]) -> SeatMove:
        """Take the move of a reply if it is legal, else draw one and say why."""
        if seat.client is None:
            return SeatMove(self._random.choice(legal))
        error, detail = reply.error, reply.detail
        if not error:
            try:
                term = parse_term(reply.text, self._game.sheet.spellings)
                if next(variables(term), None) is None:
                    move = to_kif(term)
                    if move in legal:
                        return SeatMove(move, reply.seconds)
                    error, detail = f"IL {move[:200]}", f"{move[:200]} is no legal move"
                else:
                    error, detail = "IN", f"{reply.text[:100]!r} holds a variable"
            except GdlError:
                error, detail = "IN", f"{reply.text[:100]!r} is no move"
        drawn = self._random.choice(legal)
        self._observer.note(f"{seat.role} ({seat.player}): {detail}; {drawn} is drawn instead")
        return SeatMove(drawn, reply.seconds, error, detail)

    def _abort(self) -> None:
        record = self._record
        record.aborted = not record.completed
        try:
            if self._started:
                self._tell(Abort(record.match_id), ABORT_TIMEOUT)
        finally:
            self._save()

    def _tell(self, message: Message, timeout: float) -> None:
        self._send(lambda _: message, timeout)

    def _send(self, message_for: Callable[[Seat], Message], timeout: float) -> list[Reply]:
        """Send a message to all players at once; seats of the manager's own get an empty reply."""
        asked = [(seat.client, format_message(message_for(seat))) for seat in self._seats if seat.client is not None]
        replies = iter(send_all(asked, timeout))
        return [next(replies) if seat.client is not None else Reply() for seat in self._seats]

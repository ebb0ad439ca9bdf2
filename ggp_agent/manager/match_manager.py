"""Host one match, or go on with one that broke off: ask the players for moves, judge these, keep the record."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

from gdl import MachineState, StateMachine
from gdl.machines.odd_goals import OddGoals

from ..common.errors import UserError
from ..game.game import Game
from ..protocol.client import Reply
from ..records.match_record import STOP_REASON, MatchRecord
from ..records.played_turns import turns_of
from ..records.record_terms import same_state
from ..records.values import record_values, recorded_values
from .conditions import Conditions, require_clocks
from .match_players import MatchPlayers
from .seats import MatchObserver, Seat, SeatMove

_USUAL = Conditions()

# What a match may be called: one word of a message, and fit for a file name.
_WORD = re.compile(r"[^\s()\";|?*/\\]{1,200}")
# Milliseconds since 1970, up to the year 10000.
_LAST_MOMENT = 253_402_300_800_000


class MatchManager:
    """The host of one match, new or broken off.

    A host has threads only while it waits for players and shares nothing with others, so that any number may run at
    once, each in a thread; players (`PlayerClient`) are for one match at a time.

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
        observer: MatchObserver | None = None,
        seed: int | None = None,
        conditions: Conditions = _USUAL,
    ) -> None:
        if tuple(seat.role for seat in seats) != machine.roles:
            raise ValueError("there must be one seat per role, in role order")
        self._rules = game.sheet if game.module is None else None
        self._machine = machine
        self._seats = seats
        self._record = record
        self._save = save
        self._observer = observer if observer is not None else MatchObserver()
        self._random = random.Random(seed)
        self._conditions = conditions
        self._players = MatchPlayers(game.sheet, seats, record, conditions, self._observer)

    def run(self) -> None:
        """Play the match to its end, or up to its turn limit.

        At the turn limit the players are told to abort, and the record says so. After any exception, KeyboardInterrupt
        too, the players are told to abort and the record says `isAborted`.

        Raises:
            UserError: the rules leave a role without a legal move; or the record of a match that broke off does not fit
                them, and is left as it is.
            Exception: whatever `save` raises, as UserError where the record cannot be written, ends the match.
        """
        begun = bool(self._record.states)
        state = last_state(self._record, self._machine) if begun else self._machine.initial()
        try:
            if begun:
                self._go_on(state)
            else:
                self._begin(state)
            self._play(state)
        except BaseException:
            self._abort()
            raise

    def our_name(self, role: str, move: str) -> str:
        """Translate a move as the player of a role calls it; what makes no sense stays as it is."""
        return self._players.our_name(self._machine.roles.index(role), move)

    def _begin(self, state: MachineState) -> None:
        """Tell the players the rules."""
        record = self._record
        self._conditions.write(record)
        self._observer.opened(record, self._seats)
        record.append_state(self._machine.fluents(state), [""] * len(self._seats))
        self._save()
        if any(errors := self._players.preview()):
            record.extra["previewErrors"] = errors
        record.errors[0] = self._players.start()

    def _go_on(self, state: MachineState) -> None:
        """Find out which of the players know the match, and tell the others."""
        self._record.aborted = False
        self._record.extra.pop(STOP_REASON, None)
        self._conditions.write(self._record)
        self._save()
        self._observer.opened(self._record, self._seats)
        if not self._machine.terminal(state):
            self._players.rejoin()

    def _play(self, state: MachineState) -> None:
        """Play turn by turn to a terminal state, or up to the turn limit."""
        machine, record, observer = self._machine, self._record, self._observer
        while not machine.terminal(state):
            if len(record.moves) >= self._conditions.max_turns:
                self._stop()
                return
            number = len(record.moves) + 1
            observer.turn_began(number)
            moves = self._turn(state)
            observer.turn_ended(number, moves)
            made = [each.move for each in moves]
            values = [*recorded_values(record), self._players.expected(made)]
            state = machine.next(state, made)
            record.append_moves(made, [each.seconds for each in moves])
            record_values(record, values)
            record.append_state(machine.fluents(state), [each.error for each in moves])
            self._save()
        record.complete([machine.goals(state, role) for role in machine.roles])
        self._save()
        self._players.stop()
        for role, goals in zip(machine.roles, record.all_goals, strict=True):
            if len(goals) > 1:
                listed = " ".join(map(str, goals))
                observer.note(f"{role}: the goal values {listed} hold at the end; the highest one counts")
            elif not goals:
                observer.note(f"{role}: no goal value holds at the end; the match does not count")
        for line in () if self._rules is None else OddGoals(self._rules).of(machine, state):
            observer.note(str(line))
        observer.completed(record.scores)

    def _turn(self, state: MachineState) -> list[SeatMove]:
        """Ask every player for a move; whoever gives none has one drawn."""
        legal = [sorted(self._machine.legal(state, role)) for role in self._machine.roles]
        for role, moves in zip(self._machine.roles, legal, strict=True):
            if not moves:
                turn = len(self._record.moves) + 1
                raise UserError(f"turn {turn}: {role} has no legal move, yet the game is not over; mend the rules")
        self._players.readmit()
        replies = self._players.ask_moves()
        return [self._judge(index, replies.get(index), moves) for index, moves in enumerate(legal)]

    def _judge(self, index: int, reply: Reply | None, legal: list[str]) -> SeatMove:
        """Take the move of a reply if it is legal, else draw one and say why; without a player, draw one."""
        if reply is None:
            return SeatMove(self._random.choice(legal))
        move, error, detail = "", reply.error, reply.detail
        if not error:
            move, error, detail = self._players.read_move(index, reply.text, legal)
        if error:
            move = self._random.choice(legal)
            self._players.note(index, f"{detail}; {move} is drawn instead")
        return SeatMove(move, reply.seconds, error, detail)

    def _stop(self) -> None:
        """Stop the match at its turn limit."""
        self._record.stop_at_turn_limit()
        self._abort()
        self._observer.stopped(len(self._record.moves))

    def _abort(self) -> None:
        self._record.aborted = not self._record.completed
        try:
            self._players.abort()
        finally:
            self._save()


def require_resumable(record: MatchRecord, source: object) -> None:
    """Refuse the record of a match that cannot go on, whatever its rules say; `last_state` holds it against these.

    Raises:
        UserError: the match is over, or a field makes no sense; one line that begins with the source.
    """
    if record.completed:
        raise UserError(f"{source}: this match is over; there is nothing to resume")
    name = record.match_id
    if not (name.isascii() and name.isprintable() and _WORD.fullmatch(name)):
        raise UserError(f"{source}: matchId {name[:40]!r} is not one word; such a match cannot be resumed")
    for field, values in (("roleNames", record.roles), ("playerNamesFromHost", record.players)):
        if not values or len(values) != len(record.roles):
            raise UserError(f"{source}: {field} must name one for each role; such a match cannot be resumed")
    try:
        require_clocks(record)
    except ValueError as error:
        raise UserError(f"{source}: {error}") from None
    times = [record.started, *record.state_times]
    if not all(0 <= time < _LAST_MOMENT for time in times) or record.state_times != sorted(record.state_times):
        raise UserError(f"{source}: startTime and stateTimes are no moments one after the other")
    if any(time < 0 for taken in record.move_times for time in taken):
        raise UserError(f"{source}: moveTimes must not be below 0")


def last_state(record: MatchRecord, machine: StateMachine) -> MachineState:
    """Return the state that a match has come to, after holding all of its record against the rules.

    Raises:
        UserError: the record is not one that a match can go on from; one line that begins with the match.
    """
    name = record.match_id
    if record.roles != machine.roles:
        raise UserError(
            f"{name}: its roles are {', '.join(record.roles)}, those of the rules {', '.join(machine.roles)}"
        )
    turns = turns_of(record, machine, name)
    states = [machine.initial(), *(turn.state for turn in turns)]
    complete = len(record.states) == len(record.state_times) == len(record.errors) == len(states)
    if not complete or len(record.move_times) != len(turns):
        raise UserError(f"{name}: the record lacks states, times or errors; only what 'match' wrote can be resumed")
    for number, (state, fluents) in enumerate(zip(states, record.states, strict=True)):
        if not same_state(fluents, machine.fluents(state)):
            raise UserError(f"{name}: state {number} of the record is not what the rules say")
    return states[-1]

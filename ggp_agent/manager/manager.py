"""Host one match: tell the players what happens, collect their moves, keep the record."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from gdl import State, StateMachine

from ..errors import UserError
from ..games import Game
from ..records.match_record import MatchRecord
from ..wire.client import Reply
from .conditions import Conditions
from .match_players import MatchPlayers
from .resume import last_state
from .seats import Observer, Seat, SeatMove

_USUAL = Conditions()


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
        self._players = MatchPlayers(game.sheet, seats, record, conditions, self._observer)

    def run(self) -> None:
        """Play the match to its end.

        On any exception, KeyboardInterrupt too, the players are told to abort and the record says `isAborted`.

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

    def _begin(self, state: State) -> None:
        """Tell the players the rules."""
        record = self._record
        self._conditions.write(record)
        self._observer.opened(record, self._seats)
        record.append_state(self._machine.fluents(state), [""] * len(self._seats))
        self._save()
        if any(errors := self._players.preview()):
            record.extra["previewErrors"] = errors
        record.errors[0] = self._players.start()

    def _go_on(self, state: State) -> None:
        """Find out which of the players know the match, and tell the others."""
        self._record.aborted = False
        self._save()
        self._observer.opened(self._record, self._seats)
        if not self._machine.terminal(state):
            self._players.rejoin()

    def _play(self, state: State) -> None:
        """Play turn by turn to a terminal state."""
        machine, record, observer = self._machine, self._record, self._observer
        while not machine.terminal(state):
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
        self._players.stop()
        for role, goal in zip(machine.roles, record.goals, strict=True):
            if goal is None:
                observer.note(f"{role}: the rules give no single goal value at the end; the record says null")
        observer.completed(record.goals)

    def _turn(self, state: State) -> list[SeatMove]:
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

    def _abort(self) -> None:
        self._record.aborted = not self._record.completed
        try:
            self._players.abort()
        finally:
            self._save()

"""Run or resume one match: request moves from the players, check them, write the record."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gdl.language.percepts import percept_rules
from gdl.machines.reference import OddGoals

from ..arena.adjudication import NEVER, Adjudication, AdjudicationRules, Adjudicator
from ..common.errors import UserError
from ..game.game import State
from ..game.roles import after_turns, is_chance
from ..protocol.messages import Reply, Thoughts
from ..records.match_record import ADJUDICATED, FORFEIT, STOP_REASON, MatchRecord
from ..records.played_turns import turns_of
from ..records.record_terms import same_state
from ..records.values import Values, record_values, recorded_values
from .conditions import STOP, Conditions, DrawnMoves, PlayerFailedError, goals_of_forfeit, require_clocks
from .openings import OPENING_PLIES, Opening
from .player_messages import PlayerMessages
from .seats import MatchObserver, Seat, SeatMove

_USUAL = Conditions()

# The name of a match: one word of a message that is also a valid file name.
_WORD = re.compile(r"[^\s()\";|?*/\\]{1,200}")
# Milliseconds since 1970, up to the year 10000.
_LAST_MOMENT = 253_402_300_800_000


class MatchManager:
    """Run one match, new or resumed.

    Managers share no data, so several can run at the same time, each in a thread. A `PlayerClient` can be in only one
    match at a time.
    """

    def __init__(
        self,
        start: State,
        seats: Sequence[Seat],
        record: MatchRecord,
        *,
        save: Callable[[], None],
        observer: MatchObserver | None = None,
        seed: int | None = None,
        conditions: Conditions = _USUAL,
        opening: Opening = (),
        adjudication: AdjudicationRules = NEVER,
    ) -> None:
        if tuple(seat.role for seat in seats) != start.roles:
            raise ValueError("there must be one seat per role, in role order")
        self._start = start
        self._rules = start.game.sheet if start.game.module is None else None
        self._has_percepts = self._rules is not None and bool(percept_rules(self._rules))
        self._seats = seats
        self._record = record
        self._save = save
        self._observer = observer if observer is not None else MatchObserver()
        self._random = random.Random(seed)
        self._conditions = conditions
        self._opening = opening
        self._played = tuple(index for index, role in enumerate(start.roles) if not is_chance(role))
        self._adjudicator = Adjudicator(adjudication, self._played, len(seats))
        self._drawn = DrawnMoves(conditions.on_error, record)
        self._players = PlayerMessages(start, seats, record, conditions, self._observer)

    def run(self) -> None:
        """Play the match to its end or to its turn limit.

        At the turn limit, the players receive ABORT and the record contains the reason. After any exception, including
        KeyboardInterrupt, the players receive ABORT and the record contains `isAborted`.
        """
        begun = bool(self._record.states)
        state = last_state(self._record, self._start) if begun else self._start
        try:
            if begun:
                self._resume(state)
            else:
                state = self._begin(state)
            self._play(state)
        except BaseException:
            self._abort()
            raise
        self._players.report()

    def our_name(self, role: str, move: str) -> str:
        """Translate a move of a role's player to the names of the rules; invalid text stays unchanged."""
        return self._players.our_name(self._start.roles.index(role), move)

    def _begin(self, state: State) -> State:
        """Play the opening and send the rules to the players; return the first state of the players."""
        record = self._record
        if self._opening and self._has_percepts:
            raise UserError(f"{record.game}: an opening reveals what the roles do not see; play without openings")
        self._conditions.write(record)
        self._observer.opened(record, self._seats)
        no_errors = [""] * len(self._seats)
        record.append_state(state.fluents, no_errors)
        for joint in self._opening:
            state = state.play(*joint)
            record.append_moves(joint, [0.0] * len(joint))
            record.append_state(state.fluents, no_errors)
        fluents = record.states[-1] if self._opening else None
        if self._opening:
            record.extra[OPENING_PLIES] = len(self._opening)
        self._save()
        if any(errors := self._players.preview(fluents)):
            record.extra["previewErrors"] = errors
        asks_text = any(seat.text is not None for seat in self._seats) and not state.is_terminal
        record.errors[0] = self._players.start(self._legal(state) if asks_text else [], fluents)
        return state

    def _resume(self, state: State) -> None:
        """Send the rules to the players that do not know the match."""
        if self._has_percepts and len(self._record.percepts) != len(self._record.moves):
            raise UserError(f"{self._record.match_id}: the record lacks percepts; such a match cannot be resumed")
        self._record.aborted = False
        self._record.extra.pop(STOP_REASON, None)
        self._conditions.write(self._record)
        self._save()
        self._observer.opened(self._record, self._seats)
        if not state.is_terminal:
            self._players.rejoin()

    def _play(self, state: State) -> None:
        """Play until a terminal state, an adjudication or the turn limit."""
        record, observer = self._record, self._observer
        while not state.is_terminal:
            if len(record.moves) >= self._conditions.max_turns:
                self._stop()
                return
            number = len(record.moves) + 1
            observer.turn_began(number)
            moves = self._turn(state)
            observer.turn_ended(number, moves)
            made = [each.move for each in moves]
            thoughts = self._players.thoughts(made)
            values = [*recorded_values(record), self._expected(thoughts)]
            state = state.play(*made)
            if self._has_percepts:
                record.percepts.append([list(state.percepts(role)) for role in state.roles])
            record.append_moves(made, [each.seconds for each in moves])
            record_values(record, values)
            record.append_state(state.fluents, [each.error for each in moves])
            failed = self._drawn.failed(moves, is_over=state.is_terminal)
            self._save()
            if failed:
                self._forfeit(failed, moves)
                return
            result = self._adjudicator.decide(number, thoughts)
            if result is not None and not state.is_terminal:
                self._adjudicate(result, self._adjudicator.document(result, number))
                return
        record.complete([state.machine.goals(state.packed, role) for role in state.roles])
        self._save()
        self._players.stop()
        for role, goals in zip(state.roles, record.all_goals, strict=True):
            if is_chance(role):  # chance needs no goal
                continue
            if len(goals) > 1:
                listed = " ".join(map(str, goals))
                observer.note(f"{role}: the terminal state has the goal values {listed}; the highest one counts")
            elif not goals:
                observer.note(f"{role}: the terminal state has no goal value; the match does not count")
        for odd in () if self._rules is None else OddGoals(self._rules).of(state.machine, state.packed):
            if not is_chance(odd.role):
                observer.note(str(odd))
        observer.completed(record.scores)

    def _turn(self, state: State) -> list[SeatMove]:
        """Request a move from each player; draw a random move for a player without a legal answer."""
        legal = self._legal(state)
        for role, moves in zip(self._start.roles, legal, strict=True):
            if not moves:
                turn = len(self._record.moves) + 1
                raise UserError(f"turn {turn}: {role} has no legal move, but the game is not over; correct the rules")
        self._players.readmit()
        replies = self._players.ask_moves(legal)
        return [self._check_reply(index, replies.get(index), moves) for index, moves in enumerate(legal)]

    def _legal(self, state: State) -> list[list[str]]:
        """Return the sorted legal moves of each role."""
        return [sorted(moves) for moves in state.legal_moves().values()]

    def _check_reply(self, index: int, reply: Reply | None, legal: list[str]) -> SeatMove:
        """Return the move of a reply if it is legal; otherwise draw a random move and report the reason."""
        if reply is None:
            return SeatMove(self._random.choice(legal))
        move, error, detail = "", reply.error, reply.detail
        if not error:
            move, error, detail = self._players.read_move(index, reply.text, legal)
        if error:
            move = self._random.choice(legal)
            self._players.note(index, f"{detail}; drew {move} instead")
        return SeatMove(move, reply.seconds, error, detail, len(legal) > 1)

    def _expected(self, thoughts: Mapping[int, Thoughts]) -> Values:
        """Return the goals that players expect, per role; None if no player reports one."""
        if not thoughts:
            return None
        return tuple(thoughts[index].value if index in thoughts else None for index in range(len(self._seats)))

    def _forfeit(self, failed: Sequence[int], moves: Sequence[SeatMove]) -> None:
        """End the match because players failed, as the condition `on_error` says."""
        for role in failed:
            reason = f"{self._drawn.description(role)}, last: {moves[role].detail}"
            if self._conditions.on_error == STOP:
                seat = self._seats[role]
                raise PlayerFailedError(f"{self._record.game}: {seat.role} ({seat.player}): {reason}")
            self._players.note(role, f"{reason}; loses the match")
        goals = goals_of_forfeit(failed, self._played, len(self._seats))
        roles = [self._start.roles[role] for role in failed]
        self._adjudicate(Adjudication(FORFEIT, goals), {"by": FORFEIT, "turn": len(self._record.moves), "roles": roles})

    def _adjudicate(self, result: Adjudication, document: dict[str, Any]) -> None:
        """End the match with a result before its terminal state, and write the document of the result."""
        record = self._record
        record.complete([() if goal is None else (goal,) for goal in result.goals])
        record.extra[ADJUDICATED] = document
        record.extra[STOP_REASON] = ADJUDICATED
        self._save()
        self._players.abort()
        self._observer.note(f"adjudicated by {result.by} {after_turns(len(record.moves))}")
        self._observer.completed(record.scores)

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
    """Check that the fields of a record allow resuming the match; `last_state` checks it against the rules."""
    if record.completed:
        raise UserError(f"{source}: this match is over; there is nothing to resume")
    name = record.match_id
    if not (name.isascii() and name.isprintable() and _WORD.fullmatch(name)):
        raise UserError(f"{source}: matchId {name[:40]!r} is not one word; such a match cannot be resumed")
    for field, values in (("roleNames", record.roles), ("playerNamesFromHost", record.players)):
        if not values or len(values) != len(record.roles):
            raise UserError(f"{source}: {field} must have one name per role; such a match cannot be resumed")
    try:
        require_clocks(record)
    except ValueError as error:
        raise UserError(f"{source}: {error}") from None
    times = [record.started, *record.state_times]
    if not all(0 <= time < _LAST_MOMENT for time in times) or record.state_times != sorted(record.state_times):
        raise UserError(f"{source}: startTime and stateTimes must be increasing times")
    if any(time < 0 for taken in record.move_times for time in taken):
        raise UserError(f"{source}: moveTimes must not be below 0")


def last_state(record: MatchRecord, start: State) -> State:
    """Check a record against the rules, and return the state after its last turn."""
    name = record.match_id
    if record.roles != start.roles:
        raise UserError(f"{name}: its roles are {', '.join(record.roles)}, but the rules have {', '.join(start.roles)}")
    turns = turns_of(record, start, name)
    states = [start, *(turn.state for turn in turns)]
    complete = len(record.states) == len(record.state_times) == len(record.errors) == len(states)
    if not complete or len(record.move_times) != len(turns):
        raise UserError(
            f"{name}: the record lacks states, times or errors; only records written by 'match' can be resumed"
        )
    for number, (state, fluents) in enumerate(zip(states, record.states, strict=True)):
        if not same_state(fluents, state.fluents):
            raise UserError(f"{name}: state {number} of the record contradicts the rules")
    return states[-1]

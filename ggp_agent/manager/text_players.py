"""The text players of one match: each turn is requested from all of them at once, each within its own clock."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, wait
from dataclasses import replace
from functools import partial

from gdl.language.percepts import percept_rules

from ..arena.program_player import TurnRequests
from ..game.game import State
from ..game.wording import Wording
from ..protocol.clocks import Deadline
from ..protocol.messages import Reply
from ..protocol.text_turns import ReadMove, TextAnswers, TurnRequest, request_move
from ..records.match_record import MatchRecord
from .conditions import Conditions, clock_of
from .seats import Seat, TextSeat

# The fields of the record: for each role the number of invalid answers after which its turn was requested again, and
# of answers whose form was repaired.
RETRIED, REPAIRED = "retriedAnswers", "repairedAnswers"

Note = Callable[[int, str], None]


class TextPlayers:
    """Send requests to the text players of a match, and count repeated requests in its record.

    The first request is sent at START, so that a program may load during the startclock.
    """

    def __init__(
        self,
        start: State,
        seats: Sequence[Seat],
        record: MatchRecord,
        conditions: Conditions,
        wordings: Sequence[Wording],
        note: Note,
    ) -> None:
        has_percepts = bool(percept_rules(start.game.sheet))
        self._record = record
        self._conditions = conditions
        self._wordings = wordings
        self._note = note
        self._texts = {index: seat.text for index, seat in enumerate(seats) if seat.text is not None}
        is_scrambled = conditions.scramble_seed is not None
        for text in self._texts.values():
            text.command.require_state(start.game.name, is_hidden=has_percepts, is_scrambled=is_scrambled)
        self._requests = {
            index: TurnRequests(
                start,
                index,
                wordings[index],
                text.command,
                game="" if is_scrambled else record.game,
            )
            for index, text in self._texts.items()
        }
        self._turns: dict[int, _TextTurn] = {}
        self._ready_by: dict[int, Deadline] = {}
        self._retried, self._repaired = (counted_answers(record, f) or [0] * len(seats) for f in (RETRIED, REPAIRED))

    def begin(self, legal: Sequence[Sequence[str]]) -> None:
        """Send the first request, whose time is the startclock and the playclock together."""
        common = self._record.start_clock
        clocks = {index: clock_of(self._conditions.start_clocks, index, common) for index in self._texts}
        self._send(legal, clocks)
        self._ready_by = {index: Deadline(clock) for index, clock in clocks.items()}

    def wait(self) -> None:
        """Wait for the answers to the first request until the startclock ends."""
        for index, turn in self._turns.items():
            turn.wait(self._ready_by[index].left())

    def request(self, legal: Sequence[Sequence[str]]) -> None:
        """Send the requests of a turn, except the first request that `begin` has sent."""
        self._send(legal, {})
        for turn in self._turns.values():
            turn.clock_began()

    def replies(self) -> dict[int, Reply]:
        """Wait for the answers of the turn; return them by seat."""
        found = {}
        for index, turn in self._turns.items():
            found[index] = turn.result()
            self._retried[index] += turn.retried
            self._repaired[index] += turn.repaired
        self._turns = {}
        if self._texts:
            self._record.extra |= {RETRIED: list(self._retried), REPAIRED: list(self._repaired)}
        return found

    def report(self) -> None:
        """Note the number of errors, repeated requests and repaired answers of each text player that has any."""
        for index in self._texts:
            counts = TextAnswers(retried=self._retried[index], repaired=self._repaired[index])
            for errors in self._record.errors:
                counts = counts.with_turn(errors[index], "", 0)
            if found := str(counts):
                self._note(index, f"answers: {found}")

    def _send(self, legal: Sequence[Sequence[str]], start_clocks: Mapping[int, float]) -> None:
        for index, text in self._texts.items():
            if index in self._turns or not (legal and legal[index]):
                continue
            record = self._record
            percepts = [seen[index] for seen in record.percepts]
            play_clock = clock_of(self._conditions.play_clocks, index, record.play_clock)
            self._turns[index] = _TextTurn(
                text,
                self._requests[index].request(legal[index], record.moves, percepts, record.states[-1]),
                start_clocks.get(index, 0.0) + play_clock,
                self._conditions.tolerance,
                partial(self._wordings[index].read_move, legal=legal[index]),
                partial(self._note, index),
            )


def counted_answers(record: MatchRecord, field: str) -> list[int]:
    """Return the numbers of `RETRIED` or `REPAIRED`, one for each role; empty if the record has no valid field."""
    counts = record.extra.get(field)
    if not isinstance(counts, list) or len(counts) != len(record.roles):
        return []
    return counts if all(type(each) is int and each >= 0 for each in counts) else []


class _TextTurn:
    """One turn of one text player, in a thread."""

    def __init__(
        self,
        text: TextSeat,
        request: TurnRequest,
        clock: float,
        tolerance: float,
        read: ReadMove,
        note: Callable[[str], None],
    ) -> None:
        self.retried, self.repaired = 0, False
        self._reply: Future[Reply] = Future()
        self._text = text
        self._request = request
        self._tolerance = tolerance
        self._read = read
        self._note = note
        self._began = time.monotonic()
        self._end = Deadline(clock, self._began)
        self._ended = self._began
        threading.Thread(target=self._run, name="text player", daemon=True).start()

    def wait(self, seconds: float) -> None:
        """Wait for the answer, at most a number of seconds."""
        wait([self._reply], max(0.0, seconds))

    def clock_began(self) -> None:
        """Note that the playclock begins; the time of the player counts from here."""
        self._began = time.monotonic()

    def result(self) -> Reply:
        """Wait for the reply and return it with the time since the playclock began."""
        reply = self._reply.result()
        return replace(reply, seconds=max(0.0, self._ended - self._began))

    def _run(self) -> None:
        try:
            reply, self.retried, self.repaired = request_move(
                self._text.process,
                self._request,
                end=self._end,
                tolerance=self._tolerance,
                read=self._read,
                note=self._note,
            )
            self._ended = time.monotonic()
            self._reply.set_result(reply)
        except BaseException as error:
            self._reply.set_exception(error)

"""Exchange messages with the players of one match; each player has its own names and clocks."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence

from gdl import GdlError
from gdl.language.forms import MAX_CHARACTERS
from gdl.language.percepts import percept_rules

from ..common.errors import UserError
from ..game.game import State
from ..game.wording import UnknownNameError, Wording, excerpt, invented_names
from ..protocol.client import INFO_TIMEOUT, OutgoingRequest, exchange_all, presence_in
from ..protocol.messages import (
    AVAILABLE,
    BUSY,
    NUMBERED,
    READY,
    Abort,
    Info,
    Message,
    Play,
    Presence,
    Preview,
    Reply,
    Start,
    Stop,
    Thoughts,
    format_message,
    without_outer_blanks,
)
from ..records.match_record import MatchRecord
from .conditions import Conditions, clock_of, drawn_moves
from .openings import opening_plies
from .seats import MatchObserver, Seat
from .text_players import TextPlayers

# Seconds to wait for the answer to ABORT, and the smallest and largest such time for STOP.
ABORT_TIMEOUT = 1.0
STOP_TIMEOUT = 1.0, 10.0


class PlayerMessages:
    """Send messages to all players of a match at once, and interpret their answers.

    If the rules have percepts (GDL-II), each player receives its own percepts instead of the joint move. A player that
    has lost such a match cannot be informed about it: the current state would reveal what the role does not know.
    """

    def __init__(
        self,
        start: State,
        seats: Sequence[Seat],
        record: MatchRecord,
        conditions: Conditions,
        observer: MatchObserver,
    ) -> None:
        sheet = start.game.sheet
        self._has_percepts = bool(percept_rules(sheet))
        self._seats = seats
        self._record = record
        self._conditions = conditions
        self._observer = observer
        seed = conditions.scramble_seed
        self._wordings = [
            Wording(sheet, None if seed is None else invented_names(sheet, random.Random(f"{seed} {index}")))
            for index in range(len(seats))
        ]
        self._all = [index for index, seat in enumerate(seats) if seat.client is not None]
        for index in self._all:
            if (length := len(self._wordings[index].rules())) > MAX_CHARACTERS:
                raise UserError(f"the rules have {length:,} characters in START; players read {MAX_CHARACTERS:,}")
        self._joined = [0] * len(seats)  # the number of turns before the player received the rules
        self._refusing: set[int] = set()  # seats whose player is available but refuses this match
        self._announced = False
        self._texts = TextPlayers(start, seats, record, conditions, self._wordings, self.note)

    def preview(self, fluents: Sequence[str] | None = None) -> list[str]:
        """Send PREVIEW to all players if the conditions have a previewclock; return the errors per role."""
        clock = self._conditions.preview_clock
        if clock is None:
            return [""] * len(self._seats)
        self._announced = True
        previews = {index: Preview(self._wordings[index].rules(fluents), clock) for index in self._all}
        return self._expect_ready("PREVIEW", self._ask(previews, lambda _: clock + self._conditions.tolerance))

    def start(self, legal: Sequence[Sequence[str]], fluents: Sequence[str] | None = None) -> list[str]:
        """Send START to all players, and the first turn to text players; return the errors per role."""
        self._announced = True
        self._joined = [len(self._record.moves)] * len(self._seats)
        began = time.monotonic()
        self._texts.begin(legal)
        errors = self._send_rules(self._all, fluents)
        self._texts.wait()
        self._observer.started(time.monotonic() - began)
        return errors

    def rejoin(self) -> None:
        """Bring the players of a resumed match to its current state.

        A busy player of this program still knows the match and answers a repeated PLAY with the same move. Other
        players could take the repeated PLAY for the next turn. They receive ABORT, and then START with rules whose
        initial state is the current state.
        """
        self._announced = True
        answers = self._presences(self._all)
        others = []
        for index in self._all:
            presence = answers[index]
            if presence is None or not presence.reports_thoughts or presence.status != BUSY:
                others.append(index)
        if others and self._has_percepts:
            seat = self._seats[others[0]]
            raise UserError(
                f"{self._record.match_id}: {seat.role} ({seat.player}) does not know the match, and the percepts of "
                "earlier turns cannot be sent again; such a match cannot be resumed"
            )
        abort = Abort(self._record.match_id)
        self._ask(dict.fromkeys(others, abort), lambda _: ABORT_TIMEOUT, reconnects=False)
        self._restart(others)

    def readmit(self) -> None:
        """Send START to players that have lost the match, with rules whose initial state is the current state.

        Such a player was restarted: it answered `busy` to the last PLAY, but INFO reports it as available.
        """
        lost = [index for index in self._all if self._record.errors[-1][index] == f"IN {BUSY}"]
        lost = [index for index in lost if index not in self._refusing]
        if self._has_percepts:
            for index in lost:
                self.note(index, "does not know the match; percepts cannot be sent again, so its moves are drawn")
            self._refusing.update(lost)
            return
        answers = self._presences(lost)
        free = [index for index, found in answers.items() if found is not None and found.status == AVAILABLE]
        for index in free:
            self.note(index, "does not know the match; sending it the rules and the current state")
        errors = self._restart(free)
        self._refusing.update(index for index in free if errors[index].startswith("IN"))

    def ask_moves(self, legal: Sequence[Sequence[str]]) -> dict[int, Reply]:
        """Send PLAY to all players, and the turn to text players; return the replies by seat."""
        self._pause()
        plays = {index: self._turn_message(Play, index) for index in self._all}
        self._texts.request(legal)
        replies = self._ask(plays, lambda index: self._play_clock(index) + self._conditions.tolerance)
        return replies | self._texts.replies()

    def read_move(self, index: int, text: str, legal: Sequence[str]) -> tuple[str, str, str]:
        """Parse the move of a player; return move, error code of the record, and description of the error."""
        return self._wordings[index].read_move(text, legal)

    def thoughts(self, moves: Sequence[str]) -> dict[int, Thoughts]:
        """Return what our own players report about the search for these moves, by role."""
        own = [index for index in self._all if self._seats[index].reports_value]
        found = {}
        for index, presence in self._presences(own).items():
            thoughts = None if presence is None else presence.thoughts
            if thoughts is not None and self.our_name(index, thoughts.move) == moves[index]:
                found[index] = thoughts
        return found

    def stop(self) -> None:
        """Send STOP with the last joint move or the last percepts to all players."""
        minimum, maximum = STOP_TIMEOUT
        stops = {index: self._turn_message(Stop, index) for index in self._all}
        self._ask(stops, lambda index: max(minimum, min(maximum, self._play_clock(index))))

    def abort(self) -> None:
        """Send ABORT to all players if they know the match."""
        if self._announced:
            abort = Abort(self._record.match_id)
            self._ask(dict.fromkeys(self._all, abort), lambda _: ABORT_TIMEOUT, reconnects=False)

    def report(self) -> None:
        """Note the numbers of drawn moves, and of errors and repeated requests of text players."""
        self._texts.report()
        turns = len(self._record.moves) - opening_plies(self._record)
        for index, drawn in enumerate(drawn_moves(self._record)):
            if drawn:
                self.note(index, f"{drawn} of {turns} moves were drawn for it")

    def our_name(self, index: int, move: str) -> str:
        """Translate a move of a player to the names of the rules; invalid text stays unchanged."""
        try:
            return self._wordings[index].decode(move)
        except (GdlError, UnknownNameError):
            return move

    def note(self, index: int, text: str) -> None:
        """Pass a note about a player to the observer."""
        seat = self._seats[index]
        self._observer.note(f"{seat.role} ({seat.player}): {text}")

    def _presences(self, players: Sequence[int]) -> dict[int, Presence | None]:
        """Send INFO to players at once; return the answers."""
        replies = self._ask(dict.fromkeys(players, Info()), lambda _: INFO_TIMEOUT, reconnects=False)
        return {index: presence_in(reply) for index, reply in replies.items()}

    def _restart(self, players: Sequence[int]) -> list[str]:
        """Send START with the current state as initial state; return the errors per role."""
        if not players:
            return []
        turns = len(self._record.moves)
        for index in players:
            self._joined[index] = turns
        began = time.monotonic()
        errors = self._send_rules(players, self._record.states[-1] if turns else None)
        self._observer.started(time.monotonic() - began)
        return errors

    def _send_rules(self, players: Sequence[int], fluents: Sequence[str] | None) -> list[str]:
        starts = {index: self._start_message(index, fluents) for index in players}
        replies = self._ask(starts, lambda index: self._start_clock(index) + self._conditions.tolerance)
        return self._expect_ready("START", replies)

    def _start_message(self, index: int, fluents: Sequence[str] | None) -> Start:
        wording, role = self._wordings[index], self._seats[index].role
        clocks = self._start_clock(index), self._play_clock(index)
        return Start(self._record.match_id, wording.encode(role), wording.rules(fluents), *clocks)

    def _expect_ready(self, what: str, replies: Mapping[int, Reply]) -> list[str]:
        """Return the error of each reply other than `ready`, per role."""
        errors = [""] * len(self._seats)
        for index, reply in replies.items():
            error, detail = reply.error, f"{what}: {reply.detail}"
            if not error and reply.text.lower() != READY:
                error, detail = f"IN {excerpt(reply.text)}", f"answers {excerpt(reply.text)!r} to {what}"
            if error:
                self.note(index, detail)
            errors[index] = error
        return errors

    def _pause(self) -> None:
        """Wait between two turns as the dialects of the players require."""
        if self._record.moves:
            pauses = [seat.client.dialect.pause for seat in self._seats if seat.client is not None]
            time.sleep(max(pauses, default=0.0))

    def _turn_message(self, kind: type[Play] | type[Stop], index: int) -> Play | Stop:
        """Return PLAY or STOP of the current turn for a player."""
        if not self._has_percepts:
            return kind(self._record.match_id, self._last_moves(index))
        wording, turn, percepts, last_move = self._wordings[index], len(self._record.moves), None, None
        if turn:
            percepts = tuple(map(wording.rename, self._record.percepts[-1][index]))
            last_move = wording.rename(self._record.moves[-1][index])
        if self._conditions.percept_form == NUMBERED:
            return kind(self._record.match_id, percepts, turn, last_move)
        return kind(self._record.match_id, percepts)

    def _last_moves(self, index: int) -> tuple[str, ...] | None:
        """Return the last joint move in the names of a player; None if the player received START after it."""
        moves = self._record.moves
        if len(moves) == self._joined[index]:
            return None
        return tuple(map(self._wordings[index].encode, moves[-1]))

    def _start_clock(self, index: int) -> float:
        return clock_of(self._conditions.start_clocks, index, self._record.start_clock)

    def _play_clock(self, index: int) -> float:
        return clock_of(self._conditions.play_clocks, index, self._record.play_clock)

    def _ask(
        self, messages: Mapping[int, Message], timeout_of: Callable[[int], float], *, reconnects: bool = True
    ) -> dict[int, Reply]:
        """Send messages to players at once, by seat; each player has its own timeout."""
        outgoing = []
        for index, message in messages.items():
            client = self._seats[index].client
            assert client is not None

            def unreachable(reason: str, index: int = index) -> None:
                self.note(index, f"{reason}; retrying")

            text = format_message(message)
            if self._has_percepts:
                text = without_outer_blanks(text)
            request = OutgoingRequest(client, text, timeout_of(index), reconnects, unreachable)
            outgoing.append(request)
        return dict(zip(messages, exchange_all(outgoing), strict=True))

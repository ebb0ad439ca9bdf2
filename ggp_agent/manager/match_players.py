"""Talk to the players of one match: to each in its own names, on its own clocks, and from the turn on that it knows."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence

from gdl import GdlError, RuleSheet

from ..protocol.client import INFO_TIMEOUT, OutgoingRequest, Reply, exchange_all, presence_in
from ..protocol.messages import (
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
from ..records.match_record import MatchRecord
from ..records.values import Values
from .conditions import Conditions, clock_of
from .seats import MatchObserver, Seat
from .wording import UnknownNameError, Wording

# Seconds that players have to answer when the match is given up, and at least and at most when it is over.
ABORT_TIMEOUT = 1.0
STOP_TIMEOUT = 1.0, 10.0


class MatchPlayers:
    """The players of one match: messages to all of them at once, and what their answers mean.

    Args:
        sheet: the rules.
        seats: who plays; those of the manager's own are never asked.
        record: of the match, read for the moves made so far.
        conditions: what is agreed.
        observer: told what goes wrong.
    """

    def __init__(
        self,
        sheet: RuleSheet,
        seats: Sequence[Seat],
        record: MatchRecord,
        conditions: Conditions,
        observer: MatchObserver,
    ) -> None:
        self._seats = seats
        self._record = record
        self._conditions = conditions
        self._observer = observer
        seed = conditions.scramble_seed
        self._wordings = [
            Wording(sheet, None if seed is None else random.Random(f"{seed} {index}")) for index in range(len(seats))
        ]
        self._all = [index for index, seat in enumerate(seats) if seat.client is not None]
        self._joined = [0] * len(seats)  # how many turns were over when the player was told the rules
        self._refusing: set[int] = set()  # the seats whose player is free, and will not have this match
        self._told = False

    def preview(self) -> list[str]:
        """Show the rules to all players, if that is agreed; return what went wrong, per role."""
        clock = self._conditions.preview_clock
        if clock is None:
            return [""] * len(self._seats)
        self._told = True
        previews = {index: Preview(self._wordings[index].rules(), clock) for index in self._all}
        return self._expect_ready("PREVIEW", self._ask(previews, lambda _: clock + self._conditions.tolerance))

    def start(self) -> list[str]:
        """Send the rules to all players; return what went wrong, per role."""
        self._told = True
        return self._send_rules(self._all, None)

    def rejoin(self) -> None:
        """Bring the players of a match that broke off to its present state.

        A player of our own make that is busy has the match in mind, and gives the same move when it is asked again. To
        any other that might be a turn too many; it is told to abort, and then rules that begin with this state.
        """
        self._told = True
        present = self._presences(self._all)
        others = []
        for index in self._all:
            presence = present[index]
            if presence is None or not presence.reports_thoughts or presence.status != BUSY:
                others.append(index)
        abort = Abort(self._record.match_id)
        self._ask(dict.fromkeys(others, abort), lambda _: ABORT_TIMEOUT, reconnects=False)
        self._tell_rules(others)

    def readmit(self) -> None:
        """Tell players that have forgotten the match, as after a new start of theirs, rules that begin with this state.

        They answered `busy` to the last PLAY, and yet they say that they are available.
        """
        lost = [index for index in self._all if self._record.errors[-1][index] == f"IN {BUSY}"]
        present = self._presences([index for index in lost if index not in self._refusing])
        free = [index for index, found in present.items() if found is not None and found.status == AVAILABLE]
        for index in free:
            self.note(index, "knows nothing of the match; it is told the rules and the present state")
        errors = self._tell_rules(free)
        self._refusing.update(index for index in free if errors[index].startswith("IN"))

    def ask_moves(self) -> dict[int, Reply]:
        """Ask all players for their moves; return the replies by seat."""
        self._pause()
        plays = {index: Play(self._record.match_id, self._last_moves(index)) for index in self._all}
        return self._ask(plays, lambda index: self._play_clock(index) + self._conditions.tolerance)

    def read_move(self, index: int, text: str, legal: Sequence[str]) -> tuple[str, str, str]:
        """Read the move of a player; return it, or what is wrong with it: the code of the record, and words."""
        shown, problem = _excerpt(text), ""
        try:
            move = self._wordings[index].decode(text)
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

    def expected(self, moves: Sequence[str]) -> Values:
        """Ask our own players what they expected when they chose these moves; None where none of them tells it."""
        own = [index for index in self._all if self._seats[index].tells]
        values: list[float | None] = [None] * len(self._seats)
        for index, presence in self._presences(own).items():
            thoughts = None if presence is None else presence.thoughts
            if thoughts is not None and self.our_name(index, thoughts.move) == moves[index]:
                values[index] = thoughts.value
        return tuple(values) if any(value is not None for value in values) else None

    def stop(self) -> None:
        """Tell all players that the match is over, and how its last turn went."""
        least, most = STOP_TIMEOUT
        stops = {index: Stop(self._record.match_id, self._last_moves(index)) for index in self._all}
        self._ask(stops, lambda index: max(least, min(most, self._play_clock(index))))

    def abort(self) -> None:
        """Tell all players that the match is given up, if they know of it."""
        if self._told:
            abort = Abort(self._record.match_id)
            self._ask(dict.fromkeys(self._all, abort), lambda _: ABORT_TIMEOUT, reconnects=False)

    def our_name(self, index: int, move: str) -> str:
        """Translate a move as a player calls it; what makes no sense stays as it is."""
        try:
            return self._wordings[index].decode(move)
        except (GdlError, UnknownNameError):
            return move

    def note(self, index: int, text: str) -> None:
        """Tell the observer something about a player."""
        seat = self._seats[index]
        self._observer.note(f"{seat.role} ({seat.player}): {text}")

    def _presences(self, players: Sequence[int]) -> dict[int, Presence | None]:
        """Ask players at once who they are and whether they are busy."""
        replies = self._ask(dict.fromkeys(players, Info()), lambda _: INFO_TIMEOUT, reconnects=False)
        return {index: presence_in(reply) for index, reply in replies.items()}

    def _tell_rules(self, players: Sequence[int]) -> list[str]:
        """Have players begin with the present state."""
        if not players:
            return []
        turns = len(self._record.moves)
        for index in players:
            self._joined[index] = turns
        return self._send_rules(players, self._record.states[-1] if turns else None)

    def _send_rules(self, players: Sequence[int], fluents: Sequence[str] | None) -> list[str]:
        began = time.monotonic()
        starts = {index: self._start_message(index, fluents) for index in players}
        replies = self._ask(starts, lambda index: self._start_clock(index) + self._conditions.tolerance)
        errors = self._expect_ready("START", replies)
        self._observer.started(time.monotonic() - began)
        return errors

    def _start_message(self, index: int, fluents: Sequence[str] | None) -> Start:
        wording, role = self._wordings[index], self._seats[index].role
        clocks = self._start_clock(index), self._play_clock(index)
        return Start(self._record.match_id, wording.encode(role), wording.rules(fluents), *clocks)

    def _expect_ready(self, what: str, replies: Mapping[int, Reply]) -> list[str]:
        """Return what is wrong with the replies of those who were asked, per role."""
        errors = [""] * len(self._seats)
        for index, reply in replies.items():
            error, detail = reply.error, f"{what}: {reply.detail}"
            if not error and reply.text.lower() != READY:
                error, detail = f"IN {_excerpt(reply.text)}", f"answers {_excerpt(reply.text)!r} to {what}"
            if error:
                self.note(index, detail)
            errors[index] = error
        return errors

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
        return tuple(map(self._wordings[index].encode, moves[-1]))

    def _start_clock(self, index: int) -> float:
        return clock_of(self._conditions.start_clocks, index, self._record.start_clock)

    def _play_clock(self, index: int) -> float:
        return clock_of(self._conditions.play_clocks, index, self._record.play_clock)

    def _ask(
        self, messages: Mapping[int, Message], timeout_of: Callable[[int], float], *, reconnects: bool = True
    ) -> dict[int, Reply]:
        """Send messages to players at once, by seat; each has its time-out to answer."""
        outgoing = []
        for index, message in messages.items():
            client = self._seats[index].client
            assert client is not None

            def unreachable(reason: str, index: int = index) -> None:
                self.note(index, f"{reason}; it is tried again")

            request = OutgoingRequest(client, format_message(message), timeout_of(index), reconnects, unreachable)
            outgoing.append(request)
        return dict(zip(messages, exchange_all(outgoing), strict=True))


def _excerpt(text: str) -> str:
    """Return a text as one line of bounded length."""
    return " ".join(text.split())[:200]

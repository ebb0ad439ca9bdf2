"""A player: answers the messages of managers, one match at a time."""

from __future__ import annotations

import contextlib
import logging
import threading
import time

from ..protocol.connections import PATIENT, Caller
from ..protocol.messages import (
    ABORTED,
    BUSY,
    DONE,
    NIL,
    READY,
    Abort,
    Info,
    Message,
    Play,
    Presence,
    Preview,
    ProtocolError,
    Start,
    Stop,
    Thoughts,
    format_presence,
    message_head,
    parse_message,
)
from .fork_server import ForkServer
from .journal import Journal, MatchJournal
from .match_guard import MatchGuard
from .match_messages import PlayerSettings

logger = logging.getLogger(__name__)

# A match whose manager has been silent for this long, beyond its own clocks, is given up; seconds.
SILENCE = 600.0

# Seconds between two looks for silent managers.
_LOOK = 1.0

# Messages of more characters are read one at a time, so that they do not take the processor from all others together.
_LONG = 20_000


class Player:
    """Answer messages; safe to call from many threads at once.

    Nothing is searched or even interpreted here, so that every message is answered at once that can be.

    Args:
        name: one word, told in the answer to INFO.
        settings: how to play, and how many matches at a time.
        fork_server: where the processes come from that play; it stays the caller's.
        silence: seconds of silence, beyond the clocks, after which a match is given up.
        journal: where matches under way are written down.
    """

    def __init__(
        self,
        name: str,
        settings: PlayerSettings,
        fork_server: ForkServer,
        *,
        silence: float = SILENCE,
        journal: Journal | None = None,
    ) -> None:
        self.name = name
        self._settings = settings
        self._fork_server = fork_server
        self._silence = silence
        self._journal = journal or Journal()
        self._lock = threading.Lock()
        self._matches: dict[str, MatchGuard] = {}
        self._closed = threading.Event()
        self._reads_long = threading.Lock()
        threading.Thread(target=self._look_for_silence, name="silence", daemon=True).start()

    def resume(self) -> None:
        """Take up the matches that an earlier run had to leave, unless their managers have been silent for too long."""
        for left in self._journal.unfinished():
            start = left.start
            if left.silence > self._patience(start) or len(self._matches) >= self._settings.matches:
                left.journal.close()
                continue
            match = self._guard(start, time.monotonic(), left.journal, resumed=True)
            logger.warning("%s: taken up again after turn %d", start.match_id, len(left.turns))
            self._matches[start.match_id.lower()] = match
            match.resume(list(left.turns))

    def answer(self, text: str, received: float | None = None, caller: Caller = PATIENT) -> str:
        """Return the reply to a message.

        Args:
            text: the message as it came.
            received: when its connection was accepted, on the monotonic clock; now by default. START and PLAY block
                until shortly before the end of their clocks, counted from here.
            caller: who waits for the reply; when it has hung up, START and PLAY return early with any reply.

        Returns:
            The reply; `nil` where the text is no message, never an exception.
        """
        received = time.monotonic() if received is None else received
        is_long = len(text) > _LONG
        if is_long and not self._is_wanted(text):
            return BUSY
        try:
            with self._reads_long if is_long else contextlib.nullcontext():
                message = parse_message(text)
            return self._dispatch(message, received, caller)
        except ProtocolError as error:
            logger.warning("no message of the protocol: %s", error)
            return NIL
        except Exception:
            logger.exception("a message could not be answered")
            return NIL

    def thoughts(self, match_id: str) -> Thoughts | None:
        """Tell what is thought of the present turn of a match, None when nothing is or there is no such match."""
        with self._lock:
            match = self._matches.get(match_id.lower())
        return None if match is None else match.thoughts()

    def close(self) -> None:
        """Give up the matches that are being played."""
        self._closed.set()
        with self._lock:
            matches, self._matches = self._matches, {}
        for match in matches.values():
            match.close()

    def _dispatch(self, message: Message, received: float, caller: Caller) -> str:
        match message:
            case Info():
                return self._info()
            case Preview():
                with self._lock:
                    return BUSY if self._is_full() else READY
            case Start():
                return self._start(message, received, caller)
        match = self._meant(message.match_id)
        if match is None:
            return BUSY
        if isinstance(message, Play):
            return match.play(message, received, caller)
        with self._lock:
            self._matches.pop(message.match_id.lower(), None)
        if isinstance(message, Stop):
            match.stop(message)
            return DONE
        assert isinstance(message, Abort)
        match.close()
        return ABORTED

    def _info(self) -> str:
        with self._lock:
            matches = list(self._matches.values())
            status = BUSY if self._is_full() else "available"
        thoughts = next(filter(None, (match.thoughts() for match in matches)), None)
        return format_presence(Presence(self.name, status, self._settings.policy, True, thoughts))

    def _is_wanted(self, text: str) -> bool:
        """Tell from the first words of a message whether it can be answered by anything but `busy`."""
        name, match_id, _ = message_head(text)
        if name not in ("START", "PLAY", "STOP"):
            return True
        with self._lock:
            match = self._matches.get(match_id.lower())
            if name != "START":
                return match is not None
            return not self._is_full() if match is None else match.opening

    def _start(self, message: Start, received: float, caller: Caller) -> str:
        name = message.match_id.lower()
        with self._lock:
            match = self._matches.get(name)
            if match is None or not match.same_start(message):
                if (match is not None and not match.unclaimed) or self._is_full():
                    return BUSY
                given_up = [other for other in self._matches.values() if other.unclaimed]
                for other in given_up:
                    del self._matches[other.match_id.lower()]
                match = None
                fresh = self._matches[name] = self._guard(message, received, self._journal.of(message))
        if match is not None:
            return match.begun(caller)
        for other in given_up:
            logger.warning("%s: given up, another match begins", other.match_id)
            other.close()
        reply = fresh.begin(caller)
        if fresh.refusal:
            self._drop(fresh)
        return reply

    def _guard(self, start: Start, received: float, journal: MatchJournal, *, resumed: bool = False) -> MatchGuard:
        return MatchGuard(
            start, received, fork_server=self._fork_server, settings=self._settings, journal=journal, resumed=resumed
        )

    def _meant(self, match_id: str) -> MatchGuard | None:
        """Return the match of this name, if it is being played."""
        with self._lock:
            match = self._matches.get(match_id.lower())
            if match is not None:
                match.last_heard = time.monotonic()
                match.unclaimed = False
            return match

    def _is_full(self) -> bool:
        """Tell whether there are as many matches as there may be; those taken up that nobody wants do not count."""
        return sum(not match.unclaimed for match in self._matches.values()) >= self._settings.matches

    def _drop(self, match: MatchGuard) -> None:
        with self._lock:
            name = match.match_id.lower()
            if self._matches.get(name) is match:
                del self._matches[name]
        match.close()

    def _patience(self, start: Start) -> float:
        return self._silence + start.start_clock + start.play_clock

    def _look_for_silence(self) -> None:
        """Drop the matches whose managers have gone."""
        while not self._closed.wait(_LOOK):
            with self._lock:
                matches = list(self._matches.values())
            for match in matches:
                silence = time.monotonic() - match.last_heard
                if match.refusal:
                    self._drop(match)
                elif silence > self._patience(match.start):
                    logger.warning("%s: given up, the manager has been silent for %.0f s", match.match_id, silence)
                    self._drop(match)

"""The player: answers the messages of game managers."""

from __future__ import annotations

import contextlib
import logging
import threading
import time

from ...protocol.connections import LOCAL_CALLER, Caller
from ...protocol.messages import (
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
from ..guard.fork_server import ForkServer
from ..guard.journal import Journal, MatchJournal
from ..guard.match_guard import MatchGuard
from ..match.messages import PlayerSettings
from .idle_learning import IdleLearning

logger = logging.getLogger(__name__)

# A match ends if its manager sends nothing for this time in addition to its clocks; seconds.
SILENCE = 600.0

# Seconds between two checks for silent managers.
_CHECK_SECONDS = 1.0

# Longer messages, in characters, are parsed one at a time, so that they cannot use all of the processor.
_LONG_MESSAGE = 20_000


class Player:
    """Answer messages; safe to call from many threads at once.

    This class does not search or read rules, so it can answer most messages immediately.
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
        self._learning = None
        if settings.learning is not None:
            self._learning = IdleLearning(settings, fork_server, lambda: not self._matches)
        threading.Thread(target=self._drop_silent, name="silence", daemon=True).start()

    def resume(self) -> None:
        """Resume the matches of an earlier run, unless their managers have been silent for too long."""
        for left in self._journal.unfinished():
            start = left.start
            if left.silence > self._silence_limit(start) or len(self._matches) >= self._settings.matches:
                left.journal.close()
                continue
            match = self._guard(start, time.monotonic(), left.journal, resumed=True)
            logger.warning("%s: resumed after turn %d", start.match_id, len(left.turns))
            self._matches[start.match_id.lower()] = match
            match.resume(left.turns)
            if self._learning is not None:
                self._learning.remember(start)

    def answer(self, text: str, received: float | None = None, caller: Caller = LOCAL_CALLER) -> str:
        """Return the reply to a message."""
        received = time.monotonic() if received is None else received
        is_long = len(text) > _LONG_MESSAGE
        if is_long and not self._is_wanted(text):
            return BUSY
        try:
            with self._reads_long if is_long else contextlib.nullcontext():
                message = parse_message(text)
            return self._dispatch(message, received, caller)
        except ProtocolError as error:
            logger.warning("invalid message: %s", error)
            return NIL
        except Exception:
            logger.exception("a message could not be answered")
            return NIL

    def thoughts(self, match_id: str) -> Thoughts | None:
        """Return the findings of the search for the current turn of a match; None if there are none."""
        with self._lock:
            match = self._matches.get(match_id.lower())
        return None if match is None else match.thoughts()

    def close(self) -> None:
        """End all matches."""
        self._closed.set()
        if self._learning is not None:
            self._learning.close()
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
        match = self._find(message.match_id)
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
        """Return whether the reply to a message can be another one than `busy`, according to its first words."""
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
        if self._learning is not None:
            self._learning.interrupt()  # the match is in `_matches` already, so learning cannot begin again
        for other in given_up:
            logger.warning("%s: ended, because another match begins", other.match_id)
            other.close()
        reply = fresh.begin(caller)
        if fresh.refusal:
            self._drop(fresh)
        elif self._learning is not None:
            self._learning.remember(message)
        return reply

    def _guard(self, start: Start, received: float, journal: MatchJournal, *, resumed: bool = False) -> MatchGuard:
        return MatchGuard(
            start, received, fork_server=self._fork_server, settings=self._settings, journal=journal, resumed=resumed
        )

    def _find(self, match_id: str) -> MatchGuard | None:
        """Return the running match of this name; None if there is none."""
        with self._lock:
            match = self._matches.get(match_id.lower())
            if match is not None:
                match.last_message = time.monotonic()
                match.unclaimed = False
            return match

    def _is_full(self) -> bool:
        """Return whether no further match can start; resumed matches without a message do not count."""
        return sum(not match.unclaimed for match in self._matches.values()) >= self._settings.matches

    def _drop(self, match: MatchGuard) -> None:
        with self._lock:
            name = match.match_id.lower()
            if self._matches.get(name) is match:
                del self._matches[name]
        match.close()

    def _silence_limit(self, start: Start) -> float:
        return self._silence + start.start_clock + start.play_clock

    def _drop_silent(self) -> None:
        """Drop refused matches and the matches of silent managers."""
        while not self._closed.wait(_CHECK_SECONDS):
            with self._lock:
                matches = list(self._matches.values())
            for match in matches:
                silence = time.monotonic() - match.last_message
                if match.refusal:
                    self._drop(match)
                elif silence > self._silence_limit(match.start):
                    logger.warning("%s: ended, because the manager has been silent for %.0f s", match.match_id, silence)
                    self._drop(match)

"""The player: answers the messages of game managers, and learns the games of earlier matches while no match runs."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

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
from ..guard.fork_server import ForkServer, MatchProcess
from ..guard.journal import Journal, MatchJournal
from ..guard.match_guard import MatchGuard
from ..match.messages import BeginLearning, LearningEnd, Logged, PlayerSettings, Report

logger = logging.getLogger(__name__)

# The largest number of games that are remembered.
MAX_GAMES = 8
# Seconds without a match before learning begins, and between two checks.
IDLE_SECONDS = 5.0
_IDLE_CHECK_SECONDS = 0.5
# Seconds before the next attempt if no process can be started, if another process learns the game, or after the first
# early end of a process. They double with each further early end.
_RETRY_SECONDS = 60.0


@dataclass(eq=False, slots=True)
class _MetGame:
    """A game of a match."""

    match_id: str  # the latest match of the game
    rules: str  # the rules as text
    # The time on the monotonic clock from which it can be learned; infinite if nothing is left to do.
    not_before: float = 0.0
    crashes: int = 0  # the number of processes that ended early


class IdleLearning:
    """Learn the games of earlier matches, the latest first, in one process at a time; thread-safe."""

    def __init__(self, settings: PlayerSettings, fork_server: ForkServer, is_idle: Callable[[], bool]) -> None:
        self._settings = settings
        self._fork_server = fork_server
        self._is_idle = is_idle
        self._lock = threading.Lock()
        self._games: list[_MetGame] = []  # the latest first
        self._process: MatchProcess | None = None
        self._game: _MetGame | None = None  # the game of the process
        self._idle_since = time.monotonic()
        self._closed = threading.Event()
        threading.Thread(target=self._watch, name="learning", daemon=True).start()

    def remember(self, start: Start) -> None:
        """Remember the game of a match."""
        with self._lock:
            game = next((game for game in self._games if game.rules == start.rules), None)
            if game is None:
                game = _MetGame(start.match_id, start.rules)
            else:
                self._games.remove(game)
                game.match_id = start.match_id
            self._games.insert(0, game)
            del self._games[MAX_GAMES:]

    def interrupt(self) -> None:
        """Kill the process, because a match begins."""
        with self._lock:
            game = self._kill()
            self._idle_since = time.monotonic()
        if game is not None:
            logger.info("%s: learning is interrupted: a match begins", game.match_id)

    def close(self) -> None:
        """End learning."""
        self._closed.set()
        with self._lock:
            self._kill()

    def _kill(self) -> _MetGame | None:
        """Kill the process; return its game, None without a process."""
        process, game = self._process, self._game
        self._process = self._game = None
        if process is not None:
            process.kill()
        return game

    def _watch(self) -> None:
        """Begin to learn whenever the player has been idle for some seconds."""
        while not self._closed.wait(_IDLE_CHECK_SECONDS):
            with self._lock:
                now = time.monotonic()
                if not self._is_idle():
                    self._idle_since = now
                elif now - self._idle_since >= IDLE_SECONDS and self._process is None and not self._closed.is_set():
                    self._begin(now)

    def _begin(self, now: float) -> None:
        game = next((game for game in self._games if game.not_before <= now), None)
        if game is None:
            return
        self._game = game
        self._process = MatchProcess(self._fork_server, self._on_report, self._on_end)
        level = logger.getEffectiveLevel()
        self._process.send(BeginLearning(self._settings, game.match_id, game.rules, level))

    def _on_report(self, process: MatchProcess, report: Report) -> None:
        """Process a report; called from the thread of the `MatchProcess`."""
        if isinstance(report, Logged):
            logging.getLogger(report.logger).log(report.level, "%s", report.text)
            return
        assert isinstance(report, LearningEnd)
        with self._lock:
            if process is self._process and self._game is not None:
                self._game.not_before = float("inf") if report.is_final else time.monotonic() + _RETRY_SECONDS
                self._process = self._game = None

    def _on_end(self, process: MatchProcess, how: str) -> None:
        """Put off a game whose process has ended without a report; called from the thread of the `MatchProcess`."""
        with self._lock:
            if process is not self._process or self._game is None:
                return
            game, self._process, self._game = self._game, None, None
            if not process.started:
                game.not_before = time.monotonic() + _RETRY_SECONDS
                logger.warning("%s: no process can be started to learn the game: %s", game.match_id, how)
                return
            seconds = _RETRY_SECONDS * 2**game.crashes
            game.crashes += 1
            game.not_before = time.monotonic() + seconds
        logger.warning(
            "%s: the learning process ended early (%s; crash %d); it starts again in %g s",
            *(game.match_id, how, game.crashes, seconds),
        )


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

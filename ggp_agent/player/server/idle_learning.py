"""Learning between matches: a process that learns the games of earlier matches while no match runs."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from ...protocol.messages import Start
from ..guard.fork_server import ForkServer, MatchProcess
from ..match.messages import BeginLearning, LearningEnd, Logged, PlayerSettings, Report

logger = logging.getLogger(__name__)

# The largest number of games that are remembered.
MAX_GAMES = 8
# Seconds without a match before learning begins, and between two checks.
IDLE_SECONDS = 5.0
_CHECK_SECONDS = 0.5
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
        while not self._closed.wait(_CHECK_SECONDS):
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

"""Measure games in worker processes, one process per game, with limits of time and memory."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection

from gdl import GdlError

from ..common.errors import UserError
from ..common.pipe_worker import PipeWorker, WorkerDiedError, wait_for_workers
from ..common.processes import limit_memory
from .game_measures import LOADED, GameMeasures, MeasureOptions, measure_game

# The memory of a worker in addition to its libraries, in units of 2^20 bytes.
MEMORY_MB = 4096
# A worker is stopped if loading takes longer than this, or measuring longer than a multiple of the time limit.
LOAD_SECONDS, _LIMIT_FACTOR, _GRACE_SECONDS = 120.0, 2.0, 20.0
_POLL_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class MeasuredGame:
    """The result for one word of the command line."""

    number: int  # number of the word, from 0
    word: str
    found: GameMeasures | GdlError | UserError | OSError  # the measures, or the error that prevented them


class _GameWorker(PipeWorker):
    """A worker that measures one game."""

    def __init__(self, number: int, word: str, options: MeasureOptions) -> None:
        super().__init__(_measure, word, options)
        self.number, self.word = number, word
        self._work, self._seconds = "loading", LOAD_SECONDS
        self._limit = _LIMIT_FACTOR * options.seconds + _GRACE_SECONDS
        self._until = time.monotonic() + LOAD_SECONDS

    def next_message(self) -> GameMeasures | str | UserError | GdlError | OSError | None:
        """Return the measures, a description of the current work, an error, or None if there is no message yet."""
        try:
            found: GameMeasures | str = self.receive(0)
            if found == LOADED:
                self._work, self._seconds = "measuring", self._limit
                self._until = time.monotonic() + self._limit
            return found
        except TimeoutError:
            if time.monotonic() < self._until:
                return None
            return UserError(f"{self.word}: stopped, because {self._work} took more than {self._seconds:,.0f} s")
        except WorkerDiedError as died:
            error = died.error
            if isinstance(error, GdlError | UserError | OSError):
                return error
            if isinstance(error, MemoryError):
                return UserError(f"{self.word}: more than {MEMORY_MB:,} MB of memory would be needed")
            return UserError(f"{self.word}: {error if error is not None and str(error) else died}")


def measure_games(
    words: Sequence[str], options: MeasureOptions, jobs: int, phase: Callable[[str, str], None]
) -> Generator[MeasuredGame, None, None]:
    """Measure games and yield each result when it is complete."""
    waiting = list(enumerate(words))[::-1]
    with contextlib.ExitStack() as stack:
        running: list[_GameWorker] = []
        while waiting or running:
            while waiting and len(running) < jobs:
                running.append(stack.enter_context(_GameWorker(*waiting.pop(), options)))
            wait_for_workers(running, _POLL_SECONDS)
            for worker in list(running):
                found = worker.next_message()
                if isinstance(found, str):
                    phase(worker.word, found)
                elif found is not None:
                    running.remove(worker)
                    worker.stop()
                    yield MeasuredGame(worker.number, worker.word, found)


def _measure(pipe: Connection, word: str, options: MeasureOptions) -> None:
    """Measure a game in a worker; send descriptions of the work, then the measures."""
    limit_memory(MEMORY_MB)
    pipe.send(measure_game(word, options, pipe.send))

"""Measure a game: load it, play random and searched games within limits of time and memory, in a process of its own."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any

from gdl import CompiledMachine, GdlError

from ..common.errors import UserError, one_line
from ..common.pipe_worker import PipeWorker, WorkerDiedError, wait_for_workers
from ..common.processes import limit_memory
from ..common.terminal_text import amount
from ..game.game import Game
from ..game.load import load_game
from ..game.roles import roles_to_play
from .estimates import (
    Measure,
    Undefined,
    effective_number,
)
from .measure_definitions import RANDOM, definitions
from .random_games import RandomGames, play_random_games, random_measures
from .rule_features import rule_features
from .searched_games import (
    doubling_measure,
    play_doubling,
    play_searched_games,
    searched_measures,
    seconds_per_move,
    undefined_measures,
)

# The description of the work when the game is loaded.
LOADED = "loaded"
# The share of the time of a game that random games may use.
_RANDOM_SHARE = 0.4
# The multiple of the remaining time beyond which searched games do not begin.
_FAR_TOO_LONG = 3.0
# The share of the remaining time for estimating the time of a search.
_PILOT_SHARE = 0.05
# With a smaller effective number of games the interval of Knuth's estimate is marked as too narrow.
_FEW_GAMES = 30


@dataclass(frozen=True, slots=True)
class MeasureOptions:
    """The parameters of all measurements."""

    games: int = 1000  # number of random games, at least 1
    searched: int = 20  # number of searched games for each number of simulations; 0 for none
    simulations: tuple[int, ...] = (100,)  # numbers of simulations per move
    doublings: int = 0  # number of games between N and 2N simulations, even; 0 for none
    max_turns: int = 1000  # largest number of turns of a random game
    seconds: float = 10.0  # time limit of a game after it is loaded
    seed: int = 1  # seed of all random numbers

    @property
    def strengths(self) -> tuple[int, ...]:
        """The numbers of simulations that are measured, in ascending order."""
        return tuple(sorted(set(self.simulations))) if self.searched else ()


@dataclass(frozen=True, slots=True)
class GameMeasures:
    """The measures of one game."""

    game: str  # name of the game
    machine: str  # kind of the state machine
    roles: tuple[str, ...]  # roles in the order of the rules
    games: int  # number of random games that were played
    measures: Mapping[str, Measure]  # measures by key, in the order of `definitions`
    rules: Mapping[str, float]  # features of the rules by key
    notes: tuple[str, ...] = field(default=())  # remarks about incomplete measurements, one line each

    def document(self) -> dict[str, Any]:
        """Return the JSON object of the game."""
        return {
            "game": self.game,
            "machine": self.machine,
            "roles": list(self.roles),
            "games": self.games,
            "measures": {key: one.document() for key, one in self.measures.items()},
            "rules": {key: float(f"{value:.6g}") for key, value in self.rules.items()},
            "notes": list(self.notes),
        }


def measure_game(word: str, options: MeasureOptions, phase: Callable[[str], None]) -> GameMeasures:
    """Measure a game.

    Measures that are not defined for the game, or that had no time, are `Undefined` with the reason.
    """
    phase("load")
    game = load_game(word)
    machine = game.machine()
    phase(LOADED)
    return _Measurement(game, machine, options, phase).result()


class _Measurement:
    """The measurement of one game; it collects measures and notes."""

    def __init__(
        self, game: Game, machine: CompiledMachine, options: MeasureOptions, phase: Callable[[str], None]
    ) -> None:
        self._game = game
        self._machine = machine
        self._options = options
        self._phase = phase
        self._notes: list[str] = []
        self._measures: dict[str, Measure] = {}
        self._games = 0
        self._mean_length = 0.0

    def result(self) -> GameMeasures:
        """Play all games and return the measures."""
        options = self._options
        started = time.monotonic()
        strengths = options.strengths
        self._random(started + (_RANDOM_SHARE if strengths else 1.0) * options.seconds)
        parts = len(strengths) * (2 if options.doublings else 1)
        until = started + options.seconds
        for simulations in strengths:
            self._searched(simulations, _part_of(until, parts))
            parts -= 1
            if options.doublings:
                self._doubled(simulations, _part_of(until, parts))
                parts -= 1
        order = definitions(strengths, doublings=options.doublings > 0)
        return GameMeasures(
            game=self._game.word,
            machine=self._machine.kind,
            roles=self._machine.roles,
            games=self._games,
            measures={key: self._measures[key] for key in order},
            rules=rule_features(self._game.sheet),
            notes=tuple(self._notes),
        )

    def _random(self, until: float) -> None:
        options = self._options
        try:
            games = self._random_games(until)
            reason = f"no random games were completed in {options.seconds:g} s"
        except (GdlError, UserError, ValueError) as error:
            games, reason = None, one_line(UserError(str(error)))
        if games is None:
            self._measures |= dict.fromkeys(definitions((), doublings=False), Undefined(reason))
            return
        self._games = games.games
        self._mean_length = float(games.lengths.mean())
        if games.games < options.games:
            self._notes.append(f"{games.games:,} of {options.games:,} random games, because the time is limited")
        self._measures |= random_measures(games, self._machine.roles)
        effective = effective_number(games.log_leaves)
        if effective < _FEW_GAMES and games.ended.all():
            self._notes.append(
                f"the sizes of the game tree depend on about {effective:.0f} of {games.games:,} games; "
                "their intervals are too narrow"
            )

    def _random_games(self, until: float) -> RandomGames | None:
        options = self._options
        self._phase(amount(options.games, "random game"))
        return play_random_games(
            self._game,
            self._machine,
            options.games,
            max_turns=options.max_turns,
            seed=options.seed,
            until=until,
            played=self._counter("random games", options.games),
        )

    def _searched(self, simulations: int, until: float) -> None:
        options = self._options
        what = f"games with {simulations:,} simulations"
        if reason := self._unsearchable(simulations, until):
            self._measures |= undefined_measures(simulations, reason)
            return
        self._phase(f"{options.searched:,} {what}")
        games, error = play_searched_games(
            self._machine,
            options.searched,
            simulations=simulations,
            seed=options.seed,
            until=until,
            played=self._counter(what, options.searched),
        )
        if not games:
            reason = error or f"no {what} per move were completed in the time"
            self._measures |= undefined_measures(simulations, reason)
            return
        if len(games) < options.searched:
            self._notes.append(f"{len(games):,} of {options.searched:,} {what}{f': {error}' if error else ''}")
        self._measures |= searched_measures(games, simulations)

    def _doubled(self, simulations: int, until: float) -> None:
        options = self._options
        searched = self._measures[f"length_{simulations}"]
        reason = searched.reason if isinstance(searched, Undefined) else self._unsearchable(2 * simulations, until)
        if len(roles_to_play(self._machine.roles)) < 2:
            reason = reason or "the game has one role"
        if reason:
            self._measures[f"elo_per_doubling_{simulations}"] = Undefined(reason)
            return
        what = f"games of {2 * simulations:,} against {simulations:,} simulations"
        self._phase(f"{options.doublings:,} {what}")
        score = play_doubling(
            self._machine,
            options.doublings,
            simulations=simulations,
            seed=options.seed,
            until=until,
            played=self._counter(what, options.doublings),
        )
        if score.games < options.doublings:
            self._notes.append(f"{score.games:,} of {options.doublings:,} {what}")
        self._measures |= doubling_measure(score, simulations)

    def _unsearchable(self, simulations: int, until: float) -> str:
        """Return the reason why no games with these simulations are played; empty if they are played.

        Searches side by side cannot be interrupted, so games that would take far too long do not begin. A search of the
        initial state estimates their time; later searches take half as long on average.
        """
        if self._machine.hides_information:
            return "the game hides information from its roles"
        if not roles_to_play(self._machine.roles):
            return "chance is the only role"
        length = self._measures[f"length_{RANDOM}"]
        if isinstance(length, Undefined):
            return length.reason
        endless = self._measures[f"unfinished_{RANDOM}"]
        if not isinstance(endless, Undefined) and endless.value == 1:
            return "no random game ended within the turn limit"
        left = until - time.monotonic()
        if left <= 0:
            return "no time was left"
        try:
            needed = self._mean_length / 2 * seconds_per_move(self._machine, simulations, _PILOT_SHARE * left)
        except OverflowError as problem:  # more moves than a search can number
            return str(problem)
        if needed > _FAR_TOO_LONG * left:
            return f"a game with {simulations:,} simulations per move would take about {needed:,.0f} s"
        return ""

    def _counter(self, what: str, total: int) -> Callable[[int], None]:
        return lambda played: self._phase(f"{played:,} of {total:,} {what}")


def _part_of(until: float, parts: int) -> float:
    """Return the end of the next of some equal parts of the remaining time."""
    now = time.monotonic()
    return now + max(0.0, until - now) / parts


# ---- processes

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

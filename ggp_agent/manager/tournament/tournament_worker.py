"""A host worker: a process that hosts one match after another.

The director sends orders through a pipe and closes it to end the worker. The worker answers each order with `Done` or
`Failed` and sends a `Beat` at turns in between. SIGTERM aborts the current match: the players receive ABORT, and the
record says that the match was aborted.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import threading
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType
from typing import Any

from ...common.errors import one_line
from ...common.pipe_worker import PipeWorker
from ...common.processes import resident_mb
from ...game.game import State
from ...records.match_record import MatchRecord
from ...records.record_rules import by_rules, keep_rules
from ..conditions import Conditions, PlayerFailedError
from ..match_manager import MatchManager
from ..openings import Opening, random_opening
from ..players import Players
from ..seats import MatchObserver, Seat, SeatMove
from .plan import Plan
from .tournament_store import MatchOrder, keep_worker_lock, record_path

# Minimum number of seconds between two beats.
_BEAT_SECONDS = 1.0
# Number of restarts of a player during matches; after more crashes it is restarted before its next match.
_MAX_RESTARTS = 20


@dataclass(frozen=True, slots=True)
class WorkerSetup:
    """The settings of a host worker."""

    plan: Plan  # the plan; the configurations of its players are files
    state: Path  # the file of the state
    on_error: str  # the consequence of drawn moves, one of `ON_ERROR`
    cores: tuple[int, ...] = ()  # the cores of the players; empty if the players are not pinned


@dataclass(frozen=True, slots=True)
class Note:
    """A message for the user, in one line."""

    text: str


class Beat:
    """A message: the worker is still playing."""


@dataclass(frozen=True, slots=True)
class Done:
    """A message: a match is over or was aborted, as its record says."""

    memory: dict[str, float]  # resident memory of the worker and of its players in MB, by name


@dataclass(frozen=True, slots=True)
class Failed:
    """A message: a match cannot be played."""

    reason: str  # the reason, in one line
    # Whether the tournament ends, because this machine is the cause, for example a full disk, so that other matches
    # would fail too; or because a player failed and the rule is `stop`.
    here: bool


def run_worker(pipe: Connection[Any, Any], setup: WorkerSetup) -> None:
    """Host matches until the pipe is closed or SIGTERM arrives."""
    worker = _TournamentWorker(setup, pipe)
    signal.signal(signal.SIGTERM, worker.give_up)
    keep_worker_lock(setup.state)
    with contextlib.suppress(KeyboardInterrupt):  # SIGTERM just after a match
        worker.run()


class _TournamentWorker:
    def __init__(self, setup: WorkerSetup, pipe: Connection[Any, Any]) -> None:
        self._setup = setup
        self._pipe = pipe
        self._sending = threading.Lock()
        self._entrants = {entrant.name: entrant for entrant in setup.plan.entrants}
        self._games = {game.name: game for game in setup.plan.games}
        self._starts: dict[str, State] = {}
        self._hosting = False
        self._ending = False

    def give_up(self, number: int, frame: FrameType | None) -> None:
        """Abort the current match, then end the worker."""
        if self._hosting and not self._ending:
            self._ending = True
            raise KeyboardInterrupt
        self._ending = True

    def run(self) -> None:
        setup = self._setup
        with Players(
            self._entrants,
            lambda text: self._send(Note(text)),
            folder=setup.plan.file.parent,
            restarts=_MAX_RESTARTS,
            substitutes=True,
        ) as players:
            while not self._ending:
                order: MatchOrder = self._pipe.recv()
                self._send(self._host(order, players))

    def _host(self, order: MatchOrder, players: Players) -> Done | Failed:
        """Host a match."""
        names = [name for name in order.seats if name is not None]
        try:
            self._hosting = True
            if not self._ending:
                self._play(order, players, names)
            self._hosting = False
        except KeyboardInterrupt:
            self._hosting = False
        except Exception as error:
            self._hosting = False
            return Failed(one_line(error), here=isinstance(error, OSError | PlayerFailedError))
        return Done({"table": resident_mb(os.getpid(), alone=True), **players.memory(names)})

    def _play(self, order: MatchOrder, players: Players, names: Sequence[str]) -> None:
        game = by_rules(self._games[order.game])
        if game.name not in self._starts:
            self._starts[game.name] = game.initial_state()
        start = self._starts[game.name]
        seating = [(role, name or role, name or "") for role, name in zip(start.roles, order.seats, strict=True)]
        with players.seated(seating, self._cores_of(names)) as seats:
            self._run(order, start, seats)

    def _cores_of(self, names: Sequence[str]) -> dict[str, Collection[int]]:
        """Return the cores of each player that is started here: one core if it searches; empty without pinning.

        The cores are chosen for each match, because its players differ.
        """
        cores = self._setup.cores
        thinking = itertools.count()
        return {
            name: (cores[next(thinking) % len(cores)],) if cores and self._entrants[name].thinks else cores
            for name in names
            if not self._entrants[name].url
        }

    def _run(self, order: MatchOrder, start: State, seats: Sequence[Seat]) -> None:
        """Run the match of an order, and write its record."""
        setup, keys, game = self._setup, self._setup.plan.keys, start.game
        record = MatchRecord(
            match_id=order.match_id,
            game=game.name,
            game_address=game.address,
            roles=start.roles,
            players=tuple(seat.player for seat in seats),
            start_clock=keys.startclock,
            play_clock=keys.playclock,
            extra={"tournamentNameFromHost": setup.plan.name},
        )
        conditions = Conditions(
            preview_clock=keys.previewclock,
            scramble_seed=order.seed if keys.scramble else None,
            max_turns=keys.max_turns,
            on_error=setup.on_error,
        )
        path = record_path(setup.state, order.match_id)
        keep_rules(game, path.parent)
        MatchManager(
            start,
            seats,
            record,
            save=lambda: record.write(path),
            observer=_Beats(lambda: self._send(Beat())),
            seed=order.seed,
            conditions=conditions,
            opening=self._opening(order, start),
            adjudication=keys.adjudication,
        ).run()

    def _opening(self, order: MatchOrder, start: State) -> Opening:
        """Return the opening of a match; all matches of a meeting have the same seed and so the same opening."""
        lines = self._setup.plan.openings.get(order.game)
        if lines:
            return lines[order.seed % len(lines)]
        return random_opening(start, self._setup.plan.keys.opening_plies, order.seed)

    def _send(self, message: Done | Failed | Note | Beat) -> None:
        with self._sending, contextlib.suppress(OSError):  # the director has ended, so this process ends soon
            self._pipe.send(message)


class _Beats(MatchObserver):
    """Send a beat at the start and after turns."""

    def __init__(self, send: Callable[[], None]) -> None:
        self._send = send
        self._next = 0.0

    def started(self, seconds: float) -> None:
        self._beat()

    def turn_ended(self, number: int, moves: Sequence[SeatMove]) -> None:
        self._beat()

    def _beat(self) -> None:
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + _BEAT_SECONDS
            self._send()


# ---- the worker as an object of the director


class TournamentWorkerProcess(PipeWorker):
    """A host worker, started."""

    def __init__(self, number: int, setup: WorkerSetup) -> None:
        super().__init__(run_worker, setup)
        self.number = number
        self.order: MatchOrder | None = None  # the match that the worker plays; None while there is no match
        self.heard = time.monotonic()  # the time of the worker's last message, on the monotonic clock

    def play(self, order: MatchOrder) -> None:
        """Send a match to the worker; if the worker has died, `receive` reports it."""
        self.order = order
        self.heard = time.monotonic()
        self.send(order)

    def receive(self, seconds: float | None = None) -> Done | Failed | Note | Beat:
        """Return the next message, as `PipeWorker.receive` does."""
        message: Done | Failed | Note | Beat = super().receive(seconds)
        self.heard = time.monotonic()
        return message

"""Play a tournament: distribute matches to workers, update the state, replace workers that fail."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import os
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType

from ...common.errors import UserError
from ...common.pipe_worker import WorkerDiedError, wait_for_workers
from ...common.processes import cores, resident_mb
from ...game.roles import roles_to_play
from ...protocol.client import OutgoingRequest, PlayerClient, exchange_all
from ...protocol.messages import Abort, format_message
from ...records.match_record import new_match_id
from ..conditions import RANDOM
from ..player_messages import ABORT_TIMEOUT
from .plan import Plan
from .ratings import scores, total
from .schedule import ELIMINATION, SWISS, Fixture, group, groups_of, schedule_round
from .standings import groups_of_results, pairings_of
from .tournament_display import TournamentDisplay
from .tournament_store import MatchOrder, Store, mark_aborted, read_played, record_path, remove_parts
from .tournament_worker import Beat, Done, Failed, Note, TournamentWorkerProcess, WorkerSetup


def set_up_rounds(plan: Plan, store: Store) -> bool:
    """Add the matches that can be set up now; return whether there were any.

    A Swiss round, and a round of an elimination tournament, is paired when the previous round has been played. Other
    schedules are set up completely.
    """
    games = {game.name: game.sheet.roles() for game in plan.games}
    sizes = sorted({len(roles_to_play(game.sheet.roles())) for game in plan.games})
    players = [entrant.name for entrant in plan.entrants]
    if plan.keys.schedule == SWISS:
        return _set_up_swiss_round(plan, store, games, sizes, players)
    if plan.keys.schedule == ELIMINATION:
        counts = store.counts()
        pairs = [] if counts["waiting"] or counts["running"] else [p for p in pairings_of(store) if not p.winner]
        if pairs:
            of_two = {2: [(pair.better, pair.other) for pair in pairs]}
            store.add_rounds(schedule_round(store.rounds, games, of_two, plan.keys.seed), games, store.rounds + 1)
        return bool(pairs)
    groups = {size: list(groups_of(players, size, plan.keys.challenger or "")) for size in sizes}
    done = sum(store.counts().values())
    # All rounds have the same length, but the last one may have been cut short by a limit of matches.
    length = len(schedule_round(0, games, groups, plan.keys.seed))
    total = min(plan.keys.rounds * length, plan.keys.matches or plan.keys.rounds * length)
    round_, played = divmod(done, length)
    fixtures: list[Fixture] = []
    while done + len(fixtures) < total:
        fixtures += schedule_round(round_, games, groups, plan.keys.seed)[played:]
        round_, played = round_ + 1, 0
    if not fixtures:
        return False
    store.add_rounds(fixtures[: total - done], games, round_)
    return True


def _set_up_swiss_round(
    plan: Plan, store: Store, games: Mapping[str, Sequence[str]], sizes: Sequence[int], players: Sequence[str]
) -> bool:
    counts = store.counts()
    round_ = store.rounds
    if round_ >= plan.keys.rounds or counts["waiting"] or counts["running"]:
        return False
    groups = {}
    byes: list[tuple[int, str, int]] = []
    for size in sizes:
        groups[size], out = _swiss_groups(players, size, store)
        byes += [(round_, player, size) for player in out]
    store.add_rounds(schedule_round(round_, games, groups, plan.keys.seed), games, round_ + 1, byes)
    return True


def _swiss_groups(players: Sequence[str], size: int, store: Store) -> tuple[list[tuple[str, ...]], list[str]]:
    """Pair the players that are not benched, by their points and previous opponents in games of this size.

    A win counts 1, a draw 1/2. Each match that a player missed by a bye counts as a win.
    """
    benched = store.benched()
    points: Counter[str] = Counter()
    met: Counter[tuple[str, str]] = Counter()
    for compared in groups_of_results(store):
        cross = scores([compared])
        for player, _ in compared:
            points[player] += total(cross, player).share  # type: ignore[assignment]
    for (names,) in store.rows(
        "SELECT group_concat(s.player, char(31)) FROM seats s JOIN matches m ON m.number = s.match "
        "WHERE s.player IS NOT NULL GROUP BY m.round, s.match HAVING count(*) = ?",
        (size,),
    ):
        met.update(itertools.combinations(sorted(names.split("\x1f")), 2))
    spared = Counter(player for player, of_size in store.byes() if of_size == size)
    games = _matches_of_a_round(store)
    for player, times in Counter(player for player, _ in store.byes()).items():
        points[player] += times * games  # type: ignore[assignment]
    order = {player: number for number, player in enumerate(players)}
    ranking = sorted(
        (player for player in players if player not in benched), key=lambda one: (-points[one], order[one])
    )
    return group(ranking, size, met, spared)


def _matches_of_a_round(store: Store) -> float:
    """Return the mean number of matches of a player in a round."""
    ((seats, players),) = store.rows(
        "SELECT count(*), count(DISTINCT m.round || char(31) || s.player) FROM seats s "
        "JOIN matches m ON m.number = s.match WHERE s.player IS NOT NULL"
    )
    return seats / players if players else 0.0


# Seconds, in addition to the clocks, after which a silent worker is ended; it may build a machine or start players.
_SILENCE_SECONDS = 300.0
# Seconds for workers to send ABORT to their players, and to end.
_ABORT_SECONDS = 6.0
_END_SECONDS = 4.0
# Seconds between two checks for Ctrl-C and silent workers.
_CHECK_SECONDS = 0.25
# The number of consecutive workers that end before they get a match, after which the tournament stops.
_MAX_FAILED_STARTS = 3


def workers_for(plan: Plan, available: int) -> tuple[int, int]:
    """Return the number of workers, and the number of players that may search at once in each worker.

    Each searching player gets one of the `available` cores, because it may also search during the turns of others.
    """
    thinking = sum(entrant.thinks for entrant in plan.entrants)
    most = max(min(thinking, len(roles_to_play(game.sheet.roles()))) for game in plan.games)
    return plan.keys.tables or max(1, available // max(1, most)), most


class Director:
    """Play a tournament."""

    def __init__(self, plan: Plan, store: Store, display: TournamentDisplay) -> None:
        self._plan = plan
        self._store = store
        self._display = display
        self._workers: dict[int, TournamentWorkerProcess] = {}
        self._number_of_workers, self._thinkers = workers_for(plan, cores())
        self._limits = {each.name: (each.url or each.name, each.matches) for each in plan.entrants if each.matches}
        self._waiting: list[tuple[int, str, tuple[str | None, ...], int]] = []
        self._signals = 0
        self._failed_starts = 0

    def run(self) -> bool:
        """Play the remaining matches."""
        recover(self._plan, self._store)
        with tempfile.TemporaryDirectory(prefix="ggp-agent-") as folder, self._listening():
            self._setup = self._make_setup(Path(folder))
            try:
                self._play()
            finally:
                self._end_workers()
        return not self._signals

    def _play(self) -> None:
        set_up_rounds(self._plan, self._store)
        self._waiting = self._store.waiting()
        self._display.opened(self._store, self._number_of_workers, self._thinkers * self._number_of_workers)
        while not self._signals:
            if not self._waiting and not self._running() and set_up_rounds(self._plan, self._store):
                self._waiting = self._store.waiting()
                self._display.rescheduled(self._store)
            self._seat_matches()
            if not self._running():
                if self._waiting:
                    raise RuntimeError("matches wait and no worker takes them")
                return
            self._listen()

    @contextlib.contextmanager
    def _listening(self) -> Iterator[None]:
        """Count Ctrl-C and SIGTERM instead of ending; the second one kills the workers."""

        def count(number: int, frame: FrameType | None) -> None:
            self._signals += 1

        before = {number: signal.signal(number, count) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    # Workers.

    def _make_setup(self, folder: Path) -> WorkerSetup:
        entrants = []
        for number, entrant in enumerate(self._plan.entrants):
            path = folder / f"{number}.toml"
            path.write_text(entrant.config, encoding="utf-8")
            entrants.append(dataclasses.replace(entrant, config=str(path) if entrant.config else ""))
        plan = dataclasses.replace(self._plan, entrants=tuple(entrants))
        return WorkerSetup(plan, self._store.path, (self._store.plan() or {}).get("on_error", RANDOM))

    def _start_worker(self, number: int) -> TournamentWorkerProcess:
        own = cores_of_worker(number, self._thinkers)
        worker = TournamentWorkerProcess(number, dataclasses.replace(self._setup, cores=own))
        self._workers[number] = worker
        return worker

    def _running(self) -> list[TournamentWorkerProcess]:
        return [worker for worker in self._workers.values() if worker.order is not None]

    def _seat_matches(self) -> None:
        """Give matches to free workers, if their players do not play too many matches at the same time."""
        orders = [worker.order for worker in self._running() if worker.order is not None]
        busy = Counter(key for order in orders for key, _ in self._limited(order.seats))
        while (number := self._free_worker()) is not None:
            fitting = (each for each in self._waiting if all(busy[key] < most for key, most in self._limited(each[2])))
            if (found := next(fitting, None)) is None:
                return
            self._waiting.remove(found)
            match, game, seats, seed = found
            busy.update(key for key, _ in self._limited(seats))
            order = MatchOrder(match, new_match_id(game), game, seats, seed)
            worker = self._workers.get(number) or self._start_worker(number)
            self._store.start(order)
            worker.play(order)
            self._display.began(number, order)

    def _limited(self, seats: Sequence[str | None]) -> list[tuple[str, int]]:
        """Return the players of a match with a limit, by their address or name, and their largest number of matches."""
        return [self._limits[name] for name in seats if name is not None and name in self._limits]

    def _free_worker(self) -> int | None:
        for number in range(self._number_of_workers):
            worker = self._workers.get(number)
            if worker is None or worker.order is None:
                return number
        return None

    def _listen(self) -> None:
        """Handle the messages of workers; replace workers that died or sent nothing for too long."""
        for worker in wait_for_workers(self._workers.values(), _CHECK_SECONDS):
            try:
                self._take(worker, worker.receive())
            except WorkerDiedError as died:
                self._replace_worker(worker, f"ended unexpectedly: {died}")
        limit = _SILENCE_SECONDS + self._plan.keys.startclock + self._plan.keys.playclock
        for worker in self._running():
            if time.monotonic() - worker.heard > limit:
                self._replace_worker(worker, f"has been silent for {limit:.0f} s and is ended")
        self._display.refresh()

    def _take(self, worker: TournamentWorkerProcess, message: Done | Failed | Note | Beat) -> None:
        match message:
            case Note():
                self._display.note(message.text)
            case Done():
                self._failed_starts = 0
                director = {"director": resident_mb(os.getpid(), alone=True)}
                self._settle(worker, memory=message.memory | director)
            case Failed():
                self._fail(worker, message)

    def _settle(
        self, worker: TournamentWorkerProcess, *, memory: dict[str, float] | None = None, died: bool = False
    ) -> None:
        """Store the result of a worker's match, as given by its record."""
        order = worker.order
        if order is None:
            return
        path = record_path(self._store.path, order.match_id)
        remove_parts(self._store.path, order.match_id)
        played = read_played(path)
        if played is not None:
            benched = self._store.finish(order.number, order.match_id, played, memory or {})
            worker.order = None
            self._display.ended(worker.number, order, played)
            for player in benched:
                self._display.note(f"{player} is benched: {self._store.benched()[player]}")
            if benched:
                self._waiting = self._store.waiting()
                self._display.rescheduled(self._store)
            return
        with contextlib.suppress(OSError):  # for example a full disk; an incomplete record is sufficient
            mark_aborted(path)
        again = self._store.abort(order.number, order.match_id, died=died)
        worker.order = None
        if died:
            self._display.note(
                f"match {order.number} ({order.game}) {'will be repeated' if again else 'failed too often'}"
            )
        self._display.aborted(worker.number)
        self._waiting = self._store.waiting()

    def _fail(self, worker: TournamentWorkerProcess, message: Failed) -> None:
        order = worker.order
        assert order is not None
        if message.here:
            self._settle(worker)
            raise UserError(f"{message.reason}; correct this, then run the same command again to resume")
        mark_aborted(record_path(self._store.path, order.match_id))
        self._store.fail(order.number, order.match_id, message.reason)
        worker.order = None
        self._display.note(f"match {order.number} ({order.game}) cannot be played: {message.reason}")
        self._display.aborted(worker.number)
        self._display.rescheduled(self._store)

    def _replace_worker(self, worker: TournamentWorkerProcess, end: str) -> None:
        """Remove a worker; another worker takes its place and plays its match again."""
        self._remove(worker)
        if worker.order is None:
            self._failed_starts += 1
        self._display.note(f"worker {worker.number + 1} {end}")
        self._settle(worker, died=True)
        if self._failed_starts >= _MAX_FAILED_STARTS:
            raise UserError(
                "the worker processes end immediately after their start; check the free memory of this machine"
            )

    def _remove(self, worker: TournamentWorkerProcess, grace: float = 0.0) -> None:
        worker.stop(grace)
        del self._workers[worker.number]

    def _end_workers(self) -> None:
        """Abort the matches under way and stop all workers."""
        for worker in self._running():
            worker.terminate()
        deadline = time.monotonic() + _ABORT_SECONDS
        forced = self._signals + 1
        while self._running() and time.monotonic() < deadline and self._signals < max(2, forced):
            for worker in wait_for_workers(self._running(), _CHECK_SECONDS):
                try:
                    message = worker.receive()
                except WorkerDiedError:
                    self._remove(worker)
                    self._settle(worker)
                    continue
                if isinstance(message, Done | Failed):
                    self._settle(worker)
        deadline = time.monotonic() + (_END_SECONDS if self._signals < max(2, forced) else 0.0)
        for worker in list(self._workers.values()):
            self._remove(worker, max(0.0, deadline - time.monotonic()))
            self._settle(worker)


def cores_of_worker(number: int, thinkers: int) -> tuple[int, ...]:
    """Return the cores of a worker: adjacent cores, shared with other workers if there are too few."""
    if not hasattr(os, "sched_getaffinity"):
        return ()
    own = sorted(os.sched_getaffinity(0))
    each = max(1, thinkers)
    return tuple(dict.fromkeys(own[(number * each + index) % len(own)] for index in range(each)))


def recover(plan: Plan, store: Store) -> None:
    """Settle the running matches of an earlier run: a match counts as played if its record is complete.

    Players at addresses receive ABORT for the other matches, because they may wait for the next turn.
    """
    urls = {entrant.name: entrant.url for entrant in plan.entrants if entrant.url}
    aborts: list[OutgoingRequest] = []
    for number, match_id, players in store.running():
        path = record_path(store.path, match_id)
        played = read_played(path)
        if played is not None:
            store.finish(number, match_id, played, {})
            continue
        mark_aborted(path)
        store.abort(number, match_id)
        aborts += _aborts(match_id, [urls[name] for name in players if name in urls])
    remove_parts(store.path)
    if aborts:
        exchange_all(aborts)


def _aborts(match_id: str, urls: Sequence[str]) -> list[OutgoingRequest]:
    text = format_message(Abort(match_id))
    return [OutgoingRequest(PlayerClient(url, "player"), text, ABORT_TIMEOUT, reconnects=False) for url in urls]

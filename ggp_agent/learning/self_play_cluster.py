"""Games of a network against itself on a Ray cluster: one worker process per core plays, this process trains.

Each worker has the rules and keeps its games from call to call. A call brings the latest network and returns the
positions of finished games. A worker has at most one call: the next one starts when its result is received. So workers
play on while this process trains, and at most one result per worker waits. A worker that is lost is replaced while its
node lives; its unfinished games are lost.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from gdl import GdlError, NetworkMachine, parse_sheet

from ..common.errors import UserError, require_network
from ..common.ray_cluster import LostTasksError, RayCluster, require_equal, this_program
from ..evaluation.learned_network import LearnedNetwork
from ..game.game import Game
from .options import SelfPlayOptions
from .self_play import SelfPlayResult, SelfPlayThreads

# Longest time of a call; a longer generation takes several calls, so that its processor time is known.
_CALL_SECONDS = 5.0
_IDLE_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class WorkerGames:
    """The games of a worker."""

    rules: str  # text of the rule sheet
    source: str  # origin of the rule sheet, for messages
    options: SelfPlayOptions  # the parameters of the games, with a seed that no other worker has
    program: tuple[str, str, str]  # version of the program, see `this_program`


class SelfPlayWorker:
    """A worker process of the cluster."""

    def __init__(self, task: WorkerGames) -> None:
        self._task = task
        self._cpu = 0.0  # the first call includes the start of the process and the compilation of the game
        self._number = 0
        self._games: SelfPlayThreads | None = None

    def play(self, number: int, network: LearnedNetwork, positions: int) -> tuple[SelfPlayResult, float]:
        """Play until finished games have about a number of positions, at most some seconds."""
        if self._games is None:
            self._games = self._start(network)
        elif number != self._number:
            self._games.set_network(network)
        self._number = number
        end = time.monotonic() + _CALL_SECONDS
        played = self._games.play(positions, lambda: time.monotonic() >= end)
        before, self._cpu = self._cpu, time.process_time()
        return played, self._cpu - before

    def _start(self, network: LearnedNetwork) -> SelfPlayThreads:
        task = self._task
        require_equal(platform.node(), this_program(), task.program)
        game = Game(task.source, parse_sheet(task.rules, source=task.source), "")
        machine = require_network(game.machine(), f"node {platform.node()}: self-play of {task.source}")
        network.require_game(machine, f"node {platform.node()}")
        return SelfPlayThreads(machine, network, task.options, 1)


class SelfPlayCluster:
    """Self-play by one worker on each core of a cluster; games continue from call to call."""

    def __init__(
        self, cluster: RayCluster, machine: NetworkMachine, network: LearnedNetwork, options: SelfPlayOptions
    ) -> None:
        self._cluster = cluster
        self._roles = len(machine.roles)
        self._task = WorkerGames(str(machine.sheet), machine.sheet.source, options, this_program())
        self._remote = cluster.ray.remote(num_cpus=1, max_restarts=0, scheduling_strategy="SPREAD")(SelfPlayWorker)
        self._calls: dict[Any, Any] = {}  # the worker of each call
        self._started = 0
        self._number = 0
        self._network = cluster.ray.put(network)
        self.workers = cluster.cores
        self.cpu_seconds = 0.0

    def set_network(self, network: LearnedNetwork) -> None:
        """Continue with another network of the same shape, in calls that start from now on."""
        self._network = self._cluster.ray.put(network)
        self._number += 1

    def play(self, positions: int, stopped: Callable[[], bool]) -> SelfPlayResult:
        """Receive finished games until they have about a number of positions, or until `stopped()` becomes true."""
        share = -(-positions // self.workers)
        found: list[SelfPlayResult] = []
        looked = float("-inf")
        while sum(len(each.positions) for each in found) < positions and not stopped():
            if time.monotonic() - looked >= _IDLE_SECONDS:  # nodes may join and leave
                self._start_workers(share)
                looked = time.monotonic()
            ended, _ = self._cluster.ray.wait(list(self._calls), num_returns=1, timeout=_IDLE_SECONDS)
            for call in ended:
                worker = self._calls.pop(call)
                result = self._result(call)
                if result is not None:
                    found.append(result)
                    self._call(worker, share)
                elif not self._calls:
                    self._start_workers(share)
        # The arrays of a result are in the store of Ray.
        return SelfPlayResult.joined(found, self._roles)

    def close(self) -> None:
        """End the workers."""
        for worker in self._calls.values():
            self._cluster.ray.kill(worker)
        self._calls.clear()

    def _start_workers(self, share: int) -> None:
        """Start a worker for each core that has none."""
        if not self._cluster.nodes():
            raise UserError("no node of the Ray cluster has a core for tasks; the latest checkpoint is stored")
        while len(self._calls) < self._cluster.cores:
            seed = self._task.options.seed * 1_000 + self._started
            self._started += 1
            self._call(self._remote.remote(replace(self._task, options=replace(self._task.options, seed=seed))), share)

    def _call(self, worker: Any, share: int) -> None:
        self._calls[worker.play.remote(self._number, self._network, share)] = worker

    def _result(self, call: Any) -> SelfPlayResult | None:
        """Return the games of a call that has ended; None if its worker is lost."""
        try:
            found: tuple[SelfPlayResult, float] | None = self._cluster.result(
                call, self.workers, "workers of the cluster"
            )
        except LostTasksError as error:
            raise UserError(f"{error}; the latest checkpoint is stored") from None
        except (GdlError, UserError, ValueError, RuntimeError) as error:
            raise UserError(str(error)) from None
        if found is None:
            return None
        result, cpu_seconds = found
        self.cpu_seconds += cpu_seconds
        return result

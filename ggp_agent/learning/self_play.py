"""Games of a network against itself: what a run of learning needs of them, and games in several threads."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from gdl import NetworkMachine

from .. import _learning, _search
from ..evaluation import LEARNED
from ..evaluation.learned_network import LearnedNetwork
from .options import SelfPlayOptions, learned_config
from .played_positions import Positions

# The memory of the tree of one game.
_TREE_MB = 16


@dataclass(frozen=True, slots=True, eq=False)
class SelfPlayResult:
    """What one call of `SelfPlayGames.play` has played."""

    # The positions of the games that have ended. games, plies, simulations, proven: totals of these games; `proven`
    # counts games that ended by a proof.
    positions: Positions
    games: int
    plies: int
    simulations: int
    proven: int
    rewards: tuple[float, ...]  # the mean reward of each role, -1 .. 1


class SelfPlayGames(Protocol):
    """Games of a network against itself, played by threads of this process or by other machines.

    Attributes:
        workers: the number of threads or processes that play.
        cpu_seconds: processor time of other processes, in total.
    """

    workers: int
    cpu_seconds: float

    def set_network(self, network: LearnedNetwork) -> None:
        """Continue with another network of the same shape."""

    def play(self, positions: int, stopped: Callable[[], bool]) -> SelfPlayResult:
        """Play until finished games have about a number of positions, or until `stopped()` becomes true."""

    def close(self) -> None:
        """End the threads or processes."""


class SelfPlayThreads:
    """Threads that share the work of a generation; games continue from call to call."""

    def __init__(
        self, machine: NetworkMachine, network: LearnedNetwork, options: SelfPlayOptions, threads: int
    ) -> None:
        self.workers = threads
        self.cpu_seconds = 0.0  # there are no other processes
        self._roles = len(machine.roles)
        self._simulators: list[_learning.LearnedSimulator] = []
        self._workers: list[_search.SelfPlay] = []
        lanes = next(width for width in (64, 128, 256, 512) if width >= options.games)
        game = network.in_core()
        config = learned_config(1, memory_mb=_TREE_MB)
        for number in range(threads):
            wide, scout = (_learning.LearnedSimulator(machine.simulator(width), game, LEARNED) for width in (lanes, 64))
            seeded = replace(options, seed=options.seed * 1_000 + number)
            self._workers.append(_search.SelfPlay(wide, scout, config, seeded))
            self._simulators += [wide, scout]
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="self-play")

    def set_network(self, network: LearnedNetwork) -> None:
        """Continue with another network of the same shape."""
        game = network.in_core()
        for simulator in self._simulators:
            simulator.set_game(game)

    def play(self, positions: int, stopped: Callable[[], bool]) -> SelfPlayResult:
        """Play until finished games have about a number of positions, or until `stopped()` becomes true."""
        share = -(-positions // len(self._workers))
        futures = [self._pool.submit(worker.play, share, stopped) for worker in self._workers]
        found = [future.result() for future in futures]
        games = sum(each["games"] for each in found)
        rewards = np.sum([each["rewards"] for each in found], axis=0) / max(1, games)
        return SelfPlayResult(
            Positions.joined([Positions.from_core(each, self._roles) for each in found]),
            games,
            sum(each["plies"] for each in found),
            sum(each["simulations"] for each in found),
            sum(each["proven"] for each in found),
            tuple(float(reward) for reward in rewards),
        )

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown()

"""What a run of learning needs of self-play: finished games of the latest network."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from ..mcts.learned_network import LearnedNetwork
from .played_positions import Positions


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

"""The parameters of learning; the defaults suit most games."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from gdl.compile.automorphisms import MAX_SECONDS

from ..evaluation import LEARNED
from ..mcts.config import (
    EarlyTerminationConfig,
    EvaluationConfig,
    PlayoutConfig,
    SearchConfig,
    SelectionConfig,
)


def learned_config(in_flight: int = 32, *, name: str = LEARNED, memory_mb: int = 1024) -> SearchConfig:
    """Return the configuration of a search by a learned network."""
    return SearchConfig(
        in_flight=in_flight,
        memory_mb=memory_mb,
        evaluation=EvaluationConfig(name=name),
        selection=SelectionConfig(formula="puct"),
        playout=PlayoutConfig(early_termination=EarlyTerminationConfig(plies=0)),
    )


@dataclass(frozen=True, slots=True)
class SelfPlayOptions:
    """The games of self-play; see `csrc/search/driver/self_play.hpp`."""

    # Number of games at once in each thread, 1 .. 512. full_simulations, fast_simulations: simulations of a search
    # whose visits are a target, and of the others.
    games: int = 64
    full_simulations: int = 48
    fast_simulations: int = 12
    # Part of the searches whose visits are a target. noise_share, noise_total: weight of the noise at the root, and
    # the sum of its concentration parameters. opening_share, opening_plies: part of the games that begin with random
    # moves, and their largest number.
    full_share: float = 0.33
    noise_share: float = 0.25
    noise_total: float = 10.0
    opening_share: float = 0.5
    opening_plies: int = 4
    half_life: float = 12.0  # number of plies after which the temperature of the drawn moves is halved
    least_temperature: float = 0.25  # the lowest temperature
    play_on_share: float = 0.2  # part of the games that are played to their end though their result is proven
    most_plies: int = 1000  # the longest game
    chance: int = -1  # the number of the role of chance; -1 if there is none
    seed: int = 1  # the seed of all random numbers


# The samples of a step. Small batches learn faster (docs/methods/learning.md), but a step of a network with more
# weights than this takes longer than the samples of a small batch. Several threads divide a batch.
SMALL_BATCH, LARGE_BATCH = 128, 512
LARGE_NETWORK = 200_000


def batch_for(weights: int, threads: int) -> int:
    """Return the number of samples of a step for a number of weights and of threads.

    >>> batch_for(36_000, 1), batch_for(36_000, 4), batch_for(36_000, 64), batch_for(2_000_000, 1)
    (128, 256, 512, 512)
    """
    return LARGE_BATCH if weights > LARGE_NETWORK else min(LARGE_BATCH, SMALL_BATCH * max(1, threads // 2))


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """The training; see `csrc/learning/trainer.hpp`."""

    batch: int = SMALL_BATCH  # number of samples of a step
    decay: float = 0.01  # weight decay
    average: float = 0.01  # weight of the newest weights in the moving average that plays
    threads: int = 1  # number of threads
    seed: int = 1  # the seed of the drawn samples


# The units of the hidden layers, and the processor time of a run from which they are used, in seconds. Small networks
# play more games in the time (docs/methods/learning.md).
GROWTH = ((0.0, (64, 32)), (20.0, (128, 64)), (180.0, (256, 64)))


@dataclass(frozen=True, slots=True)
class LearningOptions:
    """A run of learning."""

    minutes: float = 5.0  # CPU time of each thread, or of each worker of a cluster, in minutes, above 0
    # Number of threads for self-play and training, at least 1. hidden1, hidden2: units of the hidden layers: a
    # multiple of 16; and 16, 32, 64 or 128. None: a network that grows.
    threads: int = 1
    hidden1: int | None = None
    hidden2: int | None = None
    playouts: int = 200_000  # number of states of random play-outs that the values are trained on first; 0 for none
    positions: int = 20_000  # number of new positions after which the network is trained
    uses: float = 8.0  # number of times that a position is used for training, on average
    # The largest number of positions to learn from, and their largest memory in the trainer in MB.
    window: int = 1_000_000
    window_mb: float = 2_000.0
    # The share of the latest positions of the run to learn from, above 0 and at most 1. Positions of weaker networks
    # leave the window. first_rate, last_rate: learning rate in the first half of the run, and at its end.
    recent: float = 0.5
    first_rate: float = 1e-3
    last_rate: float = 2e-4
    # The share of the searched values in the targets of values, reached after two CPU-minutes.
    searched_share: float = 0.5
    # About the longest time of the random play-outs before the run, and of the search for symmetries; 0 for none.
    facts_seconds: float = math.inf
    symmetry_seconds: float = MAX_SECONDS
    checkpoint_seconds: float = 60.0  # the seconds between two checkpoints
    seed: int = 1  # the seed of the whole run
    self_play: SelfPlayOptions = field(default_factory=SelfPlayOptions)  # the games

    def units(self, cpu_seconds: float) -> tuple[int, int]:
        """Return the units of both hidden layers after this processor time of a run.

        >>> LearningOptions().units(0), LearningOptions().units(1_000), LearningOptions(hidden1=256).units(0)
        ((64, 32), (256, 64), (256, 64))
        """
        if self.hidden1 is not None:
            return self.hidden1, self.hidden2 or (64 if self.hidden1 > 64 else 32)
        return next(units for begin, units in reversed(GROWTH) if cpu_seconds >= begin)

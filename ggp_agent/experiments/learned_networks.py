"""The networks that a study learns before its games: one for each game and number of CPU-minutes.

A network is learned by one thread, with the defaults of `ggp-agent learn`. It is stored in the folder
`experiments/networks`, where later runs find it. Its checkpoints are in a folder beside it, so an interrupted run
continues. Learning ends after a time, not after a number of games, so another machine learns another network.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..evaluation.learned_network import SUFFIX
from ..game.load import load_game, safe_name
from ..learning.checkpoint import CheckpointFolder
from ..learning.learner import Learner, LearningProgress, learnable_machine
from ..learning.options import LearningOptions

_FOLDER = Path("experiments", "networks")


@dataclass(frozen=True, slots=True)
class StudyNetwork:
    """A network that a study learns.

    >>> StudyNetwork("connect_four", 2.5, seed=1).path
    PosixPath('experiments/networks/connect_four-2.5-1.npz')
    """

    game: str  # word of the game
    minutes: float  # CPU-minutes of self-play and training, above 0
    seed: int  # seed of the run, 0 .. 10^12

    def __str__(self) -> str:
        return f"{self.game}, {self.minutes:g} CPU-minutes"

    @property
    def path(self) -> Path:
        """The file of the network, relative to the working directory."""
        return _FOLDER / f"{safe_name(self.game)}-{self.minutes:g}-{self.seed}{SUFFIX}"

    def config(self) -> dict[str, Any]:
        """Return the values of a configuration that plays with the network, by dotted keys."""
        return {
            "selection.formula": "puct",
            "evaluation.file": str(self.path),
            "playout.early_termination.plies": 0,
            "in_flight": 32,
        }

    def learn(self, on_progress: Callable[[LearningProgress], None], stopping: threading.Event) -> str:
        """Learn the network if its file does not exist; return a description of its training."""
        if self.path.exists():
            return ""
        machine = learnable_machine(load_game(self.game))
        folder = self.path.with_suffix("")
        options = LearningOptions(minutes=self.minutes, threads=1, seed=self.seed)
        learner = Learner(machine, options, folder, resume=CheckpointFolder(folder).exists)
        network = learner.run(on_progress, stopping.is_set)
        if stopping.is_set():
            return ""
        network.save(self.path)
        return str(network.training)

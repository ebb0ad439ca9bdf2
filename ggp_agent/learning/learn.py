"""Learn a game from Python, and evaluate states by the network."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from ..common.errors import require_type
from ..common.processes import cores
from ..evaluation.learned_network import LearnedNetwork, LearnedStore
from ..game.game import Game
from ..game.load import load_game
from .learner import Learner, LearningProgress, learnable_machine
from .options import LearningOptions


def learn(
    game: Game | str | Path,
    minutes: float = 5.0,
    *,
    threads: int | None = None,
    seed: int = 1,
    folder: str | Path | None = None,
    on_progress: Callable[[LearningProgress], None] = lambda _: None,
) -> LearnedNetwork:
    """Train a network for a game by self-play, and store it for searches with the configuration `learned`.

    Args:
        game: a game, or a word that `load_game` accepts.
        minutes: the processor time of each thread in minutes, above 0.
        threads: the number of threads; None for one per core.
        seed: the seed of all random choices. Equal seeds and numbers of threads give equal games and weights if the run
            is not limited by time.
        folder: the folder of checkpoints; None to store none.
        on_progress: called after each generation.

    Raises:
        UserError: the game is not played as a network, or nothing can be learned about it.
        GdlError: the rules are invalid.
    """
    require_type(game, (Game, str, os.PathLike), "game", "a game, or its name, path, URL or text")
    chosen = game if isinstance(game, Game) else load_game(game)
    machine = learnable_machine(chosen)
    if not minutes > 0:
        raise ValueError(f"minutes must be above 0, not {minutes}")
    options = LearningOptions(minutes=minutes, threads=threads or cores(), seed=seed)
    network = Learner(machine, options, None if folder is None else Path(folder)).run(on_progress)
    LearnedStore().write(machine, network)
    return network

"""Learn a game from Python; the display of progress; the folders of runs that the program starts by itself."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from gdl.compile.cache import default_folder
from gdl.files import remove_unfinished

from ..common.database import lock_file
from ..common.errors import UserError, require_type
from ..common.processes import cores
from ..common.progress import BarDisplay, clock
from ..common.terminal_text import amount
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


# The folders of runs: one for each game, beside the compiled games.
#
# Only the folders of the latest games are kept, because each may have some hundreds of megabytes. A process that learns
# a game locks its folder.

# The largest number of folders.
MAX_RUNS = 4

_FOLDER = "learning"
_LOCK = ".lock"


@contextlib.contextmanager
def run_folder(key: str) -> Iterator[Path]:
    """Yield the folder of the run of a game, which other processes cannot use meanwhile; remove the oldest folders."""
    cache = default_folder()
    if cache is None:
        raise UserError("the cache is off")
    folder = cache / _FOLDER / key
    folder.mkdir(parents=True, exist_ok=True)
    lock = lock_file(folder.with_name(key + _LOCK))
    try:
        os.utime(folder)  # the latest one
        for suffix in (".npz", ".json"):
            remove_unfinished(folder, suffix)
        _remove_oldest(folder.parent)
        yield folder
    finally:
        os.close(lock)


def _remove_oldest(parent: Path) -> None:
    folders = [path for path in parent.iterdir() if path.is_dir() and not path.is_symlink()]
    folders.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    for folder in folders[MAX_RUNS:]:
        with contextlib.suppress(OSError):  # another process learns this game
            lock = lock_file(folder.with_name(folder.name + _LOCK))
            try:
                shutil.rmtree(folder)
                folder.with_name(folder.name + _LOCK).unlink()
            finally:
                os.close(lock)


class LearningDisplay(BarDisplay):
    """Show the progress on stderr: a bar on a terminal, otherwise a line every ten seconds of processor time."""

    def __init__(self, *, quiet: bool, name: str = "") -> None:
        super().__init__("learning", 100, quiet=quiet, picture=not quiet)
        self._printed = 0.0
        self._name = f"{name}: " if name else ""

    def generation_ended(self, progress: LearningProgress) -> None:
        """Show the state after a generation."""
        text = self._name + (
            f"{amount(progress.games, 'game')}, {amount(progress.positions, 'position')}, error {progress.loss:.3f}, "
            f"{progress.elo:+.0f} Elo, {progress.speed:,.0f} simulations/s, {clock(progress.seconds_left)} left"
        )
        self.show(completed=round(100 * progress.done), beside=text)
        if not self.is_live and progress.cpu_seconds >= self._printed:
            self._printed = progress.cpu_seconds + 10
            self.line(f"{progress.done:4.0%}  {text}")

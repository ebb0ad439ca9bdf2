"""The folder of a run of learning, from which an interrupted run continues.

| file | content |
|---|---|
| `run.json` | version, game, options, and the counts of the run; written last, so it names a complete checkpoint |
| `training-N.npz` | the weights, their moving average and the moments of Adam at checkpoint N |
| `positions-N.npz` | the positions of generation N, as `played_positions.Positions` describes them |
| `network.npz` | the network of the latest checkpoint |

A checkpoint is written beside the previous one, which is removed afterwards. So a run that is killed continues from the
latest complete checkpoint.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import tempfile
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from gdl.files import write_whole
from gdl.json_text import checked_count, checked_list, checked_number, checked_object, checked_text, parse_json

from ..common.array_file import read_arrays
from ..common.errors import UserError, describe_os_error
from ..mcts.learned_network import LearnedNetwork
from ..mcts.learning_course import CoursePoint, checked_course
from .played_positions import Positions

VERSION = 1
MAX_BYTES = 2_000_000_000
_OWN_FILE = re.compile(r"(training|positions)-\d+\.npz")


@dataclass(slots=True)
class RunCounts:
    """The state of a run, in numbers.

    Attributes:
        generation: number of generations.
        games, positions, simulations: totals of self-play.
        cpu_seconds, seconds: processor time and time of all parts of the run.
        elo: sum of the Elo differences between consecutive checkpoints.
        losses: the error in new games of each generation.
        curve: the learning curve.
    """

    generation: int = 0
    games: int = 0
    positions: int = 0
    simulations: int = 0
    cpu_seconds: float = 0.0
    seconds: float = 0.0
    elo: float = 0.0
    losses: list[float] = field(default_factory=list)
    curve: list[CoursePoint] = field(default_factory=list)


@dataclass(frozen=True, slots=True, eq=False)
class StoredRun:
    """A checkpoint.

    Attributes:
        game: the digest of the game.
        setup: parameters that must not change when the run continues: the units of the network and the seed.
        counts: the counts of the run.
        steps, parts: the state of the trainer, `_learning.Trainer.state`.
        chunks: the positions of the generations in the window, the oldest first.
    """

    game: str
    setup: dict[str, int]
    counts: RunCounts
    steps: int
    parts: list[np.ndarray[Any, np.dtype[np.float32]]]
    chunks: list[Positions]


class CheckpointFolder:
    """Write and read the checkpoints of one run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._stored: set[int] = set()  # generations whose positions belong to this run and are stored

    @property
    def exists(self) -> bool:
        """Whether there is a checkpoint."""
        return (self.folder / "run.json").is_file()

    def create(self) -> None:
        """Create the folder, so that a run does not begin whose checkpoints cannot be written.

        Raises:
            UserError: the folder cannot be created, or no file can be written in it.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.folder):
                pass
        except OSError as error:
            raise UserError(f"{self.folder}: {error.strerror or error}; name another folder") from None

    def write(
        self,
        game: str,
        setup: dict[str, int],
        counts: RunCounts,
        state: tuple[int, list[Any]],
        network: LearnedNetwork,
        chunks: dict[int, Positions],
    ) -> None:
        """Write a checkpoint; positions that are stored already are not written again.

        Raises:
            UserError: a file cannot be written; the previous checkpoint is still complete.
        """
        steps, parts = state
        number = counts.generation
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            for generation, positions in chunks.items():
                if generation not in self._stored:
                    write_whole(self.folder / f"positions-{generation}.npz", _packed(positions.arrays()))
                    self._stored.add(generation)
            arrays = {f"part{index}": part for index, part in enumerate(parts)}
            write_whole(self.folder / f"training-{number}.npz", _packed(arrays))
            write_whole(self.folder / "network.npz", network.to_bytes())
            run = {
                "version": VERSION,
                "game": game,
                "setup": setup,
                "counts": asdict(counts),
                "steps": steps,
                "chunks": sorted(chunks),
            }
            write_whole(self.folder / "run.json", json.dumps(run).encode())
            self._remove_others(number, chunks)
        except OSError as error:
            raise UserError(f"{self.folder}: the checkpoint cannot be written: {describe_os_error(error)}") from None

    def _remove_others(self, number: int, chunks: Iterable[int]) -> None:
        kept = {f"training-{number}.npz", *(f"positions-{generation}.npz" for generation in chunks)}
        for path in self.folder.iterdir():
            if _OWN_FILE.fullmatch(path.name) and path.name not in kept:
                with contextlib.suppress(FileNotFoundError):
                    path.unlink()

    def read(self, roles: int) -> StoredRun:
        """Read the checkpoint.

        Raises:
            UserError: there is none, or a file is missing, damaged or of another version.
        """
        try:
            run = checked_object(
                parse_json(self._content("run.json")), {"version", "game", "setup", "counts", "steps", "chunks"}
            )
            if run["version"] != VERSION:
                raise ValueError(f"its version is {run['version']}, not {VERSION}")
            counts = _counts(run["counts"])
            setup = {checked_text(name): checked_count(value) for name, value in dict(run["setup"]).items()}
            stored = read_arrays(self._content(f"training-{counts.generation}.npz"), MAX_BYTES)
            parts = [stored[f"part{index}"] for index in range(4)]
            if any(part.dtype != np.float32 or part.ndim != 1 for part in parts):
                raise ValueError("an array of weights has another type")
            numbers = [checked_count(number) for number in checked_list(run["chunks"])]
            chunks = [
                Positions.from_arrays(read_arrays(self._content(f"positions-{number}.npz"), MAX_BYTES), roles)
                for number in numbers
            ]
            self._stored = set(numbers)
            return StoredRun(checked_text(run["game"]), setup, counts, checked_count(run["steps"]), parts, chunks)
        except OSError as error:
            raise UserError(describe_os_error(error)) from None
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise UserError(f"{self.folder}: the checkpoint cannot be read: {error}") from None

    def _content(self, name: str) -> bytes:
        with (self.folder / name).open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise ValueError(f"{name} is too large")
        return content


def _packed(arrays: dict[str, Any]) -> bytes:
    written = io.BytesIO()
    np.savez(written, **arrays)
    return written.getvalue()


def _counts(values: Any) -> RunCounts:
    given = checked_object(values, set(RunCounts.__dataclass_fields__))
    curve = [[*map(checked_number, checked_list(point))] for point in checked_list(given["curve"])]
    return RunCounts(
        generation=checked_count(given["generation"]),
        games=checked_count(given["games"]),
        positions=checked_count(given["positions"]),
        simulations=checked_count(given["simulations"]),
        cpu_seconds=checked_number(given["cpu_seconds"]),
        seconds=checked_number(given["seconds"]),
        elo=checked_number(given["elo"]),
        losses=[checked_number(loss) for loss in checked_list(given["losses"])],
        curve=list(checked_course(curve)),
    )

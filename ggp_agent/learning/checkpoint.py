"""The folder of a run of learning, from which an interrupted run continues.

| file | content |
|---|---|
| `run.json` | version, game, options, and the counts of the run; written last, so it names a complete checkpoint |
| `training-N.npz` | the weights, their moving average and the moments of Adam at checkpoint N |
| `positions-N.npz` | the positions of generation N, as `self_play.Positions` describes them |
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
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from gdl.files import write_whole
from gdl.json_text import checked_count, checked_object, checked_text, parse_json, read_typed

from ..common.array_file import Array, read_arrays
from ..common.errors import UserError, describe_os_error
from ..evaluation.learned_network import CoursePoint, LearnedNetwork, checked_course, require_weights
from .self_play import Positions

VERSION = 1
MAX_BYTES = 2_000_000_000
_Parsed = TypeVar("_Parsed")
_OWN_FILE = re.compile(r"(training|positions)-\d+\.npz")


@dataclass(slots=True)
class RunCounts:
    """The state of a run, in numbers."""

    # Number of generations. games, positions, simulations: totals of self-play. cpu_seconds, seconds: processor time
    # and time of all parts of the run.
    generation: int = 0
    games: int = 0
    positions: int = 0
    simulations: int = 0
    cpu_seconds: float = 0.0
    seconds: float = 0.0
    elo: float = 0.0  # sum of the Elo differences between consecutive checkpoints
    losses: list[float] = field(default_factory=list)  # the error in new games of each generation
    curve: list[CoursePoint] = field(default_factory=list)  # the learning curve


@dataclass(frozen=True, slots=True, eq=False)
class StoredRun:
    """A checkpoint."""

    game: str  # the digest of the game
    # Parameters that must not change when the run continues: the units of the network and the seed.
    setup: dict[str, int]
    counts: RunCounts  # the counts of the run. steps, parts: the state of the trainer, `_learning.Trainer.state`
    steps: int
    parts: list[np.ndarray[Any, np.dtype[np.float32]]]
    chunks: list[Positions]  # the positions of the generations in the window, the oldest first


class CheckpointError(UserError):
    """A file of a checkpoint cannot be written; the previous checkpoint is still complete."""


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
        """Create the folder, so that a run does not begin whose checkpoints cannot be written."""
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
        """Write a checkpoint; positions that are stored already are not written again."""
        steps, parts = state
        number = counts.generation
        for generation, positions in chunks.items():
            if generation not in self._stored:
                self._write(f"positions-{generation}.npz", _packed(positions.arrays()))
                self._stored.add(generation)
        self._write(f"training-{number}.npz", _packed({f"part{index}": part for index, part in enumerate(parts)}))
        self._write("network.npz", network.to_bytes())
        run = {
            "version": VERSION,
            "game": game,
            "setup": setup,
            "counts": asdict(counts),
            "steps": steps,
            "chunks": sorted(chunks),
        }
        self._write("run.json", json.dumps(run).encode())
        self._remove_others(number, chunks)

    def _write(self, name: str, content: bytes) -> None:
        try:
            write_whole(self.folder / name, content)
        except OSError as error:
            error.filename = str(self.folder / name)  # it is missing, or a temporary name
            raise CheckpointError(f"the checkpoint cannot be written: {describe_os_error(error)}") from None

    def _remove_others(self, number: int, chunks: Iterable[int]) -> None:
        kept = {f"training-{number}.npz", *(f"positions-{generation}.npz" for generation in chunks)}
        for path in self.folder.iterdir():
            if _OWN_FILE.fullmatch(path.name) and path.name not in kept:
                with contextlib.suppress(OSError):  # the checkpoint is complete
                    path.unlink()

    def read(self, roles: int) -> StoredRun:
        """Read the checkpoint."""
        try:
            run = checked_object(
                parse_json(self._content("run.json")), {"version", "game", "setup", "counts", "steps", "chunks"}
            )
            if checked_count(run["version"]) != VERSION:
                raise ValueError(f"its version is {run['version']}, not {VERSION}")
            counts = _counts(run["counts"])
            setup = {name: checked_count(value) for name, value in checked_object(run["setup"], set()).items()}
            parts = self._parsed(f"training-{counts.generation}.npz", _parts)
            numbers: list[int] = read_typed(list[int], run["chunks"])
            chunks = [
                self._parsed(f"positions-{number}.npz", lambda arrays: Positions.from_arrays(arrays, roles))
                for number in numbers
            ]
            self._stored = set(numbers)
            return StoredRun(checked_text(run["game"]), setup, counts, checked_count(run["steps"]), parts, chunks)
        except OSError as error:
            raise UserError(describe_os_error(error)) from None
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise UserError(f"{self.folder}: the checkpoint cannot be read: {error}") from None

    def _parsed(self, name: str, parse: Callable[[dict[str, Array]], _Parsed]) -> _Parsed:
        """Read an archive; an error names the file."""
        content = self._content(name)
        try:
            return parse(read_arrays(content, MAX_BYTES))
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None

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


def _parts(arrays: dict[str, Array]) -> list[np.ndarray[Any, np.dtype[np.float32]]]:
    """Return the weights, their moving average and the two moments of Adam; raise ValueError if one is invalid."""
    parts = [arrays.get(f"part{index}") for index in range(4)]
    found = [part for part in parts if part is not None and part.dtype == np.float32 and part.ndim == 1]
    if len(found) != len(parts):
        raise ValueError("an array of weights is missing or has another type")
    require_weights(found[:2])
    if not all(np.isfinite(moment).all() for moment in found[2:]) or (found[3] < 0).any():
        raise ValueError("a moment of a weight is not finite, or a second moment is negative")
    return found


def _counts(values: Any) -> RunCounts:
    counts: RunCounts = read_typed(RunCounts, values)
    return replace(counts, curve=list(checked_course(counts.curve)))

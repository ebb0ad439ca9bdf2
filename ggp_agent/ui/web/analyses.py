"""Analyse recorded matches for the page: one at a time, in a separate process."""

from __future__ import annotations

from multiprocessing.connection import Connection
from pathlib import Path

from ...common.errors import UserError
from ...common.pipe_worker import FINISHED
from ...common.processes import cores
from ...mcts.config import SearchConfig
from ...records.analysis import analyse
from ...records.kept_rules import kept_rules
from ...records.read_record import read_record
from ...records.values import Values, values_path, write_values
from .worker_messages import Document
from .worker_process import WorkerProcess


class Analyses:
    """Analyse matches; use only in the event loop."""

    def __init__(self) -> None:
        self._process: WorkerProcess | None = None
        self._path: Path | None = None
        self._state: Document = {}

    def begin(self, path: Path, seconds: float) -> None:
        """Start to search the positions of a record."""
        if self._process is not None:
            if path == self._path:
                return
            raise UserError("another match is being analysed; wait until it has finished")
        self._process = WorkerProcess(analyse_alone, (str(path), seconds), self._received, self._ended)
        self._path = path
        self._state = {"running": True, "done": 0, "count": 0, "values": [], "problem": ""}

    def state(self, path: Path) -> Document:
        """Return the progress of an analysis: positions done, their number, and their values."""
        if path != self._path:
            return {"running": False, "done": 0, "count": 0, "values": [], "problem": ""}
        return self._state

    def close(self) -> None:
        """Stop the running analysis."""
        if self._process is not None:
            self._process.stop()
            self._process = None

    def _received(self, message: tuple[int, int, Values]) -> None:
        done, count, values = message
        self._state |= {"done": done, "count": count, "values": [*self._state["values"], values]}

    def _ended(self, reason: str) -> None:
        if reason != FINISHED:
            self._state["problem"] = f"the analysis stopped early: {reason}"
        self._state["running"] = False
        self._process = None


def analyse_alone(pipe: Connection, path: str, seconds: float) -> None:
    """Analyse a record in a worker: send the values of each position and store all values beside the record."""
    record = read_record(Path(path))
    config = SearchConfig(threads=max(1, cores() - 1), seed=1)

    def send(done: int, count: int, values: Values) -> None:
        pipe.send((done, count, values))

    kept = kept_rules(record, Path(path).parent)
    rules = None if kept is None else str(kept)
    found = analyse(record, source=Path(path).name, rules=rules, seconds=seconds, config=config, on_position=send)
    write_values(values_path(Path(path)), record, found.values, found.best)

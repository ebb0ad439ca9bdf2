"""Analyse recorded matches for the page: one at a time, in a process of its own."""

from __future__ import annotations

from multiprocessing.connection import Connection
from pathlib import Path

from gdl import GdlError

from ...common.errors import UserError, describe_os_error
from ...common.processes import cores
from ...mcts.config import SearchConfig
from ...records.analysis import analyse
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
        """Start to search the positions of a record.

        Args:
            path: the record.
            seconds: the time for each position.

        Raises:
            UserError: another match is being analysed.
        """
        if self._process is not None:
            if path == self._path:
                return
            raise UserError("another match is being analysed; wait until it has finished")
        self._path = path
        self._state = {"running": True, "done": 0, "count": 0, "values": [], "problem": ""}
        self._process = WorkerProcess(analyse_alone, (str(path), seconds), self._receive, self._ended)

    def state(self, path: Path) -> Document:
        """Return the progress of an analysis: positions done, their number, and their values."""
        if path != self._path:
            return {"running": False, "done": 0, "count": 0, "values": [], "problem": ""}
        return self._state

    def close(self) -> None:
        """Stop the running analysis."""
        if self._process is not None:
            self._process.kill()
            self._process = None

    def _receive(self, message: tuple[int, int, Values] | str) -> None:
        if isinstance(message, str):
            self._state["problem"] = message
            return
        done, count, values = message
        self._state |= {"done": done, "count": count, "values": [*self._state["values"], values]}

    def _ended(self, how: str) -> None:
        whole = self._state["done"] == self._state["count"] > 0
        if not whole and not self._state["problem"]:
            self._state["problem"] = f"the analysis stopped early ({how})"
        self._state["running"] = False
        self._process = None


def analyse_alone(pipe: Connection, path: str, seconds: float) -> None:
    """Analyse a record in a process: send each value, and store all values next to the record."""
    try:
        record = read_record(Path(path))
        config = SearchConfig(threads=max(1, cores() - 1), seed=1)

        def report(done: int, count: int, values: Values) -> None:
            pipe.send((done, count, values))

        values = analyse(record, source=Path(path).name, seconds=seconds, config=config, on_position=report)
        write_values(values_path(Path(path)), record, values)
    except (UserError, GdlError) as error:
        pipe.send(" ".join(str(error).split()))
    except OSError as error:
        pipe.send(describe_os_error(error))

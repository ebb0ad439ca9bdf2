"""Progress of the measurement of many games on a terminal."""

from __future__ import annotations

import sys
from types import TracebackType

from rich.console import Console

from ..common.progress import progress_bar
from ..common.terminal_text import printable


class MeasureDisplay:
    """Show the number of measured games and the current work on stderr, if it is a terminal."""

    def __init__(self, games: int) -> None:
        self._progress = progress_bar(Console(stderr=True), shown=sys.stderr.isatty())
        self._task = self._progress.add_task("measure", total=games)

    def __enter__(self) -> MeasureDisplay:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._progress.stop()

    def phase(self, word: str, work: str) -> None:
        """Show the current work on a game."""
        self._progress.update(self._task, description=printable(f"{word}: {work}"))

    def measured(self) -> None:
        """Count a game."""
        self._progress.advance(self._task)

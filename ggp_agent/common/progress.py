"""Show progress on stderr: lines, and on a terminal a live view below them."""

from __future__ import annotations

import sys
from typing import Self

from rich.console import Console, RenderableType
from rich.live import Live
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)

from .terminal_text import printable


class ProgressDisplay:
    """Print lines on stderr, above a live view if it is a terminal."""

    def __init__(self, *, quiet: bool = False, picture: bool = True) -> None:
        self._console = Console(file=sys.stderr, highlight=False, markup=False, soft_wrap=True)
        self._quiet = quiet
        self._live: Live | None = None
        if self._console.is_terminal and picture:
            self._live = Live(console=self._console, transient=True, auto_refresh=False, redirect_stdout=False)

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._live is not None:
            self._live.stop()

    def _line(self, text: str) -> None:
        if not self._quiet:
            self._console.print(printable(text))

    def _draw(self, picture: RenderableType) -> None:
        if self._live is not None:
            self._live.update(picture, refresh=True)


def progress_bar(console: Console, *more: ProgressColumn, shown: bool) -> Progress:
    """Return a progress bar with a count, the elapsed time and further columns; it is removed at the end."""
    # Output that is redirected to a file must not appear on the terminal with the bar.
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        *more,
        console=console,
        transient=True,
        redirect_stdout=False,
        disable=not shown,
    )


def clock(seconds: float) -> str:
    """Format a duration.

    >>> clock(95), clock(4000)
    ('1:35', '1:06:40')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"

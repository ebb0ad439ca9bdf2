"""Show progress: lines, and on a terminal a live picture below them, such as a bar."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Self

from rich.console import Console, RenderableType
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from .terminal_text import printable


def plain_console(*, stderr: bool = True) -> Console:
    """Return a console that prints text as it is."""
    stream = sys.stderr if stderr else sys.stdout
    return Console(file=stream, highlight=False, markup=False, emoji=False, soft_wrap=True)


def plain_table(*heads: str, **layout: Any) -> Table:
    """Return a table without lines; the first column is left-aligned, the others are right-aligned."""
    table = Table(box=None, pad_edge=False, **layout)
    for number, head in enumerate(heads):
        table.add_column(head, justify="right" if number else "left", no_wrap=True)
    return table


class ProgressDisplay:
    """Print lines on stderr or stdout, above a live picture if stderr is a terminal."""

    def __init__(self, *, quiet: bool = False, picture: bool = True, stdout: bool = False) -> None:
        self._quiet = quiet
        self._lines = plain_console(stderr=not stdout)
        self._notes = plain_console()
        # Lines on the terminal of the picture must be printed by the console of the picture.
        self._screen = self._lines if self._lines.is_terminal and not quiet else self._notes
        if self._screen is self._lines and self._notes.is_terminal:
            self._notes = self._lines
        self._live: Live | None = None
        if self._notes.is_terminal and picture:
            self._live = Live(console=self._screen, transient=True, auto_refresh=False, redirect_stdout=False)

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._live is not None:
            self._live.stop()

    @property
    def is_live(self) -> bool:
        """Whether a picture is shown."""
        return self._live is not None

    def note(self, text: str) -> None:
        """Print a remark on stderr, also if the display is quiet."""
        self._notes.print(Text(printable(text), "yellow"))

    def line(self, text: str | Text) -> None:
        """Print a line, unless the display is quiet."""
        if not self._quiet:
            self._lines.print(text if isinstance(text, Text) else printable(text))

    def status(self, text: str) -> None:
        """Show a text as the live picture, in one line."""
        self._draw(Text(printable(text), "cyan", no_wrap=True, overflow="ellipsis"))

    def watcher(self, text: Callable[..., str]) -> Callable[..., bool] | None:
        """Return a callback that shows a text as the status and returns False; None without a terminal."""
        if self._live is None:
            return None

        def show(*args: Any) -> bool:
            self.status(text(*args))
            return False

        return show

    def _draw(self, picture: RenderableType) -> None:
        if self._live is not None:
            self._live.update(picture, refresh=True)


class BarDisplay(ProgressDisplay):
    """Print lines, above a bar with a name, a count, the elapsed time and a text."""

    def __init__(
        self,
        name: str,
        total: int,
        *,
        completed: int = 0,
        quiet: bool = False,
        picture: bool = True,
        stdout: bool = False,
    ) -> None:
        super().__init__(quiet=quiet, picture=False, stdout=stdout)
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[beside]}", markup=False),
            console=self._screen,
            transient=True,
            # Output that is redirected to a file must not appear on the terminal with the bar.
            redirect_stdout=False,
            disable=not (self._notes.is_terminal and picture),
        )
        self._task = self._bar.add_task(printable(name), total=total, completed=completed, beside="")

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.stop()

    @property
    def is_live(self) -> bool:
        return not self._bar.disable

    def show(self, name: str | None = None, **values: Any) -> None:
        """Change the name, `completed`, `total` or the text `beside` the bar."""
        self._bar.update(self._task, description=None if name is None else printable(name), **values)

    def advance(self) -> None:
        """Count one."""
        self._bar.advance(self._task)


def clock(seconds: float) -> str:
    """Format a duration.

    >>> clock(95), clock(4000)
    ('1:35', '1:06:40')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"

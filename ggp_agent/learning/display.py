"""Show the progress of learning."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.progress import TaskID, TextColumn

from ..common.progress import clock, progress_bar
from ..common.terminal_text import amount, printable
from .learner import LearningProgress


class LearningDisplay:
    """Show the progress on stderr: a bar on a terminal, otherwise a line every ten seconds of processor time."""

    def __init__(self, *, quiet: bool, name: str = "") -> None:
        console = Console(file=sys.stderr, highlight=False, markup=False, soft_wrap=True)
        self._lines = not quiet and not console.is_terminal
        self._bar = progress_bar(console, TextColumn("{task.fields[text]}"), shown=not quiet and console.is_terminal)
        self._task: TaskID | None = None
        self._printed = 0.0
        self._name = printable(f"{name}: ") if name else ""

    def __enter__(self) -> LearningDisplay:
        self._bar.start()
        self._task = self._bar.add_task("learning", total=100, text="")
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.stop()

    def show(self, progress: LearningProgress) -> None:
        """Show the state after a generation."""
        text = self._name + (
            f"{amount(progress.games, 'game')}, {amount(progress.positions, 'position')}, error {progress.loss:.3f}, "
            f"{progress.elo:+.0f} Elo, {progress.speed:,.0f} simulations/s, {clock(progress.seconds_left)} left"
        )
        if self._task is not None:
            self._bar.update(self._task, completed=round(100 * progress.done), text=text)
        if self._lines and progress.cpu_seconds >= self._printed:
            self._printed = progress.cpu_seconds + 10
            print(f"{progress.done:4.0%}  {text}", file=sys.stderr, flush=True)

"""Show the progress of learning."""

from __future__ import annotations

from ..common.progress import BarDisplay, clock
from ..common.terminal_text import amount
from .learner import LearningProgress


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

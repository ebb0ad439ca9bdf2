"""The live line of a player on a terminal: match, turn, clock, and what it thinks."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING

from rich.console import Console
from rich.live import Live
from rich.text import Text

from ..common.terminal_text import printable

if TYPE_CHECKING:
    from ..protocol.messages import Thoughts
    from .conversation import Asked

# Seconds between two looks at the player, and for the last of them to end.
_INTERVAL = 0.5
_CLOSE_TIMEOUT = 1.0
_MAX_SHOWN = 3


class StatusLine(logging.Handler):
    """Show lines of the log, and below them a line that is gone in the end.

    Args:
        console: a terminal.
    """

    def __init__(self, console: Console) -> None:
        super().__init__()
        self._console = console
        self._live = Live(console=console, transient=True, auto_refresh=False, redirect_stdout=False)
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    def emit(self, record: logging.LogRecord) -> None:
        """Print a line above the live one."""
        self._console.print(Text(self.format(record)))

    def watch(
        self, present: Callable[[], dict[str, tuple[int, Asked | None]]], thoughts: Callable[[str], Thoughts | None]
    ) -> None:
        """Begin to show the line.

        Args:
            present: tells the matches, each with its turn and the message that waits for an answer.
            thoughts: tells what is thought of the present turn of a match.
        """

        def show() -> None:
            while not self._ended.wait(_INTERVAL):
                text = status_text(present(), thoughts, time.monotonic())
                self._live.update(Text(text, "cyan", no_wrap=True, overflow="ellipsis"), refresh=True)

        self._live.start()
        self._thread = threading.Thread(target=show, name="status", daemon=True)
        self._thread.start()

    def __enter__(self) -> StatusLine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._ended.set()
        if self._thread is not None:
            self._thread.join(_CLOSE_TIMEOUT)
            self._live.stop()


def status_text(
    matches: dict[str, tuple[int, Asked | None]], thoughts: Callable[[str], Thoughts | None], now: float
) -> str:
    """Put the state of the matches in words.

    >>> status_text({}, lambda match: None, 0.0)
    'waiting for a match'
    """
    if not matches:
        return "waiting for a match"
    parts = []
    for name, (turn, waiting) in list(matches.items())[-_MAX_SHOWN:]:
        part = f"{name}: turn {turn}" if turn else f"{name}: start"
        if waiting is None:
            part += ", others think"
        elif waiting.clock is not None:
            part += f", {max(0.0, waiting.received + waiting.clock - now):.0f} of {waiting.clock:g} s left"
        parts.append(part)
        if (found := thoughts(name)) is not None:
            parts.append(f"thinks {found.move} {found.value:.0f} ({found.simulations:,} simulations)")
    if len(matches) > _MAX_SHOWN:
        parts.append(f"{len(matches) - _MAX_SHOWN} more")
    return printable("; ".join(parts))

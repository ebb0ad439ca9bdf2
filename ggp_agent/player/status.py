"""The status line of a player on a terminal: match, turn, clock, and findings of the search."""

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

from ..common.terminal_text import amount, printable

if TYPE_CHECKING:
    from ..protocol.messages import Thoughts
    from .conversation import LoggedMessage

# Seconds between two updates, and to wait for the last one.
_INTERVAL = 0.5
_CLOSE_TIMEOUT = 1.0
_MAX_SHOWN = 3


class StatusLine(logging.Handler):
    """Show the lines of the log, and below them a status line, which is removed at the end."""

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
        self,
        matches: Callable[[], dict[str, tuple[int, LoggedMessage | None]]],
        thoughts: Callable[[str], Thoughts | None],
    ) -> None:
        """Start to show the line."""

        def show() -> None:
            while not self._ended.wait(_INTERVAL):
                text = status_text(matches(), thoughts, time.monotonic())
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
    matches: dict[str, tuple[int, LoggedMessage | None]], thoughts: Callable[[str], Thoughts | None], now: float
) -> str:
    """Return the text of the status line.

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
            parts.append(f"thinks {found.move} {found.value:.0f} ({amount(found.simulations, 'simulation')})")
    if len(matches) > _MAX_SHOWN:
        parts.append(f"{len(matches) - _MAX_SHOWN} more")
    return printable("; ".join(parts))

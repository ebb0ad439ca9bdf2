"""The log of a forked process, sent to the server process."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from .match_messages import Logged


def send_log(send: Callable[[Logged], None], level: int, what: str) -> None:
    """Send the log lines of this process, and the failures of its threads, instead of printing them."""
    agent = logging.getLogger("ggp_agent")
    agent.addHandler(_PipeHandler(send))
    agent.setLevel(level)
    agent.propagate = False

    def log_failure(failure: threading.ExceptHookArgs) -> None:
        logging.getLogger(__name__).error(
            "a thread of the %s failed: %s: %s", what, failure.exc_type.__name__, failure.exc_value
        )

    threading.excepthook = log_failure


class _PipeHandler(logging.Handler):
    """Send log lines to the server process."""

    def __init__(self, send: Callable[[Logged], None]) -> None:
        super().__init__()
        self._send = send

    def emit(self, record: logging.LogRecord) -> None:
        self._send(Logged(record.name, record.levelno, self.format(record)))

"""The log of a player: lines on stderr, files in a folder, and events as JSON.

A queue passes the lines to a separate thread, so neither a full disk nor a stopped terminal can block the player. If
the queue is full, lines are dropped and counted.

A record with an attribute `event` (a dict with at least the key "event") is an event of a match or of the server:

    logger.info("m.1: recognised", extra={"event": {"event": "recognised", "match": "m.1", "game": "hex"}})
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import logging.handlers
import os
import queue
import re
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..common.terminal_text import printable
from .conversation import ID_SHOWN

logger = logging.getLogger(__name__)

# Bytes of one file; a larger file is renamed to .old and replaces an older one.
MAX_FILE = 4 * 1024 * 1024
# Matches whose files are kept.
MAX_MATCHES = 500

# Lines in the queue, and characters of one line.
_MAX_WAITING = 10_000
_MAX_LINE = 2_000
# Seconds to wait for the last lines at the end of the program.
_CLOSE_TIMEOUT = 5.0

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]")
_MATCH_FILE = re.compile(r"match-.+\.log(\.old)?")


@contextlib.contextmanager
def player_log(
    screen: logging.Handler, *, quiet: bool = False, folder: Path | None = None, events: bool = False
) -> Iterator[None]:
    """Log the actions of the agent within a context."""
    screen.setLevel(logging.WARNING if quiet else logging.INFO)
    screen.setFormatter(LineFormatter("%H:%M:%S"))
    handlers = [screen]
    if folder is not None:
        handlers.append(MatchFiles(folder))
        if events:
            handlers.append(EventFile(folder / "events.jsonl"))
    waiting = _Queue(handlers)
    waiting.setLevel(min(handler.level for handler in handlers))
    agent = logging.getLogger("ggp_agent")
    level = agent.level
    agent.setLevel(waiting.level)
    agent.addHandler(waiting)
    try:
        yield
    finally:
        agent.removeHandler(waiting)
        agent.setLevel(level)
        waiting.close()


class LineFormatter(logging.Formatter):
    """Format a record as one line, with further lines for a traceback.

    Long lines are shortened and control characters are replaced, because lines contain text of foreign messages.
    """

    def __init__(self, time_format: str) -> None:
        super().__init__("%(asctime)s %(message)s", time_format)

    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)
        if len(text) > _MAX_LINE and "\n" not in text:
            text = text[:_MAX_LINE] + "..."
        return "\n".join(map(printable, text.split("\n")))


class _Queue(logging.handlers.QueueHandler):
    """Pass records to a thread that writes them, without ever blocking the caller."""

    def __init__(self, handlers: Sequence[logging.Handler]) -> None:
        self._waiting: queue.Queue[logging.LogRecord | None] = queue.Queue(_MAX_WAITING)
        super().__init__(self._waiting)
        self._handlers = handlers
        self._dropped = 0
        self._thread = threading.Thread(target=self._pass_on, name="log", daemon=True)
        self._thread.start()

    def enqueue(self, record: logging.LogRecord) -> None:
        try:
            self._waiting.put_nowait(record)
        except queue.Full:
            self._dropped += 1

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        self._dropped += 1  # a record that cannot be formatted

    def close(self) -> None:
        with contextlib.suppress(queue.Full):
            self._waiting.put(None, timeout=_CLOSE_TIMEOUT)
        if self._thread.ident is not None:  # Ctrl-C may have arrived before its start
            self._thread.join(_CLOSE_TIMEOUT)
        super().close()

    def _pass_on(self) -> None:
        while (record := self._waiting.get()) is not None:
            dropped, self._dropped = self._dropped, 0
            if dropped:
                text = f"{dropped:,} lines of the log were dropped: the log cannot be written fast enough"
                self._handle(logging.LogRecord(__name__, logging.WARNING, __file__, 0, text, None, None))
            self._handle(record)

    def _handle(self, record: logging.LogRecord) -> None:
        for handler in self._handlers:
            if record.levelno >= handler.level:
                with contextlib.suppress(Exception):  # a handler that fails must not stop the others
                    handler.handle(record)


class _Files(logging.Handler):
    """Append lines to files of bounded size; log one warning if this fails."""

    def __init__(self, level: int) -> None:
        super().__init__(level)
        self._failed = False

    def append(self, path: Path, line: str) -> None:
        data = (line + "\n").encode("utf-8", errors="backslashreplace")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("ab") as file:
                file.write(data)
                size = file.tell()
            if size > MAX_FILE:
                os.replace(path, path.with_name(path.name + ".old"))
        except OSError as error:
            if not self._failed:
                self._failed = True
                reason = (error.strerror or str(error)).lower()
                logger.warning("%s: cannot write the log: %s; playing without log file", path, reason)


class MatchFiles(_Files):
    """Write the lines of each match to a separate file, all others to `server.log`.

    A line without an event belongs to the match that its first words name, as in `m.1: recognised`.
    """

    def __init__(self, folder: Path, level: int = logging.INFO) -> None:
        super().__init__(level)
        self._folder = folder
        self._known: dict[str, str] = {}  # file names of the latest matches
        self.setFormatter(LineFormatter("%Y-%m-%d %H:%M:%S"))

    def emit(self, record: logging.LogRecord) -> None:
        event = _event(record)
        match = event.get("match") if event is not None else None
        if not isinstance(match, str):
            words = (word.removesuffix(":") for word in record.getMessage()[:_MAX_LINE].split(None, 3)[:2])
            match = next((word for word in words if word.lower() in self._known), "")
        self.append(self._folder / (self._file_of(match) if match else "server.log"), self.format(record))

    def _file_of(self, match: str) -> str:
        name = self._known.get(match.lower())
        if name is None:
            name = match_file_name(match)
            self._known[match.lower()] = name
            if len(self._known) > MAX_MATCHES:
                del self._known[next(iter(self._known))]
            self._prune()
        return name

    def _prune(self) -> None:
        """Remove the files of the oldest matches."""
        with contextlib.suppress(OSError):
            files = [path for path in self._folder.iterdir() if _MATCH_FILE.fullmatch(path.name)]
            if len(files) > MAX_MATCHES:
                files.sort(key=lambda path: path.lstat().st_mtime)
                for path in files[: len(files) - MAX_MATCHES]:
                    path.unlink()


class EventFile(_Files):
    """Write one JSON object per record and line."""

    def __init__(self, path: Path) -> None:
        super().__init__(logging.DEBUG)
        self._path = path

    def emit(self, record: logging.LogRecord) -> None:
        moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{int(record.msecs):03}Z"
        common = {"time": moment, "level": record.levelname.lower()}
        event = _event(record)
        if event is None:
            event = {"event": "log", "logger": record.name, "text": record.getMessage()[:_MAX_LINE]}
        self.append(self._path, json.dumps(common | event, default=str))


def _event(record: logging.LogRecord) -> dict[str, Any] | None:
    event = getattr(record, "event", None)
    return event if isinstance(event, dict) and "event" in event else None


def match_file_name(match: str) -> str:
    """Return the file name of a match; it never leads into another folder.

    >>> match_file_name("tic_tac_toe.17952374")
    'match-tic_tac_toe.17952374.log'
    >>> match_file_name("../etc/passwd")
    'match-.._etc_passwd-7fef78f5.log'
    """
    match = match.lower()
    safe = _UNSAFE.sub("_", match)[:ID_SHOWN]
    if safe != match:
        # Two names that differ only in replaced characters must get different files.
        safe += "-" + hashlib.sha256(match.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"match-{safe}.log"


class LineHandler(logging.StreamHandler[Any]):
    """Write lines to a stream that may be closed."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """Do nothing: the error cannot be shown either."""

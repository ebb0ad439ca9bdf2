"""The log of a player: lines on stderr, files in a folder, events as JSON, and the status line of a terminal.

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
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.text import Text

from ...common.terminal_text import amount, printable
from ...protocol.clocks import read_clock
from ...protocol.messages import ABORTED, DONE, READY, Thoughts, message_head

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

# Matches whose state is kept for the status line, and matches that the line shows.
_MAX_KEPT = 64
_MAX_SHOWN = 3
# Characters of a message and of a match name in the log, and characters of a message that are read for it.
_SHOWN = 200
ID_SHOWN = 80
_READ = 4 * _SHOWN
# The last characters of a START, which contain the clocks.
_CLOCKS_WITHIN = 200
# Seconds between two updates of the status line, and to wait for the last one.
_STATUS_SECONDS = 0.5
_STATUS_CLOSE_TIMEOUT = 1.0

_ROLE = re.compile(r"[^\s()]{1,80}")
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

    A line belongs to the match of its attribute or event `match`, otherwise to the match that its first words name.
    """

    def __init__(self, folder: Path, level: int = logging.INFO) -> None:
        super().__init__(level)
        self._folder = folder
        self._known: dict[str, str] = {}  # file names of the latest matches
        self.setFormatter(LineFormatter("%Y-%m-%d %H:%M:%S"))

    def emit(self, record: logging.LogRecord) -> None:
        event = _event(record)
        match = event.get("match") if event is not None else getattr(record, "match", "")[:ID_SHOWN] or None
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


@dataclass(frozen=True, slots=True)
class LoggedMessage:
    """The content of a message for the log."""

    host: str  # the sender
    name: str  # INFO, START, ...; empty for an invalid message
    match: str  # the name of the match; empty if the message has none
    shown: str  # the beginning of the rest of the message
    received: float  # the time of the connection, on the monotonic clock
    turn: int = 0  # the number of the turn of a PLAY, counted from 1; 0 for other messages and unknown matches
    clock: float | None = None  # the time limit of the reply in seconds; None if unknown
    play_clock: float | None = None  # the playclock in a START in seconds; None if unknown


@dataclass(slots=True)
class _Match:
    start: LoggedMessage
    waiting: LoggedMessage | None  # the message that is being answered
    turn: int = 0
    last: str = ""  # the joint move of the last PLAY


class Conversation:
    """Log messages and replies, and keep the current state of the matches; safe to call from many threads at once.

    This class reads only the first words of a message and the clocks of a START. The player parses messages.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._matches: dict[str, _Match] = {}

    def note_message(self, host: str, text: str, received: float) -> LoggedMessage:
        """Record a message before it is answered."""
        name, match, rest = message_head(text)
        if name in ("", "INFO", "PING", "PREVIEW"):
            match, rest = "", 0
        match = match[:ID_SHOWN]
        shown = _start_shown(text, rest) if name == "START" else _shorten(text[rest : rest + _READ])
        start_clock, play_clock = _clocks(text) if name == "START" else (None, None)
        message = LoggedMessage(host, name, match, shown, received, 0, start_clock, play_clock)
        with self._lock:
            known = self._matches.get(match.lower())
            if name == "START" and known is None:
                self._matches[match.lower()] = _Match(message, message)
                while len(self._matches) > _MAX_KEPT:
                    del self._matches[next(iter(self._matches))]
            elif name == "PLAY" and known is not None:
                again = known.waiting is not None and known.last == shown
                known.turn += not again
                known.last = shown
                message = replace(message, turn=known.turn, clock=known.start.play_clock)
                known.waiting = message
        return message

    def note_reply(
        self,
        message: LoggedMessage,
        reply: str,
        seconds: float,
        problem: str = "",
        turn: int = 0,
        clock: float | None = None,
        thoughts: Thoughts | None = None,
    ) -> None:
        """Log a message and its reply; the match gives `turn`, 0 if unknown, and `clock`, also after a restart."""
        self._update_match(message, reply)
        event: dict[str, Any] = {
            "event": "request",
            "host": message.host,
            "message": message.name,
            "text": message.shown,
            "reply": _shorten(reply),
            "seconds": round(seconds, 4),
        }
        if message.match:
            event["match"] = message.match
        if turn or message.turn:
            event["turn"] = turn or message.turn
        clock = message.clock if clock is None else clock
        if clock is not None:
            event["clock"] = clock
            event["left"] = round(clock - seconds, 4)
        if thoughts is not None:
            event["thoughts"] = {
                "move": _shorten(thoughts.move),
                "value": thoughts.value,
                "simulations": thoughts.simulations,
                "visits": thoughts.visits,
                "depth": thoughts.depth,
                "proven": thoughts.proven,
            }
            if thoughts.ending:
                event["thoughts"]["ending"] = thoughts.ending
        if problem:
            event["problem"] = problem
        level = logging.DEBUG if message.name in ("INFO", "PING") else logging.WARNING if problem else logging.INFO
        logger.log(level, "%s", _sentence(event), extra={"event": event})

    def _update_match(self, message: LoggedMessage, reply: str) -> None:
        """Update the state of the match of a message."""
        with self._lock:
            match = self._matches.get(message.match.lower())
            if match is None:
                return
            if match.waiting is message:
                match.waiting = None
            if message.name == "START" and reply == READY:
                if match.start is not message:
                    match.start, match.turn, match.last = message, 0, ""  # the same match was started again
            elif (message.name == "START" and match.start is message) or reply in (DONE, ABORTED):
                del self._matches[message.match.lower()]

    def matches(self) -> dict[str, tuple[int, LoggedMessage | None]]:
        """Return the current matches: by name, the number of the turn and the message that is being answered."""
        with self._lock:
            return {name: (match.turn, match.waiting) for name, match in self._matches.items()}


def _sentence(event: dict[str, Any]) -> str:
    """Return the log line of a message and its reply."""
    parts = [event["host"], event["message"], event.get("match", "")]
    if "turn" in event:
        parts.append(f"turn {event['turn']}")
    parts += [event["text"], "->", event["reply"]]
    line = " ".join(part for part in parts if part)
    line += f" after {event['seconds']:.2f} s"
    if "left" in event:
        line += f", {event['left']:.2f} s left"
    if "thoughts" in event:
        line += f"; search: {_thought_shown(event['thoughts'])}"
    if "problem" in event:
        line += f"; not delivered: {event['problem']}"
    return line


def _thought_shown(thoughts: Mapping[str, Any]) -> str:
    """Return the findings of a search as text: move, value, proven bounds, counts, reason of an early end."""
    low, high = thoughts["proven"]
    text = f"{thoughts['move']} {thoughts['value']:.0f}"
    if low == high:
        text += ", proven"
    elif (low, high) != (0, 100):
        text += f", proven to be {low} to {high}"
    text += f" ({thoughts['simulations']:,} simulations"
    if thoughts["visits"] > thoughts["simulations"]:
        text += f", {thoughts['visits']:,} visits with earlier turns"
    if thoughts["depth"]:
        text += f", depth {thoughts['depth']}"
    text += ")"
    return text + (f"; stopped early: {thoughts['ending']}" if "ending" in thoughts else "")


def _start_shown(text: str, rest: int) -> str:
    """Return the text of a START for the log; its role and rules begin at offset `rest`."""
    role = _ROLE.search(text, rest, rest + _READ)
    start, play = _clocks(text)
    clocks = "" if start is None or play is None else f", clocks {start:g} {play:g}"
    return f"{role[0] if role is not None else ''} ({len(text) - rest:,} characters{clocks})".strip()


def _clocks(text: str) -> tuple[float | None, float | None]:
    """Find the clocks after the rules of a START."""
    words = text[-_CLOCKS_WITHIN:].rstrip().removesuffix(")").rpartition(")")[2].split()[:2]
    try:
        start, play = map(read_clock, words)
    except ValueError:
        return None, None
    return start, play


def _shorten(text: str) -> str:
    """Return the beginning of the rest of a message, without its closing parenthesis."""
    if len(text) >= _READ:
        return " ".join(text[:_SHOWN].split()) + "..."
    text = " ".join(text.split()).replace("( ", "(").replace(" )", ")")
    if text.count(")") > text.count("("):
        text = text.removesuffix(")").rstrip()
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."


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
            while not self._ended.wait(_STATUS_SECONDS):
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
            self._thread.join(_STATUS_CLOSE_TIMEOUT)
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

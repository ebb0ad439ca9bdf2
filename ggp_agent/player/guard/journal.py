"""The journal, which allows a player to resume its matches after a restart.

Each running match has one file of JSON lines: START, then every received joint move or list of percepts, and every
answer. Each line is written immediately, so a crash can damage only the last line. The times are monotonic, so matches
are not resumed after a restart of the machine. An unreadable file is renamed, not deleted.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import logging
import os
import re
import time
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

from gdl.files import open_own, read_own
from gdl.json_text import checked_object, parse_json, read_typed

from ...protocol.clocks import MAX_CLOCK
from ...protocol.messages import Start

logger = logging.getLogger(__name__)

FOLDER_VARIABLE = "GGP_AGENT_STATE"
OFF = "off"

_SUFFIX = ".jsonl"
_UNREADABLE = ".unreadable"

# The largest file that is read; no match writes such a file.
_MAX_BYTES = 100_000_000


class MatchJournal:
    """Write the journal of one match. If writing fails, log one warning and stop writing."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._file: int | None = None

    def start(self, start: Start) -> None:
        """Create the file."""
        if self._path is None:
            return
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._path.unlink(missing_ok=True)
        except OSError as error:
            self._give_up(error)
        self._write({"start": asdict(start), "boot": _boot()})

    def turn(self, number: int, moves: tuple[str, ...] | None, last_move: str | None = None) -> None:
        """Record the joint move or percepts that led to a turn, and our last move if the manager reports it."""
        self._write({"turn": number, "moves": moves, **({} if last_move is None else {"last_move": last_move})})

    def answer(self, number: int, move: str) -> None:
        """Record our move in a turn."""
        self._write({"answer": number, "move": move})

    def close(self) -> None:
        """Close and remove the file."""
        path, self._path = self._path, None
        if self._file is not None:
            os.close(self._file)
            self._file = None
        if path is not None:
            with contextlib.suppress(OSError):
                path.unlink()

    def _write(self, entry: dict[str, Any]) -> None:
        if self._path is None:
            return
        line = json.dumps({**entry, "moment": time.monotonic()}).encode() + b"\n"
        try:
            if self._file is None:
                self._file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
            if os.write(self._file, line) < len(line):
                raise OSError(0, "no space left on device")
        except OSError as error:
            self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        logger.warning(
            "the journal %s cannot be written: %s; this match cannot be resumed after a restart",
            self._path,
            error.strerror,
        )
        self.close()


class JournalTurn(NamedTuple):
    """A turn: the joint move or percepts before it, our answer, and our last move; None for what is missing."""

    moves: tuple[str, ...] | None
    answer: str | None = None
    last_move: str | None = None


@dataclass(frozen=True, slots=True)
class UnfinishedMatch:
    """A match of an earlier run: its turns, and the seconds since the last entry."""

    start: Start
    turns: tuple[JournalTurn, ...]
    silence: float
    journal: MatchJournal


class Journal:
    """The journals of all matches of a player."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder

    def of(self, start: Start) -> MatchJournal:
        """Return the journal of a new match; its file does not exist yet."""
        if self._folder is None:
            return MatchJournal(None)
        return MatchJournal(self._folder / _name(start))

    def unfinished(self) -> list[UnfinishedMatch]:
        """Return the unfinished matches of an earlier run.

        Remove journals from before the last start of the machine. Rename unreadable files, with a warning.
        """
        if self._folder is None:
            return []
        found = []
        for path in sorted(self._folder.glob(f"*{_SUFFIX}")):
            try:
                match = _read(path)
                if match is None:
                    path.unlink()
                else:
                    found.append(match)
            except (OSError, ValueError, RecursionError) as error:
                _rename_unreadable(path, error)
        return found


def default_folder(host: str, port: int) -> Path | None:
    """Return the journal folder of the player at an address; None if the variable `GGP_AGENT_STATE` is `off`.

    The parent folder is the value of this variable, otherwise `ggp-agent` in `XDG_STATE_HOME` or `~/.local/state`.
    """
    named = os.environ.get(FOLDER_VARIABLE)
    if named == OFF:
        return None
    place = re.sub(r"[^\w.-]", "_", f"{host}-{port}")
    if named:
        return Path(named) / "matches" / place
    parent = os.environ.get("XDG_STATE_HOME", "")
    if not os.path.isabs(parent):  # required by the XDG specification
        parent = os.path.expanduser("~/.local/state")
    return Path(parent) / "ggp-agent" / "matches" / place if os.path.isabs(parent) else None


def _name(start: Start) -> str:
    return hashlib.sha256(start.match_id.lower().encode()).hexdigest()[:32] + _SUFFIX


def _rename_unreadable(path: Path, error: Exception) -> None:
    """Rename an unreadable file, so that it is neither lost nor read again."""
    reason = error.strerror if isinstance(error, OSError) else str(error)
    if isinstance(error, RecursionError):
        reason = "it is nested too deeply"
    names = (path.with_name(f"{path.name}{_UNREADABLE}{number or ''}") for number in itertools.count())
    free = next(name for name in names if not os.path.lexists(name))
    try:
        path.rename(free)
    except OSError as failure:
        logger.warning(
            "%s is not a valid journal: %s; it cannot be renamed, remove it: %s", path, reason, failure.strerror
        )
        return
    logger.warning("%s is not a valid journal: %s; renamed to %s", path, reason, free.name)


def _read(path: Path) -> UnfinishedMatch | None:
    """Read one journal, whose last line may be incomplete; None if it is empty or too old."""
    descriptor = open_own(path, os.O_RDWR)
    try:
        content = read_own(descriptor, _MAX_BYTES)
        if not content:  # the writer was killed before the first line
            return None
        whole = content.rfind(b"\n") + 1
        entries = [_entry(line, number) for number, line in enumerate(content[:whole].splitlines(), start=1)]
        if not entries:
            raise ValueError("it has no complete line")
        match = _unfinished(path, entries)
        if match is not None and whole < len(content):  # the next entry must begin a new line
            os.ftruncate(descriptor, whole)
        return match
    finally:
        os.close(descriptor)


@dataclass(frozen=True, slots=True)
class _StartEntry:
    start: Start
    boot: str
    moment: float


@dataclass(frozen=True, slots=True)
class _TurnEntry:
    turn: int
    moves: tuple[str, ...] | None
    last_move: str | None
    moment: float


@dataclass(frozen=True, slots=True)
class _AnswerEntry:
    answer: int
    move: str
    moment: float


def _entry(line: bytes, number: int) -> _StartEntry | _TurnEntry | _AnswerEntry:
    """Read one line of a journal."""
    try:
        content = {"last_move": None, **checked_object(parse_json(line), set())}
        kind = _StartEntry if number == 1 else _TurnEntry if "turn" in content else _AnswerEntry
        entry: _StartEntry | _TurnEntry | _AnswerEntry = read_typed(kind, content)
        if entry.moment < 0 or (number == 1 and len(content["start"]) > len(fields(Start))):
            raise ValueError("a time is negative, or START has an unknown field")
    except ValueError as error:
        raise ValueError(f"line {number}: {error}") from None
    return entry


def _unfinished(path: Path, entries: list[_StartEntry | _TurnEntry | _AnswerEntry]) -> UnfinishedMatch | None:
    """Return the match of a journal; None if the journal is from before the last start of the machine."""
    first, *others = entries
    assert isinstance(first, _StartEntry)
    start = first.start
    if not all(0 <= clock <= MAX_CLOCK for clock in (start.start_clock, start.play_clock)):
        raise ValueError("a clock is out of range")
    if path.name != _name(start):
        raise ValueError("its file name belongs to another match")
    turns: list[JournalTurn] = []
    for entry in others:
        match entry:
            case _TurnEntry() if entry.turn == len(turns):
                turns.append(JournalTurn(entry.moves, last_move=entry.last_move))
            case _AnswerEntry() if entry.answer < len(turns):
                turns[entry.answer] = turns[entry.answer]._replace(answer=entry.move)
            case _:
                raise ValueError("a turn occurs twice or is missing")
    silence = time.monotonic() - max(entry.moment for entry in entries)
    if silence < 0 or first.boot != _boot():
        return None
    return UnfinishedMatch(start, tuple(turns), silence, MatchJournal(path))


def _boot() -> str:
    """Return an identifier of the last start of the machine; empty if the system has none."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""

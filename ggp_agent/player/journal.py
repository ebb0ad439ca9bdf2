"""What a player must know to take up its matches again after a sudden end.

Each match under way is one file: JSON lines, first START, then every joint move that came and every answer that was
given. A line is written at once, so what the end of the process cuts off is the last line at most. Moments are those
of the monotonic clock, which tells nothing after the machine was started anew; then nothing is taken up. A file that
makes no sense is put aside under another name, for whoever wants to know what was in it.
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
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from gdl.files import open_own, read_own
from gdl.json_text import parse_json

from ..protocol.clocks import LONGEST_CLOCK
from ..protocol.messages import Start

logger = logging.getLogger(__name__)

FOLDER_VARIABLE = "GGP_AGENT_STATE"
OFF = "off"

_SUFFIX = ".jsonl"
_ASIDE = ".unreadable"

# The largest file that is read, far larger than a match can make it.
_MAX_BYTES = 100_000_000
# The monotonic clock never shows so many seconds.
_LAST_MOMENT = 1e12


class MatchJournal:
    """Write down one match; a folder that cannot be written to is complained of once, and the match goes on.

    Args:
        path: of the file; None keeps nothing.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._file: int | None = None

    def start(self, start: Start) -> None:
        """Begin the file."""
        if self._path is None:
            return
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._path.unlink(missing_ok=True)
        except OSError as error:
            self._give_up(error)
        self._write({"start": asdict(start), "boot": _boot()})

    def turn(self, number: int, moves: tuple[str, ...] | None) -> None:
        """Note the joint move that led to a turn."""
        self._write({"turn": number, "moves": moves})

    def answer(self, number: int, move: str) -> None:
        """Note our move in a turn."""
        self._write({"answer": number, "move": move})

    def close(self) -> None:
        """End the file, and remove it."""
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
            "the journal %s cannot be written: %s; a match cut off cannot be taken up again", self._path, error.strerror
        )
        self.close()


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A match that an earlier run of the player has left, with the joint move and the answer of every turn."""

    start: Start
    turns: tuple[tuple[tuple[str, ...] | None, str | None], ...]
    silence: float
    journal: MatchJournal


class Journal:
    """Keep the journals of a player's matches.

    Args:
        folder: of this player alone, made when first needed; None keeps nothing.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder

    def of(self, start: Start) -> MatchJournal:
        """Return the journal of a new match, not begun yet."""
        if self._folder is None:
            return MatchJournal(None)
        return MatchJournal(self._folder / _name(start))

    def unfinished(self) -> list[Unfinished]:
        """Read the matches that were left.

        Those from before the machine was started are removed. A file that makes no sense is put aside, with a warning.
        """
        if self._folder is None:
            return []
        found = []
        for path in sorted(self._folder.glob(f"*{_SUFFIX}")):
            try:
                left = _read(path)
                if left is None:
                    path.unlink()
                else:
                    found.append(left)
            except (OSError, ValueError, RecursionError) as error:
                _put_aside(path, error)
        return found


def default_folder(host: str, port: int) -> Path | None:
    """Return the folder of the player at an address.

    It is in the folder that the variable `GGP_AGENT_STATE` names, else in `ggp-agent` below `XDG_STATE_HOME` or
    `~/.local/state`; there is none where the variable is `off`.
    """
    named = os.environ.get(FOLDER_VARIABLE)
    if named == OFF:
        return None
    place = re.sub(r"[^\w.-]", "_", f"{host}-{port}")
    if named:
        return Path(named) / "matches" / place
    parent = os.environ.get("XDG_STATE_HOME", "")
    if not os.path.isabs(parent):  # as its specification asks
        parent = os.path.expanduser("~/.local/state")
    return Path(parent) / "ggp-agent" / "matches" / place if os.path.isabs(parent) else None


def _name(start: Start) -> str:
    return hashlib.sha256(start.match_id.lower().encode()).hexdigest()[:32] + _SUFFIX


def _put_aside(path: Path, error: Exception) -> None:
    """Give a file that is no journal another name, so that it is neither lost nor read again."""
    reason = error.strerror if isinstance(error, OSError) else str(error)
    if isinstance(error, RecursionError):
        reason = "it nests too deep"
    names = (path.with_name(f"{path.name}{_ASIDE}{number or ''}") for number in itertools.count())
    free = next(name for name in names if not os.path.lexists(name))
    try:
        path.rename(free)
    except OSError as failure:
        logger.warning(
            "%s is no journal of a match: %s; remove it, for it cannot be put aside: %s", path, reason, failure.strerror
        )
        return
    logger.warning("%s is no journal of a match: %s; put aside as %s", path, reason, free.name)


def _read(path: Path) -> Unfinished | None:
    """Read one journal, None where it tells of nothing that goes on; the last line may be torn.

    Raises:
        OSError, ValueError, RecursionError: it is none.
    """
    descriptor = open_own(path, os.O_RDWR)
    try:
        content = read_own(descriptor, _MAX_BYTES)
        if not content:  # its writer was killed before the first line
            return None
        whole = content.rfind(b"\n") + 1
        entries = [_entry(line, number) for number, line in enumerate(content[:whole].splitlines(), start=1)]
        if not entries:
            raise ValueError("it has no line that is whole")
        left = _unfinished(path, entries)
        if left is not None and whole < len(content):  # the next entry begins a new line
            os.ftruncate(descriptor, whole)
        return left
    finally:
        os.close(descriptor)


def _entry(line: bytes, number: int) -> _Fields:
    content = parse_json(line)
    if not isinstance(content, dict):
        raise ValueError(f"line {number} is no object")
    return _Fields(content, f"line {number}")


class _Fields:
    """Read the fields of one object, each of the type and in the range that it must have.

    Every method raises ValueError where that is not so.
    """

    def __init__(self, content: dict[str, Any], where: str) -> None:
        self._content = content
        self._where = where

    def __contains__(self, name: str) -> bool:
        return name in self._content

    def part(self, name: str, names: Sequence[str]) -> _Fields:
        """Return an object with exactly these fields."""
        value = self._content.get(name)
        if not isinstance(value, dict) or sorted(value) != sorted(names):
            raise self._error(name)
        return _Fields(value, self._where)

    def text(self, name: str) -> str:
        """Return a text that can be written again."""
        return self._text(name, self._content.get(name))

    def texts(self, name: str) -> tuple[str, ...] | None:
        """Return a list of texts, or None where that is written."""
        values = self._content.get(name, False)
        if values is None:
            return None
        if not isinstance(values, list):
            raise self._error(name)
        return tuple([self._text(name, value) for value in values])

    def count(self, name: str, below: int) -> int:
        """Return a whole number, 0 or more and less than another one."""
        value = self._content.get(name)
        if type(value) is not int or not 0 <= value < below:
            raise self._error(name)
        return value

    def seconds(self, name: str, most: float = _LAST_MOMENT) -> float:
        """Return a number of seconds, 0 or more."""
        value = self._content.get(name)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if value is None or not is_number or not 0 <= value <= most:
            raise self._error(name)
        return float(value)

    def _text(self, name: str, value: object) -> str:
        if not isinstance(value, str):
            raise self._error(name)
        try:
            value.encode()
        except UnicodeEncodeError:
            raise self._error(name) from None
        return value

    def _error(self, name: str) -> ValueError:
        what = "is not there" if name not in self._content else "is not what a journal has there"
        return ValueError(f"{self._where}: {name!r} {what}")


def _unfinished(path: Path, entries: list[_Fields]) -> Unfinished | None:
    """Put together what the lines of a journal tell, None where they are from before the machine was started."""
    first, *others = entries
    told = first.part("start", [field.name for field in fields(Start)])
    start = Start(
        told.text("match_id"),
        told.text("role"),
        told.text("rules"),
        told.seconds("start_clock", LONGEST_CLOCK),
        told.seconds("play_clock", LONGEST_CLOCK),
    )
    if path.name != _name(start):
        raise ValueError("its name is that of another match")
    turns: list[tuple[tuple[str, ...] | None, str | None]] = []
    for entry in others:
        if "turn" in entry:
            if entry.count("turn", len(turns) + 1) < len(turns):
                raise ValueError("a turn comes twice")
            turns.append((entry.texts("moves"), None))
        else:
            number = entry.count("answer", len(turns))
            turns[number] = (turns[number][0], entry.text("move"))
    silence = time.monotonic() - max(entry.seconds("moment") for entry in entries)
    if silence < 0 or first.text("boot") != _boot():
        return None
    return Unfinished(start, tuple(turns), silence, MatchJournal(path))


def _boot() -> str:
    """Name the time since the machine was started, where the system does."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""

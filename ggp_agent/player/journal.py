"""What a player must know to take up its matches again after a sudden end.

Each match under way is one file: JSON lines, first START, then every joint move that came and every answer that was
given. A line is written at once, so what the end of the process cuts off is the last line at most. Moments are those
of the monotonic clock, which tells nothing after the machine was started anew; then nothing is taken up.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import re
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..protocol import Start

logger = logging.getLogger(__name__)

FOLDER_VARIABLE = "GGP_AGENT_STATE"
OFF = "off"

_SUFFIX = ".jsonl"


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
        name = hashlib.sha256(start.match_id.lower().encode()).hexdigest()[:32]
        return MatchJournal(self._folder / f"{name}{_SUFFIX}")

    def unfinished(self) -> list[Unfinished]:
        """Read the matches that were left; a file that makes no sense is removed."""
        if self._folder is None:
            return []
        found = []
        for path in sorted(self._folder.glob(f"*{_SUFFIX}")):
            try:
                found.append(_read(path))
            except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
                logger.debug("%s is no journal: %s", path, error)
                with contextlib.suppress(OSError):
                    path.unlink()
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


def _read(path: Path) -> Unfinished:
    """Read one journal; the last line may be torn.

    Raises:
        OSError, ValueError, KeyError, TypeError, AttributeError: it is none.
    """
    *lines, torn = path.read_bytes().split(b"\n")
    entries = [json.loads(line) for line in lines]
    if torn:  # what comes next has to begin a line of its own
        with path.open("rb+") as file:
            file.truncate(path.stat().st_size - len(torn))
    first, *others = entries
    start = Start(**first["start"])
    turns: list[tuple[tuple[str, ...] | None, str | None]] = []
    for entry in others:
        if "turn" in entry:
            moves = entry["moves"]
            turns.append((None if moves is None else tuple(moves), None))
        else:
            moves, _ = turns[entry["answer"]]
            turns[entry["answer"]] = (moves, entry["move"])
    silence = time.monotonic() - entries[-1]["moment"]
    if silence < 0 or first["boot"] != _boot():
        raise ValueError("it is from before the machine was started")
    return Unfinished(start, tuple(turns), silence, MatchJournal(path))


def _boot() -> str:
    """Name the time since the machine was started, where the system does."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""

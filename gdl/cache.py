"""Compiled networks on disk, by the structure of their sheets, and what is known to give none.

An entry is one file: a digest of what follows, a line of JSON, the network. It is written under another name and then
renamed, so that any number of processes may read and write at once; what is found and is not whole is removed and made
anew. The cache is a convenience: where its folder cannot be used, all else goes on.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from .attempt import Attempt

logger = logging.getLogger(__name__)

# Part of every entry's name; to be raised whenever the compiler makes another network of the same sheet.
COMPILER_VERSION = 2

FOLDER_VARIABLE = "GGP_AGENT_CACHE"
OFF = "off"
MAX_BYTES = 500_000_000

_SUFFIX = ".network"
_UNFINISHED = ".unfinished"

_complained: set[str] = set()


@dataclass(frozen=True, slots=True)
class Entry:
    """Hold what came of a sheet.

    Attributes:
        rung: the one that gave the network, empty where none did.
        attempts: the rungs that were tried.
        network: the compiled network, for `_core.Network`; empty where there is none.
    """

    rung: str
    attempts: tuple[Attempt, ...]
    network: bytes


class Cache:
    """Keep entries in a folder; nothing that goes wrong with it is raised.

    Args:
        folder: made when first needed; None keeps nothing.
        max_bytes: the entries used longest ago are removed when all together are larger.
    """

    def __init__(self, folder: Path | None, max_bytes: int = MAX_BYTES) -> None:
        self._folder = folder
        self._max_bytes = max_bytes

    def path(self, key: str) -> Path | None:
        """Return where the entry of a structure is or would be."""
        return None if self._folder is None else self._folder / f"{key}-{COMPILER_VERSION}{_SUFFIX}"

    def read(self, key: str) -> Entry | None:
        """Return what is known of a structure."""
        path = self.path(key)
        if path is None:
            return None
        try:
            if path.stat().st_size > self._max_bytes:
                raise ValueError("it is larger than the whole cache may be")
            content = path.read_bytes()
            entry = _unpack(content, key)
        except FileNotFoundError:
            return None
        except OSError as error:
            self._complain("read", error)
            return None
        except (ValueError, KeyError, TypeError) as error:
            self.discard(key, str(error))
            return None
        with contextlib.suppress(OSError):
            os.utime(path)  # the time of its last use
        return entry

    def write(self, key: str, entry: Entry) -> None:
        """Keep what is known of a structure."""
        path = self.path(key)
        content = _pack(entry, key)
        if path is None or len(content) > self._max_bytes:
            return
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _write_at_once(path, content)
            self._trim(path.parent)
        except OSError as error:
            self._complain("written", error)

    def discard(self, key: str, reason: str) -> None:
        """Remove an entry that is of no use."""
        path = self.path(key)
        assert path is not None
        logger.debug("%s is removed: %s", path, reason)
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            self._complain("written", error)

    def _trim(self, folder: Path) -> None:
        """Remove the entries used longest ago, and what writers that were killed have left, until the rest fits."""
        found = []
        with os.scandir(folder) as files:
            for file in files:
                if file.name.endswith((_SUFFIX, _UNFINISHED)):
                    with contextlib.suppress(FileNotFoundError):  # another process removes too
                        status = file.stat(follow_symlinks=False)
                        found.append((status.st_mtime_ns, status.st_size, file.path))
        total = sum(size for _, size, _ in found)
        for _, size, path in sorted(found):
            if total <= self._max_bytes:
                return
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)
            total -= size

    def _complain(self, what: str, error: OSError) -> None:
        """Say once for each folder that it cannot be used."""
        level = logging.DEBUG if str(self._folder) in _complained else logging.WARNING
        _complained.add(str(self._folder))
        reason = error.strerror or type(error).__name__
        logger.log(
            level, "the cache %s cannot be %s: %s; games are compiled anew each time", self._folder, what, reason
        )


def default_cache() -> Cache:
    """Return the cache of the user.

    It is in the folder that the variable `GGP_AGENT_CACHE` names, else in `ggp-agent` below `XDG_CACHE_HOME` or
    `~/.cache`; there is none where the variable is `off`.
    """
    named = os.environ.get(FOLDER_VARIABLE)
    if named == OFF:
        return Cache(None)
    if named:
        return Cache(Path(named))
    parent = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(parent):  # as its specification asks
        parent = os.path.expanduser("~/.cache")
    return Cache(Path(parent) / "ggp-agent" if os.path.isabs(parent) else None)


def _pack(entry: Entry, key: str) -> bytes:
    about = {"key": key, "rung": entry.rung, "attempts": [attempt.to_json() for attempt in entry.attempts]}
    content = json.dumps(about).encode() + b"\n" + entry.network
    return _digest(content) + content


def _unpack(content: bytes, key: str) -> Entry:
    digest, content = content[:_DIGEST_SIZE], content[_DIGEST_SIZE:]
    if digest != _digest(content):
        raise ValueError("it is not what was written")
    about, _, network = content.partition(b"\n")
    fields = json.loads(about)
    if fields["key"] != key:
        raise ValueError("it is of another sheet")
    return Entry(fields["rung"], tuple([Attempt.from_json(attempt) for attempt in fields["attempts"]]), network)


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode() + b"\n"


_DIGEST_SIZE = len(_digest(b""))


def _write_at_once(path: Path, content: bytes) -> None:
    """Put a file in its place complete, or not at all."""
    descriptor, name = tempfile.mkstemp(suffix=_UNFINISHED, dir=path.parent)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise

"""Compiled networks on disk, by the structure of their sheets, and what is known to give none.

An entry is one file: a digest of what follows, a line of JSON, the network. It is written under another name and then
renamed, so that any number of processes may read and write at once; what is found and is not whole is removed and made
anew. Others may keep small files of their own beside the entries, under the same rules. The cache is a convenience:
where its folder cannot be used, all else goes on. What a network plays is believed, so a folder that others may write
to is not used.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from ..files import UNFINISHED, open_own, read_own, write_whole
from ..json_text import parse_json
from .attempt import Attempt

logger = logging.getLogger(__name__)

# Part of every entry's name; to be raised whenever the compiler makes another network of the same sheet.
COMPILER_VERSION = 5

FOLDER_VARIABLE = "GGP_AGENT_CACHE"
OFF = "off"
MAX_BYTES = 500_000_000

_SUFFIX = ".network"
# Of files beside the entries, which others write.
_BESIDE = ".beside"

# The line about an entry, before its network.
_MAX_ABOUT = 100_000

_complained: set[str] = set()


@dataclass(frozen=True, slots=True)
class Entry:
    """What came of compiling a sheet.

    Attributes:
        strategy: the one that gave the network, empty where none did.
        attempts: the strategies that were tried.
        network: the compiled network, for `_core.Network`; empty where there is none.
    """

    strategy: str
    attempts: tuple[Attempt, ...]
    network: bytes


class Cache:
    """Entries in a folder; nothing that goes wrong with it is raised.

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
        content = self._content(path)
        if content is None:
            return None
        try:
            return _unpack(content, key)
        except (ValueError, RecursionError) as error:
            self._remove(path, str(error))
            return None

    def write(self, key: str, entry: Entry) -> None:
        """Keep what is known of a structure."""
        self._keep(self.path(key), _pack(entry, key))

    def discard(self, key: str, reason: str) -> None:
        """Remove an entry that is of no use."""
        self._remove(self.path(key), reason)

    def read_beside(self, name: str) -> bytes | None:
        """Return what is kept beside the entries under a name; None where nothing is that is whole."""
        path = self._beside(name)
        content = self._content(path)
        if content is None:
            return None
        digest, content = content[:_DIGEST_SIZE], content[_DIGEST_SIZE:]
        if digest == _digest(content):
            return content
        self._remove(path, "it is not what was written")
        return None

    def write_beside(self, name: str, content: bytes) -> None:
        """Keep something beside the entries; the name is fit for files, and the writer's own."""
        self._keep(self._beside(name), _digest(content) + content)

    def _beside(self, name: str) -> Path | None:
        return None if self._folder is None else self._folder / f"{name}{_BESIDE}"

    def _content(self, path: Path | None) -> bytes | None:
        """Return what a file holds; None where there is none that may be read."""
        if path is None:
            return None
        try:
            if not self._is_safe(path.parent):
                return None
            descriptor = open_own(path)
            try:
                content = read_own(descriptor, self._max_bytes)
                with contextlib.suppress(OSError):
                    os.utime(descriptor)  # the time of its last use
            finally:
                os.close(descriptor)
        except FileNotFoundError:
            return None
        except OSError as error:
            self._complain("read", error)
            return None
        except ValueError as error:
            self._remove(path, str(error))
            return None
        return content

    def _keep(self, path: Path | None, content: bytes) -> None:
        if path is None or len(content) > self._max_bytes:
            return
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not self._is_safe(path.parent):
                return
            write_whole(path, content, durable=False)
            self._trim(path.parent)
        except OSError as error:
            self._complain("written", error)

    def _remove(self, path: Path | None, reason: str) -> None:
        assert path is not None
        logger.debug("%s is removed: %s", path, reason)
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            self._complain("written", error)

    def _is_safe(self, folder: Path) -> bool:
        """Return whether nobody else can put an entry into a folder; say once what to do where somebody can.

        Raises:
            OSError: there is no such folder.
        """
        status = folder.stat()
        if status.st_uid != os.geteuid():
            self._warn(
                f"the cache {folder} belongs to another user; it is not used: name a folder of your own "
                f"in {FOLDER_VARIABLE}"
            )
            return False
        if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            self._warn(
                f"other users may write to the cache {folder}; it is not used until you say: chmod go-w {folder}"
            )
            return False
        return True

    def _trim(self, folder: Path) -> None:
        """Remove the entries used longest ago, and what writers that were killed have left, until the rest fits."""
        found = []
        with os.scandir(folder) as files:
            for file in files:
                ours = file.name.endswith((_SUFFIX, _BESIDE))
                left_over = file.name.endswith(UNFINISHED) and any(f"{end}." in file.name for end in (_SUFFIX, _BESIDE))
                if (left_over or ours) and not file.is_dir(follow_symlinks=False):
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
        reason = error.strerror or type(error).__name__
        self._warn(f"the cache {self._folder} cannot be {what}: {reason}; games are compiled anew each time")

    def _warn(self, message: str) -> None:
        """Say once for each folder that it cannot be used."""
        level = logging.DEBUG if str(self._folder) in _complained else logging.WARNING
        _complained.add(str(self._folder))
        logger.log(level, "%s", message)


def default_cache() -> Cache:
    """Return the cache of the user, in the folder that `default_folder` names."""
    return Cache(default_folder())


def default_folder() -> Path | None:
    """Return the folder of the user's cache.

    It is what the variable `GGP_AGENT_CACHE` names, else `ggp-agent` below `XDG_CACHE_HOME` or `~/.cache`; None where
    the variable is `off`.
    """
    named = os.environ.get(FOLDER_VARIABLE)
    if named == OFF:
        return None
    if named:
        return Path(named)
    parent = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(parent):  # as its specification asks
        parent = os.path.expanduser("~/.cache")
    return Path(parent) / "ggp-agent" if os.path.isabs(parent) else None


def _pack(entry: Entry, key: str) -> bytes:
    about = {"key": key, "strategy": entry.strategy, "attempts": [attempt.to_json() for attempt in entry.attempts]}
    content = json.dumps(about).encode() + b"\n" + entry.network
    return _digest(content) + content


def _unpack(content: bytes, key: str) -> Entry:
    """Read what `_pack` has written; ValueError or RecursionError where it is something else."""
    digest, content = content[:_DIGEST_SIZE], content[_DIGEST_SIZE:]
    if digest != _digest(content):
        raise ValueError("it is not what was written")
    end = content.find(b"\n", 0, _MAX_ABOUT)
    if end < 0:
        raise ValueError("it begins with no line about itself")
    about = parse_json(content[:end])
    if not isinstance(about, dict) or sorted(about) != ["attempts", "key", "strategy"]:
        raise ValueError("it says something else about itself")
    if about["key"] != key:
        raise ValueError("it is of another sheet")
    if not isinstance(about["strategy"], str) or not isinstance(about["attempts"], list):
        raise ValueError("it does not tell how it was made")
    return Entry(
        about["strategy"], tuple([Attempt.from_json(attempt) for attempt in about["attempts"]]), content[end + 1 :]
    )


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode() + b"\n"


_DIGEST_SIZE = len(_digest(b""))

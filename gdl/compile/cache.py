"""The cache on disk: compiled networks and failed attempts, by the structure of their sheets.

An entry is one file: a digest of its content, one line of JSON, the network. It is written under another name and then
renamed, so that several processes may read and write at the same time. Damaged files are removed and written again.
Other modules may store small files in the same folder, under the same rules. The cache is optional: if its folder
cannot be used, the program works without it. Networks from the cache are trusted, so a folder to which other users may
write is not used.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import logging
import os
import stat
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Generic, Self, TypeVar

from .._network import Network
from ..files import UNFINISHED, open_own, read_own, write_whole
from ..json_text import parse_json, read_typed
from .compiler_process import Compilation, CompilerLimits, Outcome

# A run that got less than this part of its time on a processor is not evidence about the sheet.
_BUSY = 0.8
# A run that ended for lack of time is repeated if this factor more time is available.
_MORE_TIME = 1.25


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt to compile with one strategy, and its result."""

    strategy: str  # the name of the strategy
    outcome: Outcome  # the kind of result
    reason: str  # the cause of a missing network, in one line; empty if there is a network
    cpu_s: float  # CPU-seconds of the compiler's process
    peak_mb: float  # largest resident memory of that process, in units of 2^20 bytes
    limits: CompilerLimits  # the limits of the process
    ground_rules: int = 0  # the number of ground rules, 0 if there is no network
    gates: int = 0  # the number of gates of the network, 0 if there is no network

    @classmethod
    def of(cls, strategy: str, compilation: Compilation, limits: CompilerLimits, network: Network | None) -> Self:
        """Describe a run of the compiler."""
        return cls(
            strategy=strategy,
            outcome=compilation.outcome,
            reason=compilation.reason,
            cpu_s=compilation.cpu_s,
            peak_mb=compilation.peak_mb,
            limits=limits,
            ground_rules=network.ground_rules if network is not None else 0,
            gates=network.gates if network is not None else 0,
        )

    @classmethod
    def from_json(cls, content: object) -> Self:
        """Read the result of `to_json`."""
        found: Self = read_typed(cls, content)
        if found.to_json() != content or min(found.cpu_s, found.peak_mb, found.limits.seconds) < 0:
            raise ValueError("an attempt has other fields, or a negative number")
        return found

    def to_json(self) -> dict[str, Any]:
        """Return all fields for JSON."""
        return {**dataclasses.asdict(self), "outcome": self.outcome.value}

    @property
    def settled(self) -> bool:
        """Whether a repetition of the attempt would have the same result."""
        if self.outcome is Outcome.TIME:
            return self.cpu_s >= _BUSY * self.limits.seconds
        return self.outcome in (Outcome.NETWORK, Outcome.SIZE, Outcome.MEMORY)

    def fails_within(self, limits: CompilerLimits) -> bool:
        """Return whether the attempt failed and would fail with other limits too."""
        match self.outcome:
            case Outcome.SIZE:
                return limits.max_rules <= self.limits.max_rules
            case Outcome.MEMORY:
                return limits.memory_mb <= self.limits.memory_mb
            case Outcome.TIME:
                return self.settled and limits.seconds <= _MORE_TIME * self.limits.seconds
        return False


logger = logging.getLogger(__name__)

# Part of the name of each entry. Increase it whenever the compiler makes another network of the same sheet.
COMPILER_VERSION = 7

FOLDER_VARIABLE = "GGP_AGENT_CACHE"
OFF = "off"
_IS_OFF = f"the cache is off ({FOLDER_VARIABLE})"
MAX_BYTES = 500_000_000

_SUFFIX = ".network"
# Suffix of the files that other modules store.
_BESIDE = ".beside"

# Limit of the JSON line before the network, in bytes.
_MAX_ABOUT = 100_000

_complained: set[str] = set()


@dataclass(frozen=True, slots=True)
class CacheEntry:
    """The result of compiling a sheet."""

    strategy: str  # the strategy that produced the network; empty if there is no network
    attempts: tuple[Attempt, ...]  # the strategies that were tried
    network: bytes  # the compiled network, for `_network.Network`; empty without a network


class Cache:
    """Entries in a folder; problems with the folder raise no error."""

    def __init__(self, folder: Path | None, max_bytes: int = MAX_BYTES) -> None:
        self._folder = folder
        self._max_bytes = max_bytes

    def path(self, key: str) -> Path | None:
        """Return the path for the entry of a structure."""
        return None if self._folder is None else self._folder / f"{key}-{COMPILER_VERSION}{_SUFFIX}"

    def read(self, key: str) -> CacheEntry | None:
        """Return the entry of a structure; None without an entry."""
        path = self.path(key)
        content = self._content(path)
        if content is None:
            return None
        try:
            return _unpack(content, key)
        except (ValueError, RecursionError) as error:
            self._remove(path, str(error))
            return None

    def write(self, key: str, entry: CacheEntry) -> None:
        """Store the entry of a structure."""
        self._keep(self.path(key), _pack(entry, key))

    def discard(self, key: str, reason: str) -> None:
        """Remove an entry that cannot be used."""
        self._remove(self.path(key), reason)

    def read_beside(self, name: str) -> bytes | None:
        """Return the content of a file of another module; None if it is missing or damaged."""
        path = self._beside(name)
        content = self._content(path)
        if content is None:
            return None
        digest, content = content[:_DIGEST_SIZE], content[_DIGEST_SIZE:]
        if digest == _digest(content):
            return content
        self._remove(path, "it is damaged")
        return None

    def write_beside(self, name: str, content: bytes) -> str:
        """Store a file of another module; return the reason if it is not stored, else an empty text."""
        return self._keep(self._beside(name), _digest(content) + content)

    def obstacle(self) -> str:
        """Return the reason why nothing can be stored, in one line; empty if the folder can be used."""
        if self._folder is None:
            return _IS_OFF
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self._folder):
                pass
            return self._danger(self._folder)
        except OSError as error:
            return self._refusal("written", error)

    def _beside(self, name: str) -> Path | None:
        return None if self._folder is None else self._folder / f"{name}{_BESIDE}"

    def _content(self, path: Path | None) -> bytes | None:
        """Return the content of a file; None if it cannot be read."""
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

    def _keep(self, path: Path | None, content: bytes) -> str:
        """Store a file; return the reason if it is not stored, else an empty text."""
        if path is None:
            return _IS_OFF
        if len(content) > self._max_bytes:
            return f"it has {len(content):,} bytes, and the cache {self._folder} at most {self._max_bytes:,}"
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not self._is_safe(path.parent):
                return self._danger(path.parent)
            write_whole(path, content, durable=False)
        except OSError as error:
            self._complain("written", error)
            return self._refusal("written", error)
        with contextlib.suppress(OSError):  # the file is stored
            self._trim(path.parent)
        return ""

    def _remove(self, path: Path | None, reason: str) -> None:
        assert path is not None
        logger.debug("%s is removed: %s", path, reason)
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            self._complain("written", error)

    def _is_safe(self, folder: Path) -> bool:
        """Return whether only this user can write to a folder; print once how to fix it otherwise."""
        danger = self._danger(folder)
        if danger:
            self._warn(danger)
        return not danger

    def _danger(self, folder: Path) -> str:
        """Return the reason why other users may write to a folder, and how to fix it; empty if they may not."""
        status = folder.stat()
        if status.st_uid != os.geteuid():
            return (
                f"the cache {folder} belongs to another user; it is not used: name a folder of your own "
                f"in {FOLDER_VARIABLE}"
            )
        if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            return f"other users may write to the cache {folder}; it is not used until you say: chmod go-w {folder}"
        return ""

    def _trim(self, folder: Path) -> None:
        """Remove files of writers that were killed, and the least recently used entries until the rest fits."""
        found = []
        with os.scandir(folder) as files:
            for file in files:
                ours = file.name.endswith((_SUFFIX, _BESIDE))
                left_over = file.name.endswith(UNFINISHED) and any(f"{end}." in file.name for end in (_SUFFIX, _BESIDE))
                if (left_over or ours) and not file.is_dir(follow_symlinks=False):
                    with contextlib.suppress(FileNotFoundError):  # another process removes files too
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
        self._warn(f"{self._refusal(what, error)}; games are compiled again each time")

    def _refusal(self, what: str, error: OSError) -> str:
        return f"the cache {self._folder} cannot be {what}: {error.strerror or type(error).__name__}"

    def _warn(self, message: str) -> None:
        """Print once for each folder that it cannot be used."""
        level = logging.DEBUG if str(self._folder) in _complained else logging.WARNING
        _complained.add(str(self._folder))
        logger.log(level, "%s", message)


def default_cache() -> Cache:
    """Return the cache of the user, in the folder of `default_folder`."""
    return Cache(default_folder())


def default_folder() -> Path | None:
    """Return the folder of the user's cache."""
    named = os.environ.get(FOLDER_VARIABLE)
    if named == OFF:
        return None
    if named:
        return Path(named)
    parent = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(parent):  # required by its specification
        parent = os.path.expanduser("~/.cache")
    return Path(parent) / "ggp-agent" if os.path.isabs(parent) else None


def _pack(entry: CacheEntry, key: str) -> bytes:
    about = {"key": key, "strategy": entry.strategy, "attempts": [attempt.to_json() for attempt in entry.attempts]}
    content = json.dumps(about).encode() + b"\n" + entry.network
    return _digest(content) + content


def _unpack(content: bytes, key: str) -> CacheEntry:
    """Read the result of `_pack`; raise ValueError or RecursionError for any other content."""
    digest, content = content[:_DIGEST_SIZE], content[_DIGEST_SIZE:]
    if digest != _digest(content):
        raise ValueError("it is damaged")
    end = content.find(b"\n", 0, _MAX_ABOUT)
    if end < 0:
        raise ValueError("its first line is missing")
    about = parse_json(content[:end])
    if not isinstance(about, dict) or sorted(about) != ["attempts", "key", "strategy"]:
        raise ValueError("its first line has other keys")
    if about["key"] != key:
        raise ValueError("it belongs to another sheet")
    if not isinstance(about["strategy"], str) or not isinstance(about["attempts"], list):
        raise ValueError("it does not name its strategy")
    return CacheEntry(
        about["strategy"], tuple([Attempt.from_json(attempt) for attempt in about["attempts"]]), content[end + 1 :]
    )


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode() + b"\n"


_DIGEST_SIZE = len(_digest(b""))


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Beside(Generic[T]):
    """Values of one kind, a file for each key; files that cannot be decoded are ignored.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from gdl.json_text import checked_count
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     cache, counts = Cache(Path(folder)), Beside.of_json("counts", "counts1", checked_count, int)
    ...     counts.write(cache, "a", 3), counts.write(cache, "b", -3), counts.read(cache, "a"), counts.read(cache, "b")
    ('', '', 3, None)
    """

    what: str  # the kind of the values, for messages
    suffix: str  # the end of the names of the files, with the version of their meaning
    decode: Callable[[bytes], T]  # raises ValueError, KeyError or RecursionError for content of another kind
    encode: Callable[[T], bytes]

    @classmethod
    def of_json(
        cls, what: str, suffix: str, read: Callable[[Any], T], write: Callable[[Any], Any] = asdict
    ) -> Beside[T]:
        """Return a kind whose files are JSON."""
        return cls(what, suffix, lambda data: read(parse_json(data)), lambda value: json.dumps(write(value)).encode())

    def read(self, cache: Cache, key: str) -> T | None:
        """Return the value of a key; None if there is no valid file."""
        content = cache.read_beside(f"{key}-{self.suffix}")
        if content is None:
            return None
        try:
            return self.decode(content)
        except (ValueError, KeyError, RecursionError) as error:
            logger.debug("stored %s is invalid: %s", self.what, error)
            return None

    def write(self, cache: Cache, key: str, value: T) -> str:
        """Store a value in place of an earlier one; return the reason if it is not stored, else an empty text."""
        return cache.write_beside(f"{key}-{self.suffix}", self.encode(value))

"""Open files that other users may have created, and write files atomically."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
import tempfile
import time
from pathlib import Path

# The suffix of files that are being written.
UNFINISHED = ".part"

# A younger unfinished file may belong to a process that has not locked it yet.
_MIN_UNFINISHED_SECONDS = 60.0

_NOT_REGULAR = "it is not a regular file"


def open_own(path: Path, flags: int = os.O_RDONLY) -> int:
    """Open a regular file of this user."""
    try:
        descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO, errno.EISDIR):  # a link, a pipe or socket, a folder
            raise ValueError(_NOT_REGULAR) from None
        raise
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise ValueError(_NOT_REGULAR)
        if status.st_uid != os.geteuid():
            raise ValueError("it belongs to another user")
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def read_own(descriptor: int, most: int) -> bytes:
    """Read a whole file from its beginning."""
    size = os.fstat(descriptor).st_size
    if size > most:
        raise ValueError(f"it is larger than {most:,} bytes")
    with open(descriptor, "rb", closefd=False) as file:
        return file.read(size)


def write_whole(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Write a file atomically: readers find the old content or the new content, never a part."""
    path.parent.mkdir(parents=True, exist_ok=True)

    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=UNFINISHED, dir=path.parent)
    try:
        with open(handle, "wb") as file:
            with contextlib.suppress(OSError):  # a file system without locks
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # until it is closed or the process ends
            os.fchmod(file.fileno(), 0o644)
            file.write(data)
            file.flush()
            if durable:
                os.fsync(file.fileno())
            os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def remove_unfinished(folder: Path, suffix: str) -> None:
    """Remove unfinished files of `write_whole` whose processes have ended."""
    with contextlib.suppress(OSError):
        for path in folder.glob(f".*{suffix}.*{UNFINISHED}"):
            _remove_unfinished(path)


def _remove_unfinished(path: Path) -> None:
    try:
        handle = open_own(path)
    except (OSError, ValueError):
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if time.time() - os.fstat(handle).st_mtime >= _MIN_UNFINISHED_SECONDS:
            os.unlink(path)
    except OSError:
        pass  # its writer holds the lock, or the folder is read only
    finally:
        os.close(handle)

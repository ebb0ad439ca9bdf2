"""Files: opened though somebody else may have put them there, and written as a whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
import tempfile
import time
from pathlib import Path

# The end of the names of files that are being written.
UNFINISHED = ".part"

# An unfinished file that is younger may belong to a process that has not locked it yet; seconds.
_UNFINISHED_AGE = 60.0

_NOT_REGULAR = "it is no regular file"


def open_own(path: Path, flags: int = os.O_RDONLY) -> int:
    """Open a regular file of this user.

    Pipes and devices are not waited for, and links are not followed.

    Args:
        path: of the file.
        flags: as for `os.open`.

    Returns:
        The descriptor, which is the caller's to close.

    Raises:
        OSError: it cannot be opened.
        ValueError: it is no regular file, or belongs to another user.
    """
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
    """Read a file from its beginning to its end.

    Args:
        descriptor: of a regular file, as `open_own` returns it.
        most: bytes that the file may have.

    Raises:
        OSError: it cannot be read.
        ValueError: it is larger.
    """
    size = os.fstat(descriptor).st_size
    if size > most:
        raise ValueError(f"it is larger than {most:,} bytes")
    with open(descriptor, "rb", closefd=False) as file:
        return file.read(size)


def write_whole(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Write a file under another name first, so that readers find the old content or the new and nothing between.

    Folders that are missing on the way are made.

    Args:
        path: of the file.
        data: its content.
        durable: wait until the disk has it; else a power cut may lose it.

    Raises:
        OSError: the file cannot be written; what was there before stays.
    """
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
    """Remove the files that processes which have ended left unfinished in a folder, as `write_whole` names them.

    A file is kept where its writer still runs, where it is younger than a minute, and where it cannot be locked.

    Args:
        folder: where to look; nothing is removed where there is no such folder.
        suffix: the end of the names of the files that were to be written, such as `.json`.
    """
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
        if time.time() - os.fstat(handle).st_mtime >= _UNFINISHED_AGE:
            os.unlink(path)
    except OSError:
        pass  # its writer holds the lock, or the folder is read only
    finally:
        os.close(handle)

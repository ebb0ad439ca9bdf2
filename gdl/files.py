"""Files: opened though somebody else may have put them there, and written as a whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from pathlib import Path

# The end of the names of files that are being written.
UNFINISHED = ".part"

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
    import tempfile  # whoever only reads does without

    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=UNFINISHED, dir=path.parent)
    try:
        with open(handle, "wb") as file:
            os.fchmod(file.fileno(), 0o644)
            file.write(data)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise

"""Open files that may have been put there by somebody else, without waiting for them or following them elsewhere."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

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

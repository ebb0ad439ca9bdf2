"""Files that the page may read: those of a folder, by a name without a path, and nothing that leads out of it."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from ...common.errors import UserError, describe_os_error

# Of a name, in messages.
_ECHO = 80


class UnknownFileError(UserError):
    """Report that the folder has no such file."""


def file_in(folder: Path, name: str, suffix: str, what: str) -> Path:
    """Return the file of a folder that has a name, and nothing else.

    Args:
        folder: where it is.
        name: of the file, without the suffix.
        suffix: of all such files.
        what: it is called, in messages.

    Raises:
        UnknownFileError: there is none of that name, or it leads out of the folder.
    """
    path = folder / f"{name}{suffix}"
    if name.startswith(".") or {"/", "\\", "\0"} & set(name) or not _is_file(path):
        raise UnknownFileError(f"there is no {what} {name[:_ECHO]!r} in {folder}")
    if path.resolve().parent != folder.resolve():
        raise UnknownFileError(f"the {what} {name[:_ECHO]!r} leads out of {folder}")
    return path


def files_of(folder: Path, suffix: str) -> list[tuple[Path, os.stat_result]]:
    """List the files of a folder that end with a suffix, the latest first; there are none where there is no folder.

    Raises:
        UserError: the folder cannot be read.
    """
    files = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):  # gone meanwhile
                    if entry.name.endswith(suffix) and not entry.name.startswith(".") and entry.is_file():
                        files.append((folder / entry.name, entry.stat()))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise UserError(f"this folder cannot be read: {describe_os_error(error)}; see who may read it") from None
    return sorted(files, key=lambda each: each[1].st_mtime_ns, reverse=True)


def changed(path: Path) -> int:
    """Return when a file was changed, in nanoseconds; 0 where there is none."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def _is_file(path: Path) -> bool:
    """Tell whether there is a file; names that no file can have are none."""
    try:
        return path.is_file()
    except OSError:
        return False

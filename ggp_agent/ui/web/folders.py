"""Files that the page may read: files directly in a folder, by a name without a path."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from ...common.errors import UserError, describe_os_error
from ...common.terminal_text import encodable

# Maximal length of a name in messages.
_ECHO = 80


class UnknownFileError(UserError):
    """There is no such file in the folder."""


def file_in(folder: Path, name: str, suffix: str, what: str) -> Path:
    """Return the path of a file in a folder."""
    require_text(name)
    path = folder / f"{name}{suffix}"
    if name.startswith(".") or {"/", "\\", "\0"} & set(name) or not _is_file(path):
        raise UnknownFileError(f"there is no {what} {name[:_ECHO]!r} in {folder}")
    if path.resolve().parent != folder.resolve():
        raise UnknownFileError(f"the {what} {name[:_ECHO]!r} is outside of {folder}")
    return path


def require_text(name: str) -> None:
    """Raise UserError if the name of a file is not UTF-8; no address of the page could contain it."""
    if encodable(name) != name:
        raise UserError(f"{name}: the name of this file is not UTF-8; rename it")


def files_of(folder: Path, suffix: str) -> list[tuple[Path, os.stat_result]]:
    """List the files of a folder with a suffix, the latest first; empty if the folder does not exist."""
    files = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):  # deleted in between
                    if entry.name.endswith(suffix) and not entry.name.startswith(".") and entry.is_file():
                        files.append((folder / entry.name, entry.stat()))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise UserError(f"this folder cannot be read: {describe_os_error(error)}; check its permissions") from None
    return sorted(files, key=lambda each: each[1].st_mtime_ns, reverse=True)


def changed(path: Path) -> int:
    """Return the time of the last change in nanoseconds; 0 if the file does not exist."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def _is_file(path: Path) -> bool:
    """Return True if the file exists; False for names that are too long or invalid."""
    try:
        return path.is_file()
    except OSError:
        return False

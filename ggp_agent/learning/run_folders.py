"""The folders of runs of learning that the program starts by itself: one for each game, beside the compiled games.

Only the folders of the latest games are kept, because each may have some hundreds of megabytes. A process that learns a
game locks its folder.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from gdl.compile.cache import default_folder
from gdl.files import remove_unfinished

from ..common.database import lock_file
from ..common.errors import UserError

# The largest number of folders.
MAX_RUNS = 4

_FOLDER = "learning"
_LOCK = ".lock"


@contextlib.contextmanager
def run_folder(key: str) -> Iterator[Path]:
    """Yield the folder of the run of a game, which other processes cannot use meanwhile; remove the oldest folders."""
    cache = default_folder()
    if cache is None:
        raise UserError("the cache is off")
    folder = cache / _FOLDER / key
    folder.mkdir(parents=True, exist_ok=True)
    lock = lock_file(folder.with_name(key + _LOCK))
    try:
        os.utime(folder)  # the latest one
        for suffix in (".npz", ".json"):
            remove_unfinished(folder, suffix)
        _remove_oldest(folder.parent)
        yield folder
    finally:
        os.close(lock)


def _remove_oldest(parent: Path) -> None:
    folders = [path for path in parent.iterdir() if path.is_dir() and not path.is_symlink()]
    folders.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    for folder in folders[MAX_RUNS:]:
        with contextlib.suppress(OSError):  # another process learns this game
            lock = lock_file(folder.with_name(folder.name + _LOCK))
            try:
                shutil.rmtree(folder)
                folder.with_name(folder.name + _LOCK).unlink()
            finally:
                os.close(lock)

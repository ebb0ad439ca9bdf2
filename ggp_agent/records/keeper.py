"""Write the record of a running match, even if the disk is full for some time."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from gdl.files import remove_unfinished, write_whole

from ..common.errors import UserError
from .match_record import MatchRecord


class RecordKeeper:
    """Write a record each time it changes; the file is complete at any time.

    If the first write fails, the match does not start. If a later write fails, the match continues, the record is kept
    in memory, and writing is retried with the next change.
    """

    def __init__(
        self,
        record: MatchRecord,
        path: Path,
        note: Callable[[str], None],
        publish: Callable[[str], None] | None = None,
    ) -> None:
        self._record = record
        self._path = path
        self._note = note
        self._publish = publish
        self._written = False
        self._failure: str | None = None

    @property
    def failure(self) -> str | None:
        """The reason why the file is not up to date; None if it is."""
        return self._failure

    def save(self) -> None:
        """Write the record, or report a failure."""
        data = self._record.data()
        if not self._written:
            remove_unfinished(self._path.parent, self._path.suffix or self._path.name)
        try:
            write_whole(self._path, data)
        except OSError as error:
            if not self._written:
                raise _refusal(self._path, error) from None
            self._show(data)
            if self._failure is None:
                self._note(f"{self._path}: {_reason(error)}; the match continues, and its record is kept in memory")
            self._failure = _reason(error)
            return
        self._show(data)
        if self._failure is not None:
            self._note(f"{self._path}: the complete record is written again")
        self._written, self._failure = True, None

    def _show(self, data: bytes) -> None:
        if self._publish is not None:
            self._publish(data.decode())


@contextlib.contextmanager
def sole_writer(path: Path) -> Iterator[None]:
    """Prevent two processes from writing the same record at the same time.

    The lock (flock) is on a file next to the record, which is removed at the end. The system releases the lock of a
    killed process.
    """
    lock = path.with_name(f".{path.name}.lock")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = _locked(lock)
    except BlockingIOError:
        raise UserError(f"{path}: another match writes this record; wait for its end, or give another file") from None
    except OSError as error:
        raise _refusal(path, error) from None
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            lock.unlink()
        os.close(handle)


def _locked(lock: Path) -> int:
    """Return the descriptor of the locked file; retry if another process has removed the file meanwhile."""
    while True:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(handle), os.stat(lock)):
                    return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


def _refusal(path: Path, error: OSError) -> UserError:
    return UserError(f"{path}: the record cannot be written: {_reason(error)}; choose another file")


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()

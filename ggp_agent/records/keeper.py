"""Keep the record of a match on disk, also where the disk is full for a while."""

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
    """Write a record each time it changes; the file is whole at any moment.

    The first time it has to be written, so that a wrong path shows before anything is played. After that a match is
    worth more than its file: what cannot be written is kept in memory, and written as soon as that is possible.

    Args:
        record: what is kept.
        path: its file.
        note: told when it cannot be written, and when it can again, in one line.
        publish: given the text of each version, where there is somebody to see it.
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
        """Return the reason why the file is behind the match; None when it is not."""
        return self._failure

    def save(self) -> None:
        """Write the record, or tell that this must wait.

        Raises:
            UserError: it cannot be written, and never was.
        """
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
                self._note(f"{self._path}: {_reason(error)}; the match goes on, and its record waits in memory")
            self._failure = _reason(error)
            return
        self._show(data)
        if self._failure is not None:
            self._note(f"{self._path}: the record is written again, as a whole")
        self._written, self._failure = True, None

    def _show(self, data: bytes) -> None:
        if self._publish is not None:
            self._publish(data.decode())


@contextlib.contextmanager
def sole_writer(path: Path) -> Iterator[None]:
    """Keep a record from being written for two matches, or by two managers that go on with one, at the same time.

    A lock of the system's (flock) on a file beside the record, which is removed in the end; that of a process that was
    killed is free, and its file goes with that of the next one.

    Raises:
        UserError: another process writes it, or nothing can be written there.
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
    """Return a handle of the lock's file, held by us; somebody who removed it meanwhile has not removed ours."""
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
    return UserError(f"{path}: the record cannot be written: {_reason(error)}; choose another place")


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()

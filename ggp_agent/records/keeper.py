"""Keep the record of a match on disk, also where the disk is full for a while."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ..errors import UserError
from .match_record import MatchRecord


class RecordKeeper:
    """Write a record each time it changes; the file is whole at any moment.

    The first time it has to be written, so that a wrong path shows before anything is played. After that a match is
    worth more than its file: what cannot be written is kept in memory, and written as soon as that is possible.

    Args:
        record: what is kept.
        path: its file.
        note: told when it cannot be written, and when it can again, in one line.
    """

    def __init__(self, record: MatchRecord, path: Path, note: Callable[[str], None]) -> None:
        self._record = record
        self._path = path
        self._note = note
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
        try:
            self._record.write(self._path)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            if not self._written:
                raise UserError(f"{self._path}: the record cannot be written: {reason}; choose another place") from None
            if self._failure is None:
                self._note(f"{self._path}: {reason}; the match goes on, and its record waits in memory")
            self._failure = reason
            return
        if self._failure is not None:
            self._note(f"{self._path}: the record is written again, as a whole")
        self._written, self._failure = True, None

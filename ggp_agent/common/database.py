"""SQLite files of this program: identified by a mark and a version, checked when opened, changed in transactions.

They use a write-ahead log (WAL), so that a report can be read while matches are played. One process writes, and every
change is on disk at the end of its block.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import itertools
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Self

from .errors import UserError

# SQLite's names of the types of stored values, by the type of the column.
_STORED = {"TEXT": "'text'", "INTEGER": "'integer'", "REAL": "'real', 'integer'"}
# Maximal length of a wrong value in messages.
_ECHO = 40


@dataclass(frozen=True, slots=True)
class FileFormat:
    """The format of a kind of file."""

    what: str  # the kind of content, for messages, such as `tournament`
    mark: int  # SQLite's application_id
    version: int  # the version of the tables, SQLite's user_version
    # The statements that create the tables, separated by `;` and a line break. A table with IF NOT EXISTS is younger
    # than the version: older files do not have it until they are written.
    schema: str
    settings: str  # the table of settings
    # A condition in SQL on every row, by table, in addition to the types of columns.
    bounds: Mapping[str, str] = field(default_factory=dict)
    # The time at which SQLite waits for the disk: FULL at every change; NORMAL sometimes, which loses no changes when
    # this process exits, but may lose the last ones when the machine stops.
    synchronous: str = "FULL"


class Database:
    """Store data in a file; a derived class defines its format."""

    form: ClassVar[FileFormat]

    def __init__(self, path: Path, *, new: bool = False) -> None:
        self.path = path  # the file
        if not new and not path.is_file():
            raise UserError(f"{path}: this {self.form.what} does not exist")
        self._db = sqlite3.connect(path, timeout=30.0, isolation_level=None)
        try:
            self._open(new)
        except BaseException:
            self._db.close()
            raise

    def _open(self, new: bool) -> None:
        form = self.form
        try:
            (application,) = self._db.execute("PRAGMA application_id").fetchone()
            (version,) = self._db.execute("PRAGMA user_version").fetchone()
            (tables,) = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.DatabaseError as error:
            raise UserError(f"{self.path}: this is not a {form.what} ({error}); name another file") from None
        if new and tables == 0 and application == 0 and version == 0:
            self._db.execute("PRAGMA journal_mode = WAL")
            with self.change():
                for statement in form.schema.split(";\n"):
                    self._db.execute(statement)
                self._db.execute(f"PRAGMA application_id = {form.mark}")
                self._db.execute(f"PRAGMA user_version = {form.version}")
        elif application != form.mark:
            raise UserError(f"{self.path}: this is not a {form.what}; name another file")
        elif version != form.version:
            raise UserError(
                f"{self.path}: written by another version of this program (format {version}, not {form.version})"
            )
        else:
            self.require_sound()
        self._db.execute(f"PRAGMA synchronous = {form.synchronous}")
        self._db.execute("PRAGMA foreign_keys = ON")

    def require_sound(self) -> None:
        """Refuse a damaged file, or contents that this program does not write: files may come from anywhere."""
        try:
            found = self._damage()
        except sqlite3.DatabaseError as error:
            found = str(error)
        if found:
            advice = "start again with another name, or restore it from a copy"
            raise UserError(f"{self.path}: this {self.form.what} is damaged: {found}; {advice}")

    def _damage(self) -> str:
        """Check every row; return a short description of the damage, or an empty text."""
        (found,) = self._db.execute("PRAGMA quick_check(1)").fetchone()
        if found != "ok":
            return str(found)
        tables = {name for (name,) in self._db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        for table, columns in _types_of_columns(self.form.schema).items():
            if table not in tables:
                if f"IF NOT EXISTS {table} " in self.form.schema:
                    continue
                return f"the table {table} is missing"
            present = {row[1] for row in self._db.execute(f"PRAGMA table_info({table})")}
            for column, types in columns.items():
                if column not in present:
                    return f"{table} has no column {column}"
                # SQLite also stores text in an INTEGER column.
                wrong = f"SELECT {column} FROM {table} WHERE typeof({column}) NOT IN ({types}) LIMIT 1"
                for (value,) in self._db.execute(wrong):
                    return f"in {table}, {column} is {str(value)[:_ECHO]!r}"
            bounds = self.form.bounds.get(table, "TRUE")
            if self._db.execute(f"SELECT 1 FROM {table} WHERE NOT ({bounds}) LIMIT 1").fetchone():
                return f"in {table}, a value is out of range"
        return ""

    def add_younger_tables(self) -> None:
        """Create the tables that an older file does not have."""
        for statement in self.form.schema.split(";\n"):
            if "IF NOT EXISTS" in statement:
                self._db.execute(statement)

    def set(self, key: str, value: str) -> None:
        """Store a setting."""
        self._db.execute(f"INSERT OR REPLACE INTO {self.form.settings} VALUES (?, ?)", (key, value))

    def setting(self, key: str) -> str | None:
        """Return a setting; None if it is not stored."""
        row = self._db.execute(f"SELECT value FROM {self.form.settings} WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @contextlib.contextmanager
    def change(self) -> Iterator[None]:
        """Run a block as a transaction."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")


@functools.cache
def _types_of_columns(schema: str) -> dict[str, dict[str, str]]:
    """Return the allowed types of the values of each column of each table, as a list in SQL."""
    with contextlib.closing(sqlite3.connect(":memory:")) as db:
        db.executescript(schema)
        tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {
            table: {
                column: _STORED[kind] + ("" if needed or key else ", 'null'")
                for _, column, kind, needed, _, key in db.execute(f"PRAGMA table_info({table})")
            }
            for table in tables
        }


def lock_file(path: Path, *, shared: bool = False, patience: float = 0.0) -> int:
    """Lock a file with flock, which ends with the process; create the file if it does not exist."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    until = time.monotonic() + patience
    try:
        while True:
            try:
                fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
                return handle
            except BlockingIOError:
                if time.monotonic() >= until:
                    raise
            time.sleep(0.05)
    except BaseException:
        os.close(handle)
        raise


@contextlib.contextmanager
def owned(path: Path, doing: str) -> Iterator[None]:
    """Lock a file for writing: a lock file next to it contains the process number. The lock file is not deleted."""
    lock = path.with_name(path.name + ".lock")
    try:
        handle = lock_file(lock)
    except BlockingIOError:
        pid = lock.read_text(encoding="ascii", errors="replace").strip()[:32]
        other = f"process {pid}" if pid else "another process"
        raise UserError(f"{path}: {other} is {doing}; wait until it ends, or stop it with Ctrl-C") from None
    try:
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
        yield
        os.ftruncate(handle, 0)
    finally:
        os.close(handle)


def put_aside(path: Path, beside: Callable[[Path], Path] | None = None) -> Path | None:
    """Rename an SQLite file and its associated files; return the new name, or None if the file does not exist."""
    if not path.exists():
        return None

    def parts(file: Path) -> list[Path]:
        own = [file.with_name(file.name + suffix) for suffix in ("-wal", "-shm", "")]
        return own if beside is None else [beside(file), *own]

    names = (path.with_name(f"{path.stem}.{number}{path.suffix}") for number in itertools.count(1))
    aside = next(name for name in names if not any(part.exists() for part in parts(name)))
    for part, renamed in zip(parts(path), parts(aside), strict=True):
        if part.exists():
            part.rename(renamed)
    return aside

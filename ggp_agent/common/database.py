"""SQLite files of this program: opened, known by a mark, of one version, and changed whole or not at all.

They use a write-ahead log (WAL), so that a report can be read while matches are played. One process writes, and every
change is on disk when its block ends.
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

# What SQLite calls the values that columns of a type hold.
_STORED = {"TEXT": "'text'", "INTEGER": "'integer'", "REAL": "'real', 'integer'"}
# Characters of a wrong value that are shown.
_ECHO = 40


@dataclass(frozen=True, slots=True)
class FileFormat:
    """What a kind of file looks like.

    Attributes:
        what: it holds, for messages, such as `tournament`; also the name of its table of settings, keys and values.
        mark: SQLite's application_id.
        version: of its tables, SQLite's user_version.
        schema: the statements that make the tables, separated by `;` and a line break.
        bounds: by table, in SQL, what holds of every row besides the types of its columns.
        synchronous: when SQLite waits for the disk: FULL with every change, NORMAL now and then, which is safe from the
            end of this process and loses the last changes at that of the machine.
    """

    what: str
    mark: int
    version: int
    schema: str
    bounds: Mapping[str, str] = field(default_factory=dict)
    synchronous: str = "FULL"


class Database:
    """Keep data of a form, which a derived class names, in a file.

    Args:
        path: of the file.
        new: make it where there is none yet, or one without tables.

    Attributes:
        path: of the file.

    Raises:
        UserError: it is none of ours, of another version, or damaged.
        sqlite3.Error: it cannot be read or written.
    """

    form: ClassVar[FileFormat]

    def __init__(self, path: Path, *, new: bool = False) -> None:
        self.path = path
        if not new and not path.is_file():
            raise UserError(f"{path}: no such {self.form.what} was begun")
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
            raise UserError(f"{self.path}: this is no {form.what} ({error}); name another file") from None
        if new and tables == 0 and application == 0 and version == 0:
            self._db.execute("PRAGMA journal_mode = WAL")
            with self.change():
                for statement in form.schema.split(";\n"):
                    self._db.execute(statement)
                self._db.execute(f"PRAGMA application_id = {form.mark}")
                self._db.execute(f"PRAGMA user_version = {form.version}")
        elif application != form.mark:
            raise UserError(f"{self.path}: this is no {form.what}; name another file")
        elif version != form.version:
            raise UserError(
                f"{self.path}: kept by another version of this program (form {version}, not {form.version})"
            )
        else:
            self.require_sound()
        self._db.execute(f"PRAGMA synchronous = {form.synchronous}")
        self._db.execute("PRAGMA foreign_keys = ON")

    def require_sound(self) -> None:
        """Refuse a file that is damaged, or holds what this program does not write: it may be from anywhere.

        Raises:
            UserError: it is.
        """
        try:
            found = self._damage()
        except sqlite3.DatabaseError as error:
            found = str(error)
        if found:
            advice = "begin anew under another name, or restore it from a copy"
            raise UserError(f"{self.path}: this {self.form.what} is damaged: {found}; {advice}")

    def _damage(self) -> str:
        """Say what is wrong, in a few words, after a look at every row; empty where nothing is."""
        (found,) = self._db.execute("PRAGMA quick_check(1)").fetchone()
        if found != "ok":
            return str(found)
        tables = {name for (name,) in self._db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        for table, columns in _types_of_columns(self.form.schema).items():
            if table not in tables:
                return f"the table {table} is missing"
            present = {row[1] for row in self._db.execute(f"PRAGMA table_info({table})")}
            for column, types in columns.items():
                if column not in present:
                    return f"{table} has no column {column}"
                # SQLite keeps text also where a column says INTEGER.
                wrong = f"SELECT {column} FROM {table} WHERE typeof({column}) NOT IN ({types}) LIMIT 1"
                for (value,) in self._db.execute(wrong):
                    return f"in {table}, {column} is {str(value)[:_ECHO]!r}"
            bounds = self.form.bounds.get(table, "TRUE")
            if self._db.execute(f"SELECT 1 FROM {table} WHERE NOT ({bounds}) LIMIT 1").fetchone():
                return f"in {table}, a value is beyond its bounds"
        return ""

    def set(self, key: str, value: str) -> None:
        """Keep a setting."""
        self._db.execute(f"INSERT OR REPLACE INTO {self.form.what} VALUES (?, ?)", (key, value))

    def setting(self, key: str) -> str | None:
        """Return a setting; None where it was not kept."""
        row = self._db.execute(f"SELECT value FROM {self.form.what} WHERE key = ?", (key,)).fetchone()
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
        """Make the changes of a block together, or none of them."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")


@functools.cache
def _types_of_columns(schema: str) -> dict[str, dict[str, str]]:
    """Return the types, as a list in SQL, that the values of each column of each table may have."""
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
    """Lock a file by the system's flock, which ends with its owner, however it ends; make the file where there is none.

    Args:
        path: of the lock file.
        shared: keep away those alone who want it for themselves.
        patience: seconds to wait for another owner's end.

    Returns:
        Its handle, which holds the lock until it is closed.

    Raises:
        BlockingIOError: another process holds it.
        OSError: the file cannot be made.
    """
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
    """Be the only process that writes a file: hold a lock beside it, with our number inside. The lock's file stays.

    Args:
        path: of the file that is written.
        doing: what the owner does, for a message, such as `running this study`.

    Raises:
        UserError: another process owns it.
        OSError: the lock file cannot be made.
    """
    lock = path.with_name(path.name + ".lock")
    try:
        handle = lock_file(lock)
    except BlockingIOError:
        pid = lock.read_text(encoding="ascii", errors="replace").strip()[:32]
        other = f"process {pid}" if pid else "another process"
        raise UserError(f"{path}: {other} is {doing}; wait for its end, or end it with Ctrl-C") from None
    try:
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
        yield
        os.ftruncate(handle, 0)
    finally:
        os.close(handle)


def put_aside(path: Path, beside: Callable[[Path], Path] | None = None) -> Path | None:
    """Rename a file of SQLite's, with what is kept beside it, and return the new name; None where there is none.

    Args:
        path: of the file, which the caller owns.
        beside: the folder that belongs to a file.
    """
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

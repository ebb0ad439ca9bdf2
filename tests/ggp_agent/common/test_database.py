"""Files of SQLite's: what is refused, who owns them, and how they are put aside."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from ggp_agent.common.database import Database, FileFormat, lock_file, owned, put_aside
from ggp_agent.common.errors import UserError

SCHEMA = """CREATE TABLE shelf (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE books (number INTEGER PRIMARY KEY, title TEXT, weight REAL NOT NULL, pages INTEGER NOT NULL);
"""


class Shelf(Database):
    form = FileFormat("shelf", 0x626F6F6B, 3, SCHEMA, "shelf", bounds={"books": "pages > 0"})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a file with one book, whose title is not known."""
    file = tmp_path / "books.db"
    with Shelf(file, new=True) as shelf, shelf.change():
        shelf.set("room", "attic")
        shelf._db.execute("INSERT INTO books VALUES (1, NULL, 2, 300)")
    return file


def test_written_entries_are_read(path: Path) -> None:
    with Shelf(path) as shelf:
        assert (shelf.setting("room"), shelf.setting("floor")) == ("attic", None)
        with pytest.raises(ZeroDivisionError), shelf.change():
            shelf.set("room", "cellar")
            raise ZeroDivisionError
        assert shelf.setting("room") == "attic"


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ("UPDATE books SET pages = 'many'", "this shelf is damaged: in books, pages is 'many'"),
        ("UPDATE books SET title = x'00'", "this shelf is damaged: in books, title is"),
        ("UPDATE books SET weight = x'00'", "this shelf is damaged: in books, weight is"),
        ("UPDATE books SET pages = 0", "this shelf is damaged: in books, a value is out of range"),
        ("ALTER TABLE books DROP COLUMN title", "this shelf is damaged: books has no column title"),
        ("DROP TABLE books", "this shelf is damaged: the table books is missing"),
        ("PRAGMA user_version = 4", "written by another version of this program (format 4, not 3)"),
        ("PRAGMA application_id = 4", "this is not a shelf; name another file"),
    ],
)
def test_a_file_that_is_not_as_we_write_it_is_refused(path: Path, change: str, complaint: str) -> None:
    with sqlite3.connect(path) as db:
        db.execute(change)
    db.close()
    for new in (False, True):
        with pytest.raises(UserError) as caught:
            Shelf(path, new=new)
        assert str(caught.value).startswith(f"{path}: {complaint}")


def test_what_is_no_file_of_ours_is_refused_and_kept(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="this shelf does not exist"):
        Shelf(tmp_path / "none.db")
    text = tmp_path / "text.db"
    text.write_text("a text, long enough to be none of SQLite's files " * 100)
    before = text.read_bytes()
    with pytest.raises(UserError, match="this is not a shelf"):
        Shelf(text, new=True)
    assert text.read_bytes() == before


@pytest.mark.parametrize("mark", ["PRAGMA user_version = 9", "PRAGMA application_id = 9"])
def test_a_file_without_tables_that_is_marked_as_something_else_is_refused_and_kept(tmp_path: Path, mark: str) -> None:
    file = tmp_path / "marked.db"
    with sqlite3.connect(file) as db:
        db.execute(mark)
    db.close()
    before = file.read_bytes()
    with pytest.raises(UserError, match="this is not a shelf"):
        Shelf(file, new=True)
    assert file.read_bytes() == before


def test_one_owner_at_a_time(path: Path) -> None:
    with owned(path, "sorting books"):
        with pytest.raises(UserError) as caught, owned(path, "sorting books"):
            pass
        assert str(caught.value).startswith(f"{path}: process {os.getpid()} is sorting books; wait until it ends")
    with owned(path, "sorting books"):
        pass


def test_a_shared_lock_keeps_away_a_sole_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "lock"
    handles = [lock_file(file, shared=True) for _ in range(2)]
    with pytest.raises(BlockingIOError):
        lock_file(file)
    for handle in handles:
        os.close(handle)
    os.close(lock_file(file))


def test_a_file_is_put_aside_with_all_that_belongs_to_it(path: Path) -> None:
    def folder(file: Path) -> Path:
        return file.with_suffix(".covers")

    path.with_name("books.1.covers").mkdir()  # that name is taken
    path.with_name("books.db-wal").touch()
    folder(path).mkdir()
    assert put_aside(path, folder) == path.with_name("books.2.db")
    names = {"books.1.covers", "books.2.covers", "books.2.db", "books.2.db-wal"}
    assert {each.name for each in path.parent.iterdir()} == names
    assert put_aside(path, folder) is None

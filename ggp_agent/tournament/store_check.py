"""Look at the state of a tournament before it is used: a file from elsewhere may hold anything.

SQLite keeps text where a column says INTEGER; so does the file of somebody who wrote it by hand. A state that is not
what `schema.sql` says is refused as a whole, with the place.
"""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

from ..errors import UserError

_TEXT, _WHOLE = "'text'", "'integer'"
_OPTIONAL = "'null'"
# The types that SQLite may have stored in each column, and bounds of numbers.
_COLUMNS: dict[str, dict[str, str]] = {
    "tournament": {"key": _TEXT, "value": _TEXT},
    "players": {"name": _TEXT, "spec": _TEXT, "failures": _WHOLE, "benched": _TEXT},
    "matches": {
        "number": _WHOLE,
        "round": _WHOLE,
        "game": _TEXT,
        "seed": _WHOLE,
        "state": _TEXT,
        "reason": _TEXT,
        "deaths": _WHOLE,
        "match_id": f"{_TEXT}, {_OPTIONAL}",
    },
    "seats": {
        "match": _WHOLE,
        "seat": _WHOLE,
        "role": _TEXT,
        "player": f"{_TEXT}, {_OPTIONAL}",
        "goal": f"{_WHOLE}, {_OPTIONAL}",
    },
    "attempts": {"match_id": _TEXT, "match": _WHOLE, "outcome": _TEXT},
    "moves": {
        "match": _WHOLE,
        "turn": _WHOLE,
        "seat": _WHOLE,
        "move": f"{_TEXT}, {_OPTIONAL}",
        "milliseconds": _WHOLE,
        "error": _TEXT,
    },
    "byes": {"round": _WHOLE, "player": _TEXT, "size": _WHOLE},
    "memory": {"match_id": _TEXT, "process": _TEXT, "megabytes": "'real', 'integer'"},
}
# What else must hold of each row.
_BOUNDS = {
    "matches": "round >= 0 AND seed >= 0",
    "seats": "seat >= 0 AND (goal IS NULL OR goal BETWEEN 0 AND 100)",
    "moves": "turn >= 0 AND milliseconds BETWEEN 0 AND 4102444800000",
}
_PLAN = {"players": dict, "games": dict, "rounds": int, "matches": int}
_ECHO = 40


def require_sound(db: sqlite3.Connection, path: Path) -> None:
    """Refuse a state that no tournament of ours has written; takes a look at every row.

    Raises:
        UserError: a table is missing, or a value is not what it must be; one line that begins with the path.
        sqlite3.Error: the file cannot be read.
    """
    found = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    for table, columns in _COLUMNS.items():
        if table not in found:
            raise _refusal(path, f"the table {table} is missing")
        present = {row[1] for row in db.execute(f"PRAGMA table_info({table})")}
        if missing := [column for column in columns if column not in present]:
            raise _refusal(path, f"{table} has no column {missing[0]}")
        for column, types in columns.items():
            _require_none(db, path, table, column, f"typeof({column}) NOT IN ({types})")
        if table in _BOUNDS:
            _require_none(db, path, table, "*", f"NOT ({_BOUNDS[table]})")
    settings = dict(db.execute("SELECT key, value FROM tournament"))
    rounds = settings.get("rounds", "0")
    if not (rounds.isascii() and rounds.isdigit() and len(rounds) < 10):
        raise _refusal(path, f"rounds is {rounds[:_ECHO]!r}")
    if "plan" in settings and not _is_plan(settings["plan"]):
        raise _refusal(path, "what is to be played cannot be read")


def _require_none(db: sqlite3.Connection, path: Path, table: str, column: str, wrong: str) -> None:
    row = db.execute(f"SELECT {column} FROM {table} WHERE {wrong} LIMIT 1").fetchone()
    if row is not None:
        what = f"{column} is {str(row[0])[:_ECHO]!r}" if column != "*" else "a number is beyond its bounds"
        raise _refusal(path, f"in {table}, {what}")


def _is_plan(text: str) -> bool:
    try:
        plan: Any = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(plan, dict) and all(type(plan.get(key)) is kind for key, kind in _PLAN.items())


def _refusal(path: Path, what: str) -> UserError:
    advice = "begin anew, which keeps this under another name, or name another file"
    return UserError(f"{path}: this state of a tournament is damaged: {what}; {advice}")

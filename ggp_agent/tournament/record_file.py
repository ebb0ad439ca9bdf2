"""What a match left on disk: its record, which settles whether the match was played.

A host worker writes the record as a whole after every move. As soon as it says `isCompleted` the match is over,
whatever was killed since; a record that does not say so is of a match that is given up.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..records.files import read_document, read_record


@dataclass(frozen=True, slots=True)
class Played:
    """A match that was played to its end; lists within are per role.

    Attributes:
        goals: 0 .. 100, None where the rules give none.
        moves: joint moves.
        milliseconds: the time of each move.
        errors: what went wrong, the codes of the match record; one entry more than moves, the first is of START.
    """

    goals: tuple[int | None, ...]
    moves: list[list[str]]
    milliseconds: list[list[int]]
    errors: list[list[str]]


def record_folder(state: Path) -> Path:
    """Return where the records of a tournament are."""
    return state.with_suffix(".matches")


def record_path(state: Path, match_id: str) -> Path:
    """Return where the record of a match is."""
    return record_folder(state) / f"{match_id}.json"


def read_played(path: Path) -> Played | None:
    """Read the record of a match; None where it was not played to its end, or was never begun.

    Raises:
        UserError: this is no record of a match.
    """
    if not path.exists():
        return None
    document = read_document(path)
    if not document.get("isCompleted"):
        return None
    return Played(tuple(document["goalValues"]), document["moves"], document["moveTimes"], document["errors"])


def mark_aborted(path: Path) -> None:
    """Note in the record of a match that it was given up; nothing where there is none."""
    if not path.exists():
        return
    record = read_record(path)
    if not record.aborted:
        record.aborted = True
        record.write(path)


def remove_parts(state: Path, match_id: str = "*") -> None:
    """Remove what processes that were killed had not written to its end, of one match or all; nobody may write it."""
    for part in record_folder(state).glob(f".{match_id}.json.*.part"):
        part.unlink(missing_ok=True)

"""What a match left on disk: its record, which settles whether the match was played.

A host worker writes the record as a whole after every move. As soon as the record says `isCompleted`, or that the turn
limit stopped the match, the match is over, whatever was killed since. Any other record is of a match that is given up.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ...records.read_record import read_record


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """A match that was played to its end or to its turn limit; lists within are per role.

    Attributes:
        goals: 0 .. 100, the highest of several values; None where no value holds, and for all roles if the turn limit
            stopped the match.
        moves: joint moves.
        milliseconds: the time of each move.
        errors: what went wrong, the codes of the match record; one entry more than moves, the first is of START.
        stopped: whether the turn limit stopped the match.
    """

    goals: tuple[int | None, ...]
    moves: list[list[str]]
    milliseconds: list[list[int]]
    errors: list[list[str]]
    stopped: bool = False


def record_folder(state: Path) -> Path:
    """Return where the records of a tournament are."""
    return state.with_suffix(".matches")


def record_path(state: Path, match_id: str) -> Path:
    """Return where the record of a match is."""
    return record_folder(state) / f"{match_id}.json"


def read_played(path: Path) -> PlayedMatch | None:
    """Read the record of a match; None if it was given up before its end and its turn limit, or was never begun.

    Raises:
        UserError: this is no record of a match.
    """
    if not path.exists():
        return None
    record = read_record(path)
    stopped = record.is_stopped_at_turn_limit
    if not record.completed and not stopped:
        return None
    goals = (None,) * len(record.roles) if stopped else tuple(record.scores)
    return PlayedMatch(goals, record.moves, record.move_times, record.errors, stopped)


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

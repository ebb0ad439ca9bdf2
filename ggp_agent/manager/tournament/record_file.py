"""The record file of a match, which determines whether the match was played.

A worker writes the complete record after each move. A match is over if its record contains `isCompleted`, or that the
turn limit stopped it. Any other record belongs to an aborted match.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ...records.read_record import read_record
from ..openings import opening_plies
from ..text_players import REPAIRED, RETRIED, counted_answers


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """A match that was played to its end or to its turn limit.

    The turns of an opening are left out, because the players did not choose them.
    """

    # The goal of each role, 0 .. 100, the highest of several values; None if the role has no goal value, or if the
    # turn limit stopped the match.
    goals: tuple[int | None, ...]
    moves: list[list[str]]  # the joint moves
    milliseconds: list[list[int]]  # the times of the moves, per turn and role
    errors: list[list[str]]  # the error codes of the match record, per turn and role; the first entry belongs to START
    stopped: bool = False  # whether the turn limit stopped the match
    # `adjudicated` if the players agreed on the goals, `forfeited` if a player failed; otherwise empty.
    adjudicated: str = ""
    retried: tuple[int, ...] = ()  # the number of repeated requests to each role; empty without text players
    repaired: tuple[int, ...] = ()  # the number of repaired answers of each role; empty without text players


def record_folder(state: Path) -> Path:
    """Return the folder of the records of a tournament."""
    return state.with_suffix(".matches")


def record_path(state: Path, match_id: str) -> Path:
    """Return the path of the record of a match."""
    return record_folder(state) / f"{match_id}.json"


def read_played(path: Path) -> PlayedMatch | None:
    """Read the record of a match; None if the match was aborted or has no record."""
    if not path.exists():
        return None
    record = read_record(path)
    stopped = record.is_stopped_at_turn_limit
    if not record.completed and not stopped:
        return None
    goals = (None,) * len(record.roles) if stopped else tuple(record.scores)
    first = opening_plies(record)
    return PlayedMatch(
        goals,
        record.moves[first:],
        record.move_times[first:],
        [record.errors[0], *record.errors[first + 1 :]],
        stopped,
        "forfeited" if record.is_forfeited else "adjudicated" if record.is_adjudicated else "",
        tuple(counted_answers(record, RETRIED)),
        tuple(counted_answers(record, REPAIRED)),
    )


def mark_aborted(path: Path) -> None:
    """Mark the record of a match, if it exists, as aborted."""
    if not path.exists():
        return
    record = read_record(path)
    if not record.aborted:
        record.aborted = True
        record.write(path)


def remove_parts(state: Path, match_id: str = "*") -> None:
    """Remove incomplete files of killed processes, of one match or of all; no process may be writing them."""
    for part in record_folder(state).glob(f".{match_id}.json.*.part"):
        part.unlink(missing_ok=True)

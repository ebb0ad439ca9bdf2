"""The expected goals of the roles during a match, reported by the players or found by a later search.

Values are mean goals, 0..100, of each role in each position. A record has a field for the values at the time of play:
on the page and in the terminal, the agent reports the values of all roles; in matches, each player reports its own.
`analysis` writes its values to a file next to the record, so that the record and its signature stay unchanged.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

from gdl.files import write_whole
from gdl.json_text import parse_json

from ..common.errors import UserError
from .match_record import MatchRecord
from .record_list import SUFFIX, VALUES_SUFFIX, record_name
from .record_terms import term_key

# The values of one position, one per role, None for unknown values; None if all are unknown.
Values: TypeAlias = tuple[float | None, ...] | None

FIELD = "roleValues"
_FORM = "ggp-agent values 1"
_MAX_BYTES = 16 << 20
# The smallest loss that is shown, and the largest number of losses.
_MIN_LOSS = 10.0
_MAX_LOSSES = 20
_NOOP = "noop"


@dataclass(frozen=True, slots=True)
class Loss:
    """A turn in which the value of a role fell after its own move."""

    turn: int  # the number of the turn, from 1
    role: int  # the number of the role
    lost: float  # the decrease of the value, 0..100
    left: float  # the value after the turn
    better: str = ""  # the best move that the search found instead; empty if it is unknown or was made


def losses(values: Sequence[Values], moves: Sequence[Sequence[str]], best: Sequence[Sequence[str]] = ()) -> list[Loss]:
    """Return the largest losses, in the order of turns.

    The loss of role r in turn t is v_r(t-1) - v_r(t), with the values of the positions before and after the turn. A
    role that plays `noop` has no loss. If values are unknown, the difference of two consecutive known values is the
    loss of the only move that the role made between them; if it made several moves, there is no loss.

    >>> losses([(60, 40), (20, 80), None, (50, 50)], [["a", "noop"], ["noop", "b"], ["a", "noop"]])
    [Loss(turn=1, role=0, lost=40, left=20, better=''), Loss(turn=2, role=1, lost=30, left=50, better='')]
    """
    found = []
    for role in range(len(moves[0]) if moves else 0):
        entries = [(turn, each[role]) for turn, each in enumerate(values[: len(moves) + 1]) if each is not None]
        known = [(turn, value) for turn, value in entries if value is not None]
        for (before, had), (after, has) in pairwise(known):
            made = [turn for turn in range(before + 1, after + 1) if term_key(moves[turn - 1][role]) != _NOOP]
            if len(made) == 1 and had - has >= _MIN_LOSS:
                found.append(Loss(made[0], role, had - has, has, _better(made[0], role, moves, best)))
    found.sort(key=lambda each: -each.lost)
    return sorted(found[:_MAX_LOSSES], key=lambda each: (each.turn, each.role))


def _better(turn: int, role: int, moves: Sequence[Sequence[str]], best: Sequence[Sequence[str]]) -> str:
    """Return the best move of a role in a turn; empty if it is unknown or was made."""
    found = best[turn - 1][role] if turn <= len(best) else ""
    return "" if not found or term_key(found) == term_key(moves[turn - 1][role]) else found


def values_path(record: Path) -> Path:
    """Return the path of the values of a record."""
    return record.with_name(record_name(record) + VALUES_SUFFIX)


def write_values(path: Path, record: MatchRecord, values: Sequence[Values], best: Sequence[Sequence[str]] = ()) -> None:
    """Write the values of a record, and the best move of each role in its positions; raise OSError if this fails."""
    document = {
        "form": _FORM,
        "match": record.match_id,
        "moves": len(record.moves),
        "values": rounded(values),
        "best": [list(each) for each in best],
    }
    write_whole(path, (json.dumps(document, separators=(",", ":")) + "\n").encode())


def values_of(record: MatchRecord, path: Path | None = None) -> list[Values]:
    """Return the values of a match: the values of the file next to the record, otherwise the recorded ones.

    The values after the last turn of a completed match are its goals. Values that do not match the record are ignored:
    a file may belong to an earlier state of the match.
    """
    roles = _number_of_roles(record)
    stored = _read(values_path(path), record) if path is not None else None
    if stored is not None and (kept := _checked(stored.get("values"), roles, len(record.states))):
        return kept
    found = _checked(record.extra.get(FIELD), roles, len(record.states)) or []
    if found and len(record.scores) == roles and len(found) <= len(record.moves):
        found += [None] * (len(record.moves) - len(found))
        found.append(tuple(record.scores))
    return found


def best_moves_of(record: MatchRecord, path: Path) -> list[list[str]]:
    """Return the best move of each role in the positions of a match, by its analysis; empty if they are unknown."""
    stored = _read(values_path(path), record)
    found = stored.get("best") if stored is not None else None
    if not isinstance(found, list) or len(found) > len(record.states):
        return []
    roles = _number_of_roles(record)
    is_valid = all(
        isinstance(each, list) and len(each) in (0, roles) and all(isinstance(move, str) for move in each)
        for each in found
    )
    return [each or [""] * roles for each in found] if is_valid else []


def recorded_values(record: MatchRecord) -> list[Values]:
    """Return the recorded values, one entry per move: the values before the move."""
    recorded = values_of(record)[: len(record.moves)]
    return [*recorded, *[None] * (len(record.moves) - len(recorded))]


def record_values(record: MatchRecord, values: Sequence[Values]) -> None:
    """Store the values before each move in a record; without any value, there is no such field."""
    record.extra.pop(FIELD, None)
    if any(each is not None for each in values):
        record.extra[FIELD] = rounded(values)


def rounded(values: Sequence[Values]) -> list[list[float | None] | None]:
    """Return values for JSON, rounded to one decimal place."""
    return [None if each is None else [None if value is None else round(value, 1) for value in each] for each in values]


def _number_of_roles(record: MatchRecord) -> int:
    return len(record.moves[0]) if record.moves else len(record.roles)


def _read(path: Path, record: MatchRecord) -> dict[str, Any] | None:
    """Return the document of a file of values; None if it is not a valid one of this record."""
    try:
        if not path.is_file() or path.stat().st_size > _MAX_BYTES:
            return None
        document = parse_json(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(document, dict) or document.get("form") != _FORM or document.get("match") != record.match_id:
        return None
    moves = document.get("moves")
    return document if type(moves) is int and moves <= len(record.moves) else None


def _checked(found: Any, roles: int, states: int) -> list[Values] | None:
    """Check values from a file or record; None if they are invalid."""
    if not isinstance(found, list) or len(found) > states:
        return None
    values: list[Values] = []
    for each in found:
        if each is None:
            values.append(None)
        elif isinstance(each, list) and len(each) == roles and all(_is_value(value) for value in each):
            values.append(tuple(None if value is None else float(value) for value in each))
        else:
            return None
    return values if any(each is not None for each in values) else None


def _is_value(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 100)


def require_record(path: Path) -> None:
    """Check that values can be stored next to a file; raise UserError if not."""
    if not path.name.endswith(SUFFIX):
        raise UserError(f"{path}: the file of a record must end with {SUFFIX}; the values are stored next to it")

"""What roles could expect in the course of a match: told by its players, or found out by a search afterwards.

Values are mean goals, 0..100, of each role in each position. Records have a field for what was expected by those who
played: on the page and in the terminal the agent tells it for all roles, in matches each player for its own. What
`analysis` finds stands in a file beside the record, so that the record stays as it was written, and signatures valid.
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
from .record_list import SUFFIX
from .record_terms import term_key

# One position: the value of each role, None for those of whom nobody told any; None where nobody told anything.
Values: TypeAlias = tuple[float | None, ...] | None

FIELD = "roleValues"
VALUES_SUFFIX = ".values"
_FORM = "ggp-agent values 1"
_MOST_BYTES = 16 << 20
# A turn is told of that cost a role so much, of all the ones that cost most.
_LEAST_LOSS = 15.0
_MOST_LOSSES = 5
_NOOP = "noop"


@dataclass(frozen=True, slots=True)
class Loss:
    """A turn that made the game worse for a role that had a move in it.

    Attributes:
        turn: from 1.
        role: its number.
        lost: of its value, 0..100.
        left: its value afterwards.
    """

    turn: int
    role: int
    lost: float
    left: float


def losses(values: Sequence[Values], moves: Sequence[Sequence[str]]) -> list[Loss]:
    """List the turns that lost most, in order.

    What role r loses in turn t is v_r(t-1) - v_r(t), the values of the positions before and after it. A role that plays
    `noop` has chosen nothing, so it loses nothing by itself. Where no value of a role was told for some positions, what
    it fell by from one that was told to the next was lost by the one move that the role made meanwhile; if it made
    more, nobody knows by which.

    >>> losses([(60, 40), (20, 80), None, (50, 50)], [["a", "noop"], ["noop", "b"], ["a", "noop"]])
    [Loss(turn=1, role=0, lost=40, left=20), Loss(turn=2, role=1, lost=30, left=50)]
    """
    found = []
    for role in range(len(moves[0]) if moves else 0):
        told = [(turn, each[role]) for turn, each in enumerate(values[: len(moves) + 1]) if each is not None]
        known = [(turn, value) for turn, value in told if value is not None]
        for (before, had), (after, has) in pairwise(known):
            made = [turn for turn in range(before + 1, after + 1) if term_key(moves[turn - 1][role]) != _NOOP]
            if len(made) == 1 and had - has >= _LEAST_LOSS:
                found.append(Loss(made[0], role, had - has, has))
    found.sort(key=lambda each: -each.lost)
    return sorted(found[:_MOST_LOSSES], key=lambda each: (each.turn, each.role))


def values_path(record: Path) -> Path:
    """Return where the values that were found for a record are kept."""
    return record.with_name(record.name.removesuffix(SUFFIX) + VALUES_SUFFIX)


def write_values(path: Path, record: MatchRecord, values: Sequence[Values]) -> None:
    """Write what was found for a record; raises OSError."""
    document = {"form": _FORM, "match": record.match_id, "moves": len(record.moves), "values": rounded(values)}
    write_whole(path, (json.dumps(document, separators=(",", ":")) + "\n").encode())


def values_of(record: MatchRecord, path: Path | None = None) -> list[Values]:
    """Return the values of a match: those found for it, where they are kept beside its file, else those it recorded.

    Values that do not fit the record are none: files may be of an earlier stand of a match that has gone on.
    """
    roles = len(record.moves[0]) if record.moves else len(record.roles)
    found = _read(values_path(path), record) if path is not None else None
    if found is not None and (kept := _checked(found, roles, len(record.states))):
        return kept
    return _checked(record.extra.get(FIELD), roles, len(record.states)) or []


def recorded_values(record: MatchRecord) -> list[Values]:
    """Return the values that a record holds, one entry for each of its moves: what was expected before it."""
    recorded = values_of(record)[: len(record.moves)]
    return [*recorded, *[None] * (len(record.moves) - len(recorded))]


def record_values(record: MatchRecord, values: Sequence[Values]) -> None:
    """Put what was expected before each move into a record; there is no such field where nobody told anything."""
    record.extra.pop(FIELD, None)
    if any(each is not None for each in values):
        record.extra[FIELD] = rounded(values)


def rounded(values: Sequence[Values]) -> list[list[float | None] | None]:
    """Return values as JSON has them, to a tenth."""
    return [None if each is None else [None if value is None else round(value, 1) for value in each] for each in values]


def _read(path: Path, record: MatchRecord) -> Any:
    try:
        if not path.is_file() or path.stat().st_size > _MOST_BYTES:
            return None
        document = parse_json(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(document, dict) or document.get("form") != _FORM or document.get("match") != record.match_id:
        return None
    moves = document.get("moves")
    return document.get("values") if isinstance(moves, int) and moves <= len(record.moves) else None


def _checked(found: Any, roles: int, states: int) -> list[Values] | None:
    """Return what was read as values, None where it is none."""
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
    """Refuse what is no place beside which values can stand; raises UserError."""
    if not path.name.endswith(SUFFIX):
        raise UserError(f"{path}: the file of a record ends with {SUFFIX}; what is found is kept beside it")

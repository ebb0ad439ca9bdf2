"""Read match records: our own, and those of GGP-Base, Tiltyard and their kin.

One reader for all who need a record. What others write may lack what we always write (names of the roles, times of the
moves, errors) and may have fields of its own, which are kept. Terms are read as `terms` says.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

from gdl.json_text import parse_json

from ..common.errors import UserError
from .match_record import MatchRecord
from .record_terms import canonical, split_state
from .signing import KEY_FIELD, SIGNATURE_FIELD

# A thousand turns of a large game are a tenth of it.
MAX_BYTES = 256 << 20

# Of a value, in messages.
_ECHO = 40
# No number of a record is beyond 64 bits.
_LARGEST = 2**63

# How the XML records of the Stanford and Dresden game managers begin.
_XML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:\?xml|!DOCTYPE|match)\b")

# Fields that a record stands for with values of its own, but which others may fill differently.
_OVERRIDDEN = ("isPlayerHuman", "previewClock", "scrambled")

_REQUIRED = ("matchId", "startTime", "startClock", "playClock", "states", "moves")
# What the fields hold: one value, a list, or a list of lists.
_Field: TypeAlias = tuple[str, set[type], str]
_SINGLE: list[_Field] = [
    ("matchId", {str}, "text"),
    ("randomToken", {str}, "text"),
    ("gameMetaURL", {str}, "text"),
    ("gameName", {str}, "text"),
    ("startTime", {int}, "a number of milliseconds"),
    ("startClock", {int, float}, "a number of seconds"),
    ("playClock", {int, float}, "a number of seconds"),
    ("isCompleted", {bool}, "true or false"),
    ("isAborted", {bool}, "true or false"),
]
_LISTS: list[_Field] = [
    ("roleNames", {str}, "text"),
    ("playerNamesFromHost", {str}, "text"),
    ("states", {str}, "the KIF text of a state"),
    ("stateTimes", {int}, "a number of milliseconds"),
    ("goalValues", {int, type(None)}, "a goal"),
]
_TABLES: list[_Field] = [
    ("moves", {str}, "text"),
    ("moveTimes", {int, float}, "a number of milliseconds"),
    ("errors", {str}, "text"),
]


def read_record(path: Path) -> MatchRecord:
    """Read the record of a match.

    Raises:
        UserError: the file cannot be read or is no match record; one line that begins with the path and says why.
    """
    return record_of(read_document(path), path)


def read_document(path: Path) -> dict[str, Any]:
    """Read the JSON document of a match, with all fields it has; those that a record needs are there and fit together.

    Raises:
        UserError: as in `read_record`.
    """
    return parse_document(read_bytes(path), path)


def read_bytes(path: Path) -> bytes:
    """Read the bytes of what may be a record; raises UserError as in `read_record`."""
    try:
        if path.is_dir():
            raise UserError(f"{path}: this is a folder, no match record")
        if path.exists() and not path.is_file():
            raise UserError(f"{path}: this is no file")
        if (size := path.stat().st_size) > MAX_BYTES:
            raise UserError(f"{path}: this is no match record: {size >> 20:,} MB is too large for one")
        return path.read_bytes()
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: cannot read the record: {reason_of(error)}") from None


def parse_document(data: bytes, source: object) -> dict[str, Any]:
    """Read the JSON document of a match from its text; raises UserError as in `read_record`."""
    text = ""
    try:
        text = data.decode("utf-8-sig")
        document = parse_json(text, pairs=_object)
    except _TwiceError as error:
        _complain(source, str(error))
    except (ValueError, RecursionError) as error:
        if not data.strip():
            _complain(source, "the file is empty")
        if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") and _is_torn(error, data, text):
            raise UserError(f"{source}: this match record is torn: it ends in the middle of its JSON") from None
        if _XML.match(data):
            _complain(source, "it is XML, as older game managers write it; this program reads JSON records")
        where = f" (line {error.lineno}: {error.msg})" if isinstance(error, json.JSONDecodeError) else ""
        where = f" ({error})" if type(error) is ValueError else where
        _complain(source, f"it is no JSON{where}")
    if not isinstance(document, dict):
        _complain(source, "it is JSON, but no object")
    try:
        _check(document)
    except ValueError as error:
        _complain(source, str(error))
    return document


def record_of(document: dict[str, Any], source: object) -> MatchRecord:
    """Make the record of a document that `read_document` or `parse_document` returned.

    Moves, fluents and roles are in canonical KIF, in the case of the document.

    Raises:
        UserError: a state is no list of fluents.
    """
    try:
        states = [split_state(text) for text in document["states"]]
    except ValueError as error:
        _complain(source, f"states: {error}")
    moves = [list(map(canonical, each)) for each in document["moves"]]
    goals = document.get("goalValues") or []
    record = MatchRecord(
        match_id=document["matchId"],
        game=game_name(document),
        game_address=document.get("gameMetaURL", ""),
        roles=tuple(map(canonical, document.get("roleNames", ()))),
        players=tuple(document.get("playerNamesFromHost", ())),
        start_clock=document["startClock"],
        play_clock=document["playClock"],
        random_token=document.get("randomToken", ""),
        started=document["startTime"],
        states=states,
        state_times=document.get("stateTimes", []),
        moves=moves,
        move_times=document.get("moveTimes", []),
        errors=document.get("errors", []),
        goals=goals,
        completed=document.get("isCompleted", bool(goals)),
        aborted=document.get("isAborted", False),
    )
    ours = record.document()
    held = {*ours, KEY_FIELD, SIGNATURE_FIELD, "goalValues"}
    differing = {name for name in _OVERRIDDEN if document.get(name, ours[name]) != ours[name]}
    record.extra = {name: value for name, value in document.items() if name not in held or name in differing}
    return record


def game_name(document: dict[str, Any]) -> str:
    """Return what the game is called: its name, or the last word of its address that is no version.

    >>> game_name({"gameMetaURL": "http://games.ggp.org/base/games/ticTacToe/v0/"})
    'ticTacToe'
    """
    if name := document.get("gameName", ""):
        return str(name)
    words = [word for word in document.get("gameMetaURL", "").split("/") if word]
    if len(words) > 1 and re.fullmatch(r"v[0-9]+", words[-1]):
        words.pop()
    return words[-1] if words else ""


def role_count(document: dict[str, Any]) -> int:
    """Return the number of roles, 0 where nothing tells."""
    lists = [document.get(name) for name in ("roleNames", "playerNamesFromHost", "goalValues")]
    lists[1:1] = [*document["moves"][:1], *document.get("errors", [])[:1]]
    return next((len(each) for each in lists if each), 0)


def reason_of(error: Exception) -> str:
    """Return the reason of an error as part of a sentence."""
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return reason[:1].lower() + reason[1:]


# ---- what a record must have


def _check(document: dict[str, Any]) -> None:
    """Hold the fields against the format; ValueError says what is wrong."""
    missing = [name for name in _REQUIRED if name not in document]
    if missing:
        several = len(missing) > 1
        raise ValueError(f"the field{'s' * several} {', '.join(missing)} {'are' if several else 'is'} missing")
    for name, kinds, what in _SINGLE:
        if name in document:
            _require(name, [document[name]], kinds, what)
    if not document["matchId"].strip():
        raise ValueError("the field matchId is empty")
    for name, kinds, what in _LISTS:
        _require(name, _list(document, name), kinds, what)
    for name, kinds, what in _TABLES:
        _require(name, _list(document, name), {list}, "a list")
        _require(name, list(chain.from_iterable(document.get(name, ()))), kinds, what)
    _check_lengths(document)


def _check_lengths(document: dict[str, Any]) -> None:
    states, moves = len(document["states"]), len(document["moves"])
    if states not in (moves, moves + 1):
        raise ValueError(f"states and moves do not fit together: {states} and {moves}")
    for name, length, of in (
        ("stateTimes", states, "states"),
        ("errors", states, "states"),
        ("moveTimes", moves, "moves"),
    ):
        entries = document.get(name, [])
        if entries and len(entries) != length:
            raise ValueError(f"{of} and {name} do not fit together: {length} and {len(entries)}")
    roles = role_count(document)
    for name in ("roleNames", "playerNamesFromHost", "goalValues"):
        if (found := document.get(name)) and len(found) != roles:
            raise ValueError(f"{name} has {len(found)} entries for {roles} roles")
    for name, _, _ in _TABLES:
        entries = document.get(name, [])
        if not set(map(len, entries)) <= {roles}:
            number = next(number for number, entry in enumerate(entries) if len(entry) != roles)
            raise ValueError(f"{name}, entry {number}: {len(entries[number])} values for {roles} roles")


def _list(document: dict[str, Any], name: str) -> list[Any]:
    value = document.get(name, [])
    if not isinstance(value, list):
        raise ValueError(f"{name} is no list")
    return value


def _require(name: str, values: Sequence[Any], kinds: set[type], what: str) -> None:
    """Refuse values of other kinds, and numbers too large to be one."""
    met = set(map(type, values))
    if not met <= kinds or (met & {int, float} and not all(map(_is_bounded, values))):
        wrong = next(value for value in values if type(value) not in kinds or not _is_bounded(value))
        raise ValueError(f"{name}: {json.dumps(wrong)[:_ECHO]} is not {what}")


def _is_bounded(value: Any) -> bool:
    return not isinstance(value, int | float) or -_LARGEST <= value < _LARGEST


def _is_torn(error: Exception, data: bytes, text: str) -> bool:
    if isinstance(error, UnicodeDecodeError):
        return error.end >= len(data)
    if not isinstance(error, json.JSONDecodeError):
        return False
    return error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")


class _TwiceError(Exception):
    """Report a key that an object has twice."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse what readers take for different documents, some by the first value of a key, some by the last."""
    made = dict(pairs)
    if len(made) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        twice = next(key for key in made if counts[key] > 1)
        raise _TwiceError(f"the key {json.dumps(twice)[:_ECHO]} is there twice")
    return made


def _complain(source: object, what: str) -> NoReturn:
    raise UserError(f"{source}: this is no match record: {what}") from None

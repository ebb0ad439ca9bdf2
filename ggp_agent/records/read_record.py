"""Read match records of this program, of GGP-Base, Tiltyard and compatible game managers.

Records of other programs may lack names of roles, times of moves, or errors, and may have additional fields, which are
kept. For the spelling of terms see `record_terms`. XML records of 2005 to 2008 become the same documents, see
`xml_record`.
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
from .match_record import FINAL_STATE, MatchRecord
from .record_terms import canonical, split_state
from .signing import KEY_FIELD, SIGNATURE_FIELD
from .xml_record import xml_document

# The largest file; a thousand turns of a large game need a tenth of it.
MAX_BYTES = 256 << 20

# Characters of a value in messages.
_ECHO = 40
# Numbers of a record have at most 64 bits.
_LARGEST = 2**63

# The beginning of the XML records of the Stanford and Dresden game managers, and of traces.
_XML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:\?xml|!DOCTYPE|match|gametrace)\b")

# Fields that this program always writes with its own values, but other programs may write differently.
_OVERRIDDEN = ("isPlayerHuman", "previewClock", "scrambled")

_REQUIRED = ("matchId", "startTime", "startClock", "playClock", "states", "moves")
# The types of fields: one value, a list, or a list of lists.
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
    """Read the record of a match."""
    return record_of(read_document(path), path)


def read_document(path: Path) -> dict[str, Any]:
    """Read and check the JSON or XML document of a match; return all its fields."""
    return parse_document(read_bytes(path), path)


def read_bytes(path: Path, what: str = "match record") -> bytes:
    """Read the bytes of a file; raise UserError as in `read_record`, with the word for what is read."""
    try:
        if path.is_dir():
            raise UserError(f"{path}: this is a folder, not a {what}")
        if path.exists() and not path.is_file():
            raise UserError(f"{path}: this is not a file")
        if (size := path.stat().st_size) > MAX_BYTES:
            raise UserError(f"{path}: this is not a {what}: {size >> 20:,} MB is too large")
        return path.read_bytes()
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: cannot read the {what}: {reason_of(error)}") from None


def parse_document(data: bytes, source: object) -> dict[str, Any]:
    """Parse and check the JSON or XML document of a match; raise UserError as in `read_record`."""
    document = _parse_xml(data, source) if is_xml(data) else _parse_json(data, source)
    try:
        _check(document)
    except ValueError as error:
        _complain(source, str(error))
    return document


def is_xml(data: bytes) -> bool:
    """Return whether a text begins like an XML record."""
    return _XML.match(data) is not None


def _parse_xml(data: bytes, source: object) -> dict[str, Any]:
    try:
        return xml_document(data)
    except ValueError as error:
        _complain(source, str(error))


def _parse_json(data: bytes, source: object) -> dict[str, Any]:
    text = ""
    try:
        text = data.decode("utf-8-sig")
        document = parse_json(text, pairs=_object)
    except _TwiceError as error:
        _complain(source, str(error))
    except (ValueError, RecursionError) as error:
        if not data.strip():
            _complain(source, "the file is empty")
        if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") and _is_incomplete(error, data, text):
            raise UserError(f"{source}: this match record is incomplete: it ends in the middle of its JSON") from None
        where = f" (line {error.lineno}: {error.msg})" if isinstance(error, json.JSONDecodeError) else ""
        where = f" ({error})" if type(error) is ValueError else where
        _complain(source, f"it is not JSON{where}")
    if not isinstance(document, dict):
        _complain(source, "it is JSON, but not an object")
    return document


def record_of(document: dict[str, Any], source: object) -> MatchRecord:
    """Return the record of a document from `read_document` or `parse_document`.

    Moves, fluents and roles become canonical KIF; their upper and lower case stays.
    """
    try:
        states = [split_state(text) for text in document["states"]]
        if not states and isinstance(final := document.get(FINAL_STATE), str):
            split_state(final)
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
        percepts=[[list(map(canonical, each)) for each in turn] for turn in document.get("percepts", [])],
        goals=goals,
        completed=document.get("isCompleted", bool(goals)),
        aborted=document.get("isAborted", False),
    )
    ours = record.document()
    held = {*ours, KEY_FIELD, SIGNATURE_FIELD, "goalValues", "percepts"}
    differing = {name for name in _OVERRIDDEN if document.get(name, ours[name]) != ours[name]}
    record.extra = {name: value for name, value in document.items() if name not in held or name in differing}
    return record


def game_name(document: dict[str, Any]) -> str:
    """Return the name of the game: the field `gameName`, or the last word of its address that is not a version.

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
    """Return the number of roles; 0 if it is unknown."""
    lists = [document.get(name) for name in ("roleNames", "playerNamesFromHost", "goalValues")]
    lists[1:1] = [*document["moves"][:1], *document.get("errors", [])[:1]]
    return next((len(each) for each in lists if each), 0)


def reason_of(error: Exception) -> str:
    """Return the reason of an error as part of a sentence."""
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return reason[:1].lower() + reason[1:]


# ---- checks


def _check(document: dict[str, Any]) -> None:
    """Check the fields; raise ValueError with a description of the first error."""
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
    _check_percepts(document)
    _check_lengths(document)


def _check_percepts(document: dict[str, Any]) -> None:
    turns = _list(document, "percepts")
    _require("percepts", turns, {list}, "a list")
    roles = list(chain.from_iterable(turns))
    _require("percepts", roles, {list}, "a list")
    _require("percepts", list(chain.from_iterable(roles)), {str}, "text")


def _check_lengths(document: dict[str, Any]) -> None:
    states, moves = len(document["states"]), len(document["moves"])
    if states not in (moves, moves + 1) and (states or not isinstance(document.get(FINAL_STATE), str)):
        raise ValueError(f"states and moves do not match: {states} and {moves}")
    for name, length, of in (
        ("stateTimes", states, "states"),
        ("errors", states, "states"),
        ("moveTimes", moves, "moves"),
        ("percepts", moves, "moves"),
    ):
        entries = document.get(name, [])
        if entries and len(entries) != length:
            raise ValueError(f"{of} and {name} do not match: {length} and {len(entries)}")
    roles = role_count(document)
    for name in ("roleNames", "playerNamesFromHost", "goalValues"):
        if (found := document.get(name)) and len(found) != roles:
            raise ValueError(f"{name} has {len(found)} entries for {roles} roles")
    for name in (*(name for name, _, _ in _TABLES), "percepts"):
        entries = document.get(name, [])
        if not set(map(len, entries)) <= {roles}:
            number = next(number for number, entry in enumerate(entries) if len(entry) != roles)
            raise ValueError(f"{name}, entry {number}: {len(entries[number])} values for {roles} roles")


def _list(document: dict[str, Any], name: str) -> list[Any]:
    value = document.get(name, [])
    if not isinstance(value, list):
        raise ValueError(f"{name} is not a list")
    return value


def _require(name: str, values: Sequence[Any], kinds: set[type], what: str) -> None:
    """Check the types of values and the range of numbers."""
    met = set(map(type, values))
    if not met <= kinds or (met & {int, float} and not all(map(_is_bounded, values))):
        wrong = next(value for value in values if type(value) not in kinds or not _is_bounded(value))
        raise ValueError(f"{name}: {json.dumps(wrong)[:_ECHO]} is not {what}")


def _is_bounded(value: Any) -> bool:
    return not isinstance(value, int | float) or -_LARGEST <= value < _LARGEST


def _is_incomplete(error: Exception, data: bytes, text: str) -> bool:
    if isinstance(error, UnicodeDecodeError):
        return error.end >= len(data)
    if not isinstance(error, json.JSONDecodeError):
        return False
    return error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")


class _TwiceError(Exception):
    """An object has a key twice."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse repeated keys: some readers use the first value, others the last."""
    made = dict(pairs)
    if len(made) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        twice = next(key for key in made if counts[key] > 1)
        raise _TwiceError(f"the key {json.dumps(twice)[:_ECHO]} occurs twice")
    return made


def _complain(source: object, what: str) -> NoReturn:
    raise UserError(f"{source}: this is not a match record: {what}") from None

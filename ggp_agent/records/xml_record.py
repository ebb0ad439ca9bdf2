"""Read the XML records of the competitions of 2005 to 2008 as JSON documents of match records.

The records have three forms. Records of 2008 have all states, moves and rewards. Records of 2007 have all moves, as
`move(6,1,8,3)`, and the last state. Records of 2005 and 2006 have only players and rewards. The traces of game
controllers, `<gametrace>`, have all states, legal moves and moves, and the goals, but no players and no times.

The text is parsed as a stream, so time and memory are linear in its length. A DOCTYPE line is accepted, but the named
DTD is never loaded. A DTD inside the file, entities and deep nesting are rejected.
"""

from __future__ import annotations

import re
from typing import Any
from xml.parsers import expat

from .match_record import FINAL_STATE

# The deepest element of the known forms has depth 5.
_MAX_DEPTH = 16
_MAX_ROLES = 1000
_ECHO = 40
_TOKEN = re.compile(r"[(),]|[^(),\s]+")
_NUMBER = re.compile(r"[0-9]{1,9}")

# The elements with a text, by path: in the root of the record, and the field of each.
_TEXTS = {
    "match-id": "matchId",
    "game": "gameName",
    "scrambled": "scrambled",
    "startclock": "startClock",
    "playclock": "playClock",
    "steplimit": "stepLimit",
    "tournament": "tournamentNameFromHost",
    "owner": "owner",
}
_LISTS = {
    ("role",): "roleNames",
    ("player",): "playerNamesFromHost",
    ("scores", "reward"): "goalValues",
    ("rewards", "reward"): "goalValues",
    ("steps", "step", "goal_values", "goal_value"): "goalValues",
}
_SECONDS = ("startClock", "playClock", "stepLimit")
_TURNS = (("history", "move"), ("history", "step"), ("steps", "step", "moves"))
_LAST_STATE = ("state",)
_STATES = (("herstory", "state"), ("steps", "step", "state"), _LAST_STATE)
_ROOTS = ("match", "gametrace")
_LEGAL_MOVE = ("steps", "step", "legal_moves", "move")
# The names of a predicate and of an argument of a fluent, in the forms of 2008 and 2007.
_TERM_PARTS = ("relation", "argument", "prop-f", "arg")


def xml_document(data: bytes) -> dict[str, Any]:
    """Parse an XML record; return the document of a match record.

    A record without clocks or start gets 0 in these fields, because they are unknown.
    """
    return _read(data).document()


def xml_trace(data: bytes) -> tuple[dict[str, Any], list[dict[str, list[str]]]]:
    """Parse a trace; return its document, and the legal moves of each role in each state."""
    reader = _read(data)
    return reader.document(), reader.legal


def _read(data: bytes) -> _RecordReader:
    reader = _RecordReader()
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    parser.StartDoctypeDeclHandler = _accept_external_dtd
    parser.EntityDeclHandler = _refuse_entity
    parser.SkippedEntityHandler = _refuse_entity
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise ValueError(f"it is not XML (line {error.lineno}: {expat.errors.messages[error.code]})") from None
    except LookupError:
        raise ValueError("its XML has an unknown encoding") from None
    return reader


def infix_term(text: str) -> str:
    """Return a term such as `move(6,f(1))` as KIF; KIF stays unchanged.

    >>> infix_term("move(6,f(1),8)"), infix_term("noop"), infix_term("(drop 3)")
    ('(move 6 (f 1) 8)', 'noop', '(drop 3)')
    """
    tokens = _TOKEN.findall(text)
    if "(" not in tokens or tokens[0] == "(":
        return text
    words: list[str] = []
    for token in tokens:
        if token == "(" and words and words[-1] not in "()":
            words.insert(len(words) - 1, "(")
        elif token != ",":
            words.append(token)
    return " ".join(words).replace("( ", "(").replace(" )", ")")


class _RecordReader:
    """Collect the fields of a record from the events of the parser."""

    def __init__(self) -> None:
        self._path: list[str] = []
        self._texts: list[str] = []
        self._terms: list[str] = []
        self._fluents: list[str] = []
        self._moves: list[str] = []
        self._fields: dict[str, Any] = {}
        self._lists: dict[str, list[Any]] = {}
        self._all_moves: list[list[str]] = []
        self._states: list[str] = []
        self._final: list[str] = []
        self._role = ""
        self._roles: dict[str, None] = {}
        self.legal: list[dict[str, list[str]]] = []  # of each role in each state of a trace

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if not self._path:
            if name not in _ROOTS:
                raise ValueError(f"its XML begins with <{name[:_ECHO]}>, not with <match> or <gametrace>")
            if "id" in attributes:
                self._fields["matchId"] = attributes["id"].strip()
        elif len(self._path) >= _MAX_DEPTH:
            raise ValueError("its XML is nested too deeply")
        self._path.append(name)
        self._texts.clear()
        self._role = attributes.get("role", "").strip()

    def text(self, text: str) -> None:
        self._texts.append(text)

    def end(self, name: str) -> None:
        text = "".join(self._texts).strip()
        self._texts.clear()
        path = tuple(self._path[1:])
        self._path.pop()
        if len(path) == 1 and name in _TEXTS:
            self._set(_TEXTS[name], text)
        elif path in _LISTS:
            self._append(_LISTS[path], text)
        elif name in _TERM_PARTS:
            self._terms.append(infix_term(text))
        elif name == "fact":
            self._end_fluent()
        elif name == "fluent":
            self._fluents.append(text)
        elif path == _LEGAL_MOVE and self.legal:
            self.legal[-1].setdefault(self._role, []).append(text)
        elif path in _STATES:
            self.legal.append({})
            (self._final if path == _LAST_STATE else self._states).append(f"({' '.join(self._fluents)})")
            self._fluents.clear()
        elif path in _TURNS:
            self._all_moves.append(self._moves)
            self._moves = []
        elif path[:-1] in _TURNS and name in ("move", "action"):
            self._moves.append(infix_term(text))
            if self._role and not self._all_moves:
                self._roles[self._role] = None

    def document(self) -> dict[str, Any]:
        document: dict[str, Any] = {"startTime": 0, "startClock": 0, "playClock": 0, **self._fields, **self._lists}
        if self._roles:
            document["roleNames"] = list(self._roles)
        if "gameName" in document:
            document.setdefault("matchId", document["gameName"])
        states = self._states
        if not states and self._final and self._all_moves:
            document[FINAL_STATE] = self._final[-1]
        document["states"] = states or ([] if self._all_moves else self._final)
        document["moves"] = self._all_moves
        return document

    def _set(self, field: str, text: str) -> None:
        if field in self._fields:
            raise ValueError(f"its XML has two values for {field}")
        if field == "scrambled":
            self._fields[field] = text.lower() == "yes"
        else:
            self._fields[field] = _number(field, text) if field in _SECONDS else text

    def _append(self, field: str, text: str) -> None:
        values = self._lists.setdefault(field, [])
        values.append(_number(field, text) if field == "goalValues" else text)
        if len(values) > _MAX_ROLES:
            raise ValueError(f"its XML has more than {_MAX_ROLES:,} values for {field}")

    def _end_fluent(self) -> None:
        if not self._terms:
            raise ValueError("its XML has a fact without a name")
        term = " ".join(self._terms)
        self._fluents.append(f"({term})" if len(self._terms) > 1 else term)
        self._terms.clear()


def _number(field: str, text: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise ValueError(f"{field}: {text[:_ECHO]!r} is not a whole number")
    return int(text)


def _accept_external_dtd(name: str, system: str | None, public: str | None, has_internal_subset: int) -> None:
    if has_internal_subset:
        raise ValueError("its XML contains a DTD; remove the part of the DOCTYPE in brackets")


def _refuse_entity(*_: object) -> None:
    raise ValueError("its XML uses entities, which are not read")

"""The keys of the compiled search: `csrc/search/config/config_fields.cpp` declares kind, range, words and meaning.

>>> epsilon = core_key("playout.epsilon")
>>> epsilon.default, epsilon.metadata["kind"].words, epsilon.metadata["help"][:15]
(0.4, 'a number 0 .. 1', 'probability of ')
"""

from __future__ import annotations

import json
from dataclasses import fields
from inspect import cleandoc
from typing import Any, TypeVar

from .._search import config_fields
from ..common.toml_schema import Flag, Name, NonEmptyText, Real, Section, ValueKind, Whole, Word, key

S = TypeVar("S", bound=Section)

_FIELDS = config_fields()

# Of all names only this one is a path.
_PATH = "evaluation.file"


def core_key(name: str) -> Any:
    """Declare a key of a section by its dotted name in the core."""
    kind, values, default, help = _FIELDS[name]
    if not default:
        return key(_kind(name, kind, values), None, help=help)
    return key(_kind(name, kind, values), float(default) if kind == "real" else json.loads(default), help=help)


def described(section: type[S]) -> type[S]:
    """Add the meanings of the keys to the docstring of a section."""
    meanings = [
        f"    {entry.name}: {entry.metadata['help']}."
        for entry in fields(section)  # type: ignore[arg-type]
        if entry.metadata["help"]
    ]
    section.__doc__ = "\n".join([cleandoc(section.__doc__ or ""), "", "Attributes:", *meanings])
    return section


def _kind(name: str, kind: str, values: tuple[Any, ...]) -> ValueKind:
    match kind:
        case "flag":
            return Flag()
        case "word":
            return Word(*values)
        case "whole":
            return Whole(*values, optional=not _FIELDS[name][2])
        case "real":
            return Real(*map(_plain, values))
    return NonEmptyText() if name == _PATH else Name()


def _plain(end: float) -> float:
    """Return an end of a range as messages print it: 1 instead of 1.0."""
    return int(end) if end.is_integer() else end

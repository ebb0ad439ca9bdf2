"""The allowed contents of a TOML file, declared as dataclasses; every error is one line: place, problem, fix.

A file is a `Section`: a dataclass whose fields are its keys, declared with `key`. A key without a default is required.

>>> from dataclasses import dataclass
>>> @dataclass(frozen=True, kw_only=True)
... class Budget(Section):
...     simulations: int = key(Whole(1, 10**9), help="the simulations of each move")
>>> @dataclass(frozen=True, kw_only=True)
... class Study(Section):
...     games: tuple[str, ...] = key(Array(NonEmptyText(), of="names of games"))
...     rounds: int = key(Whole(1, 100), 1)
...     budgets: tuple[Budget, ...] = key(Array(Table(Budget), of="tables [[budgets]]"), ())
>>> read_section(Study, {"games": ["hex"], "budgets": [{"simulations": 50}]}, "my.toml").budgets
(Budget(simulations=50),)
>>> read_section(Study, {"games": ["hex"], "budgets": [{"simulations": 0}]}, "my.toml")
Traceback (most recent call last):
...
ggp_agent.common.errors.UserError: my.toml: budgets, entry 1: simulations must be 1 .. 1000000000, not 0
>>> read_section(Study, {"games": ["hex"], "round": 2}, "my.toml")
Traceback (most recent call last):
...
ggp_agent.common.errors.UserError: my.toml: unknown key round; known are games, rounds, budgets; did you mean rounds?
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, field, fields
from typing import Any, TypeVar

from .errors import UserError
from .toml_file import toml_text

S = TypeVar("S", bound="Section")


class ValueKind:
    """The type of the value of a key."""

    words: str  # a description for messages
    types: tuple[type, ...]  # the types of the values that `tomllib` returns

    def read(self, value: Any, name: str) -> Any:
        """Convert a value of a TOML file to the value that the program uses."""
        if not isinstance(value, self.types) or (isinstance(value, bool) and bool not in self.types):
            raise TypeError(must(name, self.words, value))
        return value

    def check(self, value: Any, name: str) -> None:
        """Check a value that the program has set, with the same rules as `read`."""
        self.read(value, name)


def key(kind: ValueKind, default: Any = MISSING, *, help: str = "") -> Any:
    """Declare a key of a section."""
    return field(default=default, metadata={"kind": kind, "help": help})


def table(section: type[Section]) -> Any:
    """Declare a key that is an optional table: all its keys have defaults."""
    return field(default_factory=section, metadata={"kind": Table(section), "help": ""})


class Section:
    """A table of a TOML file, or a whole file; derived dataclasses declare its keys."""

    __slots__ = ()

    def __post_init__(self) -> None:
        for entry in fields(self):  # type: ignore[arg-type]
            value = getattr(self, entry.name)
            if value is not None or entry.default is not None:
                entry.metadata["kind"].check(value, entry.name)


def read_section(section: type[S], values: Mapping[str, Any], source: str) -> S:
    """Convert a parsed TOML file to a section."""
    try:
        return build_section(section, values)
    except (TypeError, ValueError) as error:
        raise UserError(f"{source}: {error}") from None


def build_section(section: type[S], values: Mapping[str, Any], place: str = "") -> S:
    """Convert a table to a section; `place` is a prefix of its keys in messages."""
    entries = {entry.name: entry for entry in fields(section)}  # type: ignore[arg-type]
    for name in values:
        if name not in entries:
            near = near_to(name, entries) or _near_below(name, section)
            raise ValueError(f"unknown key {place}{name}; known are {', '.join(entries)}{near}")
    found = {name: entries[name].metadata["kind"].read(value, f"{place}{name}") for name, value in values.items()}
    for name, entry in entries.items():
        if name not in found and entry.default is MISSING and entry.default_factory is MISSING:
            wanted = entry.metadata["help"] or entry.metadata["kind"].words
            raise ValueError(f"{place}{name} is missing; give {wanted}")
    return section(**found)


def must(name: str, words: str, value: object) -> str:
    """Return the message for a wrong value.

    >>> must("rounds", "a whole number", "two")
    'rounds must be a whole number, not "two"'
    """
    return f"{name} must be {words}, not {toml_text(value)}"


class Flag(ValueKind):
    """True or false."""

    words, types = "true or false", (bool,)


class NonEmptyText(ValueKind):
    """A string that is not empty."""

    words, types = "a string", (str,)

    def read(self, value: Any, name: str) -> str:
        text: str = super().read(value, name)
        if not text.strip():
            raise ValueError(must(name, "a string that is not empty", text))
        return text


class Name(NonEmptyText):
    """Lowercase letters, digits and underscores; the game defines the valid names."""

    words = "a name of lowercase letters, digits and underscores"

    def read(self, value: Any, name: str) -> str:
        text = super().read(value, name)
        if not set(text) <= set("abcdefghijklmnopqrstuvwxyz0123456789_"):
            raise ValueError(must(name, self.words, text))
        return text


class Word(NonEmptyText):
    """One of a few words."""

    def __init__(self, *choices: str) -> None:
        self.choices = choices

    def read(self, value: Any, name: str) -> str:
        word = super().read(value, name)
        if word not in self.choices:
            *others, last = self.choices
            words = f"{', '.join(others)} or {last}" if others else last
            raise ValueError(must(name, words, word) + near_to(word, self.choices))
        return word


class Whole(ValueKind):
    """A whole number `low` .. `high`; `optional` adds to messages that the key may be omitted."""

    types = (int,)

    def __init__(self, low: int, high: int, *, optional: bool = False) -> None:
        self.low, self.high = low, high
        self._scope = f"{low} .. {high}{' or left out' * optional}"
        self.words = f"a whole number {self._scope}"

    def read(self, value: Any, name: str) -> int:
        number: int = super().read(value, name)
        if not self.low <= number <= self.high:
            raise ValueError(must(name, self._scope, number))
        return number


class Real(ValueKind):
    """A finite number `low` .. `high`."""

    types = (int, float)

    def __init__(self, low: float, high: float = math.inf) -> None:
        self.low, self.high = low, high
        self._scope = f"finite and at least {low}" if high == math.inf else f"{low} .. {high}"
        self.words = f"a number, {self._scope}" if high == math.inf else f"a number {self._scope}"

    def read(self, value: Any, name: str) -> float:
        number: float = super().read(value, name)
        if not (math.isfinite(number) and self.low <= number <= self.high):
            raise ValueError(must(name, self._scope, number))
        return number


class Seconds(ValueKind):
    """A time above 0, at most `maximum` seconds."""

    types = (int, float)

    def __init__(self, maximum: float) -> None:
        self._maximum = maximum
        self.words = f"a number of seconds above 0 and at most {maximum:,.0f}"

    def read(self, value: Any, name: str) -> float:
        seconds = super().read(value, name)
        if not 0 < seconds <= self._maximum:
            raise ValueError(must(name, self.words, seconds))
        return float(seconds)


class Table(ValueKind):
    """A table with the keys of a section."""

    words, types = "a table", (dict,)

    def __init__(self, section: type[Section]) -> None:
        self.section = section

    def read(self, value: Any, name: str) -> Section:
        if not isinstance(value, dict) and ":" not in name:
            raise TypeError(f"{name} must be a table: write [{name}] and its keys below")
        values = super().read(value, name)
        return build_section(self.section, values, f"{name} " if name.endswith(":") else f"{name}.")

    def check(self, value: Any, name: str) -> None:
        if not isinstance(value, self.section):
            raise TypeError(f"{name} must be a {self.section.__name__}, not {type(value).__name__}")


class Array(ValueKind):
    """An array of values of one type, not empty; a tuple in the program."""

    types = (list,)

    def __init__(self, item: ValueKind, of: str) -> None:
        self._item = item
        self.words = f"an array of {of}"

    def read(self, value: Any, name: str) -> tuple[Any, ...]:
        if not super().read(value, name):
            raise ValueError(f"{name} must be {self.words}, not an empty one")
        return tuple([self._item.read(each, f"{name}, entry {number}:") for number, each in enumerate(value, 1)])

    def check(self, value: Any, name: str) -> None:
        for number, each in enumerate(value, 1):
            self._item.check(each, f"{name}, entry {number}:")


class Named(ValueKind):
    """A table with at least one key; the keys are names of the user's choice, the values have one type."""

    types = (dict,)

    def __init__(self, item: ValueKind, of: str) -> None:
        self._item = item
        self.words = f"a table of {of}"

    def read(self, value: Any, name: str) -> dict[str, Any]:
        if not super().read(value, name):
            raise ValueError(f"{name} must be {self.words}, not an empty one")
        return {given: self._item.read(each, f"{name}.{given}") for given, each in value.items()}

    def check(self, value: Any, name: str) -> None:
        for given, each in value.items():
            self._item.check(each, f"{name}.{given}")


class TextOr(ValueKind):
    """A string, or a value of another type."""

    def __init__(self, other: ValueKind) -> None:
        self._other = other
        self.types = (str, *other.types)
        self.words = f"a string or {other.words}"

    def read(self, value: Any, name: str) -> Any:
        super().read(value, name)
        return (NonEmptyText() if isinstance(value, str) else self._other).read(value, name)

    def check(self, value: Any, name: str) -> None:
        (NonEmptyText() if isinstance(value, str) else self._other).check(value, name)


def _keys_below(section: type[Section]) -> dict[str, str]:
    """Return the keys of the tables of a section: the path of each by its last word."""
    found: dict[str, str] = {}
    for entry in fields(section):  # type: ignore[arg-type]
        kind = entry.metadata["kind"]
        if isinstance(kind, Table):
            found |= {last: f"{entry.name}.{path}" for last, path in _keys_below(kind.section).items()}
            found |= {each.name: f"{entry.name}.{each.name}" for each in fields(kind.section)}  # type: ignore[arg-type]
    return found


def _near_below(name: str, section: type[Section]) -> str:
    """Return a question about the most similar key in the tables of a section; empty if none is similar."""
    paths = _keys_below(section)
    found = difflib.get_close_matches(name[:100], paths, n=1)
    return f"; did you mean {paths[found[0]]}?" if found else ""


def near_to(name: str, known: Iterable[str]) -> str:
    """Return a question about the most similar known word; empty if none is similar."""
    found = difflib.get_close_matches(name[:100], known, n=1)
    return f"; did you mean {found[0]}?" if found else ""

"""What a TOML file may hold, declared as dataclasses; every mistake is one line with its place and the cure.

A file is a `Section`: a dataclass whose fields are its keys, declared with `key`. A key without a default is required.

>>> @dataclass(frozen=True, kw_only=True)
... class Budget(Section):
...     simulations: int = key(Whole(1, 10**9), help="the simulations of each move")
>>> @dataclass(frozen=True, kw_only=True)
... class Study(Section):
...     games: tuple[str, ...] = key(Array(Text(), of="names of games"))
...     rounds: int = key(Whole(1, 100), 1)
...     budgets: tuple[Budget, ...] = key(Array(Table(Budget), of="tables [[budgets]]"), ())
>>> read_section(Study, {"games": ["hex"], "budgets": [{"simulations": 50}]}, "my.toml").budgets
(Budget(simulations=50),)
>>> read_section(Study, {"games": ["hex"], "budgets": [{"simulations": 0}]}, "my.toml")
Traceback (most recent call last):
...
ggp_agent.errors.UserError: my.toml: budgets, entry 1: simulations must be 1 .. 1000000000, not 0
>>> read_section(Study, {"games": ["hex"], "round": 2}, "my.toml")
Traceback (most recent call last):
...
ggp_agent.errors.UserError: my.toml: unknown key round; known are games, rounds, budgets; did you mean rounds?
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, Protocol, TypeVar

from .errors import UserError
from .toml_file import toml_text

S = TypeVar("S", bound="Section")


class Kind(Protocol):
    """What the value of a key must be."""

    @property
    def words(self) -> str:
        """What messages call it."""

    def read(self, value: Any, name: str) -> Any:
        """Return a value of a TOML file as the program takes it.

        Args:
            value: as `tomllib` has it.
            name: the key, with the tables around it.

        Raises:
            TypeError, ValueError: it is of another kind, or out of range; one line that begins with the name.
        """

    def check(self, value: Any, name: str) -> None:
        """Refuse a value of the program as `read` refuses one of a file."""


def key(kind: Kind, default: Any = MISSING, *, help: str = "") -> Any:
    """Declare a key of a section.

    Args:
        kind: what its value must be; None is allowed beside it where that is the default.
        default: the value where the key is left out; without one it is required.
        help: what to give, for the message where a required key is missing.
    """
    return field(default=default, metadata={"kind": kind, "help": help})


def table(section: type[Section]) -> Any:
    """Declare a key that is a table, which may be left out: all its keys have defaults."""
    return field(default_factory=section, metadata={"kind": Table(section), "help": ""})


class Section:
    """A table of a TOML file, or the whole of it; a dataclass derived from this declares its keys.

    Raises:
        TypeError, ValueError: a value is of another kind than declared, or out of range; the message names it.
    """

    __slots__ = ()

    def __post_init__(self) -> None:
        for entry in fields(self):  # type: ignore[arg-type]
            value = getattr(self, entry.name)
            if value is not None or entry.default is not None:
                entry.metadata["kind"].check(value, entry.name)


def read_section(section: type[S], values: Mapping[str, Any], source: str) -> S:
    """Read a TOML file or text, as `read_toml` and `parse_toml` have it.

    Raises:
        UserError: a key is unknown or missing, or a value is wrong; one line that begins with the source.
    """
    try:
        return build_section(section, values)
    except (TypeError, ValueError) as error:
        raise UserError(f"{source}: {error}") from None


def build_section(section: type[S], values: Mapping[str, Any], place: str = "") -> S:
    """Make a section of a table; `place` stands before its keys in messages.

    Raises:
        TypeError, ValueError: a key is unknown or missing, or a value is wrong; one line that names it.
    """
    entries = {entry.name: entry for entry in fields(section)}  # type: ignore[arg-type]
    for name in values:
        if name not in entries:
            near = _near(name, list(entries))
            raise ValueError(f"unknown key {place}{name}; known are {', '.join(entries)}{near}")
    found = {name: entries[name].metadata["kind"].read(value, f"{place}{name}") for name, value in values.items()}
    for name, entry in entries.items():
        if name not in found and entry.default is MISSING and entry.default_factory is MISSING:
            wanted = entry.metadata["help"] or entry.metadata["kind"].words
            raise ValueError(f"{place}{name} is missing; give {wanted}")
    return section(**found)


def must(name: str, words: str, value: object) -> str:
    """Say that a value is not what it must be.

    >>> must("rounds", "a whole number", "two")
    'rounds must be a whole number, not "two"'
    """
    return f"{name} must be {words}, not {toml_text(value)}"


class _Plain:
    """A kind whose values are the same in the file and in the program."""

    def check(self, value: Any, name: str) -> None:
        self.read(value, name)

    def read(self, value: Any, name: str) -> Any:
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Flag(_Plain):
    """True or false."""

    words = "true or false"

    def read(self, value: Any, name: str) -> bool:
        if not isinstance(value, bool):
            raise TypeError(must(name, self.words, value))
        return value


@dataclass(frozen=True, slots=True)
class Text(_Plain):
    """A string that is not empty."""

    words = "a string"

    def read(self, value: Any, name: str) -> str:
        if not isinstance(value, str):
            raise TypeError(must(name, self.words, value))
        if not value.strip():
            raise ValueError(must(name, "a string that is not empty", value))
        return value


class Word(_Plain):
    """One of a few words."""

    def __init__(self, *choices: str) -> None:
        self.choices = choices
        *others, last = choices
        self.words = f"{', '.join(others)} or {last}" if others else last

    def read(self, value: Any, name: str) -> str:
        if not isinstance(value, str):
            raise TypeError(must(name, "a string", value))
        if value not in self.choices:
            raise ValueError(must(name, self.words, value) + _near(value, self.choices))
        return value


@dataclass(frozen=True, slots=True)
class Whole(_Plain):
    """A whole number `low` .. `high`; `optional` says in messages that the key may be left out, too."""

    low: int
    high: int
    optional: bool = False

    @property
    def words(self) -> str:
        """What messages call it."""
        return f"a whole number {self._scope()}"

    def read(self, value: Any, name: str) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(must(name, self.words, value))
        if not self.low <= value <= self.high:
            raise ValueError(must(name, self._scope(), value))
        return value

    def _scope(self) -> str:
        return f"{self.low} .. {self.high}{' or left out' * self.optional}"


@dataclass(frozen=True, slots=True)
class Real(_Plain):
    """A finite number `low` .. `high`."""

    low: float
    high: float = math.inf

    @property
    def words(self) -> str:
        """What messages call it."""
        return f"a number, {self._scope()}" if self.high == math.inf else f"a number {self._scope()}"

    def read(self, value: Any, name: str) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise TypeError(must(name, self.words, value))
        if not (math.isfinite(value) and self.low <= value <= self.high):
            raise ValueError(must(name, self._scope(), value))
        return value

    def _scope(self) -> str:
        return f"finite and at least {self.low}" if self.high == math.inf else f"{self.low} .. {self.high}"


@dataclass(frozen=True, slots=True)
class Seconds(_Plain):
    """A time above 0 and at most `most` seconds."""

    most: float

    @property
    def words(self) -> str:
        """What messages call it."""
        return f"a number of seconds above 0 and at most {self.most:,.0f}"

    def read(self, value: Any, name: str) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise TypeError(must(name, self.words, value))
        if not 0 < value <= self.most:
            raise ValueError(must(name, self.words, value))
        return float(value)


@dataclass(frozen=True, slots=True)
class Table:
    """A table with the keys of a section."""

    section: type[Section]
    words = "a table"

    def read(self, value: Any, name: str) -> Section:
        if not isinstance(value, dict):
            advice = f"{name} is a table: write [{name}] and its keys below"
            raise TypeError(must(name, self.words, value) if ":" in name else advice)
        return build_section(self.section, value, f"{name} " if name.endswith(":") else f"{name}.")

    def check(self, value: Any, name: str) -> None:
        if not isinstance(value, self.section):
            raise TypeError(f"{name} must be a {self.section.__name__}, not {type(value).__name__}")


@dataclass(frozen=True, slots=True)
class Array:
    """An array of values of one kind, at least one; in the program a tuple."""

    item: Kind
    of: str

    @property
    def words(self) -> str:
        """What messages call it."""
        return f"an array of {self.of}"

    def read(self, value: Any, name: str) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise TypeError(must(name, self.words, value))
        if not value:
            raise ValueError(f"{name} must be {self.words}, not an empty one")
        return tuple([self.item.read(each, f"{name}, entry {number}:") for number, each in enumerate(value, 1)])

    def check(self, value: Any, name: str) -> None:
        for number, each in enumerate(value, 1):
            self.item.check(each, f"{name}, entry {number}:")


@dataclass(frozen=True, slots=True)
class Named:
    """A table whose keys are names that the writer of the file gives, at least one, and values of one kind."""

    item: Kind
    of: str

    @property
    def words(self) -> str:
        """What messages call it."""
        return f"a table of {self.of}"

    def read(self, value: Any, name: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise TypeError(must(name, self.words, value))
        if not value:
            raise ValueError(f"{name} must be {self.words}, not an empty one")
        return {given: self.item.read(each, f"{name}.{given}") for given, each in value.items()}

    def check(self, value: Any, name: str) -> None:
        for given, each in value.items():
            self.item.check(each, f"{name}.{given}")


class Either:
    """A string, or something that is none."""

    def __init__(self, other: Table | Array) -> None:
        self._other = other
        self.words = f"a string or {other.words}"

    def read(self, value: Any, name: str) -> Any:
        kind = dict if isinstance(self._other, Table) else list
        if not isinstance(value, str | kind):
            raise TypeError(must(name, self.words, value))
        return (Text() if isinstance(value, str) else self._other).read(value, name)

    def check(self, value: Any, name: str) -> None:
        (Text() if isinstance(value, str) else self._other).check(value, name)


def _near(name: str, known: tuple[str, ...] | list[str]) -> str:
    """Ask about the known word that looks most like a name; empty where none does."""
    found = difflib.get_close_matches(name[:100], known, n=1)
    return f"; did you mean {found[0]}?" if found else ""

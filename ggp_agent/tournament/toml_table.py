"""Read a TOML table key by key; every mistake is one line that names the place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import UserError
from ..toml_file import toml_text
from ..wire.clocks import LONGEST_CLOCK


class TomlTable:
    """Take values out of a table.

    Args:
        table: as `tomllib` has it.
        place: what stands before the names of its keys: the file and, in tables within it, their names.
        known: the keys it may have.

    Raises:
        UserError: it has another key.

    >>> table = TomlTable({"rounds": "two"}, "spring.toml: ", ("rounds", "seed"))
    >>> table.whole("seed", default=1, low=0, high=9)
    1
    >>> table.whole("rounds", default=1, low=1, high=9)
    Traceback (most recent call last):
    ...
    ggp_agent.errors.UserError: spring.toml: rounds must be a whole number 1 .. 9, not "two"
    """

    def __init__(self, table: dict[str, Any], place: str, known: Sequence[str]) -> None:
        self._table = table
        self.place = place
        for key in table:
            if key not in known:
                file, colon, prefix = place.rpartition(": ")
                raise UserError(f"{file}{colon}unknown key {prefix}{key}; known are {', '.join(known)}")

    def __contains__(self, key: str) -> bool:
        return key in self._table

    def required(self, key: str, what: str) -> Any:
        """Return the value of a key that must be there."""
        if key not in self._table:
            raise UserError(f"{self.place}{key} is missing; give {what}")
        return self._table[key]

    def text(self, key: str, default: str) -> str:
        """Return a string that is not empty."""
        value = self._table.get(key, default)
        if not isinstance(value, str) or (key in self._table and not value.strip()):
            raise self.mistake(key, "a string")
        return value

    def word(self, key: str, words: Sequence[str]) -> str:
        """Return one of some words, by default the first."""
        value: str = self._table.get(key, words[0])
        if value not in words:
            raise self.mistake(key, f"one of {', '.join(words)}")
        return value

    def flag(self, key: str, default: bool) -> bool:
        """Return true or false."""
        value = self._table.get(key, default)
        if not isinstance(value, bool):
            raise self.mistake(key, "true or false")
        return value

    def whole(self, key: str, default: int, low: int, high: int) -> int:
        """Return a whole number low .. high."""
        value = self._table.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise self.mistake(key, f"a whole number {low} .. {high}")
        return value

    def seconds(self, key: str, default: float) -> float:
        """Return the seconds of a clock: above 0, at most a day."""
        value = self._table.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= LONGEST_CLOCK:
            raise self.mistake(key, f"a number of seconds above 0 and at most {LONGEST_CLOCK:,.0f}")
        return float(value)

    def mistake(self, key: str, wanted: str) -> UserError:
        """Say that a value is not what it must be."""
        return UserError(f"{self.place}{key} must be {wanted}, not {toml_text(self._table[key])}")

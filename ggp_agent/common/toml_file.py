"""Read TOML files with limits; every error is one line.

>>> parse_toml("rounds = 2", "spring.toml")
{'rounds': 2}
>>> parse_toml("rounds = " + "[" * 5000, "spring.toml")
Traceback (most recent call last):
...
ggp_agent.common.errors.UserError: spring.toml: a line is longer than 1,024 characters
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from .errors import UserError
from .terminal_text import shortened

# Far more than a person writes. The time of `tomllib` is quadratic in the parts of a dotted key (`a.a.a = 1`), and a
# key is on one line, so both limits together keep it to seconds.
MAX_BYTES = 1 << 17
MAX_LINE = 1 << 10

# Integers of TOML have 64 bits; unsigned ones may be seeds.
_LARGEST = 1 << 64


def read_toml(path: Path, what: str) -> dict[str, Any]:
    """Read a TOML file."""
    return parse_toml(read_small_text(path, what, "TOML"), str(path))


def read_small_text(path: Path, what: str, form: str) -> str:
    """Read a small text file."""
    try:
        if path.exists() and not path.is_file():
            kind = "folder" if path.is_dir() else "special file"
            raise UserError(f"{path}: cannot read the {what}: this is a {kind}")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise UserError(f"{path}: the {form} is too large; at most {MAX_BYTES >> 10} kB are allowed")
        return data.decode()
    except UnicodeDecodeError:
        raise UserError(f"{path}: cannot read the {what}: it is not UTF-8 text") from None
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise UserError(f"{path}: cannot read the {what}: {reason[:1].lower()}{reason[1:]}") from None


def parse_toml(text: str, source: str) -> dict[str, Any]:
    """Parse TOML; all integers must have at most 64 bits."""
    if any(len(line) > MAX_LINE for line in text.split("\n")):
        raise UserError(f"{source}: a line is longer than {MAX_LINE:,} characters")
    try:
        table = tomllib.loads(text)
    except ValueError as error:
        raise UserError(f"{source}: not TOML: {error}") from None
    except RecursionError:
        raise UserError(f"{source}: TOML is nested too deeply") from None
    _require_bounded(table, source)
    return table


def toml_text(value: object) -> str:
    """Return a value as TOML for messages; tables and arrays as these words, long texts cut.

    >>> toml_text("two"), toml_text(True), toml_text([1, 2]), toml_text({"a": 1}), toml_text(1.5)
    ('"two"', 'true', 'an array', 'a table', '1.5')
    """
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return f'"{shortened(value)}"'
        case list():
            return "an array"
        case dict():
            return "a table"
        case None:
            return "nothing"
    return str(value)


def _require_bounded(table: dict[str, Any], source: str) -> None:
    level: list[Any] = [table]
    while level:
        value = level.pop()
        if isinstance(value, dict):
            level += value.values()
        elif isinstance(value, list):
            level += value
        elif isinstance(value, int) and not -_LARGEST <= value < _LARGEST:
            raise UserError(f"{source}: not TOML: a whole number has more than 64 bits")

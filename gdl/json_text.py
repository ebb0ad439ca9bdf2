"""JSON that somebody else may have written: read without what no later step can handle, and checked value by value."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, NoReturn

# The largest number that is taken for a count or a measurement.
LARGEST = 10**15

_MAY_BE_LONE = re.compile(r"\\u[dD][89a-fA-F]")


def parse_json(text: str | bytes, *, pairs: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    """Return what a JSON text says; bytes are UTF-8.

    NaN and infinite numbers are refused, because they are no JSON. A lone surrogate such as `"\\ud800"` is refused,
    because no text with it can be written, sent or printed.

    >>> parse_json('{"a": [1, null]}')
    {'a': [1, None]}

    Args:
        text: the JSON text.
        pairs: makes an object of its keys and values, as `object_pairs_hook` of `json.loads`.

    Raises:
        ValueError: the text is not JSON, or is refused; a UnicodeDecodeError or JSONDecodeError where it is one.
        RecursionError: the text is nested too deeply.
    """
    if isinstance(text, bytes):
        text = text.decode("utf-8-sig")
    found = json.loads(text, parse_constant=_refuse, object_pairs_hook=pairs)
    if _MAY_BE_LONE.search(text) is not None or not text.isascii():
        try:
            json.dumps(found, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            number = ord(error.object[error.start])
            raise ValueError(f"a text has half a character, \\u{number:04x}") from None
    return found


def checked_number(value: object) -> float:
    """Return a number from -`LARGEST` to `LARGEST`; raise ValueError where the value is something else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not -LARGEST <= value <= LARGEST:
        raise ValueError("a number is no such number")
    return float(value)


def checked_count(value: object) -> int:
    """Return a whole number from 0 to `LARGEST`; raise ValueError where the value is something else."""
    if type(value) is not int or not 0 <= value <= LARGEST:
        raise ValueError("a count is no such number")
    return value


def checked_text(value: object) -> str:
    """Return a text; raise ValueError where the value is something else."""
    if not isinstance(value, str):
        raise ValueError("a text is no text")
    return value


def checked_list(value: object) -> list[Any]:
    """Return a list; raise ValueError where the value is something else."""
    if not isinstance(value, list):
        raise ValueError("a list is no list")
    return value


def checked_object(value: object, names: set[str]) -> dict[str, Any]:
    """Return an object that has these keys; raise ValueError where the value is something else."""
    if not isinstance(value, dict) or not names <= value.keys():
        raise ValueError("an object is none, or has other keys")
    return value


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")

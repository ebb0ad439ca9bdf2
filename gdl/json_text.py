"""Read JSON from untrusted sources: values that later steps cannot handle are rejected."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import is_dataclass
from enum import Enum
from types import UnionType
from typing import Any, NoReturn, get_args, get_origin, get_type_hints

# The largest number that is accepted as a count or a measurement.
LARGEST = 10**15

_MAY_BE_LONE = re.compile(r"\\u[dD][89a-fA-F]")


def parse_json(text: str | bytes, *, pairs: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    """Parse a JSON text; bytes are UTF-8."""
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
    """Return the value if it is a number from -`LARGEST` to `LARGEST`, else raise ValueError."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not -LARGEST <= value <= LARGEST:
        raise ValueError("a number is invalid")
    return float(value)


def checked_count(value: object) -> int:
    """Return the value if it is a whole number from 0 to `LARGEST`, else raise ValueError."""
    if type(value) is not int or not 0 <= value <= LARGEST:
        raise ValueError("a count is invalid")
    return value


def checked_text(value: object) -> str:
    """Return the value if it is a text, else raise ValueError."""
    if not isinstance(value, str):
        raise ValueError("a text is invalid")
    return value


def checked_list(value: object) -> list[Any]:
    """Return the value if it is a list, else raise ValueError."""
    if not isinstance(value, list | tuple):
        raise ValueError("a list is invalid")
    return list(value)


def checked_object(value: object, names: set[str]) -> dict[str, Any]:
    """Return the value if it is an object with these keys, else raise ValueError."""
    if not isinstance(value, dict) or not names <= value.keys():
        raise ValueError("an object is invalid or lacks keys")
    return value


def read_typed(kind: Any, value: object) -> Any:
    """Return the value of a type that JSON describes as `dataclasses.asdict` does, else raise ValueError.

    >>> read_typed(dict[str, tuple[int, ...]], {"a": [1, 2]}), read_typed(str | None, None)
    ({'a': (1, 2)}, None)
    """
    if is_dataclass(kind):
        types = get_type_hints(kind)
        given = checked_object(value, set(types))
        return kind(**{name: read_typed(each, given[name]) for name, each in types.items()})  # type: ignore[operator]
    origin, parts = get_origin(kind), get_args(kind)
    if origin is UnionType:  # a type or None
        return None if value is None else read_typed(parts[0], value)
    if origin is dict:  # its keys are texts
        return {key: read_typed(parts[1], each) for key, each in checked_object(value, set()).items()}
    if origin is list:
        return [read_typed(parts[0], each) for each in checked_list(value)]
    if origin is tuple or hasattr(kind, "_fields"):
        items = checked_list(value)
        named = tuple(get_type_hints(kind).values()) if origin is None else parts
        types_of_items = named[:1] * len(items) if named[1:] == (...,) else named
        if len(items) != len(types_of_items):
            raise ValueError("a list has another length")
        found = tuple(map(read_typed, types_of_items, items))
        return found if origin is tuple else kind(*found)
    if kind is bool and isinstance(value, bool):
        return value
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(checked_text(value))
    return {int: checked_count, float: checked_number, str: checked_text}[kind](value)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")

r"""The canonical text of a JSON document, which is signed; equal to strategy `A` of GGP-Base.

Keys are sorted, and there is no white space. Strings and numbers are printed as by the library org.json: `</` becomes
`<\/`, and the characters 80 to 9f and 2000 to 20ff (hexadecimal) are escaped. A number with a point or an exponent is
printed as a Java double, without a fraction of zeros. An integer beyond 64 bits is printed as a string.

>>> canonical_json({"b": [10.0, 1e3, 0.5, 1e7], "a": "</a> \u2026", "c": {"z": None, "y": True}})
'{"a":"<\\/a> \\u2026","b":[10,1000,0.5,1.0E7],"c":{"y":true,"z":null}}'
"""

from __future__ import annotations

import json
import re
from decimal import Decimal
from itertools import chain
from json.encoder import encode_basestring
from typing import Any

_ESCAPED = re.compile("[\x80-\x9f\u2000-\u20ff]|(?<=<)/")
# org.json reads larger integers as strings.
_LONG = 1 << 63
# Java prints doubles from the first number on, and below the second, with an exponent.
_LARGE, _SMALL = 1e7, 1e-3


def canonical_json(document: Any) -> str:
    """Return the canonical text of a value as returned by `json.loads`."""
    if _is_plain(document):
        text = json.dumps(document, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
        if text.isascii():
            return text.replace("</", r"<\/")
    parts: list[str] = []
    _render(document, parts)
    return "".join(parts)


def _is_plain(document: Any) -> bool:
    """Return whether Java and Python print all numbers in the same way."""
    level = [document]
    while level:
        kinds = set(map(type, level))
        if float in kinds:
            return False
        whole = [each for each in level if type(each) is int] if int in kinds else ()
        if whole and not -_LONG <= min(whole) <= max(whole) < _LONG:
            return False
        inner = [each for each in level if isinstance(each, list | dict)] if kinds & {list, dict} else ()
        level = list(chain.from_iterable(each.values() if isinstance(each, dict) else each for each in inner))
    return True


def _render(value: Any, parts: list[str]) -> None:
    if isinstance(value, str):
        parts.append(_quoted(value))
    elif isinstance(value, list):
        parts.append("[")
        for number, each in enumerate(value):
            if number:
                parts.append(",")
            _render(each, parts)
        parts.append("]")
    elif isinstance(value, dict):
        parts.append("{")
        for number, key in enumerate(sorted(value, key=_java_order)):
            parts.append(f"{',' if number else ''}{_quoted(key)}:")
            _render(value[key], parts)
        parts.append("}")
    elif value is None:
        parts.append("null")
    elif isinstance(value, bool):
        parts.append("true" if value else "false")
    elif isinstance(value, int):
        parts.append(str(value) if -_LONG <= value < _LONG else f'"{value}"')
    else:
        parts.append(_double(value))


def _java_order(key: str) -> bytes:
    """Return a sort key in the order of 16-bit units, as Java compares strings."""
    return key.encode("utf-16-be", "surrogatepass")


def _quoted(text: str) -> str:
    quoted = encode_basestring(text)
    return quoted.replace("</", r"<\/") if quoted.isascii() else _ESCAPED.sub(_escape, quoted)


def _escape(found: re.Match[str]) -> str:
    return r"\/" if found[0] == "/" else f"\\u{ord(found[0]):04x}"


def _double(value: float) -> str:
    """Return a double as printed by Java, without a fraction of zeros.

    >>> [_double(value) for value in (10.0, -0.0, 0.001, 1.5e-4, 1e-6, 12345678.9, 1e21)]
    ['10', '-0', '0.001', '1.5E-4', '1.0E-6', '1.23456789E7', '1.0E21']
    """
    if value == 0 or _SMALL <= abs(value) < _LARGE:
        return repr(value).removesuffix(".0")
    # The shortest digits that give the same number.
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    first, *others = map(str, digits)
    return f"{'-' if sign else ''}{first}.{''.join(others) or '0'}E{int(exponent) + len(others)}"

"""JSON from others: values that later steps cannot handle are rejected when read."""

from __future__ import annotations

import pytest

from gdl.json_text import parse_json


@pytest.mark.parametrize(
    "text",
    [
        r'"\ud800"', r'["a", "b\uDFFF"]', r'{"\udc00": 1}', r'{"a": {"b": "\ude00\ud83d"}}', b'"\xed\xa0\x80"',
        '"\ud800"', "NaN", "[Infinity]", "-Infinity", b"\xff", "", "{", '{"a": 1,}', "1" * 5000,
    ],
)  # fmt: skip
def test_values_that_cannot_be_handled_are_refused(text: str | bytes) -> None:
    with pytest.raises(ValueError):
        parse_json(text)


def test_whole_characters_are_read() -> None:
    assert parse_json(r'["\ud83d\ude00", "\u00e4", "\\ud800", "ü"]') == ["\U0001f600", "ä", r"\ud800", "ü"]
    assert parse_json(b'\xef\xbb\xbf{"a": 1e3}') == {"a": 1000.0}


def test_nesting_is_limited() -> None:
    with pytest.raises(RecursionError):
        parse_json("[" * 100_000)

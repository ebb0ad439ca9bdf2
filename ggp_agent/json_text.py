"""JSON from elsewhere, without text that cannot be written as UTF-8."""

from __future__ import annotations

import json
from typing import Any


def load_json(text: str | bytes | bytearray, **options: Any) -> Any:
    """Return the document of a JSON text.

    Args:
        text: the document, in UTF-8 where it is bytes.
        options: the options of `json.loads`.

    Raises:
        ValueError: the text is no JSON, or has an escape such as "\\ud800" that stands for half a character.
        RecursionError: the document is nested too deeply.
    """
    document = json.loads(text, **options)
    try:
        json.dumps(document, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ValueError("a string has half a character, such as \\ud800") from None
    return document

"""Small results of one kind, in files beside the compiled games."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Generic, TypeVar

from ..json_text import parse_json
from .cache import Cache

logger = logging.getLogger(__name__)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Beside(Generic[T]):
    """Values of one kind, a file for each key; files that cannot be decoded are ignored.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from gdl.json_text import checked_count
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     cache, counts = Cache(Path(folder)), Beside.of_json("counts", "counts1", checked_count, int)
    ...     counts.write(cache, "a", 3), counts.write(cache, "b", -3), counts.read(cache, "a"), counts.read(cache, "b")
    ('', '', 3, None)
    """

    what: str  # the kind of the values, for messages
    suffix: str  # the end of the names of the files, with the version of their meaning
    decode: Callable[[bytes], T]  # raises ValueError, KeyError or RecursionError for content of another kind
    encode: Callable[[T], bytes]

    @classmethod
    def of_json(
        cls, what: str, suffix: str, read: Callable[[Any], T], write: Callable[[Any], Any] = asdict
    ) -> Beside[T]:
        """Return a kind whose files are JSON."""
        return cls(what, suffix, lambda data: read(parse_json(data)), lambda value: json.dumps(write(value)).encode())

    def read(self, cache: Cache, key: str) -> T | None:
        """Return the value of a key; None if there is no valid file."""
        content = cache.read_beside(f"{key}-{self.suffix}")
        if content is None:
            return None
        try:
            return self.decode(content)
        except (ValueError, KeyError, RecursionError) as error:
            logger.debug("stored %s is invalid: %s", self.what, error)
            return None

    def write(self, cache: Cache, key: str, value: T) -> str:
        """Store a value in place of an earlier one; return the reason if it is not stored, else an empty text."""
        return cache.write_beside(f"{key}-{self.suffix}", self.encode(value))

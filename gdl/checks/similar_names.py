"""Names that are similar to a misspelt name, found with bounded work."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

from ..language.terms import Term

# Limits of the search, per sheet: compared pairs of characters, and the length of a name.
_MAX_CHARACTER_PAIRS = 2_000_000
_MAX_NAME = 64

# The similarity of a name that is certainly meant, from 0 to 1; `difflib` defines it.
_CERTAIN = 0.75

_DIGITS = re.compile(r"\d+")


class SimilarNames:
    """Search for similar names until the limit of the work is reached.

    >>> SimilarNames().certain("leagl", ["legal", "init"]), SimilarNames().certain("row1", ["row2"])
    ('legal', '')
    """

    def __init__(self) -> None:
        self._character_pairs = 0

    def nearest(self, word: Term, names: Iterable[Term], *, similarity: float = 0.6) -> str:
        """Return the name most similar to a word; empty if no name is similar, or the limit is reached."""
        if not isinstance(word, str) or len(word) > _MAX_NAME:
            return ""
        spelt = {name.lower(): name for name in names if isinstance(name, str) and len(name) <= _MAX_NAME}
        self._character_pairs += len(word) * sum(map(len, spelt))
        if self._character_pairs > _MAX_CHARACTER_PAIRS:
            return ""
        nearest = difflib.get_close_matches(word.lower(), spelt, n=1, cutoff=similarity)
        return spelt[nearest[0]] if nearest else ""

    def certain(self, word: str, names: Iterable[str]) -> str:
        """Return the name that a misspelt word certainly means; empty if there is none.

        Words that differ in digits only, such as `row1` and `row2`, are different names.
        """
        letters = _DIGITS.sub("", word.lower())
        others = [name for name in names if _DIGITS.sub("", name.lower()) != letters]
        return self.nearest(word, others, similarity=_CERTAIN)

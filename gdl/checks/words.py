"""The words of the language, the literals in which they stand, and names similar to a misspelt name."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator

from ..language.rule_sheet import KEYWORD_ARITIES, Literal, Rule, literals
from ..language.terms import Term, to_kif

# Limits of the search, per sheet: compared pairs of characters, and the length of a name.
_MAX_CHARACTER_PAIRS = 2_000_000
_MAX_NAME = 64

# The similarity of a name that is certainly meant, from 0 to 1; `difflib` defines it.
_CERTAIN = 0.75

_DIGITS = re.compile(r"\d+")

CONNECTIVES = {"<=", "not", "or", "and", "distinct"}

# `random` is the name of a role only, so it is not a keyword where a relation stands.
RELATIONS = {name: arity for name, arity in KEYWORD_ARITIES.items() if name != "random"}


def literals_of(rule: Rule) -> Iterator[Literal]:
    """Yield all literals of the body of a rule, also inside other formulas."""
    for formula in rule.body:
        yield from literals(formula)


def short(term: Term) -> str:
    """Print a term for a message; long terms are cut."""
    text = to_kif(term)
    return text if len(text) <= 60 else text[:57] + "..."


def shown(word: str) -> str:
    """Shorten a long word for a message."""
    return word if len(word) <= 40 else word[:37] + "..."


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
        """Return the name that a misspelt word certainly means, otherwise an empty text.

        Words that differ in digits only, such as `row1` and `row2`, are different names.
        """
        letters = _DIGITS.sub("", word.lower())
        others = [name for name in names if _DIGITS.sub("", name.lower()) != letters]
        return self.nearest(word, others, similarity=_CERTAIN)

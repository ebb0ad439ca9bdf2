"""The values that keys of the compiled search take, as `csrc/search/config_fields.cpp` declares them.

>>> number("playout.epsilon").words, word("reward.source").choices
('a number 0 .. 1', ('goal', 'quality'))
"""

from __future__ import annotations

from .._search import config_ranges, config_words
from ..common.toml_schema import Real, Whole, Word

_RANGES = config_ranges()
_WORDS = config_words()


def number(key: str, *, optional: bool = False) -> Real | Whole:
    """Return the kind of a number."""
    low, high = _RANGES[key]
    if isinstance(low, int) and isinstance(high, int):
        return Whole(low, high, optional=optional)
    return Real(_plain(low), _plain(high))


def word(key: str) -> Word:
    """Return the kind of a choice between words, by its dotted key."""
    return Word(*_WORDS[key])


def _plain(end: float) -> float:
    """Return an end of a range as messages print it: 1 instead of 1.0."""
    return int(end) if end.is_integer() else end

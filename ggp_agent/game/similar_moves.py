"""Name the legal moves that are similar to a move, for messages."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from itertools import takewhile

# Number of legal moves that an error message names.
_MAX_NAMED_MOVES = 3


def some_moves(move: str, legal: Sequence[str]) -> str:
    """List the legal moves that are most similar to a move; an equal beginning counts most.

    >>> some_moves("a2-a3", ["a1-a2", "b2-b3", "a2-b3", "h2-h3", "h3-h4"])
    'a1-a2, a2-b3, b2-b3, .. (5)'
    """
    if len(legal) <= _MAX_NAMED_MOVES:
        return ", ".join(legal) or "none"
    matcher = difflib.SequenceMatcher(b=move)

    def nearness(other: str) -> float:
        matcher.set_seq1(other)
        shared = takewhile(lambda pair: pair[0] == pair[1], zip(other, move, strict=False))
        return matcher.ratio() + len(list(shared)) / (len(move) or 1)

    near = sorted(legal, key=nearness, reverse=True)[:_MAX_NAMED_MOVES]
    return f"{', '.join(sorted(near))}, .. ({len(legal)})"

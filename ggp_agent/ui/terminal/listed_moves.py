"""Print the legal moves in columns, with the numbers by which a person chooses them."""

from __future__ import annotations

from collections.abc import Sequence

from ...game.typed_moves import are_numbered

# Blanks between columns.
_GAP = 3


def listed(legal: Sequence[str], width: int) -> str:
    """Return moves in columns, with their numbers.

    >>> print(listed(["a2-a3", "a2-b3", "b2-a3"], 24))
    1 a2-a3   3 b2-a3
    2 a2-b3
    """
    digits = len(str(len(legal)))
    texts = [f"{number:>{digits}} {move}" for number, move in enumerate(legal, start=1)]
    if not are_numbered(legal):
        texts = list(legal)
    longest = max(map(len, texts))
    columns = max(1, (width + _GAP) // (longest + _GAP))
    rows = -(-len(texts) // columns)
    return "\n".join(
        (" " * _GAP).join(text.ljust(longest) for text in texts[row::rows]).rstrip() for row in range(rows)
    )

"""Text for the terminal: tables of columns, and nothing that could steer it."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterable, Sequence

_GAP = "  "


def printable(text: str) -> str:
    r"""Put a question mark for every character that shows nothing, among them those that steer a terminal.

    >>> printable("a\x1b[2Jb")
    'a?[2Jb'
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else "?" for c in text)


def table(head: Sequence[str], rows: Iterable[Sequence[str]], right: Collection[str] = ()) -> str:
    """Set rows in columns below a head; those named in `right` are flush right.

    >>> print(table(("name", "n"), [("a", "7"), ("b", "12")], right=("n",)))
    name   n
    a      7
    b     12
    """
    lines = [[printable(text) for text in row] for row in (head, *rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    flush = [name in right for name in head]
    return "\n".join(
        _GAP.join(
            text.rjust(width) if is_right else text.ljust(width)
            for text, width, is_right in zip(line, widths, flush, strict=True)
        ).rstrip()
        for line in lines
    )


def csv_text(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Write rows as comma-separated values, with a line for the head; what is not printable is a question mark."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([printable(str(value)) for value in row] for row in (head, *rows))
    return text.getvalue()

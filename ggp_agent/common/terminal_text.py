"""Text for the terminal: tables of columns, and nothing that could steer it."""

from __future__ import annotations

import csv
import io
import shutil
import textwrap
from collections.abc import Collection, Iterable, Sequence

_GAP = "  "
_UNBOUNDED = 1 << 20


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


def fitted_table(
    head: Sequence[str], rows: Iterable[Sequence[str]], right: Collection[str], width: int, spare: Sequence[str]
) -> tuple[str, list[str]]:
    """Set rows in columns as `table` does, in lines of at most so many characters.

    Where they are too long, columns are left out, those named in `spare` one after the other; then lines are cut.

    Returns:
        The table, and the names of the columns that were left out.

    >>> print(*fitted_table(("name", "n", "also"), [("a", "7", "long text")], ("n",), 12, ["also", "n"]))
    name  n
    a     7 ['also']
    """
    columns = list(head)
    lines = [list(row) for row in rows]
    left_out: list[str] = []
    while True:
        text = table(columns, lines, right)
        if len(left_out) == len(spare) or all(len(line) <= width for line in text.split("\n")):
            break
        left_out.append(spare[len(left_out)])
        place = columns.index(left_out[-1])
        for line in (columns, *lines):
            del line[place]
    cut = [line if len(line) <= width else f"{line[: width - 2]}.." for line in text.split("\n")]
    return "\n".join(cut), left_out


def wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """Set a text in lines of at most so many characters, words whole; the lines but the first are indented.

    >>> wrapped("a tree-search at work", 8, "  ")
    ['a', '  tree-search', '  at', '  work']
    """
    return textwrap.wrap(text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def columns_of_terminal() -> int:
    """Return how long a line may be: as COLUMNS says or the terminal is wide; without bounds into a file or a pipe."""
    return shutil.get_terminal_size((_UNBOUNDED, 24)).columns


def csv_text(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Write rows as comma-separated values, with a line for the head; what is not printable is a question mark."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([printable(str(value)) for value in row] for row in (head, *rows))
    return text.getvalue()

"""Text for the terminal: tables, line breaks, and the removal of control characters."""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
import shutil
import textwrap
from collections.abc import Collection, Iterable, Sequence
from typing import Any, TextIO

_GAP = "  "
_UNBOUNDED = 1 << 20
# The characters by which Python represents the bytes of a file name that are not UTF-8.
_BYTES = {0xDC00 + byte: f"\\x{byte:02x}" for byte in range(0x80, 0x100)}
# Escapes in JSON text; the group is the byte of such a character, which is no half of a pair.
_ESCAPES = re.compile(r"\\ud[89ab]..\\ud[c-f]..|\\udc([89a-f].)|\\.")


def encodable(text: str) -> str:
    r"""Write the bytes of file names that are not UTF-8 as text, because UTF-8 cannot encode them.

    >>> print(encodable("x\udcff.json"))
    x\xff.json
    """
    return text.translate(_BYTES)


def json_text(document: object, **layout: Any) -> str:
    r"""Return a document as JSON text, with bytes of file names that are not UTF-8 as `encodable` writes them.

    >>> print(json_text({"file": "x\udcff.json", "smile": "\U0001f480"}))
    {"file": "x\\xff.json", "smile": "\ud83d\udc80"}
    """
    text = json.dumps(document, **layout).translate({code: "\\" + seen for code, seen in _BYTES.items()})
    return _ESCAPES.sub(lambda found: f"\\\\x{found[1]}" if found[1] else found[0], text)


def write_encodable(stream: TextIO | None) -> None:
    """Let a stream write characters that it cannot encode as `encodable` does, or as their numbers."""

    def written(error: UnicodeError) -> tuple[str, int]:
        assert isinstance(error, UnicodeEncodeError)
        text = encodable(error.object[error.start : error.end])
        return text.encode(error.encoding, "backslashreplace").decode(error.encoding), error.end

    codecs.register_error("encodable", written)
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="encodable")


def printable(text: str) -> str:
    r"""Return a text as `encodable` does, with every invisible character replaced by a question mark.

    Invisible characters may control a terminal.

    >>> printable("a\x1b[2Jb")
    'a?[2Jb'
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else "?" for c in encodable(text))


def shortened(text: str, length: int = 60) -> str:
    """Return a text of at most a number of characters; a longer one is cut and ends in two dots.

    >>> shortened("connect_four", 12), shortened("connect_four", 9)
    ('connect_four', 'connect..')
    """
    return text if len(text) <= length else f"{text[: length - 2]}.."


def amount(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural if the number is not 1.

    >>> amount(1, "match"), amount(1200, "match"), amount(0, "history")
    ('1 match', '1,200 matches', '0 histories')
    """
    if number != 1:
        noun = noun[:-1] + "ies" if noun.endswith("ory") else noun + ("es" if noun.endswith(("ch", "ss")) else "s")
    return f"{number:,} {noun}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], right: Collection[str] = ()) -> str:
    """Format rows as a table with a head; columns named in `right` are right-aligned.

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
    """Format rows as `table` does, in lines of at most `width` characters.

    If lines are too long, the columns named in `spare` are omitted one by one, in this order; then lines are cut.

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
    return "\n".join(shortened(line, width) for line in text.split("\n")), left_out


def wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """Break a text into lines of at most `width` characters, without breaking words; indent all lines but the first.

    >>> wrapped("a tree-search at work", 8, "  ")
    ['a', '  tree-search', '  at', '  work']
    """
    return textwrap.wrap(text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def columns_of_terminal() -> int:
    """Return the width of the terminal, or of COLUMNS; practically unlimited for a file or a pipe."""
    return shutil.get_terminal_size((_UNBOUNDED, 24)).columns


def say(text: str) -> None:
    """Print a text in lines of the width of the terminal; all lines but the first are indented."""
    print("\n".join(wrapped(text, columns_of_terminal(), "  ")))


def csv_text(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Format rows as comma-separated values with a head; None is empty, invisible characters become question marks."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows(["" if value is None else printable(str(value)) for value in row] for row in (head, *rows))
    return text.getvalue()

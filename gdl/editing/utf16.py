"""Places of a text in UTF-16 code units, as the Language Server Protocol and browsers count them.

A character beyond U+FFFF has two code units. Lines end with LF, CRLF or CR, and count from 0.
"""

from __future__ import annotations

import re
from bisect import bisect_right

_LINE_END = re.compile(r"\r\n|\r|\n")


class TextPositions:
    """Convert between offsets of characters and positions (line, code units before it in the line)."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._plain = text.isascii()
        ends = list(_LINE_END.finditer(text))
        self._starts = [0, *(match.end() for match in ends)]
        self._ends = [*(match.start() for match in ends), len(text)]

    def position(self, offset: int) -> tuple[int, int]:
        """Return the position of an offset."""
        offset = max(0, min(offset, len(self._text)))
        line = bisect_right(self._starts, offset) - 1
        start = self._starts[line]
        return line, offset - start if self._plain else _units(self._text[start:offset])

    def line_start(self, line: int) -> int:
        """Return the offset of the first character of a line; the end of the text after the last line."""
        return self._starts[line] if line < len(self._starts) else len(self._text)

    def offset_of_finding(self, line: int, column: int) -> int:
        """Return the offset of a position of a finding: from 1, in characters, without the byte order mark."""
        mark = self._text.startswith("\ufeff") and line == 1
        return min(self.line_start(line - 1) + column - 1 + mark, len(self._text))

    def offset(self, line: int, units: int) -> int:
        """Return the offset of a position; a position after a line is its end, one after the text is the text's end."""
        if line >= len(self._starts):
            return len(self._text)
        start, end = self._starts[max(0, line)], self._ends[max(0, line)]
        if self._plain:
            return min(start + max(0, units), end)
        for offset in range(start, end):
            if units <= 0:
                return offset
            units -= 1 + (self._text[offset] > "\uffff")
        return end


class Utf16Offsets:
    """Convert between offsets of characters and offsets of code units in a whole text."""

    def __init__(self, text: str) -> None:
        # The offsets after the characters of two code units, in characters and in code units.
        self._wide = [] if text.isascii() else [place + 1 for place, char in enumerate(text) if char > "\uffff"]
        self._wide_units = [place + earlier for earlier, place in enumerate(self._wide, 1)]
        self.total = len(text) + len(self._wide)  # the number of code units of the text

    def units(self, offset: int) -> int:
        """Return the number of code units before an offset of characters."""
        return offset + bisect_right(self._wide, offset)

    def offset(self, units: int) -> int:
        """Return the offset of characters of an offset of code units; the end of a character if it is within one."""
        return units - bisect_right(self._wide_units, units)


def _units(text: str) -> int:
    return len(text) if text.isascii() else len(text) + sum(char > "\uffff" for char in text)

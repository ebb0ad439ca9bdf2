"""Text to top-level forms: where each one starts and ends, and which of them are broken.

Parentheses, nesting and the length of symbols are checked before the grammar is used, so that a message names the wrong
parenthesis. If parentheses do not match, or a rule begins a line within another form, an opening parenthesis in the
first column of a line, or before `<=`, starts a new form: then an error in one form does not affect later forms.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field

from .rule_sheet import Position

# No sheet needs deeper nesting: the deepest public one has 25 levels.
MAX_NESTING = 100

# Limit of the length of a word; the longest word of the public sheets has 43 characters.
MAX_SYMBOL = 1_000

# Ten times the largest public sheet. Reading and checking take a few seconds at this size.
MAX_CHARACTERS = 500_000

_TOKEN = re.compile(r";[^\n]*|[()]|[^\s();]+")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f]")
# A byte that is not UTF-8 is read as this character, which is harmless in a comment.
_BROKEN_BYTE = re.compile(r"\ufffd|;[^\n]*")
# Two numbers or variables after `<=` are compared.
_FORM_START = re.compile(r"\((?=\s*<=[\s();])(?!\s*<=(?:\s+(?:\?[^\s();]+|-?[0-9]+)){2}\s*\))")

ReportError = Callable[[int, str, str], None]


class Places:
    """Lines and columns of the offsets into a text.

    >>> Places("ab\\ncd").position(4)
    Position(line=2, column=2)
    """

    def __init__(self, text: str) -> None:
        self._line_starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def position(self, offset: int) -> Position:
        """Return the position of the character at an offset."""
        line = bisect_right(self._line_starts, offset)
        return Position(line, offset - self._line_starts[line - 1] + 1)

    def offset(self, position: Position) -> int:
        """Return the offset of a position."""
        return self._line_starts[position.line - 1] + position.column - 1


@dataclass(slots=True)
class Forms:
    """The top-level forms that are worth parsing."""

    starts: list[int] = field(default_factory=list)  # the offset at which each form starts, ascending
    # Pairs (start, end) of the parts of the text that contain complete forms only; they cover all of `starts`.
    stretches: list[tuple[int, int]] = field(default_factory=list)


def find_forms(text: str, report: ReportError, *, rules: bool = False) -> Forms:
    """Split a text into its top-level forms."""
    if not is_text(text, report):
        return Forms()
    for match in _BROKEN_BYTE.finditer(text):
        if not match[0].startswith(";"):
            report(match.start(), "GDL101", "this byte is not UTF-8; outside comments a rule sheet contains UTF-8 only")
            return Forms()
    return _Scan(text, report).run(resynchronise=rules and not is_sound(text))


def is_text(text: str, report: ReportError) -> bool:
    """Return True if a text is not too long and has no control characters; report the first error."""
    if len(text) > MAX_CHARACTERS:
        report(0, "GDL102", f"the text is longer than {MAX_CHARACTERS:,} characters")
        return False
    control = _CONTROL.search(text)
    if control is not None:
        message = f"this is not a text (byte {ord(control[0]):#04x}); give a rule sheet in KIF"
        report(control.start(), "GDL101", message)
        return False
    return True


def is_sound(text: str) -> bool:
    """Return whether parentheses match, and no rule begins a line inside another form.

    If one parenthesis is missing and another is superfluous, all match; then a rule inside a form shows the error.
    """
    depth = 0
    for match in _TOKEN.finditer(text):
        if match[0] == "(":
            if depth and text[match.start() - 1] == "\n" and _FORM_START.match(text, match.start()):
                return False
            depth += 1
        elif match[0] == ")":
            depth -= 1
            if depth < 0:
                return False
    return depth == 0


def starts_form(text: str, start: int) -> bool:
    """Return whether the parenthesis at an offset starts a form in a text that is not sound."""
    return text[start - 1] == "\n" or _FORM_START.match(text, start) is not None


class _Scan:
    """One walk over the text; broken forms are cut out of the stretches."""

    def __init__(self, text: str, report: ReportError) -> None:
        self._text = text
        self._report = report
        self._forms = Forms()
        self._stretch = 0  # start of the current stretch
        self._form = 0  # start of the current form
        self._broken = False  # whether an error of the current form was reported

    def run(self, *, resynchronise: bool) -> Forms:
        text = self._text
        depth = 0
        for match in _TOKEN.finditer(text):
            start, end = match.span()
            first = text[start]
            if first == "(":
                if depth and resynchronise and starts_form(text, start):
                    self._never_closed(start)
                    depth = 0
                if not depth:
                    self._open(start)
                depth += 1
                if depth > MAX_NESTING:
                    self._fault(start, "GDL105", f"parentheses nested deeper than {MAX_NESTING}")
            elif first == ")":
                if not depth:
                    self._open(start)
                    self._fault(start, "GDL103", "closing parenthesis without an opening one")
                    self._close(end)
                    continue
                depth -= 1
                if not depth:
                    self._close(end)
            elif first != ";":
                if not depth:
                    self._open(start)
                if end - start > MAX_SYMBOL:
                    message = f"a word of {end - start:,} characters; the limit is {MAX_SYMBOL:,}"
                    self._fault(start, "GDL109", message)
                if not depth:
                    self._close(end)
        if depth:
            self._never_closed(len(text))
        self._end_stretch(len(text))
        return self._forms

    def _open(self, start: int) -> None:
        self._form = start
        self._broken = False

    def _close(self, end: int) -> None:
        if not self._broken:
            self._forms.starts.append(self._form)
            return
        self._end_stretch(self._form)
        self._stretch = end

    def _end_stretch(self, end: int) -> None:
        starts = self._forms.starts
        if starts and starts[-1] >= self._stretch:
            self._forms.stretches.append((self._stretch, end))

    def _fault(self, offset: int, code: str, message: str) -> None:
        """Report an error of the current form; only the first one is reported."""
        if not self._broken:
            self._broken = True
            self._report(offset, code, message)

    def _never_closed(self, end: int) -> None:
        self._fault(self._form, "GDL104", "this parenthesis is never closed")
        self._close(end)

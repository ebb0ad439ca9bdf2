"""Errors of rule sheets, with their position, and the collection of the errors of one text."""

from __future__ import annotations

from .forms import Places, with_lf
from .rule_sheet import NOWHERE, Position

# After these errors all rules are read nevertheless.
_NOTHING_HIDDEN = {"GDL120", "GDL121"}

# Limit of the listed errors of a text.
MAX_ERRORS = 100


class GdlError(Exception):
    """Report that a rule sheet cannot be used.

    The text of the exception is one line, `source:line:column: message`. `excerpt` contains the source line and a caret
    below the column if the text is known, else it is empty. `code` is the stable code of the cause, empty if it has
    none. `others` are the errors found after this one.
    """

    def __init__(
        self,
        message: str,
        *,
        source: str = "<text>",
        position: Position = NOWHERE,
        text: str | None = None,
        code: str = "",
    ) -> None:
        self.message = message
        self.code = code
        self.others: tuple[GdlError, ...] = ()
        self.source = source
        self.position = position
        self.excerpt = draw_excerpt(text, position) if text is not None else ""
        place = f"{source}:{position.line}:{position.column}" if position.line else source
        super().__init__(f"{place}: {message}")

    def __reduce__(self) -> tuple[object, ...]:
        """Support pickling, so that worker processes can send errors."""
        content = (self.message, self.source, self.position, self.excerpt, self.code, self.others)
        return _restore, (type(self), content)


class GdlSyntaxError(GdlError):
    """Report a text that is not KIF."""


class GdlRuleError(GdlError):
    """Report rules that are KIF but describe no playable game."""


class GdlLimitError(GdlError):
    """Report rules that are too large to be compiled within the limits; a slower machine may still play them."""


def _restore(kind: type[GdlError], content: tuple[str, str, Position, str, str, tuple[GdlError, ...]]) -> GdlError:
    message, source, position, excerpt, code, others = content
    error = kind(message, source=source, position=position, code=code)
    error.excerpt = excerpt
    error.others = others
    return error


def draw_excerpt(text: str, position: Position) -> str:
    """Draw the source line with a caret below the column; long lines are cut around it."""
    text = with_lf(text)
    start = 0
    for _ in range(position.line - 1):
        start = text.find("\n", start) + 1
        if not start:
            return ""
    if not position.line:
        return ""
    end = text.find("\n", start)
    line = text[start : end if end >= 0 else None]
    if "\0" in line or ("\N{REPLACEMENT CHARACTER}" in line and any(c < "\t" or "\r" < c < " " for c in line)):
        return ""  # the bytes of a binary file
    cut = max(0, position.column - 1 - 60)
    shown = "".join(c if c.isprintable() else " " for c in line[cut : cut + 100])
    return f"{shown}\n{' ' * (position.column - 1 - cut)}^"


class TooManyErrorsError(Exception):
    """End the parse of a text with too many errors."""


class TextErrors:
    """Collect the errors of one text."""

    def __init__(self, text: str, source: str) -> None:
        self.found: list[GdlError] = []  # the errors so far
        self.hidden = False  # True if a part of the text could not be read, so that rules may be missing
        self._text = text
        self._source = source
        self._places: Places | None = None

    @property
    def places(self) -> Places:
        if self._places is None:
            self._places = Places(self._text)
        return self._places

    def at_offset(self, offset: int, code: str, message: str) -> None:
        self.add(GdlSyntaxError, self.places.position(offset), code, message)

    def at_position(self, position: Position, code: str, message: str) -> None:
        self.add(GdlSyntaxError if code in ("GDL110", "GDL111") else GdlRuleError, position, code, message)

    def add(self, kind: type[GdlError], position: Position, code: str, message: str) -> None:
        self.hidden |= code not in _NOTHING_HIDDEN
        self.found.append(kind(message, source=self._source, position=position, text=self._text, code=code))
        # Errors of parentheses come first and must leave room for other errors, so the limit here is twice as high.
        if len(self.found) > 2 * MAX_ERRORS:
            raise TooManyErrorsError

    def raise_first(self) -> None:
        if self.found:
            raise min(self.found, key=lambda error: error.position)

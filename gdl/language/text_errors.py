"""Errors of one rule text, collected while it is read."""

from __future__ import annotations

from .errors import GdlError, GdlRuleError, GdlSyntaxError
from .forms import Places
from .rule_sheet import Position

# After these errors all rules are read nevertheless.
_NOTHING_HIDDEN = {"GDL120", "GDL121"}

# Limit of the listed errors of a text.
MAX_ERRORS = 100


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

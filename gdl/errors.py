"""What can be wrong with a rule sheet, each error with its place."""

from __future__ import annotations

from .rules import NOWHERE, Position


class GdlError(Exception):
    """Report that a rule sheet cannot be used.

    The text of the exception is one line, `source:line:column: message`; `excerpt` holds the
    source line and a caret below the column where the text is known, else it is empty.
    """

    def __init__(
        self, message: str, *, source: str = "<text>", position: Position = NOWHERE, text: str | None = None
    ) -> None:
        self.message = message
        self.source = source
        self.position = position
        self.excerpt = _excerpt(text, position) if text is not None else ""
        place = f"{source}:{position.line}:{position.column}" if position.line else source
        super().__init__(f"{place}: {message}")

    def __reduce__(self) -> tuple[object, ...]:
        """Let errors of worker processes arrive as they were raised."""
        return _restore, (type(self), self.message, self.source, self.position, self.excerpt)


class GdlSyntaxError(GdlError):
    """Report a text that is not KIF."""


class GdlRuleError(GdlError):
    """Report rules that are KIF but describe no playable game."""


class GdlLimitError(GdlError):
    """Report rules that are too large to be compiled within the limits; a slower machine may still play them."""


def _restore(kind: type[GdlError], message: str, source: str, position: Position, excerpt: str) -> GdlError:
    error = kind(message, source=source, position=position)
    error.excerpt = excerpt
    return error


def _excerpt(text: str, position: Position) -> str:
    """Draw the source line with a caret below the column; long lines are cut around it."""
    lines = text.split("\n")
    if not 1 <= position.line <= len(lines):
        return ""
    line = "".join(c if c.isprintable() else " " for c in lines[position.line - 1].rstrip("\r"))
    start = max(0, position.column - 1 - 60)
    shown = line[start : start + 100]
    return f"{shown}\n{' ' * (position.column - 1 - start)}^"

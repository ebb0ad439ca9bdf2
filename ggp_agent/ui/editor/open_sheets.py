"""The sheets that the editor has open, with bounded size."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from lsprotocol import types

from gdl.editing import SheetNames, TextPositions
from gdl.language.forms import MAX_CHARACTERS

# Limits of the open sheets and of the characters of each. The text of a larger sheet is not kept.
MAX_OPEN = 200
MAX_KEPT = 4 * MAX_CHARACTERS


@dataclass
class OpenSheet:
    """One version of an open sheet."""

    text: str
    version: int = 0  # the version that the editor gives
    lost: bool = False  # True if the text was too large to be kept; changes of parts are dropped then

    @cached_property
    def positions(self) -> TextPositions:
        """The positions of the text."""
        return TextPositions(self.text)

    @cached_property
    def names(self) -> SheetNames:
        """The names of the text."""
        return SheetNames(self.text)

    def offset(self, position: types.Position) -> int:
        """Return the offset of a position of the protocol."""
        return self.positions.offset(position.line, position.character)

    def range(self, start: int, end: int) -> types.Range:
        """Return the range of the protocol from one offset to another."""
        return types.Range(
            types.Position(*self.positions.position(start)), types.Position(*self.positions.position(end))
        )


@dataclass
class OpenSheets:
    """The open sheets by their URI."""

    by_uri: dict[str, OpenSheet] = field(default_factory=dict)  # the sheets

    def open(self, uri: str, text: str, version: int) -> OpenSheet:
        """Record a sheet; beyond `MAX_OPEN` the sheet opened first is dropped."""
        self.by_uri.pop(uri, None)
        if len(self.by_uri) >= MAX_OPEN:
            del self.by_uri[next(iter(self.by_uri))]
        self.by_uri[uri] = _sheet(text, version)
        return self.by_uri[uri]

    def change(
        self, uri: str, changes: Iterable[types.TextDocumentContentChangeEvent], version: int
    ) -> OpenSheet | None:
        """Apply changes of parts or of the whole text; return None if the sheet is not open."""
        sheet = self.by_uri.get(uri)
        if sheet is None:
            return None
        for change in changes:
            if isinstance(change, types.TextDocumentContentChangeWholeDocument):
                sheet = _sheet(change.text, version)
            elif not sheet.lost:
                start, end = sheet.offset(change.range.start), sheet.offset(change.range.end)
                sheet = _sheet(sheet.text[:start] + change.text + sheet.text[max(start, end) :], version)
        sheet.version = version
        self.by_uri[uri] = sheet
        return sheet


def _sheet(text: str, version: int) -> OpenSheet:
    return OpenSheet(text, version) if len(text) <= MAX_KEPT else OpenSheet("", version, lost=True)

"""Functions of editors for the page: meaning, definition, renaming and completion of names, and fixes of findings.

The functions are in `gdl.editing` and `gdl.checks.fixes`. Here offsets count UTF-16 code units in the whole text, as
browsers do.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from gdl.checks import Report
from gdl.checks.fixes import Fix, SheetFixes
from gdl.editing import RenameError, SheetNames, TextPositions, Utf16Offsets, complete, help_at, renamed_at
from gdl.editing.sheet_names import renameable_at
from gdl.language.forms import MAX_CHARACTERS, Node

from .game_process import Document


def find_names(what: str, text: str, offset: int, new: str = "") -> Document:
    """Return the result of one function of the editor for a place of a sheet.

    >>> find_names("definition", "(init (at 1)) (<= terminal (true (at 2)))", 35)
    {'problem': '', 'definition': [0, 13]}
    >>> find_names("rename", "(init (at 1))", 1, "begin")["problem"]
    'init is a word of GDL, which cannot be renamed'
    """
    find = _FUNCTIONS.get(what)
    if find is None:
        return {"problem": f"'what' must be one of {', '.join(_FUNCTIONS)}"}
    if len(text) > MAX_CHARACTERS:
        return {"problem": f"the rules have {len(text):,} characters; names are found in at most {MAX_CHARACTERS:,}"}
    try:
        sheet = _Sheet.of(text)
        if offset > sheet.offsets.total:
            return {"problem": f"'offset' must be a whole number from 0 to {sheet.offsets.total:,}"}
        return {"problem": "", **find(sheet, sheet.offsets.offset(offset), new)}
    except RenameError as error:
        return {"problem": str(error)}
    except (RecursionError, MemoryError):
        return {"problem": "these rules are too large or nested too deeply"}


def documents_of_findings(text: str, report: Report) -> list[Document]:
    """Return the findings of a text for JSON; the key `fixes` exists only if a finding has fixes.

    Each fix has a `title` and `edits`: `start`, `end` and `replacement` of each.
    """
    fixes = SheetFixes(text, report.sheet)
    positions, offsets = TextPositions(text), Utf16Offsets(text)
    documents = []
    for finding in report.findings:
        found = [_fix_document(fix, positions, offsets) for fix in fixes.of(finding)]
        documents.append(finding.document() | ({"fixes": found} if found else {}))
    return documents


def _fix_document(fix: Fix, positions: TextPositions, offsets: Utf16Offsets) -> Document:
    edits = []
    for edit in fix.edits:
        start, end = (offsets.units(positions.offset_of_finding(*place)) for place in (edit.start, edit.end))
        edits.append({"start": start, "end": end, "replacement": edit.replacement})
    return {"title": fix.title, "edits": edits}


# ---- the functions


class _Sheet:
    """A text, its names, and its offsets."""

    def __init__(self, text: str) -> None:
        self.names = SheetNames(text)
        self.offsets = Utf16Offsets(text)

    @staticmethod
    @lru_cache(maxsize=1)
    def of(text: str) -> _Sheet:
        """Return a text; the latest is kept, because one text often has several requests."""
        return _Sheet(text)

    def place(self, node: Node) -> list[int]:
        """Return start and end of a node."""
        return [self.offsets.units(node.start), self.offsets.units(node.end)]


def _help(sheet: _Sheet, offset: int, _new: str) -> Document:
    found = help_at(sheet.names, offset)
    return {"word": sheet.place(found[0]), "help": found[1]} if found else {"word": None, "help": ""}


def _definition(sheet: _Sheet, offset: int, _new: str) -> Document:
    found = sheet.names.definitions(offset)
    return {"definition": sheet.place(found[0]) if found else None}


def _complete(sheet: _Sheet, offset: int, _new: str) -> Document:
    start, words = complete(sheet.names, offset)
    return {
        "start": sheet.offsets.units(start),
        "words": [{"word": each.word, "kind": each.kind, "detail": each.detail} for each in words],
    }


def _rename(sheet: _Sheet, offset: int, new: str) -> Document:
    if not new:
        return {"word": sheet.place(renameable_at(sheet.names, offset))}
    words, name = renamed_at(sheet.names, offset, new)
    places = map(sheet.place, words)
    return {"edits": [{"start": start, "end": end, "replacement": name} for start, end in places]}


_FUNCTIONS: dict[str, Callable[[_Sheet, int, str], Document]] = {
    "help": _help,
    "definition": _definition,
    "complete": _complete,
    "rename": _rename,
}

"""Functions of editors of rule sheets in KIF: the meaning, places and renaming of names, completion, outline.

They work on the text, also if it has errors, and know nothing about a protocol or a page. Offsets count characters.
"""

from __future__ import annotations

from .name_help import KEYWORD_HELP, Completion, complete, help_at
from .sheet_names import OutlineEntry, RenameError, SheetNames, outline, renameable_at, renamed_at
from .utf16 import TextPositions, Utf16Offsets

__all__ = [
    "KEYWORD_HELP",
    "Completion",
    "OutlineEntry",
    "RenameError",
    "SheetNames",
    "TextPositions",
    "Utf16Offsets",
    "complete",
    "help_at",
    "outline",
    "renameable_at",
    "renamed_at",
]

"""Functions of editors of rule sheets in KIF: the meaning, places and renaming of names, completion, outline.

They work on the text, also if it has errors, and know nothing about a protocol or a page. Offsets count characters.
"""

from __future__ import annotations

from .completions import Completion, complete
from .keyword_help import KEYWORD_HELP
from .name_help import help_at
from .outline import OutlineEntry, outline
from .renaming import RenameError, renamed_at
from .sheet_names import SheetNames
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
    "renamed_at",
]

"""The layout of help texts."""

from __future__ import annotations

import argparse
import shutil

from ..common.terminal_text import wrapped

# Lines beyond this are hard to read.
_WIDEST = 120
# What argparse also sets at least.
_NARROWEST = 11
# Where the help of an option begins at most.
_HELP_COLUMN = 27


class HelpFormatter(argparse.HelpFormatter):
    """Fill paragraphs to the width of the terminal; keep lines that are indented, and words whole.

    A paragraph of a description or an epilog is told from an example by the blanks before an example.
    """

    def __init__(self, prog: str, width: int | None = None, **options: int) -> None:
        if width is None:
            width = min(shutil.get_terminal_size().columns, _WIDEST)
        super().__init__(prog, max_help_position=_HELP_COLUMN, width=width)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n\n".join(_filled(block, width, indent) for block in text.strip("\n").split("\n\n"))

    def _split_lines(self, text: str, width: int) -> list[str]:
        return wrapped(" ".join(text.split()), max(width, _NARROWEST))


def _filled(block: str, width: int, indent: str) -> str:
    """Fill one paragraph; its indented lines, such as examples, stay as they are.

    >>> print(_filled("a word\\nor two\\n  ex 1\\n  ex 2", 11, ""))
    a word or
    two
      ex 1
      ex 2
    """
    lines: list[str] = []
    prose: list[str] = []
    for line in [*block.split("\n"), " "]:
        if not line.startswith(" "):
            prose.append(line)
            continue
        lines += wrapped(" ".join(prose), max(width, _NARROWEST))
        prose = []
        lines.append(line.rstrip())
    return "\n".join(indent + line for line in lines[:-1])

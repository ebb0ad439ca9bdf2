"""The layout of help texts."""

from __future__ import annotations

import argparse
import shutil

from ..common.terminal_text import wrapped
from . import COMMANDS, GROUPS

# Maximal line length, for readability.
_WIDEST = 120
# The minimum that argparse uses, too.
_NARROWEST = 11
# Maximal column where the help of an option starts.
_HELP_COLUMN = 27


class HelpFormatter(argparse.HelpFormatter):
    """Wrap paragraphs to the width of the terminal; keep indented lines, such as examples, as they are."""

    def __init__(self, prog: str, width: int | None = None, **options: int) -> None:
        if width is None:
            width = min(shutil.get_terminal_size().columns, _WIDEST)
        super().__init__(prog, max_help_position=_HELP_COLUMN, width=width)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n\n".join(_filled(block, width, indent) for block in text.strip("\n").split("\n\n"))

    def _format_action(self, action: argparse.Action) -> str:
        if action.dest != "command":
            return super()._format_action(action)
        indent = max(map(len, COMMANDS)) + 6
        lines = []
        for group, commands in GROUPS.items():
            lines.append(f"  {group}:")
            for name, summary in commands.items():
                shown = self._split_lines(summary, self._width - indent)
                lines += [f"{f'    {name}':<{indent}}{shown[0]}", *(" " * indent + line for line in shown[1:])]
        return "\n".join(lines) + "\n"

    def _split_lines(self, text: str, width: int) -> list[str]:
        return wrapped(" ".join(text.split()), max(width, _NARROWEST))


def _filled(block: str, width: int, indent: str) -> str:
    """Wrap one paragraph; keep its indented lines, such as examples, as they are.

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

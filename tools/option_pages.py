"""Write a page of options for each command to docs/reference/options, from the parsers of the program.

    python tools/option_pages.py

`make docs` runs this program before Sphinx. Git ignores the pages.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from textwrap import indent

from ggp_agent.cli import build_parser
from ggp_agent.commands import COMMANDS
from ggp_agent.commands._help import HelpFormatter

FOLDER = Path(__file__).parents[1] / "docs" / "reference" / "options"
# Code in a help text: text in quotes or backquotes, options, and words with a character that prose does not have.
CODE = re.compile(
    r"""(?<!\w)'([^']+)'(?!\w)|`([^`]+)`|("[^"]+"|--[a-z][\w-]*|[^\s();"']*[_*=<>|\\][^\s();"']*(?<![.,:]))"""
)


def prose(text: str) -> str:
    """Return a help text as reStructuredText."""
    return CODE.sub(lambda found: f"``{found[found.lastindex or 0]}``", " ".join(text.split()))


def paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs of a description or an epilog; indented lines are blocks of code."""
    for indented, lines in groupby(text.split("\n"), key=lambda line: line.startswith(" ")):
        block = "\n".join(lines)
        yield from [literal(block)] if indented else map(prose, filter(None, block.strip("\n").split("\n\n")))


def literal(block: str) -> str:
    """Return a block of code."""
    return "::\n\n" + indent(block, "   ")


def rows(group: argparse._ArgumentGroup, layout: HelpFormatter) -> Iterator[tuple[str, str]]:
    """Yield the arguments of a group, or its sub-commands, with their help texts."""
    for action in group._group_actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from ((each.dest, each.help or "") for each in action._choices_actions)
        elif not isinstance(action, argparse._HelpAction):
            yield layout._format_action_invocation(action), layout._expand_help(action)


def sections(parser: argparse.ArgumentParser, summary: str, line: str = "=") -> Iterator[str]:
    """Yield the parts of the page of a command: texts, usage, tables of options, and a section for each sub-command."""
    title = parser.prog.partition(" ")[2]
    yield f"{title}\n{line * len(title)}"
    yield from paragraphs(parser.description or f"{summary[:1].upper()}{summary[1:]}.")
    layout = HelpFormatter(parser.prog, width=86)
    layout.add_usage(parser.usage, parser._actions, parser._mutually_exclusive_groups)
    yield literal(layout.format_help().strip())
    for group in parser._action_groups:
        cells = [(group.title, "meaning"), *((f"``{name}``", prose(text)) for name, text in rows(group, layout))]
        if len(cells) > 1:
            yield ".. list-table::\n   :header-rows: 1\n\n" + "\n".join(f"   * - {a}\n     - {b}" for a, b in cells)
    yield from paragraphs(parser.epilog or "")
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for each in action._choices_actions:
                yield from sections(action.choices[each.dest], each.help or "", "-")


def pages() -> Iterator[tuple[str, str]]:
    """Yield each command with the text of its page."""
    for action in build_parser()._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, parser in action.choices.items():
                yield name, "\n\n".join(sections(parser, COMMANDS[name])) + "\n"


def main() -> None:
    """Write the pages that have changed, and remove pages of former commands."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    os.environ["NO_COLOR"] = "1"  # Python 3.14 colours help texts in a terminal
    FOLDER.mkdir(exist_ok=True)
    texts = {FOLDER / f"{name}.rst": text for name, text in pages()}
    for path in set(FOLDER.iterdir()) - set(texts):
        path.unlink()
    for path, text in texts.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

"""Names of commands and options: groups of the help and the pages, and former names."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator

import pytest
from places import ROOT

from ggp_agent.cli import build_parser, main
from ggp_agent.commands import COMMANDS, FORMER_COMMANDS, FORMER_OPTIONS, GROUPS


def options_of(parser: argparse.ArgumentParser) -> Iterator[str]:
    """Yield the options of a parser and of its sub-parsers."""
    for action in parser._actions:
        yield from action.option_strings
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from options_of(below)


def test_help_reference_and_sidebar_have_the_same_groups() -> None:
    groups = {group: list(commands) for group, commands in GROUPS.items()}
    shown: dict[str, list[str]] = {}
    for line in build_parser(()).format_help().partition("\ncommands:\n")[2].partition("\n\n")[0].splitlines():
        if heading := re.fullmatch(r"  (\S.*):", line):
            shown[heading[1]] = []
        elif name := re.match(r"    (\w+)", line):
            shown[[*shown][-1]].append(name[1])
    assert shown == groups

    page = (ROOT / "docs" / "reference" / "commands.md").read_text().partition("\n## Conventions")[0]
    sections = {part.partition("\n")[0].lower(): part for part in page.split("\n## ")[1:]}
    assert {title: re.findall(r"^\| `(\w+)`", text, re.MULTILINE) for title, text in sections.items()} == groups

    captions = re.findall(r"^:caption: (.*)$", (ROOT / "docs" / "index.md").read_text(), re.MULTILINE)
    assert [caption.lower() for caption in captions[: len(GROUPS)]] == [*GROUPS]


def test_former_names_are_no_present_names() -> None:
    assert not FORMER_COMMANDS.keys() & COMMANDS.keys()
    parser = build_parser(FORMER_OPTIONS)
    commands = next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction)).choices
    for command, renamed in FORMER_OPTIONS.items():
        options = set(options_of(commands[command]))
        assert not renamed.keys() & options and set(renamed.values()) <= options, command


@pytest.mark.parametrize(
    ("words", "notes"),
    [
        ("replay none --rules .", ["replay is now verify"]),
        ("prepare none.kif --seconds 1", ["--seconds is now --cpu-seconds"]),
        ("prepare none.kif --seconds=1", ["--seconds is now --cpu-seconds"]),
        ("play none.kif --load a", ["--load is now --resume"]),
        ("play none.kif --seconds 1", []),
        ("arena none.kif --a default --b default --games 2 --simulations 1 --record a", ["--record is now --out"]),
    ],
)
def test_former_names_work_and_print_a_line(capsys: pytest.CaptureFixture[str], words: str, notes: list[str]) -> None:
    assert main(words.split()) == 2
    *printed, error = capsys.readouterr().err.splitlines()
    assert printed == [f"ggp-agent: {note}" for note in notes]
    assert "none" in error


def test_the_help_of_a_former_command_is_that_of_the_present_one(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["help", "replay"])
    shown = capsys.readouterr()
    assert shown.out.startswith("usage: ggp-agent verify") and shown.err == "ggp-agent: replay is now verify\n"

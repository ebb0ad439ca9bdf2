"""The pages about the configuration, search and arena agree with the program."""

from __future__ import annotations

import argparse
import re
import shlex

import configuration_page
from places import ROOT

from ggp_agent.commands import arena, search

PAGE = (ROOT / "docs" / "guide" / "search_and_compare.md").read_text()


def test_every_key_has_its_row() -> None:
    page = configuration_page.PAGE.read_text()
    assert page == configuration_page.written(page)
    assert sorted(configuration_page.ROW.findall(page)) == sorted(configuration_page.KEYS)


def test_examples_are_valid() -> None:
    commands = [
        shlex.split(line)[1:] for line in re.findall(r"^    (ggp-agent (?:search|arena) .*)$", PAGE, re.MULTILINE)
    ]
    assert len(commands) >= 5
    for name, *arguments in commands:
        parser = argparse.ArgumentParser()
        (search if name == "search" else arena).add_arguments(parser)
        parser.parse_args(arguments)

"""The pages about the configuration, search and arena agree with the program."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from places import ROOT

from ggp_agent.commands import arena, search
from ggp_agent.common.toml_schema import Real, ValueKind, Whole
from ggp_agent.mcts.config import SearchConfig

KEYS = (ROOT / "docs" / "reference" / "configuration.md").read_text()
PAGE = (ROOT / "docs" / "guide" / "search_and_compare.md").read_text()


ROWS = re.findall(r"^\| (`[\w.]+`(?:, `[\w.]+`)*) \| ([^|]*) \| ([^|]*)\|", KEYS, re.MULTILINE)


def kinds(section: Any, prefix: str = "") -> Iterator[tuple[str, ValueKind]]:
    """List the keys of a configuration with what their values must be."""
    for entry in fields(section):
        value = getattr(section, entry.name)
        if is_dataclass(value):
            yield from kinds(value, f"{prefix}{entry.name}.")
        else:
            yield f"{prefix}{entry.name}", entry.metadata["kind"]


def keys(section: Any, prefix: str = "") -> Iterator[tuple[str, object]]:
    """List the keys of a configuration with their defaults."""
    for entry in fields(section):
        value = getattr(section, entry.name)
        if is_dataclass(value):
            yield from keys(value, f"{prefix}{entry.name}.")
        else:
            yield f"{prefix}{entry.name}", value


def test_every_key_is_explained_with_its_default() -> None:
    explained = {key: default.strip(" `") for names, default, _ in ROWS for key in re.findall(r"`([\w.]+)`", names)}
    for key, default in keys(SearchConfig()):
        assert key in explained, key
        if default is not None:
            assert explained[key] == str(default).lower(), key


def test_every_number_is_explained_with_its_range() -> None:
    explained = {key: scope.strip() for names, _, scope in ROWS for key in re.findall(r"`([\w.]+)`", names)}
    for key, kind in kinds(SearchConfig()):
        match kind:
            case Whole(low=low, high=high) | Real(low=low, high=high) if high < math.inf:
                assert explained[key] == f"{low} .. {high}", key
            case Real(low=low):
                assert explained[key] == f"at least {low}", key
            case _:
                assert explained[key] == "", key


def test_examples_are_valid() -> None:
    import argparse
    import shlex

    commands = [
        shlex.split(line)[1:] for line in re.findall(r"^    (ggp-agent (?:search|arena) .*)$", PAGE, re.MULTILINE)
    ]
    assert len(commands) >= 5
    for name, *arguments in commands:
        parser = argparse.ArgumentParser()
        (search if name == "search" else arena).add_arguments(parser)
        parser.parse_args(arguments)

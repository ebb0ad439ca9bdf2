"""What the tests of commands share: the document that a command prints, and the line by which it refuses its input."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from ggp_agent.cli import main


@pytest.fixture
def document(capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """Run a command, which must print nothing but one JSON document; return the document."""

    def document(*words: str) -> Any:
        assert main([*words, "--json"]) == 0
        shown = capsys.readouterr()
        assert shown.err == ""
        return json.loads(shown.out)

    return document


@pytest.fixture
def refusal(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run a command that refuses its input in one line; return the line without the name of the program."""

    def refusal(*words: str) -> str:
        assert main([*words]) == 2
        shown = capsys.readouterr()
        assert shown.out == ""
        (line,) = shown.err.splitlines()
        assert line.startswith("ggp-agent: error: ")
        return line.removeprefix("ggp-agent: error: ")

    return refusal

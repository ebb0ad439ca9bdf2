"""What the tests of the agent share."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from served import Serve, Served

from ggp_agent.cli import main
from ggp_agent.common.pipe_worker import start_fork_server
from ggp_agent.player.guard.fork_server import ForkServer

# What the workers of the tests import.
LOADED = (
    *("pytest", "ggp_agent.arena.workers", "ggp_agent.bench.measure", "ggp_agent.manager.tournament.tournament_worker"),
    *("ggp_agent.measures.game_measures", "ggp_agent.puzzles.solution", "ggp_agent.ui.editor.server"),
    *("ggp_agent.ui.web.live_games", "gdl.language.grammar"),
)


@pytest.fixture(autouse=True, scope="session")
def loaded_workers(cache_of_the_tests: None) -> None:
    """Start the workers of all tests in a few milliseconds."""
    start_fork_server(*LOADED)


@pytest.fixture(scope="session")
def fork_server(cache_of_the_tests: None) -> Iterator[ForkServer]:
    """Fork the processes of all matches of players in this process."""
    with ForkServer() as fork_server:
        fork_server.wait()
        yield fork_server


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Serve players that end with the test."""
    players: list[Served] = []

    def serve(*options: str, **settings: Any) -> Served:
        players.append(Served(tmp_path, *options, **settings))
        return players[-1]

    yield serve
    for player in players:
        if player.process.poll() is None:
            player.close()


@pytest.fixture
def in_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Run a test in an empty folder; return the folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


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

"""Processes do not import large packages that they do not use: each costs up to a second at every start."""

from __future__ import annotations

import subprocess
import sys

import pytest

from ggp_agent.common.processes import child_environment

LARGE = {"requests", "scipy", "lark", "matplotlib"}


@pytest.mark.parametrize(
    ("program", "used"),
    [
        ("import ggp_agent", set()),
        ("import ggp_agent.arena.workers", set()),
        ("import ggp_agent.commands.inspect", set()),
        ("import ggp_agent.measures.workers_of_measures", set()),
        ("import ggp_agent.player.match_worker", set()),
        ("import ggp_agent.puzzles.solution", set()),
        ("import ggp_agent.ui.editor.sheet_worker", set()),
        ("import ggp_agent.ui.web.live_games", set()),
        ("import ggp_agent.manager.tournament.tournament_worker", set()),
        ("from ggp_agent.cli import main; main(['--help'])", set()),
    ],
)
def test_a_process_imports_no_large_package_that_it_does_not_use(program: str, used: set[str]) -> None:
    report = f"import atexit, sys; atexit.register(lambda: print('loaded', *{LARGE} & sys.modules.keys())); {program}"
    done = subprocess.run(
        [sys.executable, "-c", report], env=child_environment(), capture_output=True, text=True, check=True
    )
    assert set(done.stdout.split("loaded")[-1].split()) == used

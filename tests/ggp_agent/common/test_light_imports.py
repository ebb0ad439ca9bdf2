"""Processes do not import large packages that they do not use: each costs up to a second at every start."""

from __future__ import annotations

import subprocess
import sys

import pytest

from ggp_agent.common.processes import child_environment

LARGE = {"requests", "scipy", "lark", "matplotlib"}
# What the library and its command line do not import before they are used.
LAZY = LARGE | {"numpy", "clingo", "rich", "gymnasium", "pettingzoo", "ggp_agent._search"}


@pytest.mark.parametrize(
    ("program", "unused"),
    [
        ("import ggp_agent", LAZY),
        ("import ggp_agent.arena.workers", LARGE),
        ("import ggp_agent.commands.inspect", LARGE),
        ("import ggp_agent.mcts.config", {"numpy"}),
        ("import ggp_agent.measures.game_measures", LARGE),
        ("import ggp_agent.player.match.worker", LARGE),
        ("import ggp_agent.puzzles.solution", LARGE),
        ("import ggp_agent.ui.editor.server", LARGE),
        ("import ggp_agent.ui.web.live_games", LARGE),
        ("import ggp_agent.manager.tournament.tournament_worker", LARGE),
        ("from ggp_agent.cli import main; main(['--help'])", LAZY),
        ("from ggp_agent.cli import main; main(['--version'])", LAZY),
    ],
)
def test_a_process_imports_no_large_package_that_it_does_not_use(program: str, unused: set[str]) -> None:
    report = f"import atexit, sys; atexit.register(lambda: print('loaded', *{unused} & sys.modules.keys())); {program}"
    done = subprocess.run(
        [sys.executable, "-c", report], env=child_environment(), capture_output=True, text=True, check=True
    )
    assert done.stdout.split("loaded")[-1].split() == []

"""Test whether an installed ggp-agent works; run for every wheel, in an empty environment.

    python tests/support/smoke.py

Needs only the package and its dependencies, and no compiler.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import ggp_agent as ggp
import ggp_agent.rl
from gdl._network import has_kernel
from gdl.machines.network import DEFAULT_LANES, KERNEL_VARIABLE
from kif_games import catalogue


def run(*arguments: str, folder: str, **environment: str) -> str:
    """Run a command like a user; return its output."""
    command = [sys.executable, "-m", "ggp_agent", *arguments]
    return subprocess.run(
        command, check=True, cwd=folder, env={**os.environ, **environment}, stdout=subprocess.PIPE, text=True
    ).stdout


def library() -> None:
    """Play at random, and search, with rules and with a native game."""
    for name in ("connect_four", "fast:breakthrough_6x6"):
        game = ggp.load_game(name)
        state = game.initial_state()
        result = state.search(simulations=500)
        assert result.visits > 0 and result.best, name
        while not state.is_terminal:
            state = state.play(*(random.choice(moves) for moves in state.legal_moves().values()))
        assert sum(state.goals.values()) == 100, name
    assert len(ggp.load_game("tic_tac_toe").initial_state("reasoner").legal_moves("x")) == 9
    assert "GameEnv" in dir(ggp_agent.rl)  # the wheel has the list of its public names


def commands(folder: str) -> None:
    """Count positions on every kernel, read sheets of the package, host a match of players in their own processes."""
    assert run("--version", folder=folder) == f"ggp-agent {importlib.metadata.version('ggp-agent')}\n"
    assert len(json.loads(run("games", "--json", folder=folder))["games"]) == len(catalogue())
    for kernel in (isa for isa in DEFAULT_LANES if has_kernel(isa)):
        result = json.loads(
            run("perft", "breakthrough_6x6", "--depth", "3", "--json", folder=folder, **{KERNEL_VARIABLE: kernel})
        )
        module = json.loads(run("perft", "fast:breakthrough_6x6", "--depth", "3", "--json", folder=folder))
        assert result["depths"] == module["depths"], kernel
    clocks = ["--startclock", "2", "--playclock", "0.5", "--seed", "1"]
    record = json.loads(run("match", "tic_tac_toe", "--player", "agent", "random", *clocks, "--json", folder=folder))
    assert record["isCompleted"] and not any(any(errors) for errors in record["errors"]), record


def main() -> None:
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["GGP_AGENT_CACHE"] = os.environ["GGP_AGENT_STATE"] = folder
        library()
        commands(folder)
    print(f"ggp-agent {ggp.__version__} works: {Path(ggp.__file__).parent}, {time.monotonic() - began:.1f} s")


if __name__ == "__main__":
    main()

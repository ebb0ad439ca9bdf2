"""The example program that trains a network with PyTorch, where PyTorch is installed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import ggp_agent as ggp
from ggp_agent.evaluation.learned_network import LearnedNetwork

pytest.importorskip("torch", reason="PyTorch is not installed")
PROGRAM = Path(__file__).parents[3] / "docs" / "guide" / "train_with_pytorch.py"


@pytest.mark.parametrize("game", ["tic_tac_toe", "lights_out"])
def test_the_trained_network_fits_the_game(game: str, tmp_path: Path) -> None:
    ggp.learn(game, minutes=0.1, threads=1, folder=tmp_path / "run")
    command = [sys.executable, PROGRAM, tmp_path / "run", tmp_path / "trained.npz", "--epochs", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "epoch 1 of 1: error " in done.stdout
    before, after = (LearnedNetwork.load(tmp_path / name) for name in ("run/network.npz", "trained.npz"))
    machine = ggp.load_game(game).machine()
    after.require_game(machine, "trained.npz")
    values = [ggp.evaluate(each, machine, [machine.initial()]).values for each in (before, after)]
    assert (values[0] != values[1]).any()

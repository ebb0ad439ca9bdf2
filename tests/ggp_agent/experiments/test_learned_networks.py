"""Studies whose variants learn a network before the games."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from ggp_agent.cli import main
from ggp_agent.evaluation.learned_network import LearnedNetwork

STUDY = """
games = ["tic_tac_toe"]
simulations = 20
games_per_cell = 4
variants.taught = { learn = 0.01, x = 0.01 }
variants.bold = "selection.exploration=0.7"
"""
NETWORK = Path("experiments/networks/tic_tac_toe-0.01-1.npz")


@pytest.fixture(autouse=True)
def study(in_empty_folder: Path) -> None:
    Path("mine.toml").write_text(STUDY)


def test_a_network_is_learned_once_and_plays(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["experiment", "run", "mine.toml", "--jobs", "1"]) == 0
    assert f"{NETWORK}: " in capsys.readouterr().err
    assert LearnedNetwork.load(NETWORK).training.games > 0
    written = NETWORK.stat().st_mtime_ns
    with sqlite3.connect("experiments/mine.sqlite") as db:
        (errors,) = db.execute("SELECT count(*) FROM games WHERE error <> ''").fetchone()
    assert errors == 0
    assert main(["experiment", "run", "mine.toml", "--jobs", "1", "--games", "6"]) == 0
    assert NETWORK.stat().st_mtime_ns == written
    # Status and report need no network.
    NETWORK.unlink()
    for action in ("status", "report"):
        assert main(["experiment", action, "mine.toml"]) == 0
    assert "tic_tac_toe/taught/20" in capsys.readouterr().out


def test_only_chosen_cells_learn(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["experiment", "run", "mine.toml", "--jobs", "1", "--cells", "*/bold/*"]) == 0
    assert not NETWORK.exists()
    assert "bold" in capsys.readouterr().out


@pytest.mark.slow
def test_an_interrupted_run_continues_its_learning() -> None:
    Path("mine.toml").write_text(STUDY.replace("learn = 0.01", "learn = 60"))
    run = [sys.executable, "-m", "ggp_agent", "experiment", "run", "mine.toml", "--jobs", "1"]
    with subprocess.Popen(run, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            assert "tic_tac_toe, 60 CPU-minutes: " in process.stderr.readline()
            process.send_signal(signal.SIGINT)
            assert "run it again to continue learning" in process.stderr.read()
            assert process.wait(60) == 130
        finally:
            process.kill()
    checkpoint = Path("experiments/networks/tic_tac_toe-60-1/run.json")
    generation = json.loads(checkpoint.read_text())["counts"]["generation"]
    with subprocess.Popen(run, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            process.stderr.readline()
            process.send_signal(signal.SIGINT)
            process.stderr.read()
            assert process.wait(60) == 130
        finally:
            process.kill()
    assert json.loads(checkpoint.read_text())["counts"]["generation"] > generation


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (STUDY.replace("tic_tac_toe", "fast:breakthrough"), "learning of fast:breakthrough needs the network"),
        (STUDY.replace("learn = 0.01", "learn = 0"), "variants.taught.learn must be 0.001 .. 100000, not 0"),
        (STUDY.replace("learn = 0.01", "learn = 'x'"), "variants.taught.learn"),
    ],
)
def test_errors_are_one_line(text: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("mine.toml").write_text(text)
    assert main(["experiment", "run", "mine.toml"]) == 2
    found = capsys.readouterr().err.strip()
    assert message in found and "\n" not in found


def test_a_cluster_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["experiment", "run", "mine.toml", "--ray", "auto"]) == 2
    assert "learned networks are files of this machine; leave out --ray" in capsys.readouterr().err

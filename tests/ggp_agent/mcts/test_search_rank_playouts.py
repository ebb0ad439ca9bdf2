"""Play-outs by rank in searches of every kind of game; the parts are tested in C++."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from searched_trees import machine_of, tree

from ggp_agent.cli import main

RANK = 'in_flight = 40\n[playout]\npolicy = "rank"\n[playout.rank]\n'


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("network", "connect_four"),
        ("network", "orchard"),
        ("network", "three_hunters"),
        ("reasoner", "connect_four"),
        ("module", "breakthrough"),
        ("module", "atari_go"),
    ],
)
def test_equal_seeds_give_equal_trees_and_each_sharpness_another_one(kind: str, name: str) -> None:
    machine = machine_of(kind, name)
    trees = [tree(machine, RANK + key) for key in ("", "sharpness = 0.25", "adaptation = 1")]
    assert len(set(trees)) == 3
    assert tree(machine, RANK) == trees[0]


@pytest.mark.slow
def test_it_wins_against_uniform_play_outs(capsys: pytest.CaptureFixture[str]) -> None:
    """Reversi with the same simulations: of 24 games decided by a coin 18 or more are won in 1 of 90 cases."""
    sides = ["--a", "playout.policy=rank", "--b", "default", "--opening-plies", "4"]
    limits = ["--games", "24", "--simulations", "600", "--in-flight", "32", "--jobs", "1"]
    assert main(["arena", "reversi", *sides, *limits, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["a_score"] >= 75


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("sharpness = 0.001", "playout.rank.sharpness must be 0.01 .. 0.99, not 0.001"),
        ("order = 1", "unknown key playout.rank.order; known are sharpness, prior, adaptation"),
    ],
)
def test_a_wrong_configuration_is_refused_in_one_line(
    text: str, told: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("game.toml").write_text(RANK + text)
    assert main(["search", "connect_four", "--simulations", "1", "--config", "game.toml"]) == 2
    error = capsys.readouterr().err
    assert told in error
    assert error.count("\n") == 1

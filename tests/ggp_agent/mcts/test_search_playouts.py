"""Play-outs by rank and reply forests in searches of every kind of game; the parts are tested in C++."""

from __future__ import annotations

import json

import pytest
from searched_trees import machine_of, tree

from ggp_agent.cli import main

RANK = 'in_flight = 40\n[playout]\npolicy = "rank"\n[playout.rank]\n'
FOREST = 'in_flight = 4\n[solver]\nenabled = false\n[playout]\npolicy = "bhrf"\n[playout.forest]\n'
NETWORKS = [("network", "connect_four"), ("network", "orchard"), ("network", "three_hunters")]


@pytest.mark.parametrize(
    ("kind", "name"), [*NETWORKS, ("reasoner", "connect_four"), ("module", "breakthrough"), ("module", "atari_go")]
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
    ("kind", "name"),
    [*NETWORKS, ("reasoner", "tic_tac_toe"), ("module", "kalah"), ("module", "go_5x5"), ("module", "atari_go")],
)
def test_equal_seeds_give_equal_forests_that_guide_play_outs(kind: str, name: str) -> None:
    machine = machine_of(kind, name)
    forest = tree(machine, FOREST + "epsilon = 1.0")
    assert tree(machine, FOREST + "epsilon = 1.0") == forest
    assert tree(machine, FOREST + "epsilon = 1.0\nbias = 0.0") != forest
    assert tree(machine, FOREST + "epsilon = 0.0") != forest


POOL = """
    in_flight = 4
    solver.enabled = false
    selection.grave.enabled = true
    playout.policy = "pool"
    playout.pool.visits = 5
"""


@pytest.mark.parametrize(
    ("kind", "name"), [*NETWORKS, ("reasoner", "tic_tac_toe"), ("module", "kalah"), ("module", "go_5x5")]
)
def test_equal_seeds_give_equal_pools_that_guide_play_outs(kind: str, name: str) -> None:
    machine = machine_of(kind, name)
    trees = [tree(machine, POOL + f"playout.pool.{key}") for key in ("size = 10", "size = 1", "probability = 0.0")]
    assert len(set(trees)) == 3
    assert tree(machine, POOL) == trees[0]


def test_pools_need_all_moves_as_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "fast:go_5x5", "--config", "playout.policy=pool", "--simulations", "10"]) == 2
    assert "playout.policy pool needs selection.grave.enabled" in capsys.readouterr().err


ONLY_NATIVE = "is for native games; this game is played by its rules"
ONE_POLICY = "is for games with a light policy; this game has one policy, game"


@pytest.mark.parametrize(
    ("words", "game", "complaint"),
    [
        ("playout.policy=bhrf,playout.forest.fallback=game", "connect_four", f"fallback game {ONLY_NATIVE}"),
        ("playout.policy=game-light", "fast:kalah", f"playout.policy game-light {ONE_POLICY}"),
        ("playout.policy=game-light", "connect_four", f"playout.policy game-light {ONLY_NATIVE}"),
        (
            "playout.policy=bhrf,playout.forest.fallback=game-light",
            "fast:kalah",
            f"playout.forest.fallback game-light {ONE_POLICY}",
        ),
        (
            "playout.policy=bhrf,playout.forest.fallback=game-light",
            "connect_four",
            f"playout.forest.fallback game-light {ONLY_NATIVE}",
        ),
    ],
)
def test_policies_of_games_need_a_native_game_that_has_them(
    words: str, game: str, complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["search", game, "--config", words, "--simulations", "10"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert complaint in line
    assert main(["search", "fast:go_5x5", "--config", words, "--simulations", "10"]) == 0

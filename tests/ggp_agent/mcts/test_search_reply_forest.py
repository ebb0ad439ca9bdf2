"""Reply forests in searches of every kind of game; the parts are tested in C++."""

from __future__ import annotations

from pathlib import Path

import pytest
from searched_trees import machine_of, tree

from ggp_agent.cli import main

FOREST = 'in_flight = 4\n[solver]\nenabled = false\n[playout]\npolicy = "bhrf"\n[playout.forest]\nepsilon = 1.0\n'


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("network", "connect_four"),
        ("network", "orchard"),
        ("network", "three_hunters"),
        ("reasoner", "tic_tac_toe"),
        ("module", "kalah"),
        ("module", "go_5x5"),
        ("module", "atari_go"),
    ],
)
def test_equal_seeds_give_equal_forests_that_guide_play_outs(kind: str, name: str) -> None:
    machine = machine_of(kind, name)
    forest = tree(machine, FOREST)
    assert tree(machine, FOREST) == forest
    assert tree(machine, FOREST + "bias = 0.0") != forest
    unasked = tree(machine, FOREST.replace("epsilon = 1.0", "epsilon = 0.0"))
    assert unasked != forest


def test_the_fallback_policy_of_a_game_needs_a_native_game(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("game.toml").write_text('[playout]\npolicy = "bhrf"\n[playout.forest]\nfallback = "game"\n')
    assert main(["search", "connect_four", "--simulations", "1", "--config", "game.toml"]) == 2
    told = capsys.readouterr().err
    assert "playout.forest.fallback game is for native games" in told
    assert told.count("\n") == 1
    assert main(["search", "fast:go_5x5", "--simulations", "20", "--config", "game.toml"]) == 0


@pytest.mark.parametrize(
    ("words", "key"),
    [
        ("playout.policy=game-light", "playout.policy game-light"),
        ("playout.policy=bhrf,playout.forest.fallback=game-light", "playout.forest.fallback game-light"),
    ],
)
def test_only_games_with_a_light_policy_have_its_play_outs(
    words: str, key: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for game, reason in (
        ("fast:kalah", "is for games with a light policy; this game has one policy, game"),
        ("connect_four", "is for native games; this game is played by its rules"),
    ):
        assert main(["search", game, "--config", words, "--simulations", "10"]) == 2
        told = capsys.readouterr().err
        assert f"{key} {reason}" in told
        assert told.count("\n") == 1
    assert main(["search", "fast:go_5x5", "--config", words, "--simulations", "10"]) == 0

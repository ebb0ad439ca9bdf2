"""Configurations on the command line: names, files, keys and values."""

from pathlib import Path

import pytest

from ggp_agent.common.errors import UserError
from ggp_agent.mcts.config import SearchConfig
from ggp_agent.mcts.configurations import read_configuration, read_player_configuration


def test_key_value_pairs_are_equivalent_to_a_file(tmp_path: Path) -> None:
    text = "in_flight = 64\n[playout]\npolicy = 'rank'\n[evaluation]\nfile = 'w.weights'\n"
    (tmp_path / "mine.toml").write_text(text)
    (tmp_path / "w.weights").write_text("x 1 (cell 1 1 x)\n")
    of_file = read_configuration("mine.toml", tmp_path)
    assert read_configuration("in_flight=64,playout.policy=rank,evaluation.file=w.weights", tmp_path) == of_file
    assert of_file.evaluation.file == str(tmp_path / "w.weights")
    # A configuration with a policy is not open to preparation.
    assert not of_file.search.prepare
    assert read_configuration("default") == SearchConfig()


def test_the_key_of_preparation() -> None:
    config = read_configuration("search.prepare=false")
    assert not config.search.prepare
    assert "prepare = false" in config.to_toml()
    assert SearchConfig.from_toml(config.to_toml()) == config
    # A policy switches preparation off; the key switches it on again.
    assert read_configuration("search.prepare=true,playout.policy=nst").search.prepare
    with pytest.raises(UserError, match=r"unknown key search\.adapt; known are prepare"):
        read_configuration("search.adapt=true")


def test_a_file_comes_before_a_key_of_the_same_name(tmp_path: Path) -> None:
    (tmp_path / "seed=3").write_text("seed = 4\n")
    assert read_configuration("seed=3", tmp_path).seed == 4
    assert read_configuration("seed=3", tmp_path / "elsewhere").seed == 3


@pytest.mark.parametrize(
    ("word", "complaint"),
    [
        ("", "a configuration is missing: give a TOML file, key=value,... or 'default'"),
        ("mine.toml", "mine.toml: cannot read the configuration: no such file or directory"),
        ("sead=3", "sead=3: unknown key sead; known are "),
        ("seed=-1", "seed=-1: seed must be 0 .. 18446744073709551615, not -1"),
        ("evaluation.file=absent.weights", "absent.weights"),
    ],
)
def test_errors_are_one_line(tmp_path: Path, word: str, complaint: str) -> None:
    with pytest.raises(UserError) as caught:
        read_configuration(word, tmp_path)
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_evaluation_that_nothing_uses_is_refused() -> None:
    # The quality of the Qualitative Bonus may be the evaluation.
    config = read_player_configuration("evaluation.name=found,reward.qualitative_bonus.enabled=true")
    assert config.without_evaluation() == SearchConfig()
    with pytest.raises(UserError, match=r"^evaluation\.name=learned: no part of the search uses the evaluation; "):
        read_player_configuration("evaluation.name=learned")
    for word in ("learned", "evaluation.name=pieces,selection.implicit_minimax.alpha=0.1", "playout.policy=mast"):
        read_player_configuration(word)

"""The example program that trains a policy by PPO, where PyTorch is installed."""

from __future__ import annotations

import re
import runpy
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from places import ROOT

pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")
PROGRAM = ROOT / "docs" / "guide" / "ppo_with_masks.py"

Train = Callable[..., dict[int, float]]


@pytest.fixture
def train(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Train:
    """Return a function that runs the program, and returns the printed mean rewards by the number of updates."""

    def run(*arguments: str | Path) -> dict[int, float]:
        monkeypatch.setattr(sys, "argv", [str(PROGRAM), *map(str, arguments)])
        runpy.run_path(str(PROGRAM), run_name="__main__")
        lines = re.findall(r"after (\d+) updates: mean reward (-?[.\d]+) against random play", capsys.readouterr().out)
        return {int(updates): float(reward) for updates, reward in lines}

    return run


def test_the_policy_improves_and_a_checkpoint_continues(
    train: Train, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "ppo.pt"
    rewards = train("connect_four", "red", "--updates", "25", "--checkpoint", path)
    assert rewards.keys() == {0, 25}
    assert rewards[0] < 0.3  # a random first player: about 0.1
    assert rewards[25] > 0.55
    continued = train("connect_four", "red", "--updates", "1", "--checkpoint", path, "--resume")
    assert continued.keys() == {25, 26}
    assert min(continued.values()) > 0.5
    with pytest.raises(SystemExit, match="2"):
        train("tic_tac_toe", "x", "--checkpoint", path, "--resume")
    assert "is not a checkpoint of this game and role" in capsys.readouterr().err.splitlines()[-1]


def test_wrong_arguments_of_the_program_are_reported_in_one_line(
    train: Train, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments, message in (
        (("tic_tac_to", "x"), "no game is called 'tic_tac_to'"),
        (("tic_tac_toe", "z"), "tic_tac_toe has no role z; roles of a learner: x, o"),
        (("tic_tac_toe", "x", "--resume"), "--resume needs --checkpoint"),
        (("tic_tac_toe", "x", "--resume", "--checkpoint", tmp_path / "none.pt"), "No such file or directory"),
    ):
        with pytest.raises(SystemExit, match="2"):
            train(*arguments)
        assert message in capsys.readouterr().err.splitlines()[-1]


def test_curves_are_written_for_tensorboard(train: Train, tmp_path: Path) -> None:
    pytest.importorskip("tensorboard", reason="TensorBoard is not installed: pip install tensorboard")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the packages that TensorBoard needs
        train("tic_tac_toe", "x", "--updates", "3", "--curves", tmp_path)
        from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

        events = EventAccumulator(str(tmp_path))
        events.Reload()
    assert set(events.Tags()["scalars"]) == {"mean reward", "value error", "entropy"}
    assert [event.step for event in events.Scalars("entropy")] == [2048, 4096, 6144]


def test_missing_tensorboard_is_named(
    train: Train, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(sys.modules, "torch.utils.tensorboard", raising=False)
    monkeypatch.setitem(sys.modules, "tensorboard", None)
    with pytest.raises(SystemExit, match="2"):
        train("tic_tac_toe", "x", "--curves", tmp_path)
    assert "--curves needs the package tensorboard" in capsys.readouterr().err.splitlines()[-1]

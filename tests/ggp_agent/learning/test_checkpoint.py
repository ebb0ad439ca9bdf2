"""Checkpoints of learning: what is written is read back, and files of other runs or programs stay out of a run."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from compiled import catalogue_network

from gdl import NetworkMachine, parse_sheet
from ggp_agent.common.errors import UserError
from ggp_agent.evaluation.learned_network import LearnedNetwork
from ggp_agent.learning.checkpoint import CheckpointFolder
from ggp_agent.learning.learner import Learner
from ggp_agent.learning.options import LearningOptions, SelfPlayOptions
from kif_games import rules

OPTIONS = LearningOptions(
    minutes=0.003,
    hidden1=16,
    hidden2=16,
    positions=300,
    recent=1.0,  # all positions stay in the window
    self_play=SelfPlayOptions(games=32, full_simulations=8, fast_simulations=4),
)


@pytest.fixture(scope="module")
def machine() -> NetworkMachine:
    return catalogue_network("tic_tac_toe")


@pytest.fixture(scope="module")
def learner(machine: NetworkMachine, tmp_path_factory: pytest.TempPathFactory) -> Learner:
    """Learn for an instant; the folder has the checkpoint."""
    folder = tmp_path_factory.mktemp("run")
    (folder / "positions-7000.npz").write_bytes(b"of an earlier run that was killed")
    (folder / "positions-1.npz").write_bytes(b"of an earlier run that was killed")
    (folder / "positions-of-mine.txt").write_text("mine")
    made = Learner(machine, OPTIONS, folder)
    made.run()
    return made


def folder_of(learner: Learner) -> Path:
    assert learner._checkpoints is not None
    return learner._checkpoints.folder


def test_a_checkpoint_is_read_back(machine: NetworkMachine, learner: Learner) -> None:
    stored = CheckpointFolder(folder_of(learner)).read(len(machine.roles))
    assert stored.counts == learner.counts and learner.counts.generation >= 1
    assert stored.setup == {"hidden1": 16, "hidden2": 16, "seed": 1}
    steps, parts = learner._trainer.state()
    assert stored.steps == steps > 0
    assert all(np.array_equal(one, other) for one, other in zip(stored.parts, parts, strict=True))
    assert sum(len(chunk) for chunk in stored.chunks) == learner.counts.positions


def test_the_network_has_the_curve_of_the_run(machine: NetworkMachine, learner: Learner, tmp_path: Path) -> None:
    network = learner.network()
    assert network.course == tuple(learner.counts.curve) and network.course
    last = network.course[-1]
    assert (last.cpu_seconds, last.error, last.elo) == (
        network.training.cpu_seconds,
        network.training.loss,
        network.training.elo,
    )
    again = Learner(machine, OPTIONS, tmp_path, start=network)
    assert tuple(again.counts.curve) == network.course
    generations = again.counts.generation
    again._options = LearningOptions(hidden1=16, hidden2=16, positions=300, self_play=OPTIONS.self_play)
    longer = again.run(stopped=lambda: again.counts.generation > generations).course
    assert longer[0] == network.course[0] and longer[-1].cpu_seconds >= last.cpu_seconds
    assert LearnedNetwork.from_bytes(again.network().to_bytes()).course == longer


def test_files_of_others_stay_and_old_positions_do_not(learner: Learner) -> None:
    names = {path.name for path in folder_of(learner).iterdir()}
    assert "positions-of-mine.txt" in names
    assert "positions-7000.npz" not in names
    assert not any(name.endswith(".part") for name in names)


def test_a_run_continues_from_the_same_weights(machine: NetworkMachine, learner: Learner) -> None:
    again = Learner(machine, OPTIONS, folder_of(learner), resume=True)
    assert again.counts == learner.counts
    one, other = again.network(), learner.network()
    assert all(np.array_equal(one.weights[name], other.weights[name]) for name in one.weights)
    assert one.training.loss == pytest.approx(other.training.loss, abs=2e-4)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("run.json", b"{"),
        ("run.json", b"[]"),
        ("training", b"PK"),
        ("run.json", "curve"),
        ("positions-1.npz", b""),
        ("positions-1.npz", None),
    ],
)
def test_damaged_checkpoints_are_refused(
    machine: NetworkMachine, learner: Learner, tmp_path: Path, name: str, content: bytes | str | None
) -> None:
    for path in folder_of(learner).iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (path,) = tmp_path.glob(f"{name}*") if name != "positions-1.npz" else [tmp_path / name]
    if content is None:
        path.unlink()
    elif isinstance(content, str):
        run = json.loads(path.read_text())
        run["counts"][content] = [[2, 1, 0], [1, 1, 0]]  # the time falls
        path.write_text(json.dumps(run))
    else:
        path.write_bytes(content)
    with pytest.raises(UserError) as error:
        Learner(machine, OPTIONS, tmp_path, resume=True)
    assert "\n" not in str(error.value) and str(tmp_path) in str(error.value)


@pytest.mark.parametrize(
    ("part", "value"), [(0, np.nan), (1, np.inf), (1, 1e9), (2, np.nan), (3, np.inf), (3, -1.0), (3, None)]
)
def test_weights_of_a_checkpoint_are_checked(
    machine: NetworkMachine, learner: Learner, tmp_path: Path, part: int, value: float | None
) -> None:
    shutil.copytree(folder_of(learner), tmp_path, dirs_exist_ok=True)
    (path,) = tmp_path.glob("training-*.npz")
    arrays = dict(np.load(path))
    if value is None:
        del arrays[f"part{part}"]
    else:
        arrays[f"part{part}"][-1] = value
    np.savez(path, **arrays)
    with pytest.raises(UserError, match=rf"{path.name}: .*(not within|not finite|missing)"):
        Learner(machine, OPTIONS, tmp_path, resume=True)


def test_numbers_of_a_checkpoint_are_no_booleans(machine: NetworkMachine, learner: Learner, tmp_path: Path) -> None:
    shutil.copytree(folder_of(learner), tmp_path, dirs_exist_ok=True)
    path = tmp_path / "run.json"
    run = json.loads(path.read_text())
    for wrong in ({"version": True}, {"version": 1.0}, {"steps": True}, {"chunks": [True]}, {"setup": {"seed": True}}):
        path.write_text(json.dumps(run | wrong))
        with pytest.raises(UserError, match="a count is invalid"):
            Learner(machine, OPTIONS, tmp_path, resume=True)


def test_a_spoilt_weight_ends_the_run_and_the_checkpoint_stays(
    machine: NetworkMachine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Learner(machine, OPTIONS, tmp_path)
    run.run()
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    longer = replace(OPTIONS, minutes=10)
    again = Learner(machine, longer, tmp_path, resume=True)
    sound = again.network()
    spoilt = {name: np.full_like(values, np.nan) for name, values in sound.weights.items()}
    monkeypatch.setattr(again, "network", lambda: replace(sound, weights=spoilt))
    with pytest.raises(UserError, match=r"training failed: a weight is not within .*; generation \d+ is not stored"):
        again.run()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_other_games_versions_and_seeds_are_refused(machine: NetworkMachine, learner: Learner, tmp_path: Path) -> None:
    for path in folder_of(learner).iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    nim = NetworkMachine(parse_sheet(rules("lights_out")))
    with pytest.raises(UserError, match=r"another number of roles|of another game"):
        Learner(nim, OPTIONS, tmp_path, resume=True)
    with pytest.raises(UserError, match="made with hidden1 16, hidden2 16, seed 1"):
        Learner(machine, LearningOptions(hidden1=16, hidden2=16, seed=2), tmp_path, resume=True)
    run = json.loads((tmp_path / "run.json").read_text())
    (tmp_path / "run.json").write_text(json.dumps(run | {"version": 0}))
    with pytest.raises(UserError, match="its version is 0, not 1"):
        Learner(machine, OPTIONS, tmp_path, resume=True)


def test_equal_seeds_learn_equal_weights(machine: NetworkMachine) -> None:
    found = []
    for _ in range(2):
        learner = Learner(machine, OPTIONS)
        generations = iter(range(3))
        learner._options = LearningOptions(hidden1=16, hidden2=16, positions=300, self_play=OPTIONS.self_play)
        learner.run(stopped=lambda generations=generations: next(generations, None) is None)  # type: ignore[misc]
        found.append(learner.network().weights)
    assert all(np.array_equal(found[0][name], found[1][name]) for name in found[0])

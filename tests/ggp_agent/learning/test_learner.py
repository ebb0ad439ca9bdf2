"""Runs of learning: the window of positions, and when a run ends."""

import json
from pathlib import Path
from typing import Any

from gdl import NetworkMachine
from ggp_agent import load_game
from ggp_agent.learning.learner import Learner, learnable_machine
from ggp_agent.learning.options import LearningOptions

SMALL = {"threads": 1, "hidden1": 16, "hidden2": 16, "positions": 200}


def machine() -> NetworkMachine:
    return learnable_machine(load_game("tic_tac_toe"))


def test_the_first_half_of_the_positions_leaves_the_window(tmp_path: Path) -> None:
    learner = Learner(machine(), LearningOptions(minutes=100, **SMALL), tmp_path)
    most = []
    learner.run(lambda progress: most.append(progress.positions), lambda: len(most) >= 10)
    stored = [path.name for path in tmp_path.glob("positions-*.npz")]
    kept = (learner.counts.positions + 1) // 2
    assert len(most) == 10 and most[-1] >= 2000
    assert 4 <= len(stored) <= 6, "each generation has 200 to 300 positions"
    assert kept - 300 <= Learner(machine(), LearningOptions(**SMALL), tmp_path, resume=True).window <= kept


def resumed_after(folder: Path, seconds: float, curve: list[list[float]]) -> Learner:
    """Return a run that continues a checkpoint as if it had lasted some CPU-seconds."""
    path = folder / "run.json"
    run: dict[str, Any] = json.loads(path.read_text())
    run["counts"] |= {"cpu_seconds": seconds, "curve": curve}
    path.write_text(json.dumps(run))
    return Learner(machine(), LearningOptions(minutes=1000, **SMALL), folder, resume=True)


def test_a_run_ends_if_neither_error_nor_strength_improves(tmp_path: Path) -> None:
    learner = Learner(machine(), LearningOptions(minutes=100, **SMALL), tmp_path)
    learner.run(stopped=lambda: learner.counts.generation >= 2)
    assert not resumed_after(tmp_path, 100, []).is_over
    # The error cannot have been lower after the end of the first two generations.
    run = json.loads((tmp_path / "run.json").read_text())
    run["counts"]["losses"] += [2.0] * 20
    (tmp_path / "run.json").write_text(json.dumps(run))
    assert resumed_after(tmp_path, 1000, [[400.0, 0.9, 500.0], [900.0, 0.9, 510.0]]).is_over
    assert not resumed_after(tmp_path, 1000, [[400.0, 0.9, 500.0], [900.0, 0.9, 700.0]]).is_over

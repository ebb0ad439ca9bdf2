"""Runs of learning: the window of positions, and when a run ends."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from gdl import NetworkMachine
from ggp_agent import load_game
from ggp_agent.evaluation.learned_network import evaluate
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


def test_an_interrupted_generation_continues() -> None:
    options = LearningOptions(minutes=100, playouts=0, **SMALL)
    whole, parts = Learner(machine(), options), Learner(machine(), options)
    whole.work(lambda: whole.counts.generation > 0)
    calls = 0

    def stopped() -> bool:
        nonlocal calls
        calls += 1
        return calls % 3 == 0 or parts.counts.generation > 3

    while parts.counts.generation <= 3:
        parts.work(stopped)
    parts.work(lambda: not parts._owed)
    assert parts.counts.losses[0] == whole.counts.losses[0], "the first generation has the same positions"
    assert parts._trainer.steps >= 8 * parts.counts.positions // 512 - 4, "no step is lost"


def test_play_outs_teach_the_values_first() -> None:
    game = machine()
    learner = Learner(game, LearningOptions(minutes=100, threads=1, positions=200))
    learner.work(lambda: learner._knows_playouts and not learner._owed and learner._trainer.steps > 0)
    assert learner.counts.generation == 0 and learner._trainer.steps > 100
    state = game.initial()
    for moves in (("(mark 2 2)", "noop"), ("noop", "(mark 1 2)"), ("(mark 1 1)", "noop")):
        state = game.next(state, moves)
    x, o = evaluate(learner.network(), game, [state]).values[0]
    assert x > 0.3 and o < -0.3, "X has the centre and a corner, which threaten to win"


def test_states_of_play_outs_have_a_part_of_the_memory() -> None:
    game = machine()
    learner = Learner(game, LearningOptions(minutes=100, window_mb=0.2, **SMALL))
    learner.work(lambda: learner._trainer.samples > 0)
    fewest = 512 * 2  # one play-out in each lane
    assert 0 < learner._trainer.samples <= max(fewest, 0.05e6 / len(game.initial()))


def test_a_run_grows_and_keeps_its_window(tmp_path: Path) -> None:
    learner = Learner(machine(), LearningOptions(minutes=100, threads=1, positions=200), tmp_path)
    learner.run(stopped=lambda: learner.counts.generation > 1)
    assert learner.network().shape.hidden1 == 64
    learner.counts.cpu_seconds = 31.0
    window = learner.window
    before = evaluate(learner.network(), machine(), [machine().initial()]).values
    learner._grow()
    network = learner.network()
    assert (network.shape.hidden1, network.shape.hidden2) == (128, 64)
    assert learner._trainer.samples == learner.window == window
    assert np.allclose(before, evaluate(network, machine(), [machine().initial()]).values, atol=1e-5)
    learner.work(lambda: learner.counts.generation > 3)
    learner._store()
    again = Learner(machine(), LearningOptions(minutes=100, threads=1, positions=200), tmp_path, resume=True)
    assert again.network().shape.hidden1 == 128


def test_a_larger_network_begins_with_the_values_of_the_smaller_one() -> None:
    game = machine()
    small = Learner(game, LearningOptions(minutes=100, **SMALL))
    small.work(lambda: small.counts.generation > 0)
    options = LearningOptions(minutes=100, threads=1, hidden1=32, hidden2=32)
    large = Learner(game, options, start=small.network()).network()
    assert large.shape.hidden1 == large.shape.hidden2 == 32
    found, wanted = (evaluate(each, game, [game.initial()]) for each in (large, small.network()))
    assert np.allclose(found.values, wanted.values, atol=1e-5)
    assert np.allclose(found.probabilities[0], wanted.probabilities[0], atol=1e-5)

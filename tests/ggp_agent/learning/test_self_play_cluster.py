"""Learning on a Ray cluster of this machine: a killed worker, Ctrl-C, and what is refused."""

from __future__ import annotations

import functools
import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cli_process
import pytest
from exploding_sheets import children
from waiting import wait_for

from gdl.compile.cache import FOLDER_VARIABLE
from ggp_agent.common import ray_cluster
from ggp_agent.evaluation.learned_network import LearnedNetwork
from ggp_agent.game.load import load_game
from ggp_agent.learning.learner import Learner, LearningProgress, learnable_machine
from ggp_agent.learning.options import LearningOptions
from ggp_agent.learning.self_play import Positions
from ggp_agent.learning.self_play_cluster import SelfPlayCluster

ray = pytest.importorskip("ray")

# Ray leaves files open when it is shut down, and warns of its own future.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning:ray"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:ray"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

OPTIONS = LearningOptions(minutes=60, hidden1=16, hidden2=16, positions=400)


@pytest.fixture(scope="module")
def nodes() -> Iterator[Any]:
    """Start a cluster with two cores."""
    from ray.cluster_utils import Cluster

    head = {"num_cpus": 2, "object_store_memory": 80_000_000, "include_dashboard": False}
    started = Cluster(initialize_head=True, head_node_args=head)
    yield started
    started.shutdown()


def _workers(nodes: Any) -> set[int]:
    """Return the processes that play."""
    (raylet,) = nodes.head_node.all_processes["raylet"]
    return {worker for worker in children(raylet.process.pid) if _plays(worker)}


def _plays(worker: int) -> bool:
    try:
        return b"ray::SelfPlayWorker" in Path(f"/proc/{worker}/cmdline").read_bytes()
    except OSError:
        return False


def test_a_killed_worker_does_not_end_the_run(nodes: Any, tmp_path: Path) -> None:
    machine = learnable_machine(load_game("connect_four"))
    killed: set[int] = set()
    after: set[int] = set()
    progress: list[LearningProgress] = []

    def watch(state: LearningProgress) -> None:
        progress.append(state)
        if not killed and len(workers := _workers(nodes)) == 2:
            killed.add(min(workers))
            os.kill(min(workers), signal.SIGKILL)
        elif killed:
            after.update(_workers(nodes) - killed)

    began = time.process_time()
    with ray_cluster.connected_cluster(nodes.address) as cluster:
        learner = Learner(machine, OPTIONS, tmp_path, start_games=functools.partial(SelfPlayCluster, cluster))
        network = learner.run(watch, lambda: len(after) == 2)
    assert len(killed) == 1
    wait_for(lambda: not _workers(nodes))
    counts = json.loads((tmp_path / "run.json").read_text())["counts"]
    assert counts["generation"] == len(progress)
    assert counts["games"] == network.training.games > 0
    assert counts["positions"] >= OPTIONS.positions * len(progress)
    assert counts["cpu_seconds"] > 0.5 + 0.5 * (time.process_time() - began), "the workers' time was not added"
    LearnedNetwork.load(tmp_path / "network.npz").require_game(machine, "network.npz")


def test_an_interrupted_run_keeps_its_checkpoint_and_ends_its_workers(
    nodes: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "cache"))
    words = ["learn", "tic_tac_toe", "--ray", nodes.address, "--state", str(tmp_path / "run"), "--hidden", "16"]
    with cli_process.start(*words) as run:
        assert run.stderr is not None
        first = run.stderr.readline()  # after the first generation
        assert "positions" in first
        run.send_signal(signal.SIGINT)
        _, shown = run.communicate()
    assert run.returncode == 130, shown
    assert shown.splitlines()[-1].startswith(f"interrupted: {tmp_path / 'run'} contains the checkpoint")
    wait_for(lambda: not _workers(nodes))
    assert json.loads((tmp_path / "run/run.json").read_text())["counts"]["positions"] >= 20_000


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--ray", "auto", "--threads", "2"], "--threads 2: a cluster uses all of its cores; leave out --threads"),
        (["--ray", "nonsense"], "--ray nonsense: not an address"),
        (["--ray", "127.0.0.1:1"], "--ray 127.0.0.1:1: no Ray cluster to connect to"),
    ],
)
def test_what_is_refused_is_one_line(words: list[str], line: str, tmp_path: Path, refusal: Callable[..., str]) -> None:
    assert line in refusal("learn", "tic_tac_toe", "--state", str(tmp_path / "run"), *words)


def test_without_ray_its_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refusal: Callable[..., str]
) -> None:
    monkeypatch.setattr(ray_cluster.importlib.util, "find_spec", lambda name: None)
    assert "pip install ray" in refusal("learn", "tic_tac_toe", "--state", str(tmp_path / "run"), "--ray", "auto")


def test_positions_are_joined_with_none() -> None:
    machine = learnable_machine(load_game("connect_four"))
    learner = Learner(machine, OPTIONS)
    played = learner._games.play(50, lambda: False).positions
    learner._games.close()
    assert played.states.shape[1] > 1
    assert len(Positions.joined([Positions.none(2), played])) == len(played) > 0
    assert len(Positions.joined([Positions.none(2)])) == 0

"""A study on a Ray cluster of two nodes on this machine: lost workers and nodes, other versions, wrong addresses."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sqlite3
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import cli_process
import pytest
from exploding_sheets import children, command_line
from waiting import wait_for

from ggp_agent import __version__
from ggp_agent.arena.match_result import MatchResult
from ggp_agent.cli import main
from ggp_agent.common import ray_cluster
from ggp_agent.experiments import cluster as on_cluster
from ggp_agent.experiments.runner import CellState, RunSettings, StudyHandout, run_study
from ggp_agent.experiments.study_file import Study
from ggp_agent.experiments.study_store import StudyStore

ray = pytest.importorskip("ray")

# Ray leaves files open when it is shut down, and warns of its own future.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning:ray"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:ray"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

STUDY = """
games = ["tic_tac_toe"]
simulations = 100
games_per_cell = 300
variants.bold = "selection.exploration = 0.7"
variants.learns = "playout.policy = 'mast'"
"""
_NODE = {"num_cpus": 1, "object_store_memory": 80_000_000}


@pytest.fixture(scope="module")
def nodes() -> Iterator[Any]:
    """Start the head of a cluster, with a core."""
    from ray.cluster_utils import Cluster

    started = Cluster(initialize_head=True, head_node_args={**_NODE, "include_dashboard": False})
    yield started
    started.shutdown()


class Quiet:
    def started(self, states: Sequence[CellState], jobs: int) -> None:
        self.jobs = jobs

    def ended(self, state: CellState, match: MatchResult) -> None:
        pass

    def refresh(self, moves: int) -> None:
        pass


class Breaking(Quiet):
    """Kill a worker in the middle of a task, and then a node in the middle of another."""

    def __init__(self, nodes: Any, second: Any) -> None:
        self._nodes, self._second = nodes, second
        self.killed = 0

    def refresh(self, moves: int) -> None:
        if self.killed == 0:
            for worker in self._busy(self._nodes.head_node):
                os.kill(worker, signal.SIGKILL)
                self.killed = 1
        elif self.killed == 1 and (workers := self._busy(self._second)):
            self._nodes.remove_node(self._second, allow_graceful=False)
            for worker in workers:
                os.kill(worker, signal.SIGKILL)
            self.killed = 2

    def _busy(self, node: Any) -> list[int]:
        """Stop the workers of a node that are playing and return them; workers that were about to end continue."""
        (raylet,) = node.all_processes["raylet"]
        stopped = []
        for worker in filter(_plays, children(raylet.process.pid)):
            os.kill(worker, signal.SIGSTOP)
            if _plays(worker):
                stopped.append(worker)
            else:
                os.kill(worker, signal.SIGCONT)
        return stopped


def _plays(worker: int) -> bool:
    return "ray::play_batch" in command_line(worker)


def _results(store: StudyStore, study: Study) -> list[tuple[object, ...]]:
    return [
        (cell.number, match.plan, match.goals, match.turns, match.simulations)
        for cell in study.cells
        for match in store.matches(cell)
    ]


def test_a_cluster_that_loses_a_worker_and_a_node_plays_the_same_games(
    nodes: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = Study.from_toml(STUDY, "tiny")
    again: list[int] = []
    give_back = StudyHandout.give_back

    def count(self: StudyHandout, task: Any, plans: Any) -> None:
        again.append(len(plans))
        give_back(self, task, plans)

    second = nodes.add_node(**_NODE)
    breaking = Breaking(nodes, second)
    with StudyStore(tmp_path / "cluster.sqlite", new=True) as store, monkeypatch.context() as patch:
        patch.setattr(StudyHandout, "give_back", count)
        store.begin(study.cells)
        states = on_cluster.run_on_cluster(nodes.address, store, study.cells, RunSettings(1), breaking)
        far = _results(store, study)
        (host,) = store.hosts()
    with StudyStore(tmp_path / "here.sqlite", new=True) as store:
        store.begin(study.cells)
        run_study(store, study.cells, RunSettings(1), Quiet())
        here = _results(store, study)
        assert store.hosts() == [host]  # machine, kernel, version and commit
    assert breaking.jobs == 2
    assert breaking.killed == 2
    assert len(again) >= 2, "neither loss was noticed"
    assert [state.score.games for state in states] == [300, 300]
    assert far == here


def test_an_interrupted_run_stores_finished_games_and_resumes(
    nodes: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "tiny.toml").write_text(STUDY)
    words = ["experiment", "run", str(tmp_path / "tiny.toml"), "--store", str(tmp_path / "tiny.sqlite")]
    words += ["--ray", nodes.address]
    with cli_process.start(*words, "--games", "20000") as run:
        while not (kept := _played(tmp_path / "tiny.sqlite")):
            assert run.poll() is None, run.communicate()
            time.sleep(0.05)
        run.send_signal(signal.SIGINT)
        printed, told = run.communicate()
    assert run.returncode == 130, told
    (raylet,) = nodes.head_node.all_processes["raylet"]
    wait_for(lambda: not any(map(_plays, children(raylet.process.pid))))
    assert told.splitlines()[0].startswith("2 cells, 40,000 games to play on 1 process")
    assert told.splitlines()[1:] == ["interrupted; every finished game is stored; run it again to resume"]
    assert "tic_tac_toe/bold/100" in printed
    kept = _played(tmp_path / "tiny.sqlite")
    more = str(kept + kept % 2 + 4)
    capfd.readouterr()
    assert main([*words, "--games", more, "--cells", "bold"]) == 0
    assert f"{more} of {more} played" in capfd.readouterr().out.replace("(", "").replace(",", "")


def _played(path: Path) -> int:
    """Count the games of the first cell in a store; none before it is there."""
    try:
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
            ((games,),) = database.execute("SELECT count(*) FROM games WHERE cell = 0")
    except sqlite3.Error:
        return 0
    return int(games)


def test_a_node_of_another_version_is_refused_before_anything_is_played(
    nodes: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    package = tmp_path / "other" / "ggp_agent"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text('__version__ = "0.0.9"\n')
    (tmp_path / "tiny.toml").write_text(STUDY)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    other = nodes.add_node(**_NODE, env_vars={"PYTHONPATH": str(package.parent)})
    try:
        words = ["experiment", "run", "tiny.toml", "--store", "tiny.sqlite", "--ray", nodes.address]
        assert main(words) == 2
    finally:
        nodes.remove_node(other)
    (line,) = capsys.readouterr().err.splitlines()
    assert f"runs ggp-agent 0.0.9, and this machine {__version__}; install the same on all nodes" in line
    with StudyStore(Path("tiny.sqlite")) as store:
        assert store.played() == {}


@pytest.mark.parametrize("address", ["nonsense", "ray://127.0.0.1:1", "127.0.0.1:1", "127.0.0.1:70000"])
def test_an_address_without_a_cluster_is_one_line(
    address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = _refused(address, tmp_path, capsys)
    assert address in line


def test_an_address_where_something_else_is_silent_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(ray_cluster, "_ANSWER_SECONDS", 1.0)
    with socket.create_server(("127.0.0.1", 0)) as server:
        line = _refused(f"127.0.0.1:{server.getsockname()[1]}", tmp_path, capsys)
    assert "no answer within 1 seconds" in line


def test_without_ray_its_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(ray_cluster.importlib.util, "find_spec", lambda name: None)
    assert "pip install ray" in _refused("auto", tmp_path, capsys)


def _refused(address: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    (folder / "tiny.toml").write_text(STUDY)
    words = ["experiment", "run", str(folder / "tiny.toml"), "--store", str(folder / "s.sqlite"), "--ray", address]
    assert main(words) == 2
    (line,) = capsys.readouterr().err.splitlines()
    return line

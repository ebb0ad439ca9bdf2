"""Searches in several threads: merged results, common end, and simulations in flight."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from gdl import NetworkMachine, parse_sheet
from ggp_agent.mcts.config import SearchConfig, SolverConfig
from ggp_agent.mcts.searcher import Searcher
from kif_games import rules

TWO = SearchConfig(threads=2, in_flight=16, solver=SolverConfig(enabled=False))


@pytest.fixture(scope="module")
def tic_tac_toe() -> NetworkMachine:
    return NetworkMachine(parse_sheet(rules("tic_tac_toe")))


def test_results_of_threads_are_added(tic_tac_toe: NetworkMachine) -> None:
    searcher = Searcher(tic_tac_toe, TWO)
    found = searcher.run(simulations=1001)
    assert found.simulations == found.visits == 1001
    assert sum(move.visits for move in found.moves["x"]) == 1001
    mean = sum(move.visits * move.value for move in found.moves["x"]) / 1001
    assert found.values["x"] == pytest.approx(mean, abs=1e-3)
    assert found.values["x"] + found.values["o"] == pytest.approx(100, abs=1e-3)
    visits = [move.visits for move in found.moves["x"]]
    assert visits == sorted(visits, reverse=True)
    assert found.best == (found.moves["x"][0].move, "noop")
    assert found.principal_variation[0] == found.best
    alone = Searcher(tic_tac_toe, replace(TWO, threads=1)).run(simulations=501)
    assert alone.nodes < found.nodes and alone.tree_bytes < found.tree_bytes


def test_trees_depend_on_the_seed_alone(tic_tac_toe: NetworkMachine) -> None:
    def hashed(config: SearchConfig) -> int:
        searcher = Searcher(tic_tac_toe, config)
        searcher.run(simulations=600)
        searcher.advance(["(mark 2 2)", "noop"])
        searcher.run(simulations=600)
        return searcher.tree_hash()

    assert hashed(TWO) == hashed(TWO)
    assert len({hashed(TWO), hashed(replace(TWO, seed=2)), hashed(replace(TWO, threads=3))}) == 3


def test_a_proof_of_one_thread_ends_all(tic_tac_toe: NetworkMachine) -> None:
    searcher = Searcher(tic_tac_toe, SearchConfig(threads=3))
    found = searcher.run()
    assert found.bounds == {"x": (50, 50), "o": (50, 50)}
    for joint in (["(mark 1 1)", "noop"], ["noop", "(mark 1 2)"]):
        searcher.advance(joint)
    found = searcher.run()
    assert found.bounds == {"x": (100, 100), "o": (0, 0)}
    assert found.moves["x"][0].bounds == (100, 100)


def test_threads_end_with_the_run(tic_tac_toe: NetworkMachine) -> None:
    searcher = Searcher(tic_tac_toe, replace(TWO, threads=3))
    before = threading.active_count()
    searcher.run(seconds=0.2)
    timer = threading.Timer(0.2, searcher.stop)
    timer.start()
    searcher.run()
    timer.join()
    assert searcher.run(stopped=lambda: True).simulations == 0

    def complain() -> bool:
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        searcher.run(stopped=complain)
    assert threading.active_count() == before
    assert searcher.run(simulations=30).simulations == 30


@pytest.mark.slow
def test_simulations_in_flight_grow_with_those_expected() -> None:
    machine = NetworkMachine(parse_sheet(rules("breakthrough_6x6")))
    searcher = Searcher(machine)
    searcher.run(simulations=10)
    few = searcher.in_flight
    searcher.run(simulations=600)
    more = searcher.in_flight
    searcher.run(simulations=10_000)
    most = searcher.in_flight
    assert few < more < most
    searcher.run(cpu_seconds=0.0001)
    assert searcher.in_flight < most
    searcher.run(cpu_seconds=60, stopped=lambda: searcher.in_flight == most)
    assert searcher.in_flight == most
    assert Searcher(machine, SearchConfig(in_flight=7)).run(simulations=10_000).simulations == 10_000

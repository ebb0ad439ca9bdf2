"""The search has not changed: equal trees on every kernel and width, and equal to the recorded trees.

A change of behaviour, and nothing else, changes the hashes below; its commit message names the new ones.
"""

from __future__ import annotations

import functools

import pytest
from quick import few

from gdl import NetworkMachine, parse_sheet
from gdl._network import has_kernel
from ggp_agent.bench.measure import bench
from ggp_agent.mcts.config import SearchConfig
from ggp_agent.mcts.searcher import Searcher
from kif_games import rules

PURE = "in_flight = 16\nplayout.decisive = false\n"
CONFIGURATIONS = {
    "default": "in_flight = 16",
    "uniform": PURE + 'playout.policy = "uniform"',
    "sequential": 'in_flight = 1\nplayout.decisive = false\nselection.formula = "ucb1-tuned"',
    "learned": PURE + 'playout.policy = "nst"\nplayout.ngram = 3',
    "bonus": PURE + 'playout.policy = "mast"\n[reward.relative_bonus]\nenabled = true\nonline_a = true',
}
TREES = {
    ("connect_four", "default"): "c3c4068c1af4e39d",
    ("breakthrough_6x6", "default"): "feb0e7158b228d0e",
    ("three_hunters", "default"): "8e61e4040ed82ef8",
    ("connect_four", "uniform"): "6b7a2f4cdd028e12",
    ("connect_four", "sequential"): "4bebfb3cf730461e",
    ("connect_four", "learned"): "2c9032a0cca7e536",
    ("connect_four", "bonus"): "722460ff38fe90e4",
    ("three_hunters", "uniform"): "5f284f2c27bf8318",
    ("breakthrough_6x6", "learned"): "b20af76b23b1a3f1",
    ("chinese_checkers_small", "bonus"): "b32b40d5a7258f63",
}


@functools.cache
def machine(game: str) -> NetworkMachine:
    return NetworkMachine(parse_sheet(rules(game)))


@pytest.mark.parametrize(("game", "configuration"), TREES)
def test_trees_equal_the_recorded_trees(game: str, configuration: str, kernel: str) -> None:
    assert machine(game).simulator().isa == kernel
    searcher = Searcher(machine(game), SearchConfig.from_toml(CONFIGURATIONS[configuration]))
    searcher.run(simulations=3000)
    assert f"{searcher.tree_hash():016x}" == TREES[game, configuration]


@pytest.mark.parametrize("game", few(["connect_four", "breakthrough_6x6"], 1))
def test_the_bench_signature_is_equal_on_every_kernel_and_width(game: str) -> None:
    signatures = {
        bench(game, seconds=0.02, repeats=1, lanes=lanes, kernel=kernel).signature
        for lanes, kernel in ((None, None), (64, "portable"), (512, "avx2"), (128, "avx512"))
        if kernel is None or has_kernel(kernel)
    }
    assert len(signatures) == 1 and len(signatures.pop() or "") == 16

"""The nodes of a search tree, as a list and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ggp_agent.cli import main
from ggp_agent.game.load import load_game
from ggp_agent.mcts.search_tree import TreeNode
from ggp_agent.mcts.searcher import Searcher

KEYS = {"node", "parent", "depth", "move", "role", "visits", "mean", "proven", "terminal", "children"}


def searched(game: str, simulations: int) -> tuple[Searcher, list[TreeNode]]:
    searcher = load_game(game).initial_state().searcher("seed=5")
    searcher.run(simulations=simulations)
    return searcher, searcher.tree(max_nodes=200)


@pytest.mark.parametrize("game", ["connect_four", "orchard", "fast:breakthrough_6x6"])
def test_nodes_have_the_statistics_of_their_states(game: str) -> None:
    searcher, nodes = searched(game, 2_000)
    assert [node.number for node in nodes] == list(range(len(nodes))) and len(nodes) == 200
    assert all(node.parent is not None and node.parent < node.number for node in nodes[1:])
    for node in (nodes[0], nodes[1], nodes[60]):
        path = []
        here = node
        while here.parent is not None:
            path.append(here.moves)
            here = nodes[here.parent]
        assert here is nodes[0] and len(path) == node.depth
        found = searcher.statistics_behind(path[::-1])
        assert (node.visits, node.values, node.bounds) == (found.visits, found.values, found.bounds)


def test_children_of_the_root_have_the_visits_of_its_moves() -> None:
    searcher, nodes = searched("connect_four", 2_000)
    expected = {move.move: move.visits for move in searcher.statistics().moves["red"]}
    # The simulation that adds a node is counted by the move, not by the node.
    assert {node.moves[0]: node.visits + 1 for node in nodes if node.parent == 0} == expected


def test_a_limit_below_one_is_refused() -> None:
    searcher, _ = searched("tic_tac_toe", 10)
    assert len(searcher.tree(1)) == 1
    with pytest.raises(ValueError, match="max_nodes must be at least 1, not 0"):
        searcher.tree(0)


def test_the_command_writes_json_with_proofs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "tree.json"
    moves = "mark 1 1, mark 1 2, mark 2 2"
    command = ["search", "tic_tac_toe", "--moves", moves, "--simulations", "5000", "--tree", str(path)]
    assert main([*command, "--tree-nodes", "30"]) == 0
    document = json.loads(path.read_text())
    nodes = document["nodes"]
    assert (document["game"], document["roles"], len(nodes)) == ("tic_tac_toe", ["x", "o"], 30)
    assert nodes[0]["role"] == "o" and nodes[0]["proven"] == {"x": 100, "o": 0}
    for node in nodes:
        assert set(node) == KEYS
        assert all(nodes[child]["parent"] == node["node"] for child in node["children"])
    assert any(node["terminal"] and node["mean"]["x"] == 100 for node in nodes)
    assert main([*command[:-1], str(tmp_path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1

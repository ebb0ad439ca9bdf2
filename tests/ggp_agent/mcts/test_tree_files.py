"""Copies, pickles and files of searches: they continue exactly like the original."""

from __future__ import annotations

import copy
import hashlib
import multiprocessing
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from quick import few

import ggp_agent as ggp
from ggp_agent.mcts import tree_file

# Configurations that together have all parts of a search: a line of TOML each, and a game.
SEARCHES = {
    "default": ("connect_four", ""),
    "simultaneous": ("battle", ""),
    "one role": ("eight_puzzle", ""),
    "shared nodes": ("tic_tac_toe", "tree.transpositions = true"),
    "full memory": ("connect_four", "memory_mb = 1"),
    "mast": ("connect_four", 'playout.policy = "mast"'),
    "n-grams": ("breakthrough_6x6", 'playout.policy = "nst"'),
    "rank": ("breakthrough_6x6", 'playout.policy = "rank"'),
    "rank lists": ("fast:breakthrough_6x6", 'playout.policy = "rank"'),
    "replies": ("connect_four", 'playout.policy = "bhrf"'),
    "native replies": ("fast:breakthrough_6x6", 'playout.policy = "bhrf"'),
    "native mast": ("fast:amazons_6x6", 'playout.policy = "game-mast"'),
    "grave": ("connect_four", "selection.grave.enabled = true"),
    "bonus": ("connect_four", "reward.relative_bonus.enabled = true"),
    "sudden death": ("connect_four", 'sudden_death.strategy = "midway"'),
    "two threads": ("connect_four", "threads = 2"),
}


def searcher_of(name: str) -> tuple[ggp.Searcher, ggp.State]:
    game, toml = SEARCHES[name]
    state = ggp.load_game(game).initial_state()
    config = ggp.SearchConfig.from_toml(f"in_flight = 16\nseed = 7\n{toml}")
    return state.searcher(config), state


def advance(searcher: ggp.Searcher) -> None:
    result = searcher.statistics()
    searcher.advance(result.best)


def trace(searcher: ggp.Searcher, simulations: int) -> list[Any]:
    """Search, play the best move, search again; return what is known after each."""
    seen: list[Any] = []
    for _ in range(2):
        result = searcher.run(simulations=simulations)
        seen += [searcher.tree_hash(), result.visits, result.best, result.nodes, searcher.best_line()]
        advance(searcher)
        seen += [searcher.tree_hash(), searcher.root]
    return seen


@pytest.mark.parametrize("name", few(SEARCHES, 6))
def test_a_stored_search_continues_like_the_original(name: str, tmp_path: Path) -> None:
    searcher, state = searcher_of(name)
    simulations = 30_000 if name == "full memory" else 1_500
    searcher.run(simulations=simulations)
    advance(searcher)
    before = searcher.run(simulations=simulations // 4)
    searcher.save(tmp_path / "tree")
    copied = copy.deepcopy(searcher)
    searcher.run(simulations=0)
    loaded = ggp.Searcher.load(tmp_path / "tree", state)
    assert loaded.config == searcher.config
    assert loaded.root == searcher.root
    after = loaded.statistics()
    assert (after.visits, after.moves, after.nodes) == (before.visits, before.moves, before.nodes)
    expected = trace(searcher, simulations)
    assert trace(loaded, simulations) == expected
    assert trace(copied, simulations) == expected  # and the run of the original did not change the copy


def test_a_search_by_the_reasoner_can_be_copied_but_not_saved(tmp_path: Path) -> None:
    searcher = ggp.load_game("tic_tac_toe").initial_state("reasoner").searcher(ggp.SearchConfig(in_flight=4))
    searcher.run(simulations=40)
    copied = copy.copy(searcher)
    assert trace(copied, 40) == trace(searcher, 40)
    with pytest.raises(ggp.UserError, match="a search by the reasoner can be copied in its process, but not pickled"):
        searcher.save(tmp_path / "tree")
    with pytest.raises(ggp.UserError, match="by the reasoner"):
        pickle.dumps(searcher)
    assert not list(tmp_path.iterdir())


def _traces_in_child(data: bytes, results: Any) -> None:
    results.send([trace(searcher, 300) for searcher in pickle.loads(data)])


def test_a_pickled_search_continues_in_another_process() -> None:
    searchers = [searcher_of(name)[0] for name in ("default", "native mast")]
    for searcher in searchers:
        searcher.run(simulations=500)
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    child = context.Process(target=_traces_in_child, args=(pickle.dumps(searchers), theirs))
    child.start()
    assert ours.poll(60)
    assert ours.recv() == [trace(searcher, 300) for searcher in searchers]
    child.join()


def test_a_wrong_file_gives_one_line(tmp_path: Path) -> None:
    searcher, state = searcher_of("default")
    searcher.run(simulations=200)
    path = tmp_path / "tree"
    searcher.save(path)
    good = path.read_bytes()

    def refused(data: bytes, complaint: str, of: Any = state, **options: Any) -> None:
        path.write_bytes(data)
        with pytest.raises(ggp.UserError, match=complaint) as raised:
            ggp.Searcher.load(path, of, **options)
        assert str(path) in str(raised.value)
        assert "\n" not in str(raised.value)

    for size in (0, 5, 22, 25, 30, 100, len(good) // 2, len(good) - 1):
        refused(good[:size], "truncated or damaged|not a search tree")
    for place in (31, 500, len(good) // 2, len(good) - 1):
        refused(good[:place] + bytes([good[place] ^ 1]) + good[place + 1 :], "truncated or damaged")
    refused(b"GIF89a" + good, "not a search tree")
    refused(good + b"x", "truncated or damaged")
    refused(good[:22] + b"\x63\0\0\0" + good[26:], "format 99, and this version of the program reads format 3")
    other_rules = "belongs to other rules"
    refused(good, other_rules, ggp.load_game("tic_tac_toe").initial_state())
    refused(good, other_rules, ggp.load_game("fast:breakthrough_6x6").initial_state())
    refused(good, other_rules, ggp.load_game("connect_four").initial_state("reasoner"))
    refused(good, "another configuration; seed = 8 is not", config=ggp.SearchConfig(in_flight=16, seed=8))
    path.write_bytes(good)
    assert ggp.Searcher.load(path, state, searcher.config).tree_hash() == searcher.tree_hash()
    with pytest.raises(ggp.UserError, match="no such file"):
        ggp.Searcher.load(tmp_path / "missing", state)
    with pytest.raises(ggp.UserError, match="machine must be a state machine or a state, not 5"):
        ggp.Searcher.load(path, 5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "change",
    [
        lambda tree: tree[:-8],
        lambda tree: tree + bytes(8),
        lambda tree: tree[:8],
        lambda tree: b"",
        lambda tree: bytes([255]) * len(tree),
        lambda tree: tree[:60] + bytes([255]) * (len(tree) - 60),
    ],
)
def test_wrong_trees_with_a_right_digest_are_refused(change: Callable[[bytes], bytes], tmp_path: Path) -> None:
    searcher, state = searcher_of("default")
    searcher.run(simulations=200)
    header, trees = tree_file.unpack(searcher._packed(), "test")
    changed = [change(bytes(tree)) for tree in trees]
    fields = {**{name: getattr(header, name) for name in header.__slots__}, "sizes": tuple(map(len, changed))}
    path = tmp_path / "tree"
    path.write_bytes(tree_file.pack(tree_file.TreeHeader(**fields), changed))
    assert hashlib.sha256(path.read_bytes()[:-32]).digest() == path.read_bytes()[-32:]
    with pytest.raises(ggp.UserError, match="the search tree cannot be read"):
        ggp.Searcher.load(path, state)

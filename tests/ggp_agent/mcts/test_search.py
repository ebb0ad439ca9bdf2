"""The Python interface of the search on compiled games."""

from __future__ import annotations

import itertools
import threading
import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from small_games import nim as nim_of

from gdl import NetworkMachine, parse_sheet
from gdl._network import has_kernel
from gdl.machines.network import DEFAULT_LANES
from ggp_agent._search import config_fields, merged
from ggp_agent.game.load import load_game
from ggp_agent.mcts.config import PlayoutConfig, SearchConfig, SolverConfig, TreeConfig
from ggp_agent.mcts.limits import Limits
from ggp_agent.mcts.search_result import MOVE_ROW, MoveStatistics, in_words
from ggp_agent.mcts.searcher import Searcher, make_trees, run_trees
from kif_games import rules

# Proofs would end the searches of these small games early.
UNSOLVED = SolverConfig(enabled=False)
PURE = PlayoutConfig(decisive=False)

# Two coins at once, for ever.
COINS = """
    (role even) (role odd) (init (round 1)) (coin head) (coin tail) (turn 1 2) (turn 2 1)
    (<= (legal ?r ?c) (role ?r) (coin ?c))
    (<= (next (round ?m)) (true (round ?n)) (turn ?n ?m))
    (<= terminal (true (round 3))) (goal even 50) (goal odd 50)
"""


@pytest.fixture(scope="module")
def nim() -> NetworkMachine:
    return NetworkMachine(parse_sheet(nim_of(7)))


@pytest.fixture(scope="module")
def coins() -> NetworkMachine:
    return NetworkMachine(parse_sheet(COINS))


@pytest.mark.parametrize("in_flight", [1, 64, None])
def test_winning_move_is_found_from_every_pile(nim: NetworkMachine, in_flight: int | None, kernel: str) -> None:
    searcher = Searcher(nim, SearchConfig(in_flight=in_flight, solver=UNSOLVED))
    for pile in (7, 5, 4, 2):
        searcher.set_root(nim.state([f"(heap {pile})", "(control second)"]))
        statistics = searcher.run(simulations=2000)
        assert statistics.best == ("noop", f"(take {pile % 3})")
        assert searcher.best_move("second") == f"(take {pile % 3})"
        assert statistics.values["second"] > 75
        assert sum(statistics.values.values()) == pytest.approx(100, rel=1e-5)


# `puct` needs a learned network.
FORMULAS = [word for word in config_fields()["selection.formula"][1] if word != "puct"]


@pytest.mark.parametrize("formula", FORMULAS)
def test_every_formula_finds_the_winning_move(nim: NetworkMachine, formula: str) -> None:
    config = SearchConfig.from_toml(f'selection.formula = "{formula}"\nsolver.enabled = false')
    assert Searcher(nim, config).run(simulations=2000).best[0] == "(take 1)"


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize(
    "knowledge",
    [
        "",
        "selection.grave.enabled = true",
        'evaluation.name = "pieces"\nselection.implicit_minimax.alpha = 0.3',
        'evaluation.name = "pieces"\nselection.priors.visits = 10',
        'evaluation.name = "pieces"\nselection.priors.visits = 10\nselection.grave.enabled = true',
    ],
    ids=["visits", "grave", "minimax", "priors", "priors_and_grave"],
)
def test_equal_seeds_give_equal_trees_with_every_formula(formula: str, knowledge: str) -> None:
    machine = load_game("fast:breakthrough").machine()
    hashes = []
    for seed in (1, 1, 2):
        config = SearchConfig.from_toml(f'seed = {seed}\nselection.formula = "{formula}"\n{knowledge}')
        searcher = Searcher(machine, config)
        assert searcher.run(simulations=500).visits == 500
        hashes.append(searcher.tree_hash())
    assert hashes[0] == hashes[1] != hashes[2]


def test_root_statistics_agree_with_the_search_result(nim: NetworkMachine) -> None:
    trees = make_trees(nim, SearchConfig(in_flight=8, threads=2, solver=UNSOLVED))
    found = run_trees(trees, Limits(simulations=700))
    words = in_words(found, nim)
    for number, role in enumerate(nim.roles):
        moves = found.roles[number].moves
        assert moves.dtype == MOVE_ROW and moves.shape == (len(words.moves[role]),)
        assert moves["visits"].sum() == found.visits == 700
        assert set(moves["lowest"]) == {0} and set(moves["highest"]) == {100}
        assert all(type(value) in (int, float) for move in words.moves[role] for value in (move.visits, *move.bounds))
        assert [nim.move_name(number, move) for move in moves["move"]] == [move.move for move in words.moves[role]]
        assert moves["mean"].tolist() == pytest.approx([move.value / 50 - 1 for move in words.moves[role]])
        with pytest.raises(ValueError, match="read-only"):
            moves["visits"][0] = 0
    turns = len(words.principal_variation)
    assert found.principal_variation.dtype == np.int32 and found.principal_variation.shape == (turns, 2)
    assert not found.is_proven
    for tree in trees:
        tree.set_root(nim.state(["(heap 0)", "(control second)"]))
    found = merged(trees)
    assert found.terminal and found.is_proven and in_words(found, nim).best == ()
    assert [role.moves.shape for role in found.roles] == [(0,), (0,)]
    assert found.principal_variation.shape == (0, 2)


@pytest.mark.parametrize("trees", [1, 2])
def test_the_reply_to_each_move_is_the_best_move_after_it(trees: int) -> None:
    machine = NetworkMachine(parse_sheet(rules("tic_tac_toe")))
    made = make_trees(machine, SearchConfig(seed=7, solver=UNSOLVED, threads=trees))
    words = in_words(run_trees(made, Limits(simulations=4_000)), machine)
    assert words.moves["o"][0].reply == ""  # it has no choice
    for move in words.moves["x"]:
        state = machine.next(machine.initial(), [move.move, "noop"])
        assert move.reply in machine.legal(state, "o")
    if trees == 1:  # the line of several trees ends where they disagree
        assert words.moves["x"][0].reply == words.principal_variation[1][1]
        second = words.moves["x"][1].move
        made[0].advance([machine.move_number(0, second), machine.move_number(1, "noop")])
        assert in_words(merged(made), machine).moves["o"][0].move == words.moves["x"][1].reply


def test_there_is_no_reply_if_several_roles_choose_next(coins: NetworkMachine) -> None:
    found = Searcher(coins, SearchConfig(solver=UNSOLVED)).run(simulations=300)
    assert {move.reply for moves in found.moves.values() for move in moves} == {""}


def test_transpositions_share_nodes() -> None:
    machine = NetworkMachine(parse_sheet(rules("tic_tac_toe")))
    config = SearchConfig(in_flight=16, playout=PURE, solver=UNSOLVED)
    found = {
        on: Searcher(machine, replace(config, tree=TreeConfig(on, transpositions_from=0))).run(simulations=30_000)
        for on in (False, True)
    }
    assert found[True].nodes < 4520  # the positions in which the game goes on
    assert found[True].nodes < found[False].nodes / 2
    assert found[True].values["x"] == pytest.approx(found[False].values["x"], abs=5)


@pytest.mark.parametrize("in_flight", [1, 64, None])
def test_goals_are_proven_from_every_pile(nim: NetworkMachine, in_flight: int | None) -> None:
    searcher = Searcher(nim, SearchConfig(in_flight=in_flight))
    for pile in range(2, 8):
        searcher.set_root(nim.state([f"(heap {pile})", "(control second)"]))
        statistics = searcher.run()  # ends by itself
        won = pile % 3 != 0
        assert statistics.bounds == {"first": (0, 0) if won else (100, 100), "second": (100, 100) if won else (0, 0)}
        assert statistics.moves["second"][0].bounds == statistics.bounds["second"]
        assert statistics.moves["first"][0].bounds == statistics.bounds["first"]
        if won:
            assert statistics.best == ("noop", f"(take {pile % 3})")
        assert searcher.run().simulations == 0


def test_bounds_are_kept_from_move_to_move(nim: NetworkMachine) -> None:
    searcher = Searcher(nim, SearchConfig(in_flight=4))
    assert searcher.statistics().bounds == {"first": (0, 100), "second": (0, 100)}
    searcher.run()
    searcher.advance(["(take 1)", "noop"])
    assert searcher.statistics().bounds == {"first": (100, 100), "second": (0, 0)}
    for moves in (["noop", "(take 2)"], ["(take 1)", "noop"], ["noop", "(take 2)"], ["(take 1)", "noop"]):
        searcher.run()
        searcher.advance(moves)
    assert searcher.statistics().terminal
    assert searcher.statistics().bounds == {"first": (100, 100), "second": (0, 0)}


def test_statistics_add_up(nim: NetworkMachine) -> None:
    searcher = Searcher(nim, SearchConfig(in_flight=16, solver=UNSOLVED))
    statistics = searcher.run(simulations=700)
    assert statistics.simulations == statistics.visits == 700
    assert [move.move for move in statistics.moves["first"]] == ["(take 1)", "(take 2)"]
    assert sum(move.visits for move in statistics.moves["first"]) == 700
    assert statistics.moves["second"] == (MoveStatistics("noop", 700, statistics.values["second"], (0, 100)),)
    assert statistics.nodes > 5
    assert 0 < statistics.tree_bytes < 1 << 20
    assert 5 <= statistics.max_depth <= 7
    assert statistics.seconds > 0
    assert searcher.statistics() == statistics
    # The best play: 1, then any, then what brings the pile to a multiple of three.
    state = nim.initial()
    for joint in statistics.principal_variation:
        state = nim.next(state, joint)
    assert nim.terminal(state)
    assert nim.goal(state, "first") == 100


def test_tree_is_kept_from_move_to_move(nim: NetworkMachine) -> None:
    searcher = Searcher(nim, SearchConfig(in_flight=4, solver=UNSOLVED))
    before = searcher.run(simulations=1000)
    searcher.advance(["(take 1)", "noop"])
    after = searcher.statistics()
    assert 0 < after.visits < before.moves["first"][0].visits + 1
    assert after.visits >= before.moves["first"][0].visits - 1  # the first visit came before the node
    assert searcher.root == nim.state(["(heap 6)", "(control second)"])
    assert searcher.run(simulations=10).visits == after.visits + 10
    for moves in (["noop", "( take  2 )"], ["(take 1)", "noop"], ["noop", "(take 2)"]):
        searcher.advance(moves)
    searcher.advance(["(take 1)", "noop"])
    over = searcher.run()
    assert (over.terminal, over.best, over.values) == (True, (), {"first": 100.0, "second": 0.0})
    with pytest.raises(ValueError, match="the game is over: first has no move"):
        searcher.best_move("first")
    with pytest.raises(ValueError, match="the game is over: no move can be played"):
        searcher.advance(["noop", "noop"])


@pytest.mark.parametrize("threads", [1, 2])
def test_statistics_behind_the_root_are_the_same_as_after_advancing(nim: NetworkMachine, threads: int) -> None:
    config = SearchConfig(in_flight=4, solver=UNSOLVED, threads=threads)
    searcher, other = Searcher(nim, config), Searcher(nim, config)
    for each in (searcher, other):
        each.run(simulations=1000)
    before, path = searcher.tree_hash(), list[list[str]]()
    for turn, stones in enumerate((1, 2, 2, 1, 1)):
        moves = [f"(take {stones})", "noop"]
        path.append(moves if turn % 2 == 0 else moves[::-1])
        other.advance(path[-1])
        found, truth = searcher.statistics_behind(path), other.statistics()
        assert (found.terminal, found.visits, found.moves, found.values, found.principal_variation) == (
            truth.terminal,
            truth.visits,
            truth.moves,
            truth.values,
            truth.principal_variation,
        )
    assert found.terminal and searcher.tree_hash() == before and searcher.root == nim.initial()
    with pytest.raises(ValueError, match="the game is over before the last"):
        searcher.statistics_behind([*path, ["noop", "noop"]])
    with pytest.raises(ValueError, match="noop is not a legal move of first in its state"):
        searcher.statistics_behind([["noop", "noop"]])


@pytest.mark.parametrize("pondering", [0, 50])
def test_the_search_continues_if_an_opponent_misses_a_winning_move(nim: NetworkMachine, pondering: int) -> None:
    """The tree has only the winning move; it must not confuse it with the move that is played."""
    searcher = Searcher(nim, SearchConfig())
    for moves in (["(take 1)", "noop"], ["noop", "(take 1)"]) * 2:
        searcher.advance(moves)
    searcher.run(simulations=100)
    searcher.advance(["(take 1)", "noop"])
    if pondering:
        searcher.run(simulations=pondering)
    searcher.advance(["noop", "(take 1)"])  # of two; (take 2) would have won
    assert searcher.root == nim.state(["(heap 1)", "(control first)"])
    found = searcher.run(simulations=100)
    assert not found.terminal and searcher.best_move("first") == "(take 1)"
    searcher.advance(["(take 1)", "noop"])
    assert searcher.run().values == {"first": 100.0, "second": 0.0}


@pytest.mark.parametrize(
    ("moves", "message"),
    [
        (["(take 1)"], "a joint move has 2 moves, one per role, not 1"),
        (["(take 1)", "(take 1)"], r"\(take 1\) is not a legal move of second at the root"),
        (["(take 9)", "noop"], r"\(take 9\)"),
    ],
)
def test_illegal_moves_are_refused(nim: NetworkMachine, moves: list[str], message: str) -> None:
    searcher = Searcher(nim, SearchConfig(in_flight=4, solver=UNSOLVED))
    searcher.run(simulations=50)
    with pytest.raises(ValueError, match=message):
        searcher.advance(moves)
    assert searcher.run(simulations=50).visits == 100


def test_wrong_states_roles_and_limits_are_refused(nim: NetworkMachine) -> None:
    searcher = Searcher(nim, SearchConfig(in_flight=4, solver=UNSOLVED))
    with pytest.raises(ValueError, match="bytes, not 3"):
        searcher.set_root(b"abc")
    with pytest.raises(TypeError, match="not frozenset"):
        searcher.set_root(frozenset())
    with pytest.raises(ValueError, match="there is no role third; the roles are first, second"):
        searcher.best_move("third")
    with pytest.raises(ValueError, match="simulations must be at least 0, not -1"):
        searcher.run(simulations=-1)
    for seconds in (-0.1, float("nan")):
        with pytest.raises(ValueError, match="seconds must be at least 0"):
            searcher.run(seconds=seconds)


def test_equal_searches_make_equal_trees(nim: NetworkMachine) -> None:
    class Wide(NetworkMachine):
        def __init__(self, lanes: int) -> None:
            self.__dict__.update(nim.__dict__)
            self._lanes = lanes

        def simulator(self, lanes: int | None = None, isa: str | None = None) -> Any:
            return nim.simulator(self._lanes, isa)

    config = SearchConfig(in_flight=20, seed=2**64 - 1, solver=UNSOLVED)
    hashes = set()
    for isa, lanes in itertools.product(filter(has_kernel, DEFAULT_LANES), (64, 128, 256, 512)):
        searcher = Searcher(Wide(lanes), config, isa=isa)
        for _ in range(3):
            searcher.run(simulations=1000)
        hashes.add(searcher.tree_hash())
    assert len(hashes) == 1
    other = Searcher(nim, replace(config, seed=5))
    other.run(simulations=3000)
    assert other.tree_hash() not in hashes


def test_other_python_threads_run_during_a_search(coins: NetworkMachine) -> None:
    searcher = Searcher(coins, SearchConfig(playout=PlayoutConfig(limit=1)))
    finished: list[int] = []
    thread = threading.Thread(target=lambda: finished.append(searcher.run().simulations))
    thread.start()
    try:
        deadline = time.monotonic() + 60
        while searcher.statistics().simulations == 0:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        with pytest.raises(RuntimeError, match="the search is running: stop it first"):
            searcher.advance(["head", "tail"])
        with pytest.raises(RuntimeError, match="the search is running"):
            searcher.tree_hash()
        seen = searcher.statistics()
        assert sum(move.visits for move in seen.moves["odd"]) == seen.visits
    finally:
        searcher.stop()
        thread.join(60)
    assert not thread.is_alive()
    assert finished[0] >= seen.simulations


def test_a_condition_that_is_true_before_a_run_ends_it(coins: NetworkMachine) -> None:
    searcher = Searcher(coins, SearchConfig())
    stopped = threading.Event()
    stopped.set()
    assert searcher.run(stopped=stopped.is_set).simulations == 0
    stopped.clear()
    assert searcher.run(stopped=lambda: searcher.statistics().simulations > 0).simulations > 0

    def fail() -> bool:
        raise LookupError("from the condition")

    with pytest.raises(LookupError, match="from the condition"):
        searcher.run(stopped=fail)
    assert searcher.run(simulations=5).simulations == 5


@pytest.mark.parametrize("settle", [True, None, False])
def test_a_run_ends_when_the_move_is_settled_unless_disabled(nim: NetworkMachine, settle: bool | None) -> None:
    searcher = Searcher(nim, SearchConfig(in_flight=8, settle=settle, solver=UNSOLVED))
    # Nearly all simulations follow one move, so half of them settle it; this takes longer than one interval of checks.
    found = searcher.run(simulations=3_000_000, settled=nim.roles[0])
    assert (found.simulations == 3_000_000) is (settle is False)
    with pytest.raises(ValueError, match="there is no role nobody"):
        searcher.run(simulations=1, settled="nobody")


# The first role chooses between equal moves, then the second role between winning and losing. Hundreds of turns without
# a choice follow, so that simulations take some time.
TWO_CHOICES = """
    (role first) (role second) (init (step 0))
    (<= (legal first left) (true (step 0))) (<= (legal first right) (true (step 0)))
    (<= (legal first noop) (not (true (step 0))))
    (<= (legal second win) (true (step 1))) (<= (legal second lose) (true (step 1)))
    (<= (legal second noop) (not (true (step 1))))
    (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
    (<= (next won) (does second win)) (<= (next won) (true won)) (<= terminal (true (step 300)))
    (goal first 50) (<= (goal second 100) (true won)) (<= (goal second 0) (not (true won)))
""" + " ".join(f"(succ {step} {step + 1})" for step in range(300))


def test_visits_from_an_earlier_root_settle_no_move() -> None:
    machine = NetworkMachine(parse_sheet(TWO_CHOICES))
    searcher = Searcher(machine, SearchConfig(in_flight=64, solver=UNSOLVED))
    searcher.run(simulations=120_000)
    searcher.advance(("left", "noop"))
    winning, losing = searcher.statistics().moves["second"]
    # The lead exceeds all simulations of the run, but they belong to the earlier root.
    assert winning.visits - losing.visits > 50_000
    assert 12_500 <= searcher.run(simulations=50_000, settled="second").simulations < 50_000


def test_time_limits_are_met(nim: NetworkMachine) -> None:
    searcher = Searcher(nim, SearchConfig(memory_mb=1, solver=UNSOLVED))
    started = time.monotonic()
    statistics = searcher.run(seconds=0.3)
    assert time.monotonic() - started >= 0.3
    assert statistics.simulations > 0
    assert statistics.tree_bytes <= 1 << 20
    assert searcher.run(seconds=0).simulations == 0


def test_more_in_flight_than_lanes_are_refused(nim: NetworkMachine) -> None:
    class Narrow(NetworkMachine):
        def __init__(self) -> None:
            self.__dict__.update(nim.__dict__)

        def simulator(self, lanes: int | None = None, isa: str | None = None) -> Any:
            return nim.simulator(64, isa)

    with pytest.raises(ValueError, match=r"in_flight must be 1 \.\. 64, the lanes of the simulator, not 65"):
        Searcher(Narrow(), SearchConfig(in_flight=65))


def test_every_parameter_of_the_playouts_makes_another_tree() -> None:
    machine = NetworkMachine(parse_sheet(rules("knightthrough")))
    nst = PlayoutConfig(policy="nst", epsilon=0.3, ngram=3, threshold=3, unknown=0.0, decay=0.5)
    hashes = set()
    playouts = [
        PlayoutConfig(policy="uniform"),
        replace(nst, policy="mast"),
        nst,
        replace(nst, epsilon=0.31),
        replace(nst, decisive=False),
        replace(nst, ngram=2),
        replace(nst, threshold=4),
        replace(nst, unknown=-1.0),
        replace(nst, decay=0.9),
    ]
    for playout in playouts:
        searcher = Searcher(machine, SearchConfig(in_flight=8, playout=playout))
        best = searcher.run(simulations=1200).best
        searcher.advance(best)
        searcher.run(simulations=300)
        hashes.add(searcher.tree_hash())
    assert len(hashes) == len(playouts)


@pytest.mark.parametrize("policy", ["uniform", "mast", "nst"])
def test_winning_move_is_found_with_every_policy(nim: NetworkMachine, policy: str, kernel: str) -> None:
    searcher = Searcher(nim, SearchConfig(in_flight=16, playout=PlayoutConfig(policy=policy)))
    for pile in (7, 5, 4, 2):
        searcher.set_root(nim.state([f"(heap {pile})", "(control first)"]))
        assert searcher.run(simulations=2000).best == (f"(take {pile % 3})", "noop")


def test_a_tree_with_a_proven_win_is_merged_with_a_new_tree() -> None:
    machine = NetworkMachine(parse_sheet(rules("tic_tac_toe")))
    trees = make_trees(machine, SearchConfig(seed=3, threads=2))
    before = ["(mark 1 1)", "noop"], ["noop", "(mark 3 1)"], ["(mark 1 2)", "noop"]
    state = machine.initial()
    for joint in before:
        state = machine.next(state, joint)
    blunder = ["noop", "(mark 3 2)"]
    numbers = [machine.move_number(role, move) for role, move in enumerate(blunder)]
    trees[0].set_root(machine.next(state, blunder))
    trees[1].set_root(state)
    trees[1].run(Limits(simulations=400))
    trees[1].advance(numbers)
    roles = [tree.statistics().roles[0] for tree in trees]
    assert [len(role.moves) for role in roles] == [5, 5]
    assert [role.bounds for role in roles] == [(0, 100), (100, 100)]
    found = in_words(merged(trees), machine)
    assert found.best == ("(mark 1 3)", "noop") and found.bounds["x"] == (100, 100)
    assert sum(move.visits for move in found.moves["x"]) == found.visits and len(found.moves["x"]) == 5

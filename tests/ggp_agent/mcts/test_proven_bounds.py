"""Proven bounds of positions, and the moves chosen by them."""

from __future__ import annotations

import pytest
from guaranteed_goals import check_games

from gdl import NetworkMachine, parse_sheet
from ggp_agent.mcts.config import SearchConfig
from ggp_agent.mcts.searcher import Searcher

# Role a chooses between x, after which b has two winning moves, one good for a and one not, and y, worth 40 to a.
TWO_WINS = """
(role a) (role b) (init (at start))
(<= (legal a x) (true (at start))) (<= (legal a y) (true (at start))) (<= (legal b noop) (true (at start)))
(<= (legal a noop) (true (at b_wins)))
(<= (legal b kind) (true (at b_wins))) (<= (legal b unkind) (true (at b_wins))) (<= (legal b lose) (true (at b_wins)))
(<= (next (at b_wins)) (does a x)) (<= (next (at middle)) (does a y))
(<= (next (at both)) (does b kind)) (<= (next (at b_alone)) (does b unkind)) (<= (next (at a_alone)) (does b lose))
(<= terminal (true (at middle))) (<= terminal (true (at both)))
(<= terminal (true (at b_alone))) (<= terminal (true (at a_alone)))
(<= (goal a 40) (true (at middle))) (<= (goal b 0) (true (at middle)))
(<= (goal a 100) (true (at both))) (<= (goal b 100) (true (at both)))
(<= (goal a 0) (true (at b_alone))) (<= (goal b 100) (true (at b_alone)))
(<= (goal a 100) (true (at a_alone))) (<= (goal b 0) (true (at a_alone)))
"""

# Both choose at once; (one one) is a saddle point worth 50 to each.
SADDLE = """
(role a) (role b)
(legal a one) (legal a two) (legal b one) (legal b two)
(<= (next (played ?x ?y)) (does a ?x) (does b ?y))
(<= terminal (true (played ?x ?y)))
(<= (goal a 50) (true (played one one))) (<= (goal b 50) (true (played one one)))
(<= (goal a 100) (true (played one two))) (<= (goal b 0) (true (played one two)))
(<= (goal a 25) (true (played two one))) (<= (goal b 75) (true (played two one)))
(<= (goal a 25) (true (played two two))) (<= (goal b 75) (true (played two two)))
"""

# Role d alone chooses; the others get something only by its bad moves.
FOUR = """
(role a) (role b) (role c) (role d)
(legal a noop) (legal b noop) (legal c noop) (legal d good) (legal d bad) (legal d worse)
(<= (next (picked ?x)) (does d ?x))
(<= terminal (true (picked ?x)))
(<= (goal d 100) (true (picked good))) (<= (goal d 30) (true (picked bad))) (<= (goal d 0) (true (picked worse)))
(<= (goal ?r 0) (role ?r) (distinct ?r d) (true (picked good)))
(<= (goal ?r 50) (role ?r) (distinct ?r d) (true (picked bad)))
(<= (goal ?r 50) (role ?r) (distinct ?r d) (true (picked worse)))
"""


def searcher_of(sheet: str, config: SearchConfig | None = None) -> Searcher:
    return Searcher(NetworkMachine(parse_sheet(sheet)), config)


@pytest.mark.slow
def test_no_bound_of_a_hundred_random_games_is_false() -> None:
    assert check_games(100) > 1000


@pytest.mark.parametrize("decisive", [True, False])
def test_a_proof_considers_all_winning_moves_of_the_opponent(decisive: bool) -> None:
    config = SearchConfig.from_toml(f"[playout]\ndecisive = {str(decisive).lower()}")
    found = searcher_of(TWO_WINS, config).run(simulations=3000)
    assert {move.move: move.bounds for move in found.moves["a"]}["y"] == (40, 40)
    assert {move.move: move.bounds for move in found.moves["a"]}["x"][0] == 0
    assert found.bounds["a"][0] == 40


def test_the_root_lists_all_legal_moves_after_advancing_to_a_decided_node() -> None:
    searcher = searcher_of(TWO_WINS, SearchConfig(in_flight=1))
    searcher.run(simulations=200)
    behind = searcher.statistics_behind([("x", "noop")])
    searcher.advance(["x", "noop"])
    for found in (behind, searcher.statistics()):
        assert {move.move for move in found.moves["b"]} == {"kind", "unkind", "lose"}
        assert found.bounds["b"] == (100, 100)
        assert found.moves["b"][0].move == "kind" and found.moves["b"][0].visits == found.visits > 0


def test_the_move_of_a_proven_goal_guarantees_it_where_roles_choose_at_once() -> None:
    for seed in range(30):
        found = searcher_of(SADDLE, SearchConfig(seed=seed)).run(simulations=3000)
        assert found.bounds == {"a": (50, 50), "b": (50, 50)}
        assert found.best == ("one", "one")


def test_expected_goals_follow_the_proven_line() -> None:
    found = searcher_of(FOUR).run(simulations=300)
    assert found.best[3] == "good"
    assert found.values == {"a": 0.0, "b": 0.0, "c": 0.0, "d": 100.0}

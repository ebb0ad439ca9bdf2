"""The best line that simulations of a game of one role have found: best goal, replay, kept after moves."""

from __future__ import annotations

from itertools import islice
from random import Random

import pytest
from quick import few
from random_puzzles import best_goal, random_puzzle

from gdl import CompiledMachine, NetworkMachine, ReasonerMachine, ReferenceMachine, RuleSheet, parse_sheet
from ggp_agent.game.load import load_game
from ggp_agent.mcts.configurations import read_configuration
from ggp_agent.mcts.searcher import Searcher
from ggp_agent.puzzles.circuit import goal_after

# All play-out policies whose play-outs can be replayed.
CONFIGURATIONS = (
    *("default", "uniform", "threads=2", "in_flight=1,tree.transpositions=true", "playout.policy=mast"),
    *("playout.policy=nst", "playout.policy=bhrf", "selection.grave.enabled=true"),
)

# Ten steps, at each of which the one or the other of two doors is right: the goal is ten for each right one.
DOORS = "".join(
    f"(<= (next (score {10 * (right + 1)} {step + 1})) (true (score {10 * right} {step})) (does r (take {step % 2})))"
    f"(<= (next (score {10 * right} {step + 1})) (true (score {10 * right} {step})) (does r (take {1 - step % 2})))"
    for step in range(10)
    for right in range(step + 1)
) + (
    "(role r) (init (score 0 0)) (legal r (take 0)) (legal r (take 1)) (<= terminal (true (score ?n 10)))"
    "(<= (goal r ?n) (true (score ?n 10)))"
)


@pytest.fixture(scope="module")
def puzzles() -> list[RuleSheet]:
    """Return some random puzzles with a goal above 0."""
    sheets = (parse_sheet(random_puzzle(Random(seed))) for seed in range(1000))
    return list(islice((sheet for sheet in sheets if best_goal(ReferenceMachine(sheet))), 5))


# Of play-outs by rank there are no records; a finished search has its line in the tree.
@pytest.mark.parametrize("configuration", [*CONFIGURATIONS, "playout.policy=rank"])
def test_a_finished_search_has_found_a_best_line(puzzles: list[RuleSheet], configuration: str) -> None:
    for sheet in puzzles:
        oracle = ReferenceMachine(sheet)
        searcher = Searcher(NetworkMachine(sheet), read_configuration(configuration))
        searcher.run(simulations=3000)
        found = searcher.best_line()
        assert found is not None and found[0] == best_goal(oracle) == goal_after(oracle, found[1])


@pytest.mark.parametrize("machine", [NetworkMachine, ReasonerMachine])
@pytest.mark.parametrize("configuration", few(CONFIGURATIONS, 4))
def test_lines_of_a_few_simulations_are_legal(machine: type[CompiledMachine], configuration: str) -> None:
    sheet = parse_sheet(DOORS)
    oracle = ReferenceMachine(sheet)
    searcher = Searcher(machine(sheet), read_configuration(configuration))
    goals = []
    for _ in range(8):
        searcher.run(simulations=8)
        found = searcher.best_line()
        assert found is not None and len(found[1]) == 10 and goal_after(oracle, found[1]) == found[0]
        goals.append(found[0])
    assert goals == sorted(goals) and goals[-1] > 50


def test_the_line_does_not_change_the_tree() -> None:
    hashes = []
    for asks in (False, True):
        searcher = Searcher(NetworkMachine(parse_sheet(DOORS)), read_configuration("in_flight=16"))
        for _ in range(5):
            searcher.run(simulations=100)
            if asks:
                searcher.best_line()
        hashes.append(searcher.tree_hash())
    assert hashes[0] == hashes[1]


def test_a_line_is_kept_while_its_moves_are_played() -> None:
    searcher = Searcher(NetworkMachine(parse_sheet(DOORS)), read_configuration("default"))
    searcher.run(simulations=40)
    found = searcher.best_line()
    assert found is not None
    goal, moves = found
    searcher.advance([moves[0]])
    assert searcher.best_line() == (goal, moves[1:])
    searcher.advance(["(take 0)" if moves[1] == "(take 1)" else "(take 1)"])
    assert searcher.best_line() is None
    searcher.run(simulations=40)
    found = searcher.best_line()
    assert found is not None and len(found[1]) == 8
    searcher.set_root(NetworkMachine(parse_sheet(DOORS)).initial())
    assert searcher.best_line() is None


def test_a_line_is_kept_after_a_move_without_a_query() -> None:
    lines = []
    for asks in (False, True):
        searcher = Searcher(NetworkMachine(parse_sheet(DOORS)), read_configuration("in_flight=8"))
        searcher.run(simulations=40)
        if asks:
            searcher.best_line()
        searcher.advance(["(take 0)"])
        lines.append(searcher.best_line())
    assert lines[0] == lines[1] and lines[0] is not None


def test_a_line_that_takes_too_long_to_replay_is_known_later() -> None:
    searcher = Searcher(NetworkMachine(parse_sheet(DOORS)), read_configuration("default"))
    searcher.run(simulations=40)
    assert searcher.best_line(0.0) is None
    found = searcher.best_line()
    assert found is not None and found == searcher.best_line(0.0)


def test_games_of_several_roles_have_no_best_line() -> None:
    searcher = Searcher(load_game("tic_tac_toe").machine(), read_configuration("default"))
    searcher.run(simulations=100)
    assert searcher.best_line() is None

"""Evaluations found from play-outs and searches: states, features, regressions, and games without one."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from compiled import network_of
from scipy.sparse import csr_matrix
from small_games import CARDS, COUNTING

from gdl import NetworkMachine
from gdl.compile.cache import Cache
from ggp_agent import _search
from ggp_agent.cli import main
from ggp_agent.common.errors import UserError
from ggp_agent.evaluation import FOUND
from ggp_agent.evaluation.description import describe, lines_of
from ggp_agent.evaluation.features import STATES_OF_A_PLAYOUT, choose_features, fluent_matrix, sample_playouts
from ggp_agent.evaluation.found_evaluation import EvaluationStore, FoundEvaluation, load_found
from ggp_agent.game.load import load_game
from ggp_agent.mcts.config import SearchConfig
from ggp_agent.mcts.limits import Limits
from ggp_agent.mcts.search_result import in_words
from ggp_agent.prepare.evaluation_finder import explained, find_evaluation, fit, known_states
from ggp_agent.prepare.preparation import give_evaluation
from kif_games import rules

# Chance places three coins; the last one decides. No earlier fluent predicts the result.
COINS = """
(role player) (role random) (init (coin 0)) (succ 0 1) (succ 1 2) (succ 2 3)
(<= (legal player (say ?w)) (word ?w)) (word yes) (word no)
(<= (legal random (toss ?s)) (side ?s)) (side heads) (side tails)
(<= (next (coin ?m)) (true (coin ?n)) (succ ?n ?m))
(<= (next (said ?w)) (does player (say ?w)))
(<= (next won) (does random (toss heads)))
(<= terminal (true (coin 3)))
(<= (goal player 100) (true won) (true (coin 3))) (<= (goal player 0) (not (true won)))
(<= (goal player 50) (true won) (not (true (coin 3)))) (goal random 50)
"""


@pytest.fixture(scope="module")
def tic_tac_toe() -> NetworkMachine:
    return network_of(rules("tic_tac_toe"))


@pytest.fixture(scope="module")
def found(tic_tac_toe: NetworkMachine) -> FoundEvaluation:
    return find_evaluation(tic_tac_toe, cpu_seconds=4, rounds=1)


def test_samples_are_states_with_the_final_goals(tic_tac_toe: NetworkMachine) -> None:
    samples = sample_playouts(tic_tac_toe, rows=6000, cpu_seconds=5, seed=3)
    again = sample_playouts(tic_tac_toe, rows=6000, cpu_seconds=5, seed=3)
    assert np.array_equal(samples.states, again.states) and np.array_equal(samples.goals, again.goals)
    assert 4000 < len(samples) <= 6000 and len(samples) % STATES_OF_A_PLAYOUT == 0 and samples.dropped == 0
    assert set(map(tuple, samples.goals.tolist())) == {(100, 0), (0, 100), (50, 50)}
    assert (samples.goals[::2] == samples.goals[1::2]).all()  # two states of each play-out
    marks = fluent_matrix(samples.states, len(tic_tac_toe.fluent_names)).sum(axis=1)
    for row in samples.states[:200]:
        state = row.tobytes()
        assert not tic_tac_toe.terminal(state) and state != tic_tac_toe.initial()
    for state, mover in zip(samples.states[:200], samples.movers, strict=False):
        choosing = [len(tic_tac_toe.legal(state.tobytes(), role)) > 1 for role in tic_tac_toe.roles]
        assert mover == (choosing.index(True) if any(choosing) else -1)
    # In each play-out all states have the same probability, so the first, middle and last ones occur.
    assert len(np.unique(np.asarray(marks))) == 8


def test_sampling_respects_the_limits_of_time_and_turns() -> None:
    endless = network_of(
        "(role one) (init (at a)) (legal one stay) (legal one go) (<= (next (at a)) (does one stay))"
        "(<= (next (at b)) (does one go)) (<= terminal (true (at c))) (goal one 50)"
        "(<= (next (at c)) (true (at c)))"
    )
    samples = sample_playouts(endless, rows=2000, cpu_seconds=0.2)
    assert len(samples) == 0 and samples.dropped > 0
    assert len(sample_playouts(endless, rows=2000, cpu_seconds=60, stopped=lambda: True)) == 0


def test_redundant_fluents_are_not_features() -> None:
    connect_four = network_of(rules("connect_four"))
    samples = sample_playouts(connect_four, rows=4000, cpu_seconds=2)
    states = fluent_matrix(samples.states, len(connect_four.fluent_names))
    names = np.array(connect_four.fluent_names)
    bits = int.from_bytes(samples.states[7].tobytes(), "little")
    assert [bits >> place & 1 for place in range(len(names))] == states[7].toarray().ravel().astype(int).tolist()
    features = choose_features(connect_four.fluent_names, states)
    kept = set(names[features.places])
    turns = {name for name in names if name not in kept}
    # One of the two fluents for the turn is enough.
    assert len(turns) == 1 and features.members.shape == (len(kept), len(features.groups))
    counts = states.tocsc()[:, features.places] @ features.members
    everything = features.groups.index(next(group for group in features.groups if group.count("?") == 3))
    assert counts[:, everything].max() > 20  # pieces of both sides


def test_a_hundred_thousand_fluents_are_features_without_groups() -> None:
    draw = np.random.default_rng(2)
    words = draw.integers(0, 2**63, (40, 1600), np.uint64) & draw.integers(0, 2**63, (40, 1600), np.uint64)
    states = fluent_matrix(words, 100_000)
    assert states.shape == (40, 100_000) and states.nnz == int(np.unpackbits(words.view(np.uint8)).sum()) - int(
        np.unpackbits(words.view(np.uint8), axis=1, bitorder="little")[:, 100_000:].sum()
    )
    features = choose_features([f"(at {number})" for number in range(100_000)], states)
    assert len(features.places) > 90_000 and features.groups == () and features.members.shape[1] == 0
    found = fit(states[:, features.places], draw.random(40), features.members, ridge=3.0, cpu_seconds=0.2)
    assert np.isfinite(found.weights).all()


def test_a_regression_finds_weights_and_groups_help_it() -> None:
    draw = np.random.default_rng(1)
    states = csr_matrix((draw.random((3000, 40)) < 0.3).astype(np.float32))
    weights = np.repeat([0.8, -0.8], 20)
    ends = (draw.random(3000) < 1 / (1 + np.exp(-(states @ weights) - 0.5))).astype(float)
    groups = csr_matrix(np.repeat(np.eye(2, dtype=np.float32), 20, axis=0))
    alone = fit(states, ends, csr_matrix((40, 0), dtype=np.float32), ridge=30.0, cpu_seconds=10)
    together = fit(states, ends, groups, ridge=30.0, cpu_seconds=10)

    def error(one: np.ndarray) -> float:
        return float(np.abs(one - weights).mean())

    assert error(together.weights) < 0.15 and error(together.weights) < error(alone.weights)
    assert abs(together.bias - 0.5) < 0.3 and explained(ends, together.predicted(states)) > 0.25
    assert (
        np.array_equal(fit(states, ends, groups, ridge=30.0, cpu_seconds=0, begin=together).bias, together.bias)
        is False
    )


def test_states_of_trees_have_values(tic_tac_toe: NetworkMachine) -> None:
    tree = _search.Searcher(tic_tac_toe.simulator(64), SearchConfig(in_flight=1, seed=5))
    statistics = in_words(tree.run(Limits(simulations=400)), tic_tac_toe)
    states, rewards, visits = known_states(tree, 2, 1)
    assert len(states) == len(rewards) == len(visits) == statistics.nodes - 1  # all but the root
    assert (np.abs(rewards) <= 1).all() and np.allclose(rewards.sum(axis=1), 0, atol=1e-5)
    often, _, counts = known_states(tree, 2, 20)
    assert 0 < len(often) < len(states) and (counts >= 20).all() and sorted(counts) == sorted(visits[visits >= 20])
    of_state = {state.tobytes(): reward for state, reward in zip(often, rewards[visits >= 20], strict=True)}
    best = statistics.moves["x"][0]
    behind = tic_tac_toe.next(tic_tac_toe.initial(), [best.move, "noop"])
    assert abs(50 + 50 * of_state[behind][0] - best.value) < 3


def test_an_evaluation_is_found(tic_tac_toe: NetworkMachine, found: FoundEvaluation) -> None:
    assert not found.obstacle and found.rounds == 1 and found.moves > 20 and found.explained[0] > 0.03
    weights = dict(
        zip((tic_tac_toe.fluent_names[place] for place in found.weights.fluents), found.weights.weights, strict=True)
    )
    assert weights["(marked x 2 2)"][0] > 0.03 > -0.03 > weights["(marked o 2 2)"][0]
    assert np.allclose(found.weights.weights.sum(axis=1), 0, atol=1e-4)  # what is good for one is bad for the other
    described = describe(tic_tac_toe, found)["x"]
    assert {each.fluents for each in described} >= {"(marked x ? ?)", "(marked o ? ?)"}
    lines = list(lines_of(tic_tac_toe, found))
    assert "o: the points of x with the opposite sign" in lines[-1] and any("(marked o 2 2)" in line for line in lines)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (COUNTING, "all random play-outs end with the same goals"),
        (CARDS, "random play-outs end with the first turn"),
        (COINS, "which is too little"),
    ],
)
def test_the_reason_is_given_if_no_evaluation_is_found(text: str, reason: str) -> None:
    found = find_evaluation(network_of(text), cpu_seconds=0.8, rounds=1)
    assert reason in found.obstacle and reason in str(found) and not len(found.weights.fluents)


def test_there_is_no_evaluation_without_time_or_fluents(tic_tac_toe: NetworkMachine) -> None:
    assert "too short" in find_evaluation(tic_tac_toe, cpu_seconds=0.1).obstacle
    stopped = find_evaluation(tic_tac_toe, cpu_seconds=5, stopped=lambda: True)
    assert stopped.obstacle
    assert "not sets of fluents" in find_evaluation(load_game("fast:breakthrough").machine()).obstacle


def test_an_evaluation_is_stored_for_all_copies_of_a_game(
    tic_tac_toe: NetworkMachine, found: FoundEvaluation, tmp_path: Path
) -> None:
    store = EvaluationStore(Cache(tmp_path))
    assert store.read(tic_tac_toe) is None
    with pytest.raises(UserError, match="this game has none: run ggp-agent prepare GAME first"):
        load_found(network_of(rules("tic_tac_toe")), store)
    store.write(tic_tac_toe, found)
    other = network_of(rules("tic_tac_toe").replace("marked", "scrambled"))
    load_found(other, store)
    same = store.read(other)
    assert same is not None and FOUND in other.evaluations and str(same) == str(found)
    assert np.allclose(same.weights.weights, found.weights.weights, atol=1e-4)
    store.write(tic_tac_toe, FoundEvaluation.none("nothing predicts", 2))
    with pytest.raises(UserError, match="this game has none: nothing predicts"):
        load_found(network_of(rules("tic_tac_toe")), store)
    (file,) = tmp_path.iterdir()
    file.write_bytes(b"no evaluation")
    assert store.read(tic_tac_toe) is None


@pytest.mark.parametrize("change", [{"bias": [0.0]}, {"weights": [[1.0]]}, {"fluents": [3, 2]}, {"explained": ["x"]}])
def test_an_invalid_stored_evaluation_is_ignored(found: FoundEvaluation, change: dict[str, object]) -> None:
    with pytest.raises((ValueError, TypeError)):
        FoundEvaluation.from_json(found.to_json() | change)


def test_preparation_finds_an_evaluation_if_there_is_time(
    tic_tac_toe: NetworkMachine, found: FoundEvaluation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[float] = []

    def find(machine: object, *, cpu_seconds: float, **settings: object) -> FoundEvaluation:
        asked.append(cpu_seconds)
        return found.at_cost(cpu_seconds)

    monkeypatch.setattr("ggp_agent.prepare.evaluation_finder.find_evaluation", find)
    store = EvaluationStore(Cache(tmp_path))
    first = tic_tac_toe.another()
    assert give_evaluation(first, store, seconds=5) is None and FOUND not in first.evaluations and not asked
    assert give_evaluation(first, store, seconds=10) is not None and FOUND in first.evaluations
    second = tic_tac_toe.another()
    give_evaluation(second, store, seconds=12)  # found in nearly as much time before
    give_evaluation(second, store, seconds=2)
    assert FOUND in second.evaluations and asked == [3.0]
    give_evaluation(second, store, seconds=30)
    assert asked == [3.0, 9.0]
    give_evaluation(load_game("fast:breakthrough").machine(), store, seconds=30)
    assert len(asked) == 2


@pytest.mark.slow
def test_inspect_prints_the_evaluation(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, found: FoundEvaluation, tmp_path: Path
) -> None:
    monkeypatch.setattr("ggp_agent.prepare.evaluation_finder.find_evaluation", lambda machine: found)
    assert main(["inspect", "tic_tac_toe", "--show", "evaluation"]) == 0
    printed = capsys.readouterr().out
    assert "(marked x ? ?)" in printed and "o: the points of x with the opposite sign" in printed
    assert main(["inspect", "tic_tac_toe", "--show", "evaluation", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["found"] and told["weights"]["x"]["(marked x 2 2)"] > 0 and told["explained"]["x"] > 0.03
    config = tmp_path / "found.toml"
    config.write_text('[evaluation]\nname = "found"\n[selection.implicit_minimax]\nalpha = 0.4\n')
    assert main(["search", "tic_tac_toe", "--simulations", "200", "--config", str(config)]) == 0

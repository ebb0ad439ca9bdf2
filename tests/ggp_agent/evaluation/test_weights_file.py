"""Evaluations of rule sheets by weights files: reading, values, and errors."""

from __future__ import annotations

import logging
import random
from pathlib import Path

import numpy as np
import pytest

from gdl import NetworkMachine, ReasonerMachine, parse_sheet
from gdl.machines.compiled import FluentWeights
from ggp_agent.cli import main
from ggp_agent.common.errors import UserError
from ggp_agent.evaluation.evaluation_file import WeightsFile
from ggp_agent.experiments.study_file import Study
from ggp_agent.game.native.native_machine import NativeMachine
from ggp_agent.game.native.registry import native_game
from ggp_agent.mcts.config import SearchConfig
from ggp_agent.mcts.searcher import Searcher, load_evaluation
from ggp_agent.player.policy.policies import SearchPolicy
from kif_games import rules

# The values of `squares` of the native game, by row from the own side and by column.
SQUARES = [
    (5, 15, 15, 5, 5, 15, 15, 5),
    (2, 3, 3, 3, 3, 3, 3, 2),
    (4, 6, 6, 6, 6, 6, 6, 4),
    (7, 10, 10, 10, 10, 10, 10, 7),
    (11, 15, 15, 15, 15, 15, 15, 11),
    (16, 21, 21, 21, 21, 21, 21, 16),
    (20, 28, 28, 28, 28, 28, 28, 20),
    (36,) * 8,
]


def squares() -> str:
    """Write the evaluation `squares` as weights: one for each row, and differences for single columns."""
    lines = ["scale 100"]
    for row, values in enumerate(SQUARES, 1):
        for role, there in (("white", row), ("black", 9 - row)):
            lines.append(f"{role} {values[2]} (piece {role} ?column {there}) ; the inner columns")
            for column, value in enumerate(values, 1):
                if value != values[2]:
                    lines.append(f"{role} {value - values[2]} (piece {role} {column} {there})")
    return "\n".join(lines)


@pytest.fixture(scope="module")
def breakthrough() -> NetworkMachine:
    return NetworkMachine(parse_sheet(rules("breakthrough")))


def small() -> NetworkMachine:
    return NetworkMachine(parse_sheet(rules("tic_tac_toe")))


def test_weights_equal_the_native_evaluation(breakthrough: NetworkMachine) -> None:
    game = native_game("breakthrough")
    draw = random.Random(17)
    breakthrough.add_evaluation("squares", WeightsFile.from_text(squares(), "squares").weights_for(breakthrough))
    told = set()
    for _ in range(6):
        state = game.initial
        while not game.is_over(state):
            expected = game.evaluate(state, "squares")
            found = breakthrough.values(breakthrough.state(game.sheet_fluents(state)), "squares")
            assert found == pytest.approx([expected, -expected], abs=1e-5)
            told.add(expected)
            state = game.play(state, draw.choice(list(game.legal(state))))
    assert len(told) > 60


def test_the_search_uses_the_weights(breakthrough: NetworkMachine, tmp_path: Path) -> None:
    path = tmp_path / "squares.weights"
    path.write_text(squares())
    game = native_game("breakthrough")
    draw = random.Random(5)
    # With nothing but the values of the states behind the moves, the best of these gets nearly all simulations.
    config = SearchConfig.from_toml(
        f"in_flight = 1\nevaluation.file = {str(path)!r}\nselection.exploration = 0.0\nsolver.enabled = false\n"
        "selection.implicit_minimax = { alpha = 1.0, term = 'constant' }"
    )
    searcher = Searcher(breakthrough, config)
    for _ in range(5):
        state = game.initial
        for _ in range(12):
            state = game.play(state, draw.choice(list(game.legal(state))))
        at = breakthrough.state(game.sheet_fluents(state))
        searcher.set_root(at)
        first, *_ = searcher.run(simulations=200).moves["white"]
        behind = {
            move: breakthrough.values(breakthrough.next(at, [move, "noop"]), str(path))[0]
            for move in breakthrough.legal(at, "white")
        }
        assert first.visits > 100 and behind[first.move] == max(behind.values())


def test_variables_scale_and_rivals() -> None:
    machine = small()
    state = machine.initial()
    for joint in (("(mark 2 2)", "noop"), ("noop", "(mark 1 1)"), ("(mark 3 1)", "noop")):
        state = machine.next(state, joint)
    text = "scale 2\nx 1 (marked ?anyone ?line ?line)\no 0.5 (turn o)\no 0.25 (MARKED x ?column 1)\no 9 (turn x)"
    machine.add_evaluation("w", WeightsFile.from_text(text, "w").weights_for(machine))
    ahead = np.tanh((2 - 0.75) / 2)
    assert machine.values(state, "w") == pytest.approx([ahead, -ahead])
    machine.add_evaluation("w", WeightsFile.from_text(f"opposed no\n{text}", "w").weights_for(machine))
    assert machine.values(state, "w") == pytest.approx([np.tanh(1), np.tanh(0.75 / 2)])
    assert machine.evaluations == ("w",)


def test_the_mean_of_the_other_roles_is_subtracted() -> None:
    sheet = "\n".join(
        ["(role a) (role b) (role c) (init (on a)) (init (on b)) (init (on c))"]
        + [f"(legal {role} go) (goal {role} 50)" for role in "abc"]
        + ["(<= (next (on ?x)) (true (on ?x)) (distinct ?x c)) (<= terminal (not (true (on c))))"]
    )
    machine = NetworkMachine(parse_sheet(sheet))
    # a and b hold in every state, and c alone has a place in it.
    assert machine.constant_fluents == ("(on a)", "(on b)")
    text = "a 0.3 (on a)\na 0.2 (on c)\nb 0.1 (on b)"
    machine.add_evaluation("w", WeightsFile.from_text(text, "w").weights_for(machine))
    expected = np.tanh([0.5 - 0.1, 0.1 - 0.5, -(0.5 + 0.1) / 2])
    assert machine.values(machine.initial(), "w") == pytest.approx(expected.tolist())


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "w: no weight found; a line is of the form ROLE WEIGHT FLUENT, .*"),
        ("; x 1 (marked x 1 1)", "w: no weight found; .*"),
        ("x 1", "w:1: a line is of the form .*; or scale NUMBER, or opposed no"),
        ("\nx much (marked x 1 1)", r"w:2: a weight must be a number -1000000 .. 1000000, not much"),
        ("x nan (marked x 1 1)", "w:1: a weight must be a number .*, not nan"),
        ("x 2e6 (marked x 1 1)", "w:1: a weight must be a number .*, not 2e6"),
        ("scale 0\nx 1 (marked x 1 1)", "w:1: the scale must be a number 1e-06 .. 1000000, not 0"),
        ("scale 1\nscale 2", "w:2: scale is already given in line 1"),
        ("opposed maybe", "w:1: opposed must be yes or no, not maybe"),
        ("x 1 (marked x 1 1)\nxx 1 (marked x 1 1)", "w:2: there is no role xx; the roles are x, o; did you mean x\\?"),
        ("x 1 (marked x 1 4)", r"w:1: no state of this game has \(marked x 1 4\); did you mean \(marked x 1 [123]\)\?"),
        ("x 1 (markt x ?x 1)", r"w:1: no state of this game has \(markt x \?x 1\); did you mean \(marked x . 1\)\?"),
        ("x 1 wholly-different", "w:1: no state of this game has wholly-different"),
        ("x 1 (marked x 1", r"w:1: \(marked x 1 is not a fluent: .*"),
        ("x 1 (marked x 1 1) (marked x 1 2)", r"w:1: \(marked x 1 1\) \(marked x 1 2\) is not a fluent: .*"),
    ],
)
def test_errors_are_one_line_with_file_and_line(text: str, complaint: str) -> None:
    with pytest.raises(UserError, match=f"^{complaint}$"):
        WeightsFile.from_text(text, "w").weights_for(small())


@pytest.mark.parametrize(
    ("weights", "complaint"),
    [
        (FluentWeights.of(np.ones((3, 1))), "a game of 2 roles needs a weight for each fluent and role, .*"),
        (FluentWeights.of(np.full((3, 2), np.inf)), "some are not finite numbers"),
        (
            FluentWeights(np.array([9999], np.uint32), np.ones((1, 2), np.float32), np.zeros(2, np.float32)),
            ".* fluent 9999",
        ),
        (
            FluentWeights(np.array([2, 1], np.uint32), np.ones((2, 2), np.float32), np.zeros(2, np.float32)),
            "the fluents are not in ascending order",
        ),
    ],
)
def test_arrays_that_do_not_fit_are_refused(weights: FluentWeights, complaint: str) -> None:
    machine = small()
    with pytest.raises(ValueError, match=f"^weights of fluents: {complaint}$"):
        machine.add_evaluation("w", weights)
    assert machine.evaluations == ()


@pytest.mark.parametrize("kind", ["native", "reasoner"])
def test_weights_need_states_of_fluents(kind: str) -> None:
    native = kind == "native"
    machine = NativeMachine(native_game("kalah")) if native else ReasonerMachine(parse_sheet(rules("tic_tac_toe")))
    evaluations = machine.evaluations
    with pytest.raises(
        ValueError, match=r"^the states of this game do not consist of fluents, so fluents have no weights$"
    ):
        machine.add_evaluation("w", FluentWeights.of(np.ones((3, 2))))
    assert machine.evaluations == evaluations
    assert bool(evaluations) is native
    with pytest.raises(ValueError, match=r"^there is no evaluation w; known are "):
        machine.values(machine.initial(), "w")


def test_arrays_are_found_by_name() -> None:
    machine = small()
    weights = np.zeros((len(machine.fluent_names), 2))
    weights[machine.fluent_names.index("(marked x 2 2)")] = 3, -3
    machine.add_evaluation("found", FluentWeights.of(weights))
    text = "in_flight = 1\nevaluation.name = 'found'\nselection.implicit_minimax.alpha = 1.0"
    assert Searcher(machine, SearchConfig.from_toml(text)).run(simulations=60).best[0] == "(mark 2 2)"


def test_paths_are_relative_to_the_configuration_file(tmp_path: Path) -> None:
    (tmp_path / "own.weights").write_text("x 1 (marked x 2 2)")
    (tmp_path / "own.toml").write_text('evaluation.file = "own.weights"\nselection.implicit_minimax.alpha = 0.5')
    config = SearchConfig.load(tmp_path / "own.toml")
    assert config.evaluation.file == str((tmp_path / "own.weights").resolve())
    assert SearchConfig.from_toml(config.to_toml()) == config
    Searcher(small(), config).run(simulations=10)
    (tmp_path / "own.weights").write_text("x")
    with pytest.raises(UserError, match=r"own.weights:1: a line is of the form"):
        SearchConfig.load(tmp_path / "own.toml")


def test_only_networks_use_weights(tmp_path: Path) -> None:
    path = tmp_path / "w"
    path.write_text("white 1 (piece white 1 1)")
    config = SearchConfig.from_toml(f"evaluation.file = {str(path)!r}")
    for machine, player in (
        (NativeMachine(native_game("breakthrough_6x6")), "the native game breakthrough_6x6"),
        (ReasonerMachine(parse_sheet(rules("tic_tac_toe"))), "the reasoner"),
    ):
        with pytest.raises(UserError, match=f"^evaluation.file = .* needs the network .* is played by {player}; "):
            load_evaluation(machine, config)


def test_a_study_reports_changed_weights(tmp_path: Path) -> None:
    path = tmp_path / "w"
    text = f"games = ['tic_tac_toe']\nsimulations = 10\nvariants.weighted.config.evaluation.file = {str(path)!r}"

    def document() -> object:
        return Study.from_toml(text, "mine").cells[0].document()

    with pytest.raises(UserError, match=r"w: cannot read the evaluation: no such file or directory$"):
        document()
    path.write_text("x 1 (marked x 2 2)")
    first = document()
    path.write_text("; the same\nx  1.0  (marked x  2 2)")
    assert document() == first
    path.write_text("x 1 (marked o 2 2)")
    assert document() != first


def test_the_arena_reports_errors_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "w"
    words = ["arena", "tic_tac_toe", "--a", "default", "--b", f"playout.policy=evaluation,evaluation.file={path}"]
    for text, complaint in (
        (None, "cannot read the evaluation: no such file or directory"),
        ("x 1 (marked x 9 9)", ":1: no state of this game has (marked x 9 9)"),
    ):
        if text is not None:
            path.write_text(text)
        assert main([*words, "--games", "2", "--simulations", "20", "--jobs", "1"]) == 2
        told = capsys.readouterr().err.strip().splitlines()
        assert len(told) == 1 and complaint in told[0]


def test_a_player_ignores_an_evaluation_that_the_game_lacks(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "w"
    path.write_text("white 1 (piece white 1 1)")
    every = "selection.implicit_minimax.alpha = 0.5\nselection.priors.visits = 3\nplayout.policy = 'evaluation'\n"
    for named in (f"evaluation.file = {str(path)!r}", "evaluation.name = 'pieces'"):
        policy = SearchPolicy(1, SearchConfig.from_toml(every + named))
        with caplog.at_level(logging.WARNING):
            policy.prepare(small(), "x")
        assert "the search runs without an evaluation: " in caplog.text
        caplog.clear()
    policy = SearchPolicy(1, SearchConfig(in_flight=1))
    policy.prepare(small(), "x")
    assert not caplog.text

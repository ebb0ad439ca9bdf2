"""Games as OpenSpiel's: its own tests, and what single positions say."""

from __future__ import annotations

import copy
import json
import pickle
import random
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from quick import few
from small_games import CARDS, COUNTING, GUESSING

import ggp_agent as ggp
from kif_games import catalogue

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install open_spiel")

from open_spiel.integration_tests import api_test  # noqa: E402 - it is an extra
from open_spiel.python.algorithms import mcts, minimax  # noqa: E402

import ggp_agent.rl.openspiel  # noqa: E402 - registers the game

DYNAMICS, CHANCE, UTILITY = pyspiel.GameType.Dynamics, pyspiel.GameType.ChanceMode, pyspiel.GameType.Utility

# By what is special about them: players, several at once, chance, whether what one gains the others lose.
GAMES = {
    "tic_tac_toe": (2, False, False, True),
    "connect_four": (2, False, False, True),
    "breakthrough_6x6": (2, False, False, True),
    "hex": (2, False, False, True),
    "merrills": (2, False, False, True),
    "battle": (2, True, False, False),
    "orchard": (2, True, False, True),
    "three_hunters": (3, False, False, True),
    "eight_puzzle": (1, False, False, False),
    "lights_out": (1, False, False, False),
    "fast:breakthrough_6x6": (2, False, False, True),
    "counting": (2, True, False, True),
    "cards": (1, False, True, False),
    "guessing": (6, True, True, False),
}
SMALL = {"counting": COUNTING, "cards": CARDS, "guessing": GUESSING}


@pytest.fixture(scope="module")
def sheets(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return where each game is."""
    folder = tmp_path_factory.mktemp("sheets")
    for name, text in SMALL.items():
        (folder / f"{name}.kif").write_text(text)
    return {name: str(folder / f"{name}.kif") if name in SMALL else name for name in GAMES}


@pytest.mark.parametrize("name", few(GAMES, 2))
def test_games_pass_the_tests_of_openspiel(name: str, sheets: dict[str, str]) -> None:
    game = pyspiel.load_game(f"gdl(sheet={sheets[name]},max_turns=15)")
    players, at_once, has_chance, zero_sum = GAMES[name]
    kind = game.get_type()
    assert game.num_players() == players
    assert (kind.dynamics == DYNAMICS.SIMULTANEOUS) == at_once
    assert (kind.chance_mode == CHANCE.EXPLICIT_STOCHASTIC) == has_chance
    assert (kind.utility == UTILITY.ZERO_SUM) == zero_sum
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)
    of_this_game = type("Case", (api_test.EnforceAPIOnPartialTreeBase,), {"game": game, "game_name": name})
    done = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(of_this_game).run(done)
    assert done.testsRun >= 5 and done.wasSuccessful(), (done.failures, done.errors)


@pytest.mark.parametrize("name", ["connect_four", "battle", "three_hunters", "guessing", "fast:breakthrough_6x6"])
def test_matches_are_those_of_the_rules(name: str, sheets: dict[str, str]) -> None:
    rng = random.Random(1)
    state, rules = pyspiel.load_game("gdl", {"sheet": sheets[name]}).new_initial_state(), ggp.load_game(sheets[name])
    truth = rules.initial_state()
    while not truth.is_terminal:
        moves = {role: rng.choice(legal) for role, legal in truth.legal_moves().items()}
        choosing = truth.choosing or truth.roles[:1]
        while choosing:
            player = state.current_player()
            at_once = player == pyspiel.PlayerId.SIMULTANEOUS
            acting = [player]
            if at_once:
                acting = list(range(len(truth.roles) - ("random" in truth.roles)))
            roles = ["random" if each == pyspiel.PlayerId.CHANCE else truth.roles[each] for each in acting]
            actions = []
            for each, role in zip(acting, roles, strict=True):
                legal = {state.action_to_string(each, action): action for action in state.legal_actions(each)}
                assert legal.keys() == set(truth.legal_moves(role))
                actions.append(legal[moves[role]])
            if at_once:
                state.apply_actions(actions)
            else:
                state.apply_action(actions[0])
            assert choosing[0] in roles
            choosing = tuple(role for role in choosing if role not in roles)
        truth = truth.play(*moves.values())
        assert state.is_terminal() == truth.is_terminal
        assert state.observation_string(0) == " ".join(truth.fluents)
    worth = [(goal - 50) / 50 for role, goal in truth.goals.items() if goal is not None and role != "random"]
    assert state.returns() == worth and state.legal_actions() == []


def test_chance_draws_after_the_players(sheets: dict[str, str]) -> None:
    state = pyspiel.load_game("gdl", {"sheet": sheets["guessing"]}).new_initial_state()
    state.apply_actions([0, 1, 2, 0, 1, 2])
    assert state.is_chance_node()
    assert state.chance_outcomes() == [(0, pytest.approx(1 / 3)), (1, pytest.approx(1 / 3)), (2, pytest.approx(1 / 3))]
    before = state.clone()
    state.apply_action(1)
    assert state.is_simultaneous_node() and before.is_chance_node()
    state.apply_actions([0, 1, 2, 0, 1, 2])
    state.apply_action(1)
    assert state.returns() == [-1.0, 1.0, -1.0, -1.0, 1.0, -1.0]


def test_algorithms_of_openspiel_take_them() -> None:
    game = pyspiel.load_game("gdl(sheet=tic_tac_toe)")
    state = game.new_initial_state()
    # x has two in a row and o does not stop it.
    for move in ("(mark 1 1)", "(mark 3 1)", "(mark 1 2)", "(mark 3 2)"):
        state.apply_action(state.string_to_action(move))
    value, action = minimax.alpha_beta_search(game, state)
    assert value == 1.0 and state.action_to_string(action) == "(mark 1 3)"
    bot = mcts.MCTSBot(game, 2.0, 100, mcts.RandomRolloutEvaluator(1, np.random.RandomState(1)))
    assert bot.step(state) == action


def test_observations_are_those_of_the_lanes() -> None:
    state = pyspiel.load_game("gdl(sheet=connect_four)").new_initial_state()
    planes = pyspiel.load_game("gdl(sheet=connect_four,observation=planes)")
    assert planes.observation_tensor_shape()[1:] == [6, 7]
    state.apply_action(state.string_to_action("(drop 4)"))
    lanes = ggp.Lanes("connect_four", 1)
    lanes.step([lanes.move_names("red").index("(drop 4)")])
    assert state.observation_tensor(0) == state.observation_tensor(1) == lanes.fluents[:, 0].tolist()
    for again in (copy.deepcopy(state), pickle.loads(pickle.dumps(state))):
        assert str(again) == str(state) and again.legal_actions() == state.legal_actions()


def test_games_end_after_the_most_turns() -> None:
    state = pyspiel.load_game("gdl(sheet=eight_puzzle,max_turns=3)").new_initial_state()
    for _ in range(3):
        assert not state.is_terminal()
        state.apply_action(state.legal_actions()[0])
    assert state.is_terminal() and state.returns() == [0.0]


@pytest.mark.parametrize(
    "parameters, length",
    [
        ({"sheet": "tic_tac_toe"}, 9),
        ({"sheet": "tic_tac_toe", "max_turns": 5}, 5),
        ({"sheet": "fast:breakthrough_6x6"}, catalogue()["breakthrough_6x6"].max_turns),
        ({"sheet": "fast:gomoku_5x5"}, 25),
        ({"sheet": COUNTING}, 1000),
        ({"sheet": COUNTING, "max_turns": 7}, 7),
        ({"sheet": "battle"}, catalogue()["battle"].max_turns),
        ({"sheet": "kuhn_poker"}, catalogue()["kuhn_poker"].max_turns),
    ],
)
def test_the_catalogue_knows_the_length_of_games(parameters: dict[str, Any], length: int) -> None:
    game = pyspiel.load_game("gdl", parameters)
    assert game.max_game_length() == length
    state, nodes = game.new_initial_state(), 0
    while not state.is_terminal():
        nodes += not state.is_chance_node()
        if state.is_simultaneous_node():
            state.apply_actions([state.legal_actions(player)[0] for player in range(game.num_players())])
        else:
            state.apply_action(state.legal_actions()[0])
    assert 0 < nodes <= length


@pytest.mark.parametrize(
    "parameters, complaint",
    [
        ({"sheet": "no_such_game"}, "no game is called 'no_such_game'"),
        ({"sheet": "connect_four", "observation": "x"}, "no observation is called 'x'"),
        ({"sheet": "three_hunters", "observation": "planes"}, "no board in the form of a grid"),
        ({"sheet": "connect_four", "max_turns": 0}, "max_turns must be at least 1, not 0"),
    ],
)
def test_wrong_parameters_are_told_in_one_line(parameters: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ggp.UserError, match=complaint):
        pyspiel.load_game("gdl", parameters)


def test_the_missing_package_is_named(tmp_path: Path) -> None:
    program = """
import sys
sys.modules["pyspiel"] = None
import ggp_agent as ggp
try:
    import ggp_agent.rl.openspiel
except ggp.UserError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, check=True)
    assert "need the package pyspiel; install it with pip install open_spiel" in done.stdout


def test_states_are_structs() -> None:
    state = pyspiel.load_game("gdl(sheet=battle)").new_initial_state()
    data = state.to_dict()
    assert json.loads(state.to_json()) == data == state.to_struct().to_dict()
    assert data["current_player"] == int(pyspiel.PlayerId.SIMULTANEOUS)
    assert data["chosen"] == {}
    assert ggp.State.from_dict(data) == ggp.load_game("battle").initial_state()
    state = pyspiel.load_game("gdl(sheet=tic_tac_toe)").new_initial_state()
    assert state.to_dict()["move_numbers"]["x"] == state.legal_actions()
    state.apply_action(state.legal_actions()[0])
    assert state.to_struct().current_player == 1
    assert state.clone().to_dict() == state.to_dict()

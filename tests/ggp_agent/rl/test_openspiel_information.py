"""Games with hidden information in OpenSpiel: its own tests, its algorithms, and resampled states."""

from __future__ import annotations

import unittest
from typing import Any

import numpy as np
import pytest

import ggp_agent as ggp

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install open_spiel")

from open_spiel.integration_tests import api_test  # noqa: E402 - it is an extra
from open_spiel.python.algorithms import cfr, expected_game_score, exploitability, ismcts, mcts  # noqa: E402

import ggp_agent.rl.openspiel  # noqa: E402 - registers the game

GAMES = ("kuhn_poker", "liars_dice", "blind_tic_tac_toe", "monty_hall")


def played(game: Any, words: list[str]) -> Any:
    """Return the state after some actions, given as text."""
    state = game.new_initial_state()
    for word in words:
        actions = {state.action_to_string(action): action for action in state.legal_actions()}
        state.apply_action(actions[word])
    return state


@pytest.mark.parametrize("name", GAMES)
def test_games_pass_the_tests_of_openspiel(name: str) -> None:
    game = pyspiel.load_game(f"gdl(sheet={name})")
    kind = game.get_type()
    assert kind.information == pyspiel.GameType.Information.IMPERFECT_INFORMATION
    assert kind.dynamics == pyspiel.GameType.Dynamics.SEQUENTIAL
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)
    of_this_game = type("Case", (api_test.EnforceAPIOnPartialTreeBase,), {"game": game, "game_name": name})
    done = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(of_this_game).run(done)
    assert done.testsRun >= 5 and done.wasSuccessful(), (done.failures, done.errors)


def test_players_observe_their_moves_and_percepts() -> None:
    game = pyspiel.load_game("gdl(sheet=kuhn_poker)")
    truth = ggp.load_game("kuhn_poker").initial_state()
    state = game.new_initial_state()
    assert state.information_state_string(0) == state.observation_string(0) == truth.roles[0] == "first"
    known = {role: role for role in ("first", "second")}
    rng = np.random.RandomState(3)
    while not state.is_terminal():
        moves = {role: legal[0] for role, legal in truth.legal_moves().items()}
        for role in truth.choosing:
            moves[role] = state.action_to_string(action := int(rng.choice(state.legal_actions())))
            state.apply_action(action)
        truth = truth.play(*moves.values())
        for player, role in enumerate(known):
            latest = f"{moves[role]} ({' '.join(truth.percepts(role))})"
            known[role] += f" {latest}"
            assert state.observation_string(player) == f"{role} {latest}"
            assert state.information_state_string(player) == known[role]
            assert sum(state.observation_tensor(player)) == 1 + len(truth.percepts(role))
    assert truth.is_terminal and len(known["first"].split()) > 6


def test_counterfactual_regret_minimisation_finds_the_value_of_kuhn_poker() -> None:
    # The exact value is -1/18 of a chip. Two chips are 50 points, so one chip is half of the reward 1.
    game = pyspiel.load_game("gdl(sheet=kuhn_poker)")
    solver = cfr.CFRPlusSolver(game)
    for _ in range(60):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    values = expected_game_score.policy_value(game.new_initial_state(), [policy, policy])
    assert values[0] == pytest.approx(-1 / 36, abs=2e-3) and values[1] == -values[0]
    assert exploitability.exploitability(game, policy) < 4e-3


def test_resampled_states_have_the_probabilities_of_the_rules() -> None:
    game = pyspiel.load_game("gdl(sheet=monty_hall)")
    state = game.new_initial_state()
    seen = []
    while not seen or len(state.legal_actions()) < 2 or state.is_chance_node():
        seen.append(state.action_to_string(state.legal_actions()[0]))
        state.apply_action(state.legal_actions()[0])
    draw = np.random.RandomState(7).random_sample
    known = state.information_state_string(0)
    stays = 0
    for _ in range(400):
        other = state.resample_from_infostate(0, draw)
        assert other.information_state_string(0) == known and other.legal_actions() == state.legal_actions()
        other.apply_action(next(a for a in other.legal_actions() if other.action_to_string(a) != "switch"))
        while not other.is_terminal():
            other.apply_action(other.legal_actions()[0])
        stays += other.returns()[0] == 1.0
    # One third; more than 0.9999 of all seeds give a number in this interval.
    assert 95 < stays < 175


@pytest.mark.parametrize("name", GAMES)
def test_states_are_resampled_in_all_positions(name: str) -> None:
    game = pyspiel.load_game(f"gdl(sheet={name})")
    draw, rng = np.random.RandomState(6).random_sample, np.random.RandomState(5)
    differ = False
    for _ in range(10):
        state = game.new_initial_state()
        while not state.is_terminal():
            if not state.is_chance_node():
                player = state.current_player()
                other = state.resample_from_infostate(player, draw)
                assert other.current_player() == player and other.legal_actions() == state.legal_actions()
                assert other.information_state_string(player) == state.information_state_string(player)
                differ = differ or other.history() != state.history()
            state.apply_action(int(rng.choice(state.legal_actions())))
    assert differ


def test_ismcts_of_openspiel_switches_in_monty_hall() -> None:
    game = pyspiel.load_game("gdl(sheet=monty_hall)")
    # Seeded and with many simulations: with 200 the visits of both moves are sometimes nearly equal.
    rng = np.random.RandomState(1)
    evaluator = mcts.RandomRolloutEvaluator(1, rng)
    most_visits = ismcts.ISMCTSFinalPolicyType.MAX_VISIT_COUNT
    bot = ismcts.ISMCTSBot(game, evaluator, 0.7, 1000, final_policy_type=most_visits, random_state=rng)
    state = game.new_initial_state()
    while not state.is_terminal():
        legal = state.legal_actions()
        action = bot.step(state) if not state.is_chance_node() and len(legal) > 1 else legal[0]
        names = {state.action_to_string(each) for each in legal}
        assert "switch" not in names or state.action_to_string(action) == "switch"
        state.apply_action(action)


def test_what_cannot_be_resampled_is_refused() -> None:
    draw = pyspiel.UniformProbabilitySampler(0.0, 1.0)
    state = pyspiel.load_game("gdl(sheet=tic_tac_toe)").new_initial_state()
    with pytest.raises(ggp.UserError, match="tic_tac_toe does not hide information"):
        state.resample_from_infostate(0, draw)
    state = pyspiel.load_game("gdl(sheet=blind_tic_tac_toe)").new_initial_state()
    with pytest.raises(ggp.UserError, match=r"player 1 is not to act"):
        state.resample_from_infostate(1, draw)
    with pytest.raises(ggp.UserError, match="hides information, so players do not observe planes"):
        pyspiel.load_game("gdl(sheet=kuhn_poker,observation=planes)")

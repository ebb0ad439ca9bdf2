"""Games with hidden information from Python: states have percepts, and what is not supported is refused."""

from __future__ import annotations

import copy
import pickle

import pytest

import ggp_agent as ggp
from ggp_agent.common.errors import HiddenInformationError


def dealt() -> ggp.State:
    return ggp.load_game("kuhn_poker").initial_state().play("(deal king jack)")


def test_states_have_the_percepts_of_the_last_turn() -> None:
    start, state = ggp.load_game("kuhn_poker").initial_state(), dealt()
    assert [start.percepts(role) for role in start.roles] == [(), (), ()]
    assert [state.percepts(role) for role in state.roles] == [("(dealt king)",), ("(dealt jack)",), ()]
    after = state.play("bet")
    assert [after.percepts(role) for role in after.roles] == [(), ("(did first bet)",), ()]
    with pytest.raises(ValueError, match="no role is called third"):
        state.percepts("third")
    with pytest.raises(ggp.UserError, match="role must be the name of a role"):
        state.percepts(1)  # type: ignore[arg-type]


def test_copies_have_the_same_percepts() -> None:
    for kind in ("network", "reasoner"):
        state = ggp.load_game("kuhn_poker").initial_state(kind).play("(deal king jack)")  # type: ignore[arg-type]
        for copied in (copy.copy(state), copy.deepcopy(state), pickle.loads(pickle.dumps(state))):
            assert copied == state and copied.percepts("second") == ("(dealt jack)",)
    assert ggp.State.from_dict(dealt().to_dict()).percepts("second") == ()


def test_equal_states_may_have_other_percepts() -> None:
    game = ggp.load_game(
        "(role a) (role b) (init x) (legal a one) (legal a two) (legal b wait) (<= (next x) (true x))"
        "(<= (sees b ?m) (does a ?m))"
    )
    one, two = (game.initial_state().play(move, "wait") for move in ("one", "two"))
    assert one == two and one.percepts("b") != two.percepts("b")


def test_games_without_percepts_perceive_nothing() -> None:
    for word in ("tic_tac_toe", "fast:breakthrough_6x6"):
        state = ggp.load_game(word).initial_state()
        after = state.play(state.legal_moves(state.choosing[0])[0])
        assert [after.percepts(role) for role in after.roles] == [(), ()]


def test_searches_are_refused() -> None:
    with pytest.raises(HiddenInformationError, match=r"kuhn_poker hides .* unlike HiddenSearcher, does not"):
        dealt().search(simulations=10)


def test_a_game_in_which_gates_show_all_moves_is_searched() -> None:
    game = ggp.load_game(
        "(role a) (role b) (init (step 1)) (legal a one) (legal a two) (legal b wait)"
        "(<= (next (step 2)) (true (step 1))) (<= (next (took ?m)) (does a ?m)) (<= terminal (true (step 2)))"
        "(<= (goal a 100) (true (took two))) (<= (goal a 0) (not (true (took two)))) (goal b 50)"
        "(<= (sees b took_two) (does a two)) (<= (sees a nothing) (true (step 1)))"
    )
    state = game.initial_state()
    assert not state.machine.hides_information
    assert state.search(simulations=50).best == ("two", "wait")

"""Encodings of games: views of roles that can be exchanged, values, symmetries, and games that cannot be learned."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pytest
from compiled import network_of
from small_games import CARDS, COUNTING

from gdl import NetworkMachine
from gdl.compile.automorphisms import automorphisms
from gdl.compile.ground import ground_plain
from ggp_agent import _learning
from ggp_agent.common.errors import UserError
from ggp_agent.evaluation.learned_network import NONE, Encoding, LearnedNetwork, NetworkShape, evaluate, game_digest
from ggp_agent.learning.game_encoding import encoding_of, facts_of
from ggp_agent.learning.learner import encode_game
from kif_games import rules

PENNIES = """
(role a) (role b) (init (round 1)) (coin heads) (coin tails)
(<= (legal ?r (show ?c)) (role ?r) (coin ?c))
(<= (next (round 2)) (true (round 1)))
(<= (next same) (does a (show ?c)) (does b (show ?c)))
(<= terminal (true (round 2)))
(<= (goal a 100) (true same)) (<= (goal a 0) (not (true same)))
(<= (goal b 0) (true same)) (<= (goal b 100) (not (true same)))
"""

# Nobody leaves the room.
ENDLESS = """
(role walker) (init (in north)) (door north south) (door south north)
(<= (legal walker (go ?to)) (true (in ?from)) (door ?from ?to))
(<= (legal walker wait) (role walker))
(<= (next (in ?to)) (does walker (go ?to))) (<= (next (in ?from)) (true (in ?from)) (does walker wait))
(<= terminal (true (in west)))
(<= (goal walker 100) (true (in west))) (<= (goal walker 0) (not (true (in west))))
"""


def random_network(machine: NetworkMachine, encoding: Encoding) -> LearnedNetwork:
    shape = NetworkShape.of(encoding, 16, 16)
    weights = _learning.initial_weights(shape, 1, 10.0)
    draw = np.random.default_rng(1)
    noisy = {name: (values + draw.normal(0, 0.1, values.shape)).astype(np.float32) for name, values in weights.items()}
    return LearnedNetwork(game_digest(machine), shape, encoding, noisy)


def test_roles_that_can_be_exchanged_have_views() -> None:
    machine = network_of(rules("tic_tac_toe"))
    facts = facts_of(machine)
    assert (facts.chosen, facts.simultaneous, facts.constant_sum, facts.decided, facts.ended) == (
        True,
        False,
        True,
        True,
        1.0,
    )
    encoding = encode_game(machine)
    assert (encoding.features, encoding.policies, encoding.values) == (len(machine.fluent_names), 10, 1)
    assert len(encoding.symmetries) == 7
    for chooser, view in enumerate(encoding.views):
        assert sorted(view.features) == list(range(encoding.features))
        assert view.signs == ([1.0, -1.0] if chooser == 0 else [-1.0, 1.0])
        assert sorted(view.policies[chooser]) == list(range(10))
        assert set(view.policies[1 - chooser]) == {NONE}


def test_exchanged_states_have_exchanged_values() -> None:
    machine = network_of(rules("tic_tac_toe"))
    network = random_network(machine, encode_game(machine))
    exchange = next(
        each
        for each in automorphisms(ground_plain(machine.sheet))
        if network.encoding.views[1].features
        == [machine.fluent_names.index(each.fluents[name]) for name in machine.fluent_names]
    )
    state = machine.next(machine.initial(), ["(mark 1 2)", "noop"])
    image = machine.state([exchange.fluents[name] for name in machine.fluents(state)])
    found = evaluate(network, machine, [state, image])
    assert found.values[0][1] == pytest.approx(found.values[1][0], abs=1e-6)
    assert np.allclose(found.values[:, 0], -found.values[:, 1])
    numbers = [machine.move_names(0).index(exchange.moves[1][name]) for name in machine.move_names(1)]
    assert np.allclose(found.probabilities[1][0], found.probabilities[0][1][numbers], atol=1e-6)
    assert found.probabilities[1][0].sum() == pytest.approx(1, abs=1e-5)
    assert (found.probabilities[1][0] > 0).sum() == 8


def test_simultaneous_games_have_one_view_with_all_policies() -> None:
    machine = network_of(PENNIES)
    assert facts_of(machine).simultaneous
    encoding = encode_game(machine)
    assert len(encoding.views) == 1
    assert encoding.policies == 4
    assert sorted(chain(*encoding.views[0].policies)) == [0, 1, 2, 3]
    random_network(machine, encoding).in_core()


def test_without_symmetries_two_roles_share_a_value() -> None:
    machine = network_of(rules("tic_tac_toe"))
    encoding = encoding_of(machine, facts_of(machine), [])
    assert (len(encoding.views), encoding.values, encoding.policies) == (1, 1, 20)
    assert encoding.views[0].signs == [1.0, -1.0]
    assert encoding.symmetries == []


def test_one_role_has_one_value() -> None:
    machine = network_of(rules("lights_out"))
    encoding = encode_game(machine)
    assert (len(encoding.views), encoding.values) == (1, 1)
    assert encoding.views[0].signs == [1.0]


def test_several_roles_have_values_of_their_own() -> None:
    machine = network_of(rules("three_hunters"))
    encoding = encode_game(machine)
    roles = len(machine.roles)
    assert encoding.values == roles
    for view in encoding.views:
        assert sorted(view.values) == list(range(roles))
        assert view.signs == [1.0] * roles
    random_network(machine, encoding).in_core()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (ENDLESS, "no random play-out of this game ends within 600 turns"),
        (COUNTING, "all random play-outs of this game end with the same goals"),
        (CARDS, "no role of this game ever has a choice"),
    ],
)
def test_games_that_cannot_be_learned_are_refused(text: str, reason: str) -> None:
    with pytest.raises(UserError, match=reason):
        encode_game(network_of(text))


@pytest.mark.parametrize(
    ("game", "least", "most"), [("hex", 30, 45), ("connect_four", 12, 22), ("breakthrough", 25, 34)]
)
def test_fluents_are_counted_in_play_outs(game: str, least: int, most: int) -> None:
    assert least < facts_of(network_of(rules(game))).fluents < most

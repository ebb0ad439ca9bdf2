"""Test games between two networks: equal networks draw, and chance is drawn rather than searched."""

from __future__ import annotations

from gdl import NetworkMachine, parse_sheet
from ggp_agent import _learning
from ggp_agent.evaluation.learned_network import NetworkShape
from ggp_agent.learning.learner import encode_game
from ggp_agent.learning.self_play import score_between

# Chance is the first role and decides in the sixth turn who wins; the moves of the players have no effect.
COIN = """
(role random) (role a) (role b) (init (turn 1)) (side left) (side right)
(after 1 2) (after 2 3) (after 3 4) (after 4 5) (after 5 6) (after 6 7)
(<= (legal ?r ?s) (player ?r) (side ?s)) (player a) (player b)
(<= (legal random wait) (not (true (turn 6))))
(<= (legal random (win ?r)) (true (turn 6)) (player ?r))
(<= (next (turn ?m)) (true (turn ?n)) (after ?n ?m)) (<= (next (won ?r)) (does random (win ?r)))
(<= terminal (true (turn 7)))
(<= (goal ?r 100) (true (won ?r))) (<= (goal ?r 0) (player ?r) (not (true (won ?r)))) (goal random 100)
"""


def test_chance_is_no_player() -> None:
    machine = NetworkMachine(parse_sheet(COIN))
    encoding = encode_game(machine)
    shape = NetworkShape.of(encoding, 16, 16)
    game = _learning.LearnedGame(shape, encoding, _learning.initial_weights(shape, 1, 3.0))
    # The games of a pair have the same winner and exchanged seats.
    assert score_between(machine, game, game, 1) == (0.5, 32)

"""The states that a role holds for possible, on machines of any kind."""

from __future__ import annotations

import random

import pytest

from gdl import NetworkMachine, ReferenceMachine, parse_sheet
from ggp_agent.game.game import Game
from ggp_agent.hidden.possible_states import PossibleStates
from ggp_agent.hidden.role_belief import Belief
from ggp_agent.player.match.follower import joint_move_of
from kif_games import rules


@pytest.mark.parametrize("name", ["kuhn_poker", "blind_tic_tac_toe", "monty_hall"])
def test_possible_states_have_the_legal_moves_of_the_true_state(name: str) -> None:
    machine = NetworkMachine(parse_sheet(rules(name)))
    draw = random.Random(1)
    role = machine.roles[0]
    for _ in range(5):
        states, state = PossibleStates(machine, role), machine.initial()
        while not machine.terminal(state):
            moves = states.moves()
            assert moves[0][1] == 1 and {move for move, _ in moves} == {*machine.legal(state, role)}
            joint = [draw.choice(sorted(machine.legal(state, each))) for each in machine.roles]
            percepts = machine.percepts(state, joint, role)
            assert joint_move_of(machine, machine, state, role, joint[0], percepts, 60) is not None
            state = machine.next(state, joint)
            end = machine.terminal(state)
            states.observe(joint[0], percepts, terminal=end, seconds=60)
            assert not states.is_empty


@pytest.mark.parametrize(
    ("limits", "complete"), [({}, True), ({"max_states": 1}, False), ({"max_joint_moves": 5}, False)]
)
def test_they_are_complete_until_states_or_joint_moves_are_dropped(limits: dict[str, int], complete: bool) -> None:
    sheet = parse_sheet(rules("kuhn_poker"))
    states, belief = (
        PossibleStates(ReferenceMachine(sheet), "first", **limits),
        Belief(Game("kuhn", sheet, ""), "first"),
    )
    for each in (states, belief):
        each.observe("noop", ["(dealt king)"])  # two of the six ways to deal
    assert states.is_complete == complete
    assert not complete or (len(states.states), states.moves()) == (belief.size, belief.moves())

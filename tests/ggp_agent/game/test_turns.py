"""The turns of games: their ends, roles without moves, and random moves of lanes."""

from __future__ import annotations

import random

import numpy as np
from small_games import NIM

from gdl import ReferenceMachine, load_machine, parse_sheet
from ggp_agent.game.lanes import Lanes
from ggp_agent.game.play import at_random, lane_turns, stuck_role, turns

STUCK = """
(role a) (role b) (init one) (legal a x) (<= (legal b y) (true one)) (<= (next two) (true one)) (<= terminal (true end))
(goal a 50) (goal b 50)
"""


def test_turns_lead_to_the_end_and_depend_on_the_seed_only() -> None:
    sheet = parse_sheet(NIM)
    games = [
        [joint for joint, _ in turns(load_machine(sheet, kind), at_random(random.Random(4), by_name=True))]
        for kind in ("reference", "network", "reasoner")
    ]
    assert games[0] == games[1] == games[2] != []
    machine = load_machine(sheet)
    *_, (_, end) = turns(machine, at_random(random.Random(4)))
    assert machine.terminal(end) and stuck_role(machine, end) is None and not list(turns(machine, max, end))


def test_turns_end_where_a_role_has_no_legal_move() -> None:
    machine = ReferenceMachine(parse_sheet(STUCK))
    ((joint, state),) = turns(machine, at_random(random.Random(1)))
    assert (joint, stuck_role(machine, state), stuck_role(machine, machine.initial())) == (["x", "y"], "b", None)


def test_lanes_play_the_drawn_or_changed_moves() -> None:
    lanes, drawn = Lanes("tic_tac_toe", 3, seed=2), Lanes("tic_tac_toe", 3, seed=2)
    assert [active.all() for active, _ in lane_turns(lanes, 2)] == [True, True]
    drawn.step_random()
    drawn.step_random()
    assert (lanes.store() == drawn.store()).all()
    lanes.reset()
    for _, joint in lane_turns(lanes, 1):
        joint[:] = np.stack([lanes.legal(role).argmax(axis=0) for role in lanes.roles])
    assert len(np.unique(lanes.store(), axis=0)) == 1
    assert len(list(lane_turns(lanes, 99))) < 9 and lanes.terminal.all()

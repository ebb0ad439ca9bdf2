"""Comparison of arrays over lanes with a position."""

from __future__ import annotations

import numpy as np

import ggp_agent as ggp
from ggp_agent.game.lanes import Lanes


def assert_agrees(lanes: Lanes, lane: int, state: ggp.State) -> None:
    """Compare the arrays of a lane with a position."""
    assert lanes.state(lane) == state
    assert bool(lanes.terminal[lane]) == state.is_terminal
    held = {name for name, holds in zip(lanes.fluent_names, lanes.fluents[:, lane], strict=True) if holds}
    assert held | set(lanes.machine.constant_fluents) == set(state.fluents)
    for number, role in enumerate(lanes.roles):
        names = lanes.move_names(role)
        moves = {names[move] for move in np.flatnonzero(lanes.legal(role)[:, lane])}
        assert moves == set(state.legal_moves(role))
        assert bool(lanes.has_choice(role)[lane]) == (len(moves) > 1)
        goal = state.goals[role] if state.is_terminal else None
        assert lanes.goals[number, lane] == (-1 if goal is None else goal)
    if state.is_terminal:
        assert lanes.mover[lane] == -1 and not lanes.movers_legal[:, lane].any()
    else:
        mover = lanes.mover[lane]
        assert lanes.roles[mover] == (state.choosing or lanes.roles)[0]
        legal = lanes.legal(lanes.roles[mover])[:, lane]
        assert (lanes.movers_legal[: len(legal), lane] == legal).all()
        assert not lanes.movers_legal[len(legal) :, lane].any()

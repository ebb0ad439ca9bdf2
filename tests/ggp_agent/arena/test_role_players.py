"""The players of matches: which turns they search."""

from __future__ import annotations

import pytest

from ggp_agent import load_game
from ggp_agent.arena.role_players import KnowingPlayer, WaitingPlayer
from ggp_agent.mcts.config import HiddenConfig


@pytest.mark.parametrize(
    ("kind", "learned", "searches"),
    [(KnowingPlayer, True, False), (WaitingPlayer, True, True), (WaitingPlayer, False, False)],
)
def test_a_turn_with_one_move_is_searched_only_to_learn(
    kind: type[KnowingPlayer], learned: bool, searches: bool
) -> None:
    start = load_game("blind_tic_tac_toe").initial_state()
    first, second = (kind(start, role, HiddenConfig(particles=64, learned=learned), 1) for role in (0, 1))
    assert first.needs_search() and len(second.moves()) == 1
    assert second.needs_search() is searches

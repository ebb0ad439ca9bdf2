"""Games side by side: the same trees as alone, free seats for further games, and an early end."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest
from compiled import catalogue_network

from ggp_agent import _search
from ggp_agent.mcts.config import SearchConfig
from ggp_agent.mcts.side_by_side import GameSearches, LaneBlocks, play_side_by_side


def play(games: Iterator[int], seats: int, limit: int = 1000) -> list[tuple[int, bytes]]:
    """Play games of one to three turns; return their numbers and last states in the order of their ends."""
    machine = catalogue_network("tic_tac_toe")
    searches, turns = _search.SideBySide(machine.simulator(64), machine.simulator(64)), 0

    def game(number: int) -> GameSearches[tuple[int, bytes]]:
        nonlocal turns
        searcher = searches.searcher(SearchConfig(seed=number, in_flight=1))
        for _ in range(1 + number % 3):
            yield searcher, 30
            searcher.advance([int(role.moves["move"][0]) for role in searcher.statistics().roles])
            turns += 1
        return number, searcher.root_state

    return list(
        play_side_by_side(searches, LaneBlocks([1], 64, seats), map(game, games), seats, lambda: turns >= limit)
    )


@pytest.mark.parametrize("seats", [3, 40])
def test_games_do_not_depend_on_their_neighbours(seats: int) -> None:
    found = play(iter(range(20)), seats)
    assert sorted(found) == [play(iter([number]), 1)[0] for number in range(20)]


def test_endless_games_stop() -> None:
    assert 3 <= len(play(count(), 4, limit=9)) <= 9

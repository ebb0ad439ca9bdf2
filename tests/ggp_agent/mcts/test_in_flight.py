"""The number of simulations in flight if time is short."""

import pytest

from gdl import CompiledMachine
from gdl.machines.compiled import LANE_WIDTHS
from ggp_agent.game.load import load_game
from ggp_agent.mcts.config import SearchConfig
from ggp_agent.mcts.limits import fitting_in_flight
from ggp_agent.mcts.searcher import Searcher


@pytest.fixture(scope="module")
def connect_four() -> CompiledMachine:
    return load_game("connect_four").machine()


def test_long_moves_leave_the_number_to_the_search(connect_four: CompiledMachine) -> None:
    assert fitting_in_flight(connect_four, 60.0) is None


def test_short_moves_get_a_width(connect_four: CompiledMachine) -> None:
    assert fitting_in_flight(connect_four, 0.0001) in LANE_WIDTHS


def test_native_games_prescribe_the_number() -> None:
    assert fitting_in_flight(load_game("fast:breakthrough").machine(), 0.0001) is None


def test_runs_limited_by_time_use_half_the_lanes_at_least(connect_four: CompiledMachine) -> None:
    searcher = Searcher(connect_four, SearchConfig())
    lanes = connect_four.simulator().lanes
    searcher.run(cpu_seconds=0.0005)
    assert lanes / 2 <= searcher.in_flight <= lanes
    searcher.set_root(searcher.root)
    searcher.run(simulations=240)
    assert searcher.in_flight == 40

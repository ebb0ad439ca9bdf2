"""The progress that a run of a study shows."""

from __future__ import annotations

import time

import pytest

from ggp_agent.arena.match_result import MatchPlan, MatchResult
from ggp_agent.experiments.run_display import RunDisplay
from ggp_agent.experiments.runner import CellState
from ggp_agent.experiments.study_file import Study

STUDY = """
games = ["tic_tac_toe"]
simulations = 10
variants.bold = "selection.exploration=0.7"
"""


def test_moves_of_games_in_progress_count_for_the_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    (cell,) = Study.from_toml(STUDY, "mine").cells
    state = CellState(cell, 10, ("x", "o"))
    display = RunDisplay(lines=False)
    monkeypatch.setattr(time, "monotonic", lambda: 100.0)
    display.started([state], 1)
    assert display.seconds_left() is None
    # The game has four searches, so ten games have forty.
    state.add(MatchResult(MatchPlan(0, 0, cell.seed, (0, 1)), 4, 0, (100, 0), (30, 10), (0.0, 0.0), ""))
    monkeypatch.setattr(time, "monotonic", lambda: 110.0)
    for moves, seconds in ((4, 90.0), (20, 10.0), (40, 0.0), (50, 0.0)):
        display.refresh(moves)
        assert display.seconds_left() == seconds

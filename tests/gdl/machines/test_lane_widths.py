"""The setting GGP_AGENT_LANES: every machine has this number of lanes, on every kernel."""

from __future__ import annotations

import pytest

from gdl import GdlError
from gdl.machines.compiled import LANE_WIDTHS
from ggp_agent.game.load import load_game


@pytest.mark.parametrize("lanes", LANE_WIDTHS)
@pytest.mark.parametrize("game", ["tic_tac_toe", "fast:kalah"])
def test_lanes_are_fixed_on_every_kernel(game: str, lanes: int, kernel: str, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = load_game(game).machine()
    monkeypatch.setenv("GGP_AGENT_LANES", str(lanes))
    assert machine.simulator().lanes == lanes
    assert machine.simulator(64).lanes == 64


@pytest.mark.parametrize("value", ["65", "0", "-64", "many", "64.0", " 64"])
def test_other_values_are_refused_in_one_line(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GGP_AGENT_LANES", value)
    with pytest.raises(GdlError, match=f"^GGP_AGENT_LANES: {value} is not a number of lanes; use 64, 128, 256 or 512$"):
        load_game("tic_tac_toe").machine().simulator()
    monkeypatch.setenv("GGP_AGENT_LANES", "")
    assert load_game("tic_tac_toe").machine().simulator().lanes in LANE_WIDTHS

"""The counts of the soak test in the state of a tournament."""

from __future__ import annotations

from pathlib import Path

import pytest
import soak
from tournaments import QUICK, SHORT, lay_out, play, set_up

from ggp_agent.manager.tournament.plan import read_plan
from ggp_agent.manager.tournament.tournament_store import MatchOrder, PlayedMatch, Store


def test_soak_counts_errors(tmp_path: Path, solvers: dict[str, str]) -> None:
    plan = read_plan(soak.lay_out(tmp_path / "soak", 40, 2))
    assert (len(plan.games), plan.keys.matches, plan.keys.playclock) == (9, 40, 1.0)

    lay_out(tmp_path, SHORT, rounds=3, **solvers)
    assert play(tmp_path, "--quiet").returncode == 0
    with Store(tmp_path / "cup.db") as store:
        result = soak.soak_result(store)
        assert result.good and result.matches == 6 and result.seconds > 0
        assert set(result.growth.values()) == {None}
        assert result.megabytes["host workers"] > 10 and result.megabytes["players"] == 0
        records = sorted((tmp_path / "cup.matches").glob("*.json"))
        records[0].unlink()
        records[1].write_text(records[1].read_text()[:-20])
        records[2].write_text(records[2].read_text().replace('"isCompleted": true', '"isCompleted": false'))
        result = soak.soak_result(store)
        assert result.lost == 3 and not result.good


def test_soak_reports_growth_after_the_first_hundred_matches(tmp_path: Path) -> None:
    with Store(tmp_path / "soak.db", new=True) as store:
        plan = read_plan(lay_out(tmp_path, QUICK, rounds=100))
        set_up(plan, store)
        for number, game, seats, seed in store.waiting():
            match_id = f"m.{number:04}"
            store.start(MatchOrder(number, match_id, game, seats, seed))
            # The players grow all the time, the worker only at the beginning, the director never.
            memory = {"dice": 100.0 + number / 4, "table": min(50.0 + number, 120.0), "director": 40.0}
            store.finish(number, match_id, PlayedMatch((0,) * len(seats), [], [], [[""] * len(seats)]), memory)
        result = soak.soak_result(store)
    assert result.matches == 400 and result.lost == 400
    assert result.growth["players"] == pytest.approx(50 / 137.5, rel=0.02)
    assert (result.growth["host workers"], result.growth["director"]) == (0.0, 0.0)

"""A tournament with games whose terminal states have several goal values or none."""

from __future__ import annotations

import json
from pathlib import Path

from tournaments import lay_out, play

from ggp_agent.manager.tournament.tournament_store import record_folder
from ggp_agent.records.read_record import read_record

CUP = """
games = ["several.kif", "none.kif"]
startclock = 10
playclock = 5
tables = 1
[players]
dice = "random"
first = "legal"
"""
RULES = """
(role a) (role b) (init (s 0)) (<= (legal ?r go) (role ?r)) (<= (legal a stop) (true (s 0)))
(<= (next (s 1)) (true (s 0))) (<= terminal (true (s 1)))
"""
SEVERAL = RULES + "(goal a 100) (goal a 50) (goal b 0) (goal b 50)"
NONE = RULES + "(<= (goal a 100) (true (s 7))) (<= (goal b 0) (true (s 7)))"


def test_the_highest_value_counts_and_a_match_without_goals_does_not(tmp_path: Path) -> None:
    lay_out(tmp_path, CUP)
    (tmp_path / "several.kif").write_text(SEVERAL)
    (tmp_path / "none.kif").write_text(NONE)
    done = play(tmp_path, "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert (document["without_goals"], document["stopped"], document["not_counted"]) == ({"none": 2}, {}, 0)
    # In both matches of the other game role a has 100 and role b 50, so each player wins once.
    results = [(one["won"], one["drawn"], one["lost"], one["goal"]) for one in document["players"]]
    assert results == [(1, 0, 1, 0.75)] * 2
    text = play(tmp_path, "--report").stdout
    assert "2 not counted, because a player got no goal value" in text
    assert "None: 2 matches ended without a goal value for a player, not counted" in text.splitlines()

    records = [read_record(path) for path in record_folder(tmp_path / "cup.db").glob("*.json")]
    found = sorted((each.game, each.goals, each.all_goals, each.scores) for each in records)
    assert found == [
        ("none", [None, None], [[], []], [None, None]),
        ("none", [None, None], [[], []], [None, None]),
        ("several", [None, None], [[50, 100], [0, 50]], [100, 50]),
        ("several", [None, None], [[50, 100], [0, 50]], [100, 50]),
    ]

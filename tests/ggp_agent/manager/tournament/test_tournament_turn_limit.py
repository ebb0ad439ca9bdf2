"""A tournament with an endless game: its matches are stopped and do not count."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tournaments import lay_out, play

from ggp_agent.common.errors import UserError
from ggp_agent.manager.tournament.director import recover
from ggp_agent.manager.tournament.plan import read_plan
from ggp_agent.manager.tournament.standings import standings
from ggp_agent.manager.tournament.tournament_store import Store, read_played, record_folder

# The puzzle ends after three turns, which is the limit.
CUP = """
games = ["endless.kif", "puzzle.kif"]
startclock = 10
playclock = 5
tables = 1
max_turns = {max_turns}
[players]
dice = "random"
first = "legal"
"""
ENDLESS = """
(role a) (role b) (init (s 0)) (<= (legal ?r go) (role ?r))
(<= (next (s 1)) (true (s 0))) (<= (next (s 0)) (true (s 1)))
(<= terminal (true (s 2))) (init (t 0)) (<= (next (s 2)) (true (t 1)))
(<= (goal ?r 50) (role ?r))
"""


def test_stopped_matches_are_counted_separately(tmp_path: Path) -> None:
    lay_out(tmp_path, CUP, max_turns=3)
    (tmp_path / "endless.kif").write_text(ENDLESS)
    done = play(tmp_path, "--html", "cup.html", "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["matches"] == {"waiting": 0, "running": 0, "finished": 4, "cancelled": 0, "failed": 0}
    assert (document["stopped"], document["not_counted"]) == ({"endless": 2}, 0)
    assert [list(one["games"]) for one in document["players"]] == [["puzzle"], ["puzzle"]]
    assert {one["drawn"] + one["won"] + one["lost"] for one in document["players"]} == {1}
    assert done.stderr.count("none; 3 turns, stopped by the turn limit, ") == 2
    text = play(tmp_path, "--report").stdout
    assert text.startswith("cup: 4 of 4 matches played, 2 not counted, because the turn limit stopped them\n")
    assert "Endless: 2 matches stopped by the turn limit, not counted" in text.splitlines()
    assert "2 matches stopped by the turn limit" in (tmp_path / "cup.html").read_text()

    records = [json.loads(path.read_text()) for path in record_folder(tmp_path / "cup.db").glob("*.json")]
    ends = sorted((each["gameName"], len(each["moves"]), each.get("stopReason", "")) for each in records)
    assert ends == [("endless", 3, "turn limit")] * 2 + [("puzzle", 3, "")] * 2

    # The record settles an attempt of a killed tournament.
    (stopped,) = [each for each in records if each["gameName"] == "endless"][:1]
    with Store(tmp_path / "cup.db") as store:
        ((number,),) = store.rows("SELECT match FROM attempts WHERE match_id = ?", (stopped["matchId"],))
        with store.change():
            store._db.execute("UPDATE attempts SET outcome = 'running' WHERE match_id = ?", (stopped["matchId"],))
            store._db.execute("UPDATE matches SET state = 'running', reason = '' WHERE number = ?", (number,))
            store._db.execute("DELETE FROM moves WHERE match = ?", (number,))
        recover(read_plan(tmp_path / "cup.toml"), store)
        assert standings(store).stopped == {"endless": 2} and store.counts()["finished"] == 4

    lay_out(tmp_path, CUP, max_turns=4)
    assert "max_turns is 4 now and was 3" in play(tmp_path).stderr


def test_an_aborted_match_does_not_count_as_played(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    document = {"matchId": "m", "startTime": 0, "startClock": 1, "playClock": 1, "states": ["( (s 0) )"], "moves": []}
    document |= {"roleNames": ["a", "b"], "isCompleted": False, "errors": [["", ""]]}
    for changes, played in (
        ({"isAborted": False, "stopReason": "turn limit"}, False),
        ({"isAborted": True}, False),
        ({"isAborted": True, "stopReason": "other"}, False),
        ({"isAborted": True, "stopReason": "turn limit"}, True),
    ):
        path.write_text(json.dumps({**document, **changes}))
        found = read_played(path)
        assert (found is not None) == played, changes
        assert found is None or (found.stopped and found.goals == (None, None))


def test_invalid_limits_are_refused(tmp_path: Path) -> None:
    (tmp_path / "endless.kif").write_text(ENDLESS)
    for value in ("0", "-1", "1_000_001", "true", '"5"', "2.5"):
        with pytest.raises(UserError, match=r"cup\.toml: max_turns must be "):
            read_plan(lay_out(tmp_path, CUP, max_turns=value))
    assert read_plan(lay_out(tmp_path, CUP.replace("max_turns = {max_turns}\n", ""), x=0)).keys.max_turns == 1000

"""Openings and adjudication in tournaments, with real players."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from tournaments import lay_out, play

from ggp_agent.cli import main
from ggp_agent.common.errors import UserError
from ggp_agent.game.load import load_game
from ggp_agent.manager.openings import random_opening
from ggp_agent.manager.tournament.plan import read_plan
from ggp_agent.manager.tournament.tournament_store import record_folder

CUP = """
games = ["tic_tac_toe", "nim.kif"]
startclock = 10
playclock = 5
tables = 1
rounds = 2
{more}
[players]
dice = "random"
first = "legal"
"""


def records(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in sorted(record_folder(folder / "cup.db").glob("*.json"))]


def test_matches_of_a_meeting_have_the_same_random_opening(tmp_path: Path) -> None:
    lay_out(tmp_path, CUP, more="opening_plies = 2")
    done = play(tmp_path, "--json")
    assert done.returncode == 0, done.stderr
    starts: dict[str, set[str]] = defaultdict(set)
    seats: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for record in records(tmp_path):
        assert record["openingPlies"] == 2 and record["isCompleted"] and len(record["moves"]) > 2
        assert record["moveTimes"][:2] == [[0, 0], [0, 0]] and not any(map(any, record["errors"]))
        start = json.dumps([record["gameName"], record["moves"][:2]])
        starts[record["gameName"]].add(start)
        seats[start].add(tuple(record["playerNamesFromHost"]))
    assert set(starts) == {"tic_tac_toe", "nim"}
    assert len(starts["tic_tac_toe"]) == 2 and all(len(each) == 2 for each in seats.values())
    assert (
        main(["records", "check", str(record_folder(tmp_path / "cup.db")), "--rules", str(tmp_path / "nim.kif")]) == 2
    )
    names = [str(path) for path in record_folder(tmp_path / "cup.db").glob("nim*.json")]
    assert main(["records", "check", *names, "--rules", str(tmp_path / "nim.kif")]) == 0
    # The openings belong to the matches that were played.
    (tmp_path / "cup.toml").write_text(CUP.format(more="opening_plies = 3"))
    changed = play(tmp_path)
    assert changed.returncode == 2 and "opening_plies is 3 now and was 2" in changed.stderr


def test_openings_of_a_file(tmp_path: Path) -> None:
    text = CUP.replace('"tic_tac_toe", "nim.kif"', '"tic_tac_toe"').replace("rounds = 2", "rounds = 3\nmatches = 4")
    lay_out(tmp_path, text, more='openings = { tic_tac_toe = "lines.txt" }')
    (tmp_path / "lines.txt").write_text(
        "# two openings\n(mark 2 2) (mark 1 1)\n\n(mark 1 1) (mark 2 2) (mark 3 3) # a\n"
    )
    assert play(tmp_path).returncode == 0
    found = {(each["gameName"], each.get("openingPlies", 0)) for each in records(tmp_path)}
    assert found <= {("tic_tac_toe", 2), ("tic_tac_toe", 3)} and found
    for record in records(tmp_path):
        assert record["moves"][0][0] == ("(mark 2 2)" if record["openingPlies"] == 2 else "(mark 1 1)")


@pytest.mark.parametrize(
    ("more", "lines", "reason"),
    [
        ('openings = { hex = "lines.txt" }', "", "openings: there is no game hex; the games are tic_tac_toe, nim"),
        ('openings = { tic_tac_toe = "none.txt" }', "", "openings.tic_tac_toe: "),
        ('openings = { tic_tac_toe = "lines.txt" }', "# none\n", "there are no openings"),
        ('openings = { tic_tac_toe = "lines.txt" }', "(mark 1 1)\n(mark 1 1) (mark 1 1)\n", "lines.txt:2: move 2"),
        (
            'openings = { tic_tac_toe = "lines.txt" }',
            "(mark 1 1) (mark 2 1) (mark 1 2) (mark 2 2) (mark 1 3)",
            "lines.txt:1: this opening ends the game",
        ),
        ("opening_plies = 1000", "", "opening_plies must be below max_turns, 1,000"),
        ("opening_plies = -1", "", "opening_plies must be 0 .. 1000, not -1"),
        ("adjudication = { agreement = 2, points = 50 }", "", "adjudication.points must be"),
        ("adjudication = { resign = 2 }", "", "unknown key adjudication.resign"),
    ],
)
def test_a_wrong_opening_is_one_line(tmp_path: Path, more: str, lines: str, reason: str) -> None:
    file = lay_out(tmp_path, CUP, more=more)
    (tmp_path / "lines.txt").write_text(lines)
    with pytest.raises(UserError) as caught:
        read_plan(file)
    assert reason in str(caught.value) and "\n" not in str(caught.value)


def test_an_opening_that_ends_the_game_is_refused() -> None:
    start = load_game("tic_tac_toe").initial_state()
    assert random_opening(start, 0, 1) == ()
    assert random_opening(start, 4, 7) == random_opening(start, 4, 7) != random_opening(start, 4, 8)
    with pytest.raises(UserError, match="an opening of 9 turns ends the game"):
        random_opening(start, 9, 1)


def test_agents_that_prove_the_result_end_their_match(tmp_path: Path) -> None:
    """Perfect play of tic_tac_toe is a draw; after two turns both agents prove it within a second."""
    (tmp_path / "cup.toml").write_text(
        'games = ["tic_tac_toe"]\nstartclock = 5\nplayclock = 2\ntables = 1\nmatches = 1\n'
        'openings.tic_tac_toe = "o.txt"\n'
        'adjudication = { proven = true }\n[players]\na = "agent"\nb = "agent"\n'
    )
    (tmp_path / "o.txt").write_text("(mark 2 2) (mark 1 1) (mark 3 3) (mark 1 3)\n")
    done = play(tmp_path, "--json")
    assert done.returncode == 0, done.stderr
    (record,) = records(tmp_path)
    assert record["isCompleted"] and record["goalValues"] == [50, 50] and len(record["moves"]) < 9
    assert (record["stopReason"], record["adjudication"]["by"]) == ("adjudication", "proof")
    assert "adjudicated" in done.stderr
    assert json.loads(done.stdout)["matches"]["finished"] == 1
    assert main(["records", "check", str(record_folder(tmp_path / "cup.db"))]) == 0

"""`ggp-agent arena`: what it prints and records, mistakes, and processes that are ended early."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cli_process
import pytest
from places import ROOT
from quick import few
from waiting import wait_for

from ggp_agent.arena.scores import Score, pair_interval
from ggp_agent.cli import main


def arena(*arguments: str) -> list[str]:
    return ["arena", "tic_tac_toe", "--a", "default", "--b", "selection.exploration=0.5", *arguments]


def lines(path: Path) -> list[Any]:
    """Read a record; every line must be whole."""
    text = path.read_text()
    assert text == "" or text.endswith("\n")
    return [json.loads(line) for line in text.splitlines()]


def test_game_can_be_a_file(document: Callable[..., Any], tmp_path: Path) -> None:
    sheet, record = tmp_path / "my_game.kif", tmp_path / "record.jsonl"
    sheet.write_text((ROOT / "kif_games" / "tic_tac_toe.kif").read_text())
    words = ["--a", "default", "--b", "uniform", "--games", "2", "--simulations", "5", "--jobs", "1"]
    assert document("arena", str(sheet), *words, "--out", str(record))["game"] == "my_game"
    assert {line["game"] for line in lines(record)} == {"my_game"}


def test_sides_that_make_the_same_moves_are_named(
    document: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["arena", "tic_tac_toe", "--a", "default", "--games", "4", "--simulations", "30", "--jobs", "1"]
    assert main([*words, "--b", "memory_mb=64"]) == 0
    line = "The score says nothing: both sides made the same moves (2 pairs of games)."
    assert line in capsys.readouterr().out.splitlines()
    assert document(*words, "--b", "memory_mb=64")["same_moves"] is True
    assert document(*words, "--b", "uniform")["same_moves"] is False


def test_json_holds_the_result(document: Callable[..., Any], tmp_path: Path) -> None:
    config = tmp_path / "mine.toml"
    config.write_text("in_flight = 2\n[selection]\nexploration = 0.5\n[solver]\nenabled = false\n")
    record = tmp_path / "new" / "matches.jsonl"
    arguments = ["--games", "20", "--simulations", "200", "2", "--jobs", "1", "--out", str(record), "--seed", "3"]
    found = document("arena", "tic_tac_toe", "--a", str(config), "--b", "default", *arguments)
    assert (found["game"], found["games"], found["interrupted"]) == ("tic_tac_toe", 20, False)
    assert found["a_wins"] + found["b_wins"] + found["draws"] == 20
    assert found["a_score"] == pytest.approx(100 * (found["a_wins"] + found["draws"] / 2) / 20)
    low, high = found["interval"]
    assert 50 < low < found["a_score"] < high <= 100
    score = Score(found["a_wins"], found["draws"], found["b_wins"])
    assert found["interval"] == [100 * end for end in pair_interval(score, found["pairs"])]
    assert found["elo_interval"][0] > 0
    assert found["contestants"]["a"]["config"]["selection"]["exploration"] == 0.5
    assert [found["contestants"][side]["in_flight"] for side in "ab"] == [2, 1]
    assert [found["contestants"][side]["simulations"] for side in "ab"] == [200, 2]
    assert found["errors"] == []
    matches = lines(record)
    assert sorted(match["match"] for match in matches) == list(range(20))
    a_goals = [match["goals"][match["seats"].index("a")] for match in matches]
    assert found["goals"]["a"] == pytest.approx(sum(a_goals) / 20)
    lengths = [match["turns"] for match in matches]
    assert found["lengths"] == {"mean": sum(lengths) / 20, "min": min(lengths), "max": max(lengths)}
    for match in matches:
        assert len(match["moves"]) == match["turns"]
        assert match["simulations"][match["seats"].index("a")] >= 400
        assert match["roles"] == ["x", "o"] and match["error"] == ""


def test_result_is_printed_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arena("--games", "4", "--milliseconds", "1", "--jobs", "2")) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    out = shown.out.splitlines()
    assert out[0].startswith("tic_tac_toe: 4 games in ")
    assert out[2].startswith("score of a ") and "95 % interval" in out[2]
    assert out[4].startswith("a as x: won ")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--games", "3", "--simulations", "1"], "--games 3: give an even number"),
        (["--games", "0", "--simulations", "1"], "'0' is not a whole number above 0"),
        (["--games", "2"], "one of the arguments --simulations --milliseconds is required"),
        (["--games", "2", "--simulations", "1", "--milliseconds", "1"], "not allowed with argument"),
        (["--games", "2", "--simulations", "1", "2", "3"], "--simulations: give one number, or one for a"),
        (["--games", "2", "--milliseconds", "inf"], "'inf' is not a number of milliseconds above 0"),
        (["--games", "2", "--simulations", "1", "--a", "nowhere.toml"], "nowhere.toml: cannot read the configuration"),
        (["--games", "2", "--simulations", "1", "--a", "broken.toml"], "broken.toml: unknown key selection.c"),
        (["--games", "2", "--simulations", "1", "--b", "playout.polcy=mast"], "unknown key playout.polcy; known are"),
        (["--games", "2", "--simulations", "1", "--b", "in_flight=0"], "in_flight must be 1 .. 512"),
        (["--games", "2", "--simulations", "1", "--b", "threads=2"], "in one thread: leave out threads = 2"),
        (["--games", "2", "--simulations", "1", "--b", "in_flight=2,in_flight=3"], "not TOML"),
        (["--games", "2", "--simulations", "1", "--b", "seed=1,in_flight"], "does not have the form key=value"),
        (["--games", "2", "--simulations", "1", "--in-flight", "513"], "--in-flight 513: at most 512"),
        (["--games", "2", "--simulations", "1", "--opening-plies", "-1"], "'-1' is not a whole number of at least 0"),
        (["--games", "2", "--simulations", "1", "--opening-plies", "9"], "an opening of 9 plies ends the game"),
        (["--games", "2", "--simulations", "1", "--out", "broken.toml"], "broken.toml: this exists already"),
        (["--games", "2", "--simulations", "1", "--plan", "--store", "games.db"], "--store: no effect, because --plan"),
        (["--games", "2", "--simulations", "1", "--out", "broken.toml/x"], "broken.toml is not a directory"),
    ],
)
def test_mistakes_are_told_in_one_line(
    refusal: Callable[..., str], in_empty_folder: Path, arguments: list[str], complaint: str
) -> None:
    Path("broken.toml").write_text("[selection]\nc = 1\n")
    assert complaint in refusal(*arena(*arguments))


def start(tmp_path: Path, record: Path, *arguments: str) -> subprocess.Popen[str]:
    """Start an arena that goes on for long; return when some matches are recorded."""
    command = [*arena("--games", "1000000", "--simulations", "10", "--out", str(record), *arguments)]
    process = cli_process.start(*command, cwd=tmp_path, start_new_session=True)
    wait_for(lambda: process.poll() is not None or (record.exists() and record.stat().st_size > 20_000))
    assert process.poll() is None
    return process


def has_ended(group: int) -> bool:
    """Return whether all processes of a group have ended."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.parametrize("jobs", few(["2", "1"], 1))
def test_interrupt_prints_the_result_so_far(tmp_path: Path, jobs: str) -> None:
    record = tmp_path / "matches.jsonl"
    process = start(tmp_path, record, "--json", "--jobs", jobs)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    found = json.loads(out)
    assert found["interrupted"] is True
    assert found["games"] == len(lines(record)) > 20
    assert err == f"interrupted after {found['games']} of 1000000 games\n"
    wait_for(lambda: has_ended(process.pid))


def test_a_terminal_shows_life_before_the_first_move_is_found(tmp_path: Path) -> None:
    ours, theirs = os.openpty()
    command = ["arena", "tic_tac_toe", "--games", "2", "--simulations", "1000000000", "--jobs", "1"]
    sides = ["--a", "solver.enabled=false", "--b", "solver.enabled=false"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "120"}
    options = {"stdout": subprocess.DEVNULL, "stderr": theirs, "env": environment, "start_new_session": True}
    with cli_process.start(*command, *sides, cwd=tmp_path, **options) as process:
        os.close(theirs)
        shown = b""
        # More than one picture of it: it goes on while nothing is known yet.
        deadline = time.monotonic() + 60
        while shown.count(b"first moves") < 3:
            shown += os.read(ours, 4096)  # fails when the program is gone
            assert time.monotonic() < deadline
        assert b"0/2" in shown
        os.killpg(process.pid, signal.SIGINT)
        with contextlib.suppress(OSError):
            while more := os.read(ours, 4096):
                shown += more
        assert process.wait(timeout=60) == 130
    os.close(ours)
    assert b"interrupted after 0 of 2 games" in shown


def test_where_one_side_won_every_game_no_elo_is_infinite(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--a", "default", "--b", "solver.enabled=false", "--games", "2", "--simulations", "1000", "1"]
    assert main(["arena", "connect_four", *arguments, "--jobs", "1"]) == 0
    out = capsys.readouterr().out
    assert "a won 2, b won 0, drawn 0" in out
    assert "Elo of a    -304 or more (95 %), as a won every game" in out


@pytest.mark.slow
@pytest.mark.parametrize("jobs", few(["2", "1"], 1))
def test_kill_leaves_whole_lines_and_no_process(tmp_path: Path, jobs: str) -> None:
    record = tmp_path / "matches.jsonl"
    process = start(tmp_path, record, "--jobs", jobs)
    process.kill()
    process.communicate(timeout=60)
    assert len(lines(record)) > 20
    wait_for(lambda: has_ended(process.pid))


ODDS = ["arena", "tic_tac_toe", "--a", "default", "--b", "default", "--jobs", "1", "--seed", "3"]


@pytest.mark.parametrize("jobs", few(["2", "1"], 1))
def test_a_sequential_test_stops_soon_at_a_whole_pair(
    jobs: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = tmp_path / "games.jsonl"
    command = [*ODDS, "--games", "2000", "--simulations", "200", "1", "--sprt", "0", "50", "--jobs", jobs]
    assert main([*command, "--out", str(record), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    test = found["sprt"]
    assert found["verdict"] == test["verdict"] == "H1" and test["llr"] >= test["bounds"][1] > 2.9
    assert found["games"] == 2 * sum(test["pairs"]) < 200
    rounds = [json.loads(line)["round"] for line in record.read_text().splitlines()]
    assert sorted(rounds) == sorted([*set(rounds)] * 2)


def test_a_test_without_a_decision_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same games continue if the command is given again with more games."""
    command = [*ODDS, "--simulations", "50", "--sprt", "-20", "20", "--store", str(tmp_path / "games.sqlite")]
    assert main([*command, "--games", "10"]) == 0
    line = capsys.readouterr().out.splitlines()[-1]
    assert line == "sequential test: undecided, LLR 0.00 (-2.94, 2.94) of (-20, 20) Elo, Ptnml(0-2): [0, 0, 5, 0, 0]"
    assert main([*command, "--games", "20"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].endswith("Ptnml(0-2): [0, 0, 10, 0, 0]")

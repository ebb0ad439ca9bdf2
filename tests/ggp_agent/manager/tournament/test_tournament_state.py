"""The state of a tournament: ownership, changes and damaged files."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from tournaments import QUICK, SHORT, check_complete, finished, lay_out, play, rows, set_up, under_way
from waiting import wait_for

from ggp_agent.cli import main
from ggp_agent.manager.tournament.plan import read_plan
from ggp_agent.manager.tournament.tournament_store import Store


def test_control_characters_in_names_are_replaced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = lay_out(tmp_path, 'name = "a\\u001b[2Jb\\u009b1m"\n' + QUICK, rounds=1)
    plan = read_plan(file)
    with Store(tmp_path / "cup.db", new=True) as store:
        players = {"dice": "random", "first\x1b[31m": "legal\x1b]0;x\x07"}
        store.begin(plan.name, plan.document(), players)
    with sqlite3.connect(tmp_path / "cup.db") as db:
        db.execute("INSERT INTO matches (number, round, game, seed, state) VALUES (1, 0, 'g\x1b', 1, 'finished')")
        for seat, player in enumerate(players):
            db.execute("INSERT INTO seats VALUES (1, ?, 'r\x1b', ?, ?)", (seat, player, 100 * seat))
            db.execute("INSERT INTO moves VALUES (1, 0, ?, NULL, 0, '')", (seat,))
    db.close()
    out = [str(tmp_path / "cup.csv"), str(tmp_path / "cup.html")]
    assert main(["tournament", str(file), "--report", "--csv", out[0], "--html", out[1]]) == 0
    texts = [capsys.readouterr().out, *(Path(each).read_text() for each in out)]
    assert main(["tournament", str(file), "--report", "--json"]) == 0
    for text in (*texts, capsys.readouterr().out):
        assert all(c.isprintable() or c == "\n" for c in text)
    assert texts[0].startswith("a?[2Jb?1m: 1 of 1 matches played") and "<h1>a?[2Jb?1m</h1>" in texts[2]
    (tmp_path / "cup.toml").write_text('"a\\u001b[2J" = 1\n')
    assert main(["tournament", str(file)]) == 2
    assert "cup.toml: unknown key a?[2J; known are" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ("UPDATE seats SET goal = 'won'", "in seats, goal is 'won'"),
        ("UPDATE seats SET goal = 10000", "in seats, a value is out of range"),
        ("UPDATE moves SET milliseconds = 'long'", "in moves, milliseconds is 'long'"),
        ("UPDATE moves SET error = x'00'", "in moves, error is"),
        ("UPDATE matches SET game = x'1b5b'", "in matches, game is"),
        ("UPDATE players SET spec = 1e9999", "in players, spec is"),
        ("UPDATE tournament SET value = 'x' WHERE key = 'rounds'", "rounds is 'x'"),
        ("UPDATE tournament SET value = '[1' WHERE key = 'plan'", "the plan cannot be read"),
        ("UPDATE tournament SET value = '{}' WHERE key = 'plan'", "the plan cannot be read"),
        ("DROP TABLE moves", "the table moves is missing"),
        ("ALTER TABLE matches DROP COLUMN reason", "matches has no column reason"),
        ("PRAGMA user_version = 99", "written by another version of this program (format 99, not 1)"),
        ("PRAGMA application_id = 7", "this is not a tournament"),
    ],
)
def test_a_damaged_state_is_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: str, complaint: str
) -> None:
    file = lay_out(tmp_path, QUICK, rounds=1)
    plan = read_plan(file)
    with Store(tmp_path / "cup.db", new=True) as store:
        set_up(plan, store)
    with sqlite3.connect(tmp_path / "cup.db") as db:
        db.execute("UPDATE matches SET state = 'finished' WHERE number = 1")
        db.execute("INSERT INTO moves VALUES (1, 0, 0, NULL, 0, ''), (1, 1, 0, 'go', 5, '')")
        # SQLite converts numbers in text columns to text; a foreign file may have other column types.
        if "spec = 1e9999" in change:
            db.execute("ALTER TABLE players ADD COLUMN other")
            db.execute("PRAGMA writable_schema = ON")
            db.execute("UPDATE sqlite_master SET sql = replace(sql, 'spec TEXT', 'spec') WHERE name = 'players'")
    db.close()
    with sqlite3.connect(tmp_path / "cup.db") as db:
        db.execute(change)
    db.close()
    for option in (["--report"], []):
        assert main(["tournament", str(file), *option]) == 2
        shown = capsys.readouterr()
        (line,) = shown.err.splitlines()
        assert shown.out == "" and line.startswith(f"ggp-agent: error: {tmp_path}/cup.db: ") and complaint in line


@pytest.mark.slow
def test_a_second_process_is_refused_and_the_first_continues(tmp_path: Path, solvers: dict[str, str]) -> None:
    lay_out(tmp_path, SHORT, rounds=15, **solvers)
    with under_way(tmp_path) as process:
        wait_for(lambda: finished(tmp_path) >= 1)
        second = play(tmp_path)
        assert second.returncode == 2 and second.stdout == ""
        (line,) = second.stderr.splitlines()
        assert f"cup.db: process {process.pid} is playing this tournament" in line
        assert play(tmp_path, "--report").returncode == 0
        assert process.wait(120) == 0
    check_complete(tmp_path, 30)


def test_a_changed_file_is_refused_and_a_new_start_keeps_the_old_state(tmp_path: Path, solvers: dict[str, str]) -> None:
    file = lay_out(tmp_path, SHORT, rounds=1, **solvers)
    assert play(tmp_path).returncode == 0
    text = file.read_text()
    file.write_text(text.replace("playclock = 5", "playclock = 4"))
    refused = play(tmp_path)
    assert refused.returncode == 2
    assert "playclock is 4.0 now and was 5.0, but 2 matches have been played before this change" in refused.stderr
    assert "--fresh" in refused.stderr and len(refused.stderr.splitlines()) == 1
    file.write_text(text.replace("rounds = 1", "rounds = 2"))
    assert play(tmp_path).returncode == 0
    check_complete(tmp_path, 4)
    file.write_text(text.replace("playclock = 5", "playclock = 4"))
    fresh = play(tmp_path, "--fresh")
    assert fresh.returncode == 0 and "the previous state was renamed to cup.1.db" in fresh.stderr
    check_complete(tmp_path, 2)
    old = play(tmp_path, "--report", "--state", "cup.1.db")
    assert "cup: 4 of 4 matches played" in old.stdout
    assert len(list((tmp_path / "cup.1.matches").glob("*.json"))) == 4


def test_an_unwritable_record_ends_the_tournament_which_can_be_resumed(tmp_path: Path, solvers: dict[str, str]) -> None:
    lay_out(tmp_path, SHORT, rounds=2, **solvers)
    (tmp_path / "cup.matches").write_text("in the way")
    failed = play(tmp_path, "--quiet")
    assert failed.returncode == 2 and failed.stdout == ""
    (line,) = failed.stderr.splitlines()
    assert line.startswith("ggp-agent: error: cup.matches") and "run the same command again to resume" in line
    assert rows(tmp_path, "SELECT outcome FROM attempts") == [("aborted",)]
    (tmp_path / "cup.matches").unlink()
    done = play(tmp_path)
    assert done.returncode == 0
    check_complete(tmp_path, 4)
    report = play(tmp_path, "--report")
    assert (report.returncode, report.stdout, report.stderr) == (0, done.stdout, "")


def test_other_files_are_refused(tmp_path: Path) -> None:
    lay_out(tmp_path, QUICK, rounds=1)
    (tmp_path / "text.db").write_text("these are words, many of them, " * 100)
    done = play(tmp_path, "--state", "text.db")
    assert done.returncode == 2 and "text.db: this is not a tournament" in done.stderr
    assert (tmp_path / "text.db").read_text().startswith("these are words")

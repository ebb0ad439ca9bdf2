"""Whole tournaments in processes of their own: games of all sizes, players of all kinds, and what goes wrong."""

from __future__ import annotations

import csv
import io
import itertools
import json
import os
import pty
import re
import select
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from html.parser import HTMLParser
from pathlib import Path

import pytest
import soak
from raw_player import RawPlayer, reply
from small_games import CARDS
from tournaments import (
    QUICK,
    ROOT,
    SHORT,
    check_complete,
    command,
    environment,
    family,
    finished,
    interrupt,
    lay_out,
    play,
    rows,
    running,
    under_way,
    wait_until,
)

from ggp_agent.cli import main
from ggp_agent.tournament.plan import read_plan
from ggp_agent.tournament.record_file import Played
from ggp_agent.tournament.rounds import set_up_rounds
from ggp_agent.tournament.store import Order, Store


@pytest.fixture
def fake_player() -> Iterator[Callable[[Callable[[str], str]], str]]:
    """Serve a function from messages to replies; returns the address."""
    with ExitStack() as stack:

        def serve(answer: Callable[[str], str]) -> str:
            def handle(connection: socket.socket, message: str) -> None:
                connection.sendall(reply(answer(message)))

            return stack.enter_context(RawPlayer(handle)).url

        yield serve


@pytest.fixture
def solvers(fake_player: Callable[[Callable[[str], str]], str]) -> dict[str, str]:
    """Serve two players of the puzzle; return their addresses."""

    def answer(text: str, move: str) -> str:
        time.sleep(0.01)
        return {"START": "ready", "PLAY": move}.get(text.split()[1].upper(), "done")

    return {name: fake_player(lambda text, move=move: answer(text, move)) for name, move in SOLVERS.items()}  # type: ignore[misc]


# What two players of the puzzle do in every turn.
SOLVERS = {"yea": "yes", "nay": "no"}


class Page(HTMLParser):
    """Collect what a page refers to, and the text of its cells."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.references: list[str] = []
        self.cells: list[str] = []
        self._open = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self._open = tag
        self.references += [value or "" for key, value in attrs if key in ("src", "href", "srcset", "action", "data")]

    def handle_data(self, data: str) -> None:
        if self._open in ("td", "th") and data.strip():
            self.cells.append(data)


GAMES_OF_ALL_SIZES = """
games = ["puzzle.kif", "nim.kif", "cards.kif", "three_hunters"]
startclock = 20
playclock = 10
[players]
"<b>bold</b> & 'co'" = "random"
"https://example.org/x?a=1" = {{ player = "legal" }}
command = "{python} -m ggp_agent serve --quiet --port {{port}} --player random"
"""


def test_games_of_one_to_three_roles_and_chance_with_all_reports(tmp_path: Path) -> None:
    lay_out(tmp_path, GAMES_OF_ALL_SIZES, python=sys.executable)
    (tmp_path / "cards.kif").write_text(CARDS)
    done = play(tmp_path, "--html", "cup.html", "--csv", "cup.csv", "--json")
    assert done.returncode == 0, done.stderr
    # Alone 3, in pairs 6, alone beside chance 3, three together 3.
    check_complete(tmp_path, 15)
    assert len(re.findall(r"^\d+/15 ", done.stderr, re.MULTILINE)) == 15
    document = json.loads(done.stdout)
    assert document["matches"] == {"waiting": 0, "running": 0, "finished": 15, "cancelled": 0, "failed": 0}
    names = {"<b>bold</b> & 'co'", "https://example.org/x?a=1", "command"}
    assert {one["player"] for one in document["players"]} == names
    for one in document["players"]:
        assert one["matches"] == 9 and one["benched"] == ""
        assert set(one["errors"].values()) == {0}
        # Against two others: a pair each in nim, one match of three hunters, a puzzle and a card game.
        assert one["won"] + one["drawn"] + one["lost"] == 2 * (2 + 3 + 1 + 1)
        assert {seat["role"]: seat["matches"] for seat in one["seats"] if seat["game"] == "three_hunters"} == {
            "red": 1,
            "green": 1,
            "blue": 1,
        }
        low, high = one["elo_interval"]
        assert low < one["elo"] < high
    legal = next(one for one in document["players"] if one["plays"] == "legal")
    assert legal["games"]["puzzle"] == {"matches": 1, "goal": 0.0}  # the first legal move is no

    text = (tmp_path / "cup.html").read_text()
    page = Page(text)
    assert page.references == [] and {"link", "img", "iframe", "b"}.isdisjoint(page.tags)
    assert not re.search(r"url\(|@import|fetch\(|XMLHttp", text)
    assert page.tags.count("table") == 4
    assert names <= set(page.cells)

    listed = list(csv.DictReader(io.StringIO((tmp_path / "cup.csv").read_text())))
    assert {row["player"] for row in listed} == names
    assert {row["matches"] for row in listed} == {"9"}
    assert all(0 <= float(row["goal three_hunters red"]) <= 1 for row in listed)


def test_kill_at_any_moment_loses_nothing_and_plays_nothing_twice(tmp_path: Path, solvers: dict[str, str]) -> None:
    """The tournament is killed again and again, at moments that differ, and continued."""
    lay_out(tmp_path, SHORT.replace("tables = 1", "tables = 2"), rounds=40, **solvers)
    for delay in (0.23, 0.05, 0.0, 0.11):
        before = finished(tmp_path)
        with under_way(tmp_path) as process:
            wait_until(lambda before=before: finished(tmp_path) > before or process.poll() is not None)  # type: ignore[misc]
            time.sleep(delay)
            process.kill()
            process.wait()
        assert finished(tmp_path) > before
    done = play(tmp_path)
    assert done.returncode == 0, done.stderr
    check_complete(tmp_path, 80)
    assert rows(tmp_path, "SELECT player, sum(goal) FROM seats GROUP BY player") == [("nay", 0), ("yea", 4000)]
    # Each of them has one address, and so played one match at a time.
    for player in solvers:
        times = rows(
            tmp_path,
            "SELECT began, ended FROM attempts a JOIN seats s ON s.match = a.match "
            f"WHERE s.player = '{player}' AND outcome = 'finished' ORDER BY began",
        )
        assert len(times) == 40 and all(one[1] <= two[0] for one, two in itertools.pairwise(times))


def test_a_match_worker_that_dies_is_replaced_and_its_match_played_again(tmp_path: Path) -> None:
    lay_out(tmp_path, QUICK, rounds=6)
    with under_way(tmp_path) as process:
        for number in (3, 8):
            wait_until(lambda number=number: finished(tmp_path) >= number)  # type: ignore[misc]
            workers = [pid for pid in family(process.pid) if "multiprocessing.spawn" in cmdline(pid)]
            assert workers
            os.kill(workers[number % len(workers)], signal.SIGKILL)
        assert process.wait(120) == 0
        assert process.stderr is not None
        assert "ended unexpectedly" in process.stderr.read()
    check_complete(tmp_path, 24)


def cmdline(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


def test_a_match_worker_that_falls_silent_is_ended_and_replaced(
    tmp_path: Path, solvers: dict[str, str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    lay_out(tmp_path, SHORT, rounds=10, **solvers)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("ggp_agent.tournament.director._SILENCE", 8.0 - 10 - 5)  # both clocks come on top

    def stop_a_worker() -> None:
        wait_until(lambda: finished(tmp_path) >= 3)
        worker = next(pid for pid in family(os.getpid()) if "multiprocessing.spawn" in cmdline(pid))
        os.kill(worker, signal.SIGSTOP)

    stopper = threading.Thread(target=stop_a_worker)
    stopper.start()
    assert main(["tournament", "cup.toml", "--quiet"]) == 0
    stopper.join()
    assert "match worker 1 has been silent for 8 s and is ended" in capfd.readouterr().err
    check_complete(tmp_path, 20)


def test_a_player_that_dies_is_started_again(tmp_path: Path) -> None:
    lay_out(tmp_path, QUICK.replace('"nim.kif", ', ""), rounds=40)
    with under_way(tmp_path, "--tables", "1") as process:
        wait_until(lambda: finished(tmp_path) >= 4)
        victims = [pid for pid in family(process.pid) if "serve" in cmdline(pid) and "random" in cmdline(pid)]
        os.kill(victims[0], signal.SIGKILL)
        assert process.wait(120) == 0
        assert process.stderr is not None
        assert "dice: the player has died (SIGKILL); it is started again" in process.stderr.read()
    check_complete(tmp_path, 80)


def test_ctrl_c_tells_the_players_and_the_same_command_goes_on(
    tmp_path: Path, fake_player: Callable[[Callable[[str], str]], str]
) -> None:
    heard: list[str] = []
    slow = threading.Event()
    slow.set()

    def answer(text: str) -> str:
        heard.append(text.split()[1].upper())
        if slow.is_set() and heard[-1] == "PLAY" and heard.count("PLAY") >= 4:
            time.sleep(2.0)
        return "ready" if heard[-1] == "START" else "noop"

    url = fake_player(answer)
    lay_out(tmp_path, QUICK + 'slow = "{url}"\n', rounds=1, url=url)
    with under_way(tmp_path) as process:
        wait_until(lambda: heard.count("PLAY") >= 4)
        begun = set(family(process.pid))
        interrupt(process)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 130
        assert "the same command goes on with the others" in err and "Traceback" not in err
        assert "matches played" in out
        wait_until(lambda: not any(map(running, begun)), 20)
    assert heard[-1] == "ABORT"
    assert rows(tmp_path, "SELECT count(*) FROM matches WHERE state = 'running'") == [(0,)]
    aborted = rows(tmp_path, "SELECT match_id FROM attempts WHERE outcome = 'aborted'")
    # A match that was interrupted while its players started has no record yet.
    records = [tmp_path / "cup.matches" / f"{match_id}.json" for (match_id,) in aborted]
    assert [json.loads(path.read_text())["isAborted"] for path in records if path.exists()].count(True) >= 1
    slow.clear()
    done = play(tmp_path, "--quiet")
    assert done.returncode == 0, done.stderr
    check_complete(tmp_path, 3 * 2 + 3)


def test_who_fails_three_matches_in_a_row_is_benched_and_the_others_go_on(
    tmp_path: Path, fake_player: Callable[[Callable[[str], str]], str]
) -> None:
    text = (
        QUICK.replace("tables = 2", "tables = 1")
        + f"""
mute = "{fake_player(lambda text: "nonsense")}"
broken = {{{{ command = ["false", "{{{{port}}}}"] }}}}
"""
    )
    lay_out(tmp_path, text, rounds=1)
    done = play(tmp_path)
    assert done.returncode == 0, done.stderr
    counts = dict(rows(tmp_path, "SELECT state, count(*) FROM matches GROUP BY state"))
    # All that the good ones play among themselves was played.
    good = (
        "SELECT count(*) FROM matches WHERE state = 'finished' "
        "AND number NOT IN (SELECT match FROM seats WHERE player IN ('mute', 'broken'))"
    )
    assert rows(tmp_path, good) == [(4,)]
    assert counts["cancelled"] > 0 and set(counts) == {"finished", "cancelled"}
    for name, code in (("mute", "I"), ("broken", "CE")):
        assert f"{name} is benched: no legal move in 3 matches in a row, last {code}" in done.stdout
        played = (
            f"SELECT count(*) FROM seats JOIN matches ON number = match WHERE player = '{name}' AND state = 'finished'"
        )
        assert rows(tmp_path, played) == [(3,)]
    assert "cancelled, as a player is benched" in done.stdout
    assert play(tmp_path).returncode == 0
    assert dict(rows(tmp_path, "SELECT state, count(*) FROM matches GROUP BY state")) == counts

    refused = play(tmp_path, "--unbench", "dice")
    assert refused.returncode == 2 and "'dice' is not benched; benched: broken, mute" in refused.stderr
    again = play(tmp_path, "--unbench", "mute")
    assert again.returncode == 0
    assert rows(tmp_path, "SELECT failures, benched != '' FROM players WHERE name = 'mute'") == [(3, 1)]


def test_a_player_who_never_answers_costs_its_clocks_and_no_more(
    tmp_path: Path, fake_player: Callable[[Callable[[str], str]], str]
) -> None:
    def sleep(text: str) -> str:
        time.sleep(5.0)
        return "noop"

    text = """
games = ["puzzle.kif"]
startclock = 0.3
playclock = 0.2
[players]
dead = "{url}"
"""
    lay_out(tmp_path, text, url=fake_player(sleep))
    done = play(tmp_path)
    assert done.returncode == 0, done.stderr
    check_complete(tmp_path, 1)
    document = json.loads(play(tmp_path, "--report", "--json").stdout)
    (dead,) = document["players"]
    assert dead["errors"]["TO"] == dead["moves"] + 1 == 4
    assert (dead["matches"], dead["unanswered"], document["not_counted"]) == (0, 1, 1)


def test_matches_of_a_player_that_never_starts_count_for_nobody(tmp_path: Path) -> None:
    """Random moves are made for it, some of which win."""
    text = """
games = ["tic_tac_toe"]
startclock = 5
playclock = 5
rounds = 2
tables = 1
[players]
first = "legal"
gone = { command = ["false", "{port}"], thinks = false }
"""
    lay_out(tmp_path, text)
    done = play(tmp_path, "--html", "cup.html", "--csv", "cup.csv")
    assert done.returncode == 0, done.stderr
    played, cancelled = 3, 1  # then it is benched
    told = f"cup: {played} of 4 matches played, {played} not counted, as a player never answered, {cancelled} cancelled"
    assert told in done.stdout
    line = f"gone never answered in {played} matches, counted for nobody"
    assert line in done.stdout.splitlines()
    page = (tmp_path / "cup.html").read_text()
    assert told in page and f"<li>{line}</li>" in page
    listed = {row["player"]: row for row in csv.DictReader(io.StringIO((tmp_path / "cup.csv").read_text()))}
    assert {name: row["unanswered"] for name, row in listed.items()} == {"first": "0", "gone": str(played)}
    document = json.loads(play(tmp_path, "--report", "--json").stdout)
    assert document["not_counted"] == played and document["cross"] == []
    for one in document["players"]:
        assert (one["elo"], one["won"], one["drawn"], one["lost"], one["matches"]) == (None, 0, 0, 0, 0)
    assert next(one for one in document["players"] if one["player"] == "gone")["errors"]["CE"] > 0


def test_a_tournament_of_which_nothing_was_played_has_no_tables(tmp_path: Path) -> None:
    plan = read_plan(lay_out(tmp_path, QUICK, rounds=1))
    with Store(tmp_path / "cup.db", new=True) as store:
        store.begin(plan.name, plan.document(), {entrant.name: entrant.spec for entrant in plan.entrants})
        set_up_rounds(plan, store)
    done = play(tmp_path, "--report", "--html", "cup.html")
    assert (done.returncode, done.stdout) == (0, "cup: 0 of 4 matches played, 4 to be played\n")
    assert "<table" not in (tmp_path / "cup.html").read_text()


def test_names_that_steer_a_terminal_are_shown_without_that(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
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
        ("UPDATE seats SET goal = 10000", "in seats, a number is beyond its bounds"),
        ("UPDATE moves SET milliseconds = 'long'", "in moves, milliseconds is 'long'"),
        ("UPDATE moves SET error = x'00'", "in moves, error is"),
        ("UPDATE matches SET game = x'1b5b'", "in matches, game is"),
        ("UPDATE players SET spec = 1e9999", "in players, spec is"),
        ("UPDATE tournament SET value = 'x' WHERE key = 'rounds'", "rounds is 'x'"),
        ("UPDATE tournament SET value = '[1' WHERE key = 'plan'", "what is to be played cannot be read"),
        ("UPDATE tournament SET value = '{}' WHERE key = 'plan'", "what is to be played cannot be read"),
        ("DROP TABLE moves", "the table moves is missing"),
        ("ALTER TABLE matches DROP COLUMN reason", "matches has no column reason"),
        ("PRAGMA user_version = 99", "kept by another version of this program (form 99, not 1)"),
        ("PRAGMA application_id = 7", "this is no tournament"),
    ],
)
def test_a_damaged_state_is_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: str, complaint: str
) -> None:
    file = lay_out(tmp_path, QUICK, rounds=1)
    plan = read_plan(file)
    with Store(tmp_path / "cup.db", new=True) as store:
        store.begin(plan.name, plan.document(), {entrant.name: entrant.spec for entrant in plan.entrants})
        set_up_rounds(plan, store)
    with sqlite3.connect(tmp_path / "cup.db") as db:
        db.execute("UPDATE matches SET state = 'finished' WHERE number = 1")
        db.execute("INSERT INTO moves VALUES (1, 0, 0, NULL, 0, ''), (1, 1, 0, 'go', 5, '')")
        # SQLite turns numbers in columns of text into text; a state from elsewhere may have columns of other types.
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


def test_swiss_rounds_one_after_the_other(tmp_path: Path) -> None:
    text = """
games = ["nim.kif"]
startclock = 20
playclock = 10
schedule = "swiss"
rounds = 3
[players]
a = "legal"
b = "random"
c = "legal"
d = "random"
e = "random"
"""
    lay_out(tmp_path, text)
    done = play(tmp_path, "--tables", "2")
    assert done.returncode == 0, done.stderr
    check_complete(tmp_path, 3 * 2 * 2)
    pairs = rows(
        tmp_path,
        "SELECT round, group_concat(player, ' ') FROM (SELECT DISTINCT m.round, s.player, s.match FROM seats s "
        "JOIN matches m ON m.number = s.match ORDER BY s.match, s.player) GROUP BY match",
    )
    met = [(round_, " ".join(sorted(names.split()))) for round_, names in pairs]
    assert {met.count(each) for each in met} == {2}
    assert len({names for _, names in met}) == 6
    byes = rows(tmp_path, "SELECT round, player FROM byes")
    assert len({player for _, player in byes}) == 3 == len(byes)


def test_the_second_process_is_refused_and_the_first_goes_on(tmp_path: Path, solvers: dict[str, str]) -> None:
    lay_out(tmp_path, SHORT, rounds=30, **solvers)
    with under_way(tmp_path) as process:
        wait_until(lambda: finished(tmp_path) >= 1)
        second = play(tmp_path)
        assert second.returncode == 2 and second.stdout == ""
        (line,) = second.stderr.splitlines()
        assert f"cup.db: this tournament is being played by process {process.pid}" in line
        assert play(tmp_path, "--report").returncode == 0
        assert process.wait(120) == 0
    check_complete(tmp_path, 60)


def test_a_changed_file_is_refused_and_a_fresh_start_keeps_the_old(tmp_path: Path, solvers: dict[str, str]) -> None:
    file = lay_out(tmp_path, SHORT, rounds=1, **solvers)
    assert play(tmp_path).returncode == 0
    text = file.read_text()
    file.write_text(text.replace("playclock = 5", "playclock = 4"))
    refused = play(tmp_path)
    assert refused.returncode == 2
    assert "playclock is 4.0 now and was 5.0, and 2 matches have been played that way" in refused.stderr
    assert "--fresh" in refused.stderr and len(refused.stderr.splitlines()) == 1
    file.write_text(text.replace("rounds = 1", "rounds = 2"))
    assert play(tmp_path).returncode == 0
    check_complete(tmp_path, 4)
    file.write_text(text.replace("playclock = 5", "playclock = 4"))
    fresh = play(tmp_path, "--fresh")
    assert fresh.returncode == 0 and "what was played before is kept as cup.1.db" in fresh.stderr
    check_complete(tmp_path, 2)
    old = subprocess.run(
        command("cup.toml", "--report", "--state", "cup.1.db"),
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
    )
    assert "cup: 4 of 4 matches played" in old.stdout
    assert len(list((tmp_path / "cup.1.matches").glob("*.json"))) == 4


def test_previews_and_scrambled_names(tmp_path: Path, fake_player: Callable[[Callable[[str], str]], str]) -> None:
    heard: list[str] = []

    def answer(text: str) -> str:
        heard.append(text)
        return {"START": "ready", "PREVIEW": "ready", "PLAY": "yes"}.get(text.split()[1].upper(), "done")

    text = SHORT.replace("tables = 1", "previewclock = 3\nscramble = true")
    lay_out(tmp_path, text, rounds=1, yea=fake_player(answer), nay="legal")
    done = play(tmp_path)
    assert done.returncode == 0, done.stderr
    check_complete(tmp_path, 2)
    assert [message.split()[1].upper() for message in heard[:2]] == ["PREVIEW", "START"]
    assert "solver" not in "".join(heard) and "worth" not in "".join(heard)
    records = [json.loads(path.read_text()) for path in (tmp_path / "cup.matches").glob("*.json")]
    assert {(one["scrambled"], one["previewClock"], one["tournamentNameFromHost"]) for one in records} == {
        (True, 3, "cup")
    }
    # In the names that it was told, yes is no move.
    assert rows(tmp_path, "SELECT count(*) FROM moves WHERE error LIKE 'I%'") == [(3,)]


def test_where_no_record_can_be_written_all_ends_and_goes_on_later(tmp_path: Path, solvers: dict[str, str]) -> None:
    lay_out(tmp_path, SHORT, rounds=2, **solvers)
    (tmp_path / "cup.matches").write_text("in the way")
    failed = play(tmp_path, "--quiet")
    assert failed.returncode == 2 and failed.stdout == ""
    (line,) = failed.stderr.splitlines()
    assert line.startswith("ggp-agent: error: cup.matches") and "run the same command again to go on" in line
    assert rows(tmp_path, "SELECT outcome FROM attempts") == [("aborted",)]
    (tmp_path / "cup.matches").unlink()
    done = play(tmp_path)
    assert done.returncode == 0
    check_complete(tmp_path, 4)
    report = play(tmp_path, "--report")
    assert (report.returncode, report.stdout, report.stderr) == (0, done.stdout, "")


def test_other_files_are_no_state(tmp_path: Path) -> None:
    lay_out(tmp_path, QUICK, rounds=1)
    (tmp_path / "text.db").write_text("these are words, many of them, " * 100)
    done = play(tmp_path, "--state", "text.db")
    assert done.returncode == 2 and "text.db: this is no tournament" in done.stderr
    assert (tmp_path / "text.db").read_text().startswith("these are words")


def test_on_a_terminal_a_live_picture_tells_how_it_goes(tmp_path: Path, solvers: dict[str, str]) -> None:
    lay_out(tmp_path, SHORT, rounds=18, **solvers)
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command("cup.toml"),
        cwd=tmp_path,
        env={**environment(), "TERM": "xterm", "COLUMNS": "120", "LINES": "40"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    shown = b""
    while process.poll() is None or select.select([ours], [], [], 0)[0]:
        if select.select([ours], [], [], 0.1)[0]:
            try:
                shown += os.read(ours, 65536)
            except OSError:
                break
    os.close(ours)
    assert process.wait(60) == 0
    text = shown.decode()
    assert re.search(r"\d+ of 36 matches", text) and "worker 1" in text and "left" in text
    assert "Standings" in text
    check_complete(tmp_path, 36)


def test_help_teaches_the_file(capsys: pytest.CaptureFixture[str]) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "run_agent.py"), "tournament", "--help"], capture_output=True, text=True
    )
    assert done.returncode == 0
    for word in ("games = ", "[players]", "schedule = ", "{port}", "--fresh", "--unbench", "benched"):
        assert word in done.stdout


def test_soak_counts_what_went_wrong(tmp_path: Path, solvers: dict[str, str]) -> None:
    plan = read_plan(soak.lay_out(tmp_path / "soak", 40, 2))
    assert (len(plan.games), plan.matches, plan.play_clock) == (9, 40, 1.0)

    lay_out(tmp_path, SHORT, rounds=3, **solvers)
    assert play(tmp_path, "--quiet").returncode == 0
    with Store(tmp_path / "cup.db") as store:
        result = soak.soak_result(store)
        assert result.good and result.matches == 6 and result.seconds > 0
        assert set(result.growth.values()) == {None}
        assert result.megabytes["match workers"] > 10 and result.megabytes["players"] == 0
        records = sorted((tmp_path / "cup.matches").glob("*.json"))
        records[0].unlink()
        records[1].write_text(records[1].read_text()[:-20])
        records[2].write_text(records[2].read_text().replace('"isCompleted": true', '"isCompleted": false'))
        result = soak.soak_result(store)
        assert result.lost == 3 and not result.good


def test_soak_tells_growth_after_the_first_hundred_matches(tmp_path: Path) -> None:
    with Store(tmp_path / "soak.db", new=True) as store:
        plan = read_plan(lay_out(tmp_path, QUICK, rounds=100))
        store.begin(plan.name, plan.document(), {entrant.name: entrant.spec for entrant in plan.entrants})
        set_up_rounds(plan, store)
        for number, game, seats, seed in store.waiting():
            match_id = f"m.{number:04}"
            store.start(Order(number, match_id, game, seats, seed))
            # The players grow all the time, the match worker in the beginning, the director never.
            memory = {"dice": 100.0 + number / 4, "table": min(50.0 + number, 120.0), "director": 40.0}
            store.finish(number, match_id, Played((0,) * len(seats), [], [], [[""] * len(seats)]), memory)
        result = soak.soak_result(store)
    assert result.matches == 400 and result.lost == 400
    assert result.growth["players"] == pytest.approx(50 / 137.5, rel=0.02)
    assert (result.growth["match workers"], result.growth["director"]) == (0.0, 0.0)

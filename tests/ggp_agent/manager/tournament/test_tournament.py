"""Complete tournaments: games of all sizes, players of all kinds, and their reports."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import re
import select
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import cli_process
import pytest
from small_games import CARDS
from tournaments import QUICK, SHORT, check_complete, lay_out, play, rows, set_up

from ggp_agent.cli import main
from ggp_agent.manager.tournament.plan import read_plan
from ggp_agent.manager.tournament.tournament_store import Store


class Page(HTMLParser):
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


@pytest.mark.slow
def test_games_of_one_to_three_roles_and_chance_with_all_reports(tmp_path: Path) -> None:
    lay_out(tmp_path, GAMES_OF_ALL_SIZES, python=sys.executable)
    (tmp_path / "cards.kif").write_text(CARDS)
    done = play(tmp_path, "--html", "cup.html", "--csv", "cup.csv", "--json")
    assert done.returncode == 0, done.stderr
    # One player 3, pairs 6, one player and chance 3, three players 3.
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
    assert legal["games"]["puzzle"] == {"matches": 1, "goal": 0.0}  # "no" is the first legal move

    text = (tmp_path / "cup.html").read_text()
    page = Page(text)
    assert page.references == [] and {"link", "img", "iframe", "b"}.isdisjoint(page.tags)
    assert not re.search(r"url\(|@import|fetch\(|XMLHttp", text)
    assert page.tags.count("table") == 5
    assert names <= set(page.cells)

    listed = list(csv.DictReader(io.StringIO((tmp_path / "cup.csv").read_text())))
    assert {row["player"] for row in listed} == names
    assert {row["matches"] for row in listed} == {"9"}
    assert all(0 <= float(row["goal three_hunters red"]) <= 1 for row in listed)


@pytest.mark.slow
def test_matches_of_a_player_that_never_starts_do_not_count(tmp_path: Path) -> None:
    """The manager makes random moves for it, and some of them win."""
    text = """
games = ["tic_tac_toe"]
startclock = 5
playclock = 5
rounds = 2
on_error = "random"
tables = 1
[players]
first = "legal"
gone = { command = ["false", "{port}"], thinks = false }
"""
    lay_out(tmp_path, text)
    done = play(tmp_path, "--html", "cup.html", "--csv", "cup.csv")
    assert done.returncode == 0, done.stderr
    played, cancelled = 3, 1  # then the player is benched
    expected = (
        f"cup: {played} of 4 matches played, {played} not counted, because a player never answered, "
        f"{cancelled} cancelled"
    )
    assert expected in done.stdout
    line = f"gone never answered in {played} matches, not counted"
    assert line in done.stdout.splitlines()
    page = (tmp_path / "cup.html").read_text()
    assert expected in page and f"<li>{line}</li>" in page
    listed = {row["player"]: row for row in csv.DictReader(io.StringIO((tmp_path / "cup.csv").read_text()))}
    assert {name: row["unanswered"] for name, row in listed.items()} == {"first": "0", "gone": str(played)}
    document = json.loads(play(tmp_path, "--report", "--json").stdout)
    assert document["not_counted"] == played and document["cross"] == []
    for one in document["players"]:
        assert (one["elo"], one["won"], one["drawn"], one["lost"], one["matches"]) == (None, 0, 0, 0, 0)
    assert next(one for one in document["players"] if one["player"] == "gone")["errors"]["CE"] > 0


def test_a_tournament_without_matches_has_no_tables(tmp_path: Path) -> None:
    plan = read_plan(lay_out(tmp_path, QUICK, rounds=1))
    with Store(tmp_path / "cup.db", new=True) as store:
        set_up(plan, store)
    done = play(tmp_path, "--report", "--html", "cup.html")
    assert (done.returncode, done.stdout) == (0, "cup: 0 of 4 matches played, 4 to be played\n")
    assert "<table" not in (tmp_path / "cup.html").read_text()


@pytest.mark.slow
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
    # With the scrambled names, "yes" is not a move.
    assert rows(tmp_path, "SELECT count(*) FROM moves WHERE error LIKE 'I%'") == [(3,)]


@pytest.mark.slow
def test_a_terminal_shows_the_progress(tmp_path: Path, solvers: dict[str, str]) -> None:
    lay_out(tmp_path, SHORT, rounds=18, **solvers)
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "120", "LINES": "40"}
    options = {"stdin": theirs, "stdout": theirs, "stderr": theirs, "env": environment, "start_new_session": True}
    process = cli_process.start("tournament", "cup.toml", cwd=tmp_path, **options)
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


def test_help_explains_the_file(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["tournament", "--help"])
    shown = capsys.readouterr().out
    for word in ("games = ", "[players]", "schedule = ", "{port}", "--fresh", "--unbench", "benched"):
        assert word in shown

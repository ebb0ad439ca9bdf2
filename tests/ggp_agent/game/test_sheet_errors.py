"""The line at the start of a match about a sheet with errors."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_games import NIM

from gdl import checks
from ggp_agent.cli import main
from ggp_agent.game.load import game_of_text, load_game
from ggp_agent.game.sheet_errors import SheetErrors, note_sheet_errors, sheet_errors

# Goal values outside 0 to 100: GDL212, though the sheet can be played.
UNSAFE = f"{NIM}\n(<= (goal first 500)\n    (true (odd ?r)))\n(<= (goal second 500) (true (odd ?r)))\n"
CLOCKS = ("--startclock", "1", "--playclock", "1")


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GGP_AGENT_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    Path("my nim.kif").write_text(UNSAFE)
    Path("nim.kif").write_text(NIM)


@pytest.fixture
def line() -> str:
    number = UNSAFE[: UNSAFE.index("(goal first 500")].count("\n") + 1
    what = f"my nim.kif has 2 errors, the first is GDL212 at {number}:17"
    return f"ggp-agent: {what}; 'ggp-agent check \"my nim.kif\"' shows all"


def test_match_perft_and_play_say_so_once(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    commands = (
        ["perft", "my nim.kif", "--depth", "1"],
        ["match", "my nim.kif", "--player", "legal", "legal", *CLOCKS, "--max-turns", "1"],
        ["play", "my nim.kif", "--watch", "--simulations", "1", "--no-record", "--seed", "1"],
    )
    for command in commands:
        assert main(command) == 0, command
        shown = capsys.readouterr().err.splitlines()
        assert shown.count(line) == 1, command
    main(["perft", "nim.kif", "--depth", "1"])
    assert capsys.readouterr().err == ""


def test_a_tournament_says_so(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("cup.toml").write_text(
        'games = ["my nim.kif", "nim.kif"]\nstartclock = 1\nplayclock = 1\nmax_turns = 1\nmatches = 1\n'
        '[players]\na = "legal"\nb = "legal"\n'
    )
    assert main(["tournament", "cup.toml", "--quiet"]) == 0
    assert capsys.readouterr().err.splitlines()[0] == line


def test_the_page_is_told() -> None:
    noted: list[str] = []
    note_sheet_errors(game_of_text(UNSAFE, "pasted"), noted.append)
    assert noted[0].startswith("pasted has 2 errors, the first is GDL212 at ")
    assert noted[0].endswith("'ggp-agent check FILE' shows all")


def test_the_check_is_made_once_for_a_text(monkeypatch: pytest.MonkeyPatch) -> None:
    found = sheet_errors(load_game("my nim.kif"))
    assert found.errors == 2 and found.code == "GDL212"

    def refuse(text: str, **_: object) -> None:
        raise AssertionError("the sheet is checked again")

    monkeypatch.setattr(checks, "check_text", refuse)
    assert sheet_errors(load_game("my nim.kif")) == found
    assert sheet_errors(load_game("connect_four")) == SheetErrors(0)
    assert sheet_errors(load_game("fast:breakthrough")) == SheetErrors(0)


def test_a_damaged_entry_of_the_cache_is_replaced(tmp_path: Path) -> None:
    game = load_game("my nim.kif")
    found = sheet_errors(game)
    (entry,) = (tmp_path / "cache").glob("*-errors-*")
    for content in (b"", b"x" * 100):
        entry.write_bytes(content)
        assert sheet_errors(game) == found


def test_ignored_percepts_are_noted_once(capsys: pytest.CaptureFixture[str]) -> None:
    Path("seen.kif").write_text(f"{NIM} (<= (sees ?r (did ?o ?m)) (role ?r) (does ?o ?m))")
    assert main(["perft", "seen.kif", "--depth", "1"]) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert line == "ggp-agent: seen.kif: every role sees every move (GDL-II), so nothing is hidden"


@pytest.mark.parametrize("command", ["perft", "match", "play", "search", "format", "convert"])
def test_a_foreign_comment_is_one_line_for_every_command(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("old.kif").write_text(f"{NIM}\n  /* (init (heap 1)) */\n")
    line = NIM.count("\n") + 2
    more = {"perft": ["--depth", "1"], "match": ["--player", "legal"], "convert": ["--to", "infix"]}
    assert main([command, "old.kif", *more.get(command, [])]) == 2
    shown, *excerpt = capsys.readouterr().err.splitlines()
    assert [text.strip() for text in excerpt] == ["/* (init (heap 1)) */", "^"]
    place = f"ggp-agent: error: old.kif:{line}:3:"
    assert shown.startswith(f"{place} /* looks like the start of a comment, but comments begin with ;")

"""Mistakes at the command line: one readable line, status 2, no traceback."""

from __future__ import annotations

import json
import os
import shlex
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from small_games import NIM

from ggp_agent import __version__
from ggp_agent.cli import main

pytestmark = pytest.mark.usefixtures("in_empty_folder")


def fail(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run a command that must fail; return its one line of error without the name of the program."""
    assert main(list(arguments)) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    lines = shown.err.splitlines()
    assert lines[0].startswith("ggp-agent: error: ")
    assert len(lines) == 1 or all(line.startswith("    ") for line in lines[1:])
    return shown.err.removeprefix("ggp-agent: error: ").rstrip("\n")


def test_missing_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert fail(capsys, "match", "nowhere/game.kif") == "nowhere/game.kif: no such file or directory"


def test_unknown_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert fail(capsys, "match", "conect_four") == "no game is called 'conect_four'; did you mean connect_four?"
    assert fail(capsys, "match", "zzz") == "no game is called 'zzz'; 'ggp-agent games' lists them"


def test_directory(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "folder.kif").mkdir()
    assert fail(capsys, "match", "folder.kif").startswith("folder.kif: this is a directory")


def test_binary_garbage(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "game.kif").write_bytes(bytes(range(256)) * 4)
    assert "game.kif:1:1: this is not a text" in fail(capsys, "match", "game.kif")


@pytest.mark.parametrize("text", ["", "  \n; nothing but a comment\n"])
def test_empty_sheet(capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str) -> None:
    (tmp_path / "game.kif").write_text(text)
    assert fail(capsys, "match", "game.kif").startswith("game.kif: contains no rules")


def test_unbalanced_parentheses_are_shown(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "game.kif").write_text("(role white)\n(init (cell 1)))\n")
    assert fail(capsys, "match", "game.kif").splitlines() == [
        "game.kif:2:16: closing parenthesis without an opening one",
        "    (init (cell 1)))",
        "                   ^",
    ]


def test_sheet_without_roles(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "game.kif").write_text("(init a) (<= terminal (true a))")
    assert fail(capsys, "match", "game.kif").startswith("game.kif: names no role")


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["prepare", "game.kif"], "prepare"),
        (["solve", "game.kif"], "solve"),
        (["tune", "game.kif", "--simulations", "9"], "tune"),
        (["learn", "game.kif"], "learn"),
    ],
)
def test_hidden_information(capsys: pytest.CaptureFixture[str], tmp_path: Path, words: list[str], what: str) -> None:
    (tmp_path / "game.kif").write_text(NIM + "(<= (sees ?p heap) (role ?p))")
    assert f"hides information from its players (sees rules, GDL-II); {what} does not support such games yet" in fail(
        capsys, *words
    )


@pytest.mark.parametrize(
    ("players", "complaint"),
    [
        (["human"], "unknown player 'human'"),
        (["random:mine.toml"], "unknown player 'random:mine.toml'"),
        (["agent:absent.toml"], "absent.toml: cannot read the configuration: no such file or directory"),
        (["legal"], "game has 2 roles to play (first, second), 1 player is given"),
        (["legal"] * 3, "3 players are given"),
        (["ftp://host:1", "legal"], "is not the address of a player"),
        (["http://host:port", "legal"], "is not the address of a player"),
        (["http://", "legal"], "is not the address of a player"),
    ],
)
def test_wrong_players(capsys: pytest.CaptureFixture[str], tmp_path: Path, players: list[str], complaint: str) -> None:
    (tmp_path / "game.kif").write_text(NIM)
    assert complaint in fail(capsys, "match", "game.kif", "--player", *players)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["hlep"], "no command is called 'hlep'; did you mean help? (see 'ggp-agent --help')"),
        (["help", "mtach"], "no command is called 'mtach'; did you mean match?"),
        (["--verison"], "no option is called '--verison'; did you mean --version? (see 'ggp-agent --help')"),
        (["--quiet", "games"], "no option is called '--quiet'; options of a command follow its name"),
        (["sing"], "no command is called 'sing'; commands: games, rules, play, "),
        (["mtach"], "no command is called 'mtach'; did you mean match?"),
        (["match"], "GAME is required, or --resume RECORD (see 'ggp-agent match --help')"),
        (["match", "game.kif", "--playclock", "soon"], "'soon' is not a number of seconds above 0"),
        (["match", "game.kif", "--playclock", "0"], "'0' is not a number of seconds above 0"),
        (["match", "game.kif", "--startclock", "nan"], "'nan' is not a number of seconds above 0"),
        (["match", "game.kif", "--sped", "1"], "unrecognized arguments: --sped"),
        (["match", "game.kif", "--seed", "x"], "'x' is not a"),
        (["match", "game.kif", "--record", "."], "--record .: this is a directory"),
        (["tournament", "."], ".: this is a directory; give the TOML file of the tournament"),
        (["serve", "--port", "x"], "'x' is not a"),
        (["serve", "--port", "70000", "--player", "legal"], "'70000' is not a port"),
        (["serve", "--player", "human"], "invalid choice: 'human'"),
        (["serve", "--name", "two words"], "give one word"),
        (["serve", "--log-json"], "--log-json requires --log-dir DIR"),
        (["serve", "--player", "legal", "--allow", "10.0.0.0/33"], "10.0.0.0/33: no such host"),
        (["serve", "--matches", "0"], "--matches: '0' is not a whole number above 0"),
        (["serve", "--margin", "-1"], "--margin -1: give seconds, at least 0"),
    ],
)
def test_wrong_arguments(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, arguments: list[str], complaint: str
) -> None:
    (tmp_path / "game.kif").write_text(NIM)
    assert complaint in fail(capsys, *arguments)


def test_port_in_use(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        complaint = f"cannot listen on 127.0.0.1:{port}: address already in use"
        assert complaint in fail(capsys, "serve", "--player", "legal", "--port", port)


@pytest.mark.parametrize("name", ["match", "play", "serve"])
def test_help_teaches_with_examples(capsys: pytest.CaptureFixture[str], name: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])
    assert ended.value.code == 0
    assert f"\n  ggp-agent {name} " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "shown"),
    [([], "usage: ggp-agent [-h]"), (["help"], "\n    arena "), (["help", "arena"], "usage: ggp-agent arena ")],
)
def test_help_without_options(capsys: pytest.CaptureFixture[str], words: list[str], shown: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 0
    assert shown in capsys.readouterr().out


@pytest.mark.slow
def test_file_names_that_are_not_utf8(tmp_path: Path) -> None:
    for folder, name in ((b".", b"nim\xff.kif"), (b"matches", b"torn\xff.json"), (b"matches", b"other\xff.txt")):
        path = tmp_path / os.fsdecode(folder) / os.fsdecode(name)
        path.parent.mkdir(exist_ok=True)
        path.write_text(NIM)
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8:strict", "GGP_AGENT_CACHE": "off"}

    def shown(*words: str) -> str:
        command = [sys.executable, "-m", "ggp_agent", *words]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, timeout=60).stdout.decode()

    sheet = os.fsdecode(b"nim\xff.kif")
    assert shown("check", sheet).startswith(r"nim\xff.kif: valid")
    assert r"ggp-agent prepare nim\xff.kif" in shown("inspect", sheet)
    assert json.loads(shown("check", sheet, "--json"))["files"][0]["file"] == r"nim\xff.kif"
    words = ("arena", sheet, *shlex.split("--a default --b default --games 2 --simulations 2 --store a.sqlite --json"))
    assert json.loads(shown(*words))["a_wins"] == json.loads(shown(*words))["a_wins"]  # the second run plays nothing
    assert shown("records", "list") == "no records\n"
    cup = tmp_path / os.fsdecode(b"cup\xff.toml")
    cup.write_text(
        'games = ["nim.kif"]\nrounds = 1\nplayclock = 1\nstartclock = 1\nplayers = {a = "legal", b = "legal"}'
    )
    (tmp_path / sheet).rename(tmp_path / "nim.kif")
    assert r"cup\xff: " in shown("tournament", cup.name)


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"ggp-agent {__version__}\n"


def test_reader_of_the_output_that_goes_away(tmp_path: Path) -> None:
    program = f"{sys.executable} -m ggp_agent"
    done = subprocess.run(
        ["bash", "-c", f"{program} --help | true; {program} match --help | true"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stderr == ""


def test_kernel_that_there_is_not(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GGP_AGENT_KERNEL", "mmx")
    assert "GGP_AGENT_KERNEL: mmx is not a kernel; the kernels here are " in fail(
        capsys, "perft", "tic_tac_toe", "--depth", "1"
    )
    monkeypatch.setenv("GGP_AGENT_KERNEL", "portable")
    assert main(["perft", "tic_tac_toe", "--depth", "2"]) == 0

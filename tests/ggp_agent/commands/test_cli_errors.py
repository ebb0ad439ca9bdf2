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


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "game.kif: no such file or directory"),
        (b"", "game.kif: contains no rules"),
        (b"  \n; nothing but a comment\n", "game.kif: contains no rules"),
        (bytes(range(256)) * 4, "game.kif:1:1: this is not a text"),
        (b"(role r", "game.kif:1:1: this parenthesis is never closed"),
        (b"(init a) (<= terminal (true a))", "game.kif: names no role"),
        (b"(role r) (<= (legal r a) (not (legal r a)))", "depends on its own negation"),
    ],
)
@pytest.mark.parametrize("command", ["match", "inspect"])
def test_files_that_are_no_games(
    capsys: pytest.CaptureFixture[str], command: str, content: bytes | None, reason: str
) -> None:
    if content is not None:
        Path("game.kif").write_bytes(content)
    assert reason in fail(capsys, command, "game.kif")


def test_words_that_name_no_game(capsys: pytest.CaptureFixture[str]) -> None:
    Path("folder.kif").mkdir()
    assert fail(capsys, "match", "folder.kif").startswith("folder.kif: this is a directory")
    assert fail(capsys, "match", "conect_four") == "no game is called 'conect_four'; did you mean connect_four?"
    assert fail(capsys, "convert", "hexx", "--to", "kif") == "no game is called 'hexx'; did you mean hex?"
    assert fail(capsys, "play", "chess") == "no game is called 'chess'; did you mean checkers?"
    assert fail(capsys, "match", "zzz") == "no game is called 'zzz'; 'ggp-agent games' lists them"


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
        (["human", "legal"], "host:port (see 'ggp-agent match --help')"),
        (["legal"], "1 player is given; give one --player for each (see 'ggp-agent match --help')"),
        (["legal"] * 3, "game has 2 roles to play (first, second), 3 players are given"),
        (["ftp://host:1", "legal"], "is not the address of a player"),
        (["http://host:port", "legal"], "is not the address of a player"),
        (["http://", "legal"], "is not the address of a player"),
        (["http://:1", "legal"], "'http://:1' is not the address of a player"),
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
        (["match", "game.kif", "--startclock", "nan"], "'nan' is not a number of seconds above 0"),
        (["match", "game.kif", "--sped", "1"], "unrecognized arguments: --sped"),
        (["match", "game.kif", "--seed", "x"], "argument --seed: 'x' is not a whole number"),
        (["match", "game.kif", "--dialect", "klingon"], "invalid choice: 'klingon'"),
        (["match", "game.kif", "--playclock", "5", "1", "2"], "3 clocks for 2 roles (first, second); give 1, or 1 eac"),
        (["match", "game.kif", "--tolerance", "-1"], "'-1' is not a number of seconds 0 .. 86,400"),
        (["match", "game.kif", "--previewclock", "1e308"], "'1e308' is not a number of seconds above 0 and at most"),
        (["match", "game.kif", "--record", "."], "--record .: this is a directory"),
        (["tournament", "."], ".: this is a directory; give the TOML file of the tournament"),
        (["serve", "--port", "99999"], "argument --port: '99999' is not a port: give a number from 0 to 65535, 0 for"),
        (["web", "--port", "abc"], "argument --port: 'abc' is not a port: give a number from 0 to 65535"),
        (["web", "--port", "-1"], "argument --port: '-1' is not a port"),
        (["serve", "--player", "human"], "invalid choice: 'human'"),
        (["serve", "--name", "two words"], "give one word"),
        (["serve", "--log-json"], "--log-json requires --log-dir DIR"),
        (["serve", "--player", "legal", "--allow", "10.0.0.0/33"], "10.0.0.0/33: no such host"),
        (["serve", "--matches", "0"], "--matches: '0' is not a whole number above 0"),
        (["serve", "--margin", "-1"], "--margin -1: give seconds, at least 0"),
        (["serve", "--margin", "x"], "argument --margin: 'x' is not a number"),
        (["arena", "connect_four", "--sprt", "a", "10"], "argument --sprt: 'a' is not a number"),
        (["games", "go"], "no game is called 'go'; did you mean fast:go_5x5 or fast:go_9x9 or fast:go_19x19?"),
        (["search", "connect_four", "--config", "explore=1"], "did you mean selection.exploration?"),
    ],
)
def test_wrong_arguments(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, arguments: list[str], complaint: str
) -> None:
    (tmp_path / "game.kif").write_text(NIM)
    assert complaint in fail(capsys, *arguments)
    assert [path.name for path in Path().iterdir()] == ["game.kif"]


def test_port_in_use(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        complaint = f"cannot listen on 127.0.0.1:{port}: address already in use"
        assert complaint in fail(capsys, "serve", "--player", "legal", "--port", port)


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ([], "usage: ggp-agent [-h]"),
        (["help"], "\n    arena "),
        (["help", "arena"], "usage: ggp-agent arena "),
        *(([name, "--help"], f"\n  ggp-agent {name} ") for name in ("match", "play", "serve")),  # examples
    ],
)
def test_help(capsys: pytest.CaptureFixture[str], words: list[str], shown: str) -> None:
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

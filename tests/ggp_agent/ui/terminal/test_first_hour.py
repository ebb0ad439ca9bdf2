"""What a new user types in the first hour: games, rules, play, with mistakes; help and tables on narrow terminals."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import shutil
import subprocess
import sys
from pathlib import Path

import cli_process
import pytest
from places import ROOT
from small_games import NIM

from ggp_agent.cli import build_parser, main
from ggp_agent.records.record_list import HEAD
from kif_games import catalogue, guide


@pytest.fixture(autouse=True)
def narrow(in_empty_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def run(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> tuple[str, str]:
    assert main(list(arguments)) == status
    shown = capsys.readouterr()
    return shown.out, shown.err


# ---- games and rules


def test_games_lists_the_catalogue(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    lines = run(capsys, "games")[0].splitlines()
    assert [line.split()[0] for line in lines[1:-1]] == list(catalogue())
    assert all(len(line) <= 80 for line in lines) and "Tic-tac-toe" not in lines[1]
    by_name = {line.split()[0]: line for line in lines}
    assert "7x6" in by_name["connect_four"] and "red yellow" in by_name["connect_four"]
    assert "together" in by_name["orchard"] and by_name["breakthrough"].endswith("  fast")
    assert "in turn, chance" in by_name["kuhn_poker"] and by_name["kuhn_poker"].endswith("  hidden")
    monkeypatch.setenv("COLUMNS", "120")
    wide = run(capsys, "games")[0].splitlines()
    assert wide[1].endswith("Tic-tac-toe") and max(map(len, wide)) > 80


def test_games_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    games = {each["name"]: each for each in json.loads(run(capsys, "games", "--json")[0])["games"]}
    assert list(games) == list(catalogue())
    assert games["orchard"]["simultaneous"] and not games["hex"]["simultaneous"]
    assert games["three_hunters"]["players"] == 3 and games["three_hunters"]["board"] == "19 hexagons"
    assert games["checkers"]["fast"] == "fast:checkers" and games["hex"]["fast"] is None
    assert games["kuhn_poker"]["chance"] and games["kuhn_poker"]["players"] == 2 and not games["hex"]["chance"]
    assert games["blind_breakthrough"]["hidden"] and not games["breakthrough"]["hidden"]
    one = json.loads(run(capsys, "games", "tic_tac_toe", "--json")[0])
    assert one["title"] == "Tic-tac-toe" and one["picture"].startswith("3 . . .   turn x")


def test_one_game_with_its_picture(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "games", "breakthrough_6x6")[0]
    assert out.startswith("Breakthrough 6x6: ") and "fast:breakthrough_6x6" in out and "\n6 b b b b b b" in out


def test_rules_of_the_catalogue(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "rules", "connect_four")[0]
    told = " ".join(out.split())
    for part in (guide("connect_four").goal, guide("connect_four").moves, guide("connect_four").end):
        assert part.replace("`", "") in told
    # No line ends within a move.
    assert "(drop 4)" in out and "(drop 1), drop 1 or" in told and "\n6 . . . . . . .   turn red" in out
    assert all(len(line) <= 80 for line in out.splitlines())
    printed = " ".join(run(capsys, "rules", "fast:lines_of_action")[0].split())
    assert "in fast:lines_of_action moves have another notation:" in printed


def test_rules_of_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    Path("nim.kif").write_text(NIM)
    out = run(capsys, "rules", "nim.kif")[0].splitlines()
    assert out[0] == "nim: first, second"
    assert out[1] == "Moves    first moves: first has 2: (take 1), (take 2)"
    assert out[-2:] == ["(control first)", "(heap 5)"]
    document = json.loads(run(capsys, "rules", "nim.kif", "--json")[0])
    assert document["example"] == "(take 1)" and document["goal"] == ""


def test_rules_of_a_changed_sheet_are_not_those_of_the_catalogue(capsys: pytest.CaptureFixture[str]) -> None:
    sheet = (ROOT / "kif_games" / "tic_tac_toe.kif").read_text()
    Path("tic_tac_toe.kif").write_text(sheet)
    assert "Get three" in run(capsys, "rules", "tic_tac_toe.kif")[0]
    Path("tic_tac_toe.kif").write_text(f"{sheet}\n(role_of_nobody z)")
    assert "Get three" not in run(capsys, "rules", "tic_tac_toe.kif")[0]


# ---- mistakes


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        ("rules nim", "the catalogue has no game 'nim'; did you mean the file nim.kif?"),
        ("play nmi", "no game is called 'nmi'; did you mean nim.kif?"),
        ("play nimm.kif", "nimm.kif: no such file or directory; did you mean nim.kif?"),
        ("rules breakthru", "no game is called 'breakthru'; did you mean breakthrough or "),
        ("rules Connect-Four", "no game is called 'Connect-Four'; did you mean connect_four"),
        ("paly nim.kif", "no command is called 'paly'; did you mean play?"),
        ("rules zzz", "no game is called 'zzz'; 'ggp-agent games' lists them"),
    ],
)
def test_did_you_mean(capsys: pytest.CaptureFixture[str], words: str, advice: str) -> None:
    Path("nim.kif").write_text(NIM)
    assert run(capsys, *words.split(), status=2)[1].startswith(f"ggp-agent: error: {advice}")


def test_play_warns_of_errors(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    Path("nim.kif").write_text(NIM)
    assert run(capsys, "play", "nim.kif", "--no-record")[1] == ""
    # The second role has no goal at all.
    Path("bad.kif").write_text("(role a) (role b) (init (s 0)) (legal a x) (legal a y) (legal b x) (goal a 100)")
    err = run(capsys, "play", "bad.kif", "--no-record")[1]
    assert err == "ggp-agent: bad.kif has 1 error: GDL303; 'ggp-agent check bad.kif' shows all\n"


def test_front_door_before_anything_is_built(tmp_path: Path) -> None:
    for package in ("gdl", "ggp_agent", "kif_games"):
        skipped = shutil.ignore_patterns("*.so", "__pycache__")
        shutil.copytree(ROOT / package, tmp_path / package, ignore=skipped)
    shutil.copy(ROOT / "run_agent.py", tmp_path)
    # -S and -I keep an installed copy of the program out.
    code = "import runpy, sys; sys.path.insert(0, '.'); runpy.run_path('run_agent.py', run_name='__main__')"
    done = subprocess.run([sys.executable, "-S", "-I", "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2 and done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("run_agent.py: error: ") and "make play" in line


# ---- records


def play(*lines: str, options: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    words = ("tic_tac_toe", "--simulations", "50", "--seed", "1", *options)
    return cli_process.run("play", *words, input="".join(f"{line}\n" for line in lines))


@pytest.mark.slow
def test_play_keeps_a_record(capsys: pytest.CaptureFixture[str]) -> None:
    assert not play().stderr and not Path("matches").exists()  # nothing was played
    done = play("MARK(2 2)", "undo", "1,1")
    assert (done.returncode, done.stderr) == (0, "")
    (path,) = Path("matches").glob("tic_tac_toe.*.json")
    assert done.stdout.splitlines()[-1] == f"record: {path}"
    document = json.loads(path.read_text())
    assert document["matchId"] == path.stem and document["moves"][0] == ["(mark 1 1)", "noop"]
    assert len(document["moves"]) == 2 and len(document["states"]) == 3
    assert (document["isCompleted"], document["isAborted"]) == (False, True)
    assert "person agent" in run(capsys, "records")[0]
    assert ": same, 2 turns" in run(capsys, "records", "check", path.stem)[0]
    assert not play("2 2", options=("--no-record",)).stdout.count("record: ")
    play("2 2", options=("--record", "mine.json"))
    assert len(json.loads(Path("mine.json").read_text())["moves"]) == 2
    assert len(list(Path("matches").iterdir())) == 1


@pytest.mark.slow
def test_record_of_a_whole_game_that_goes_on_elsewhere() -> None:
    done = play(options=("--watch",))
    (path,) = Path("matches").iterdir()
    document = json.loads(path.read_text())
    assert document["isCompleted"] and not document["isAborted"] and len(document["goalValues"]) == 2
    assert "the game is over" in done.stdout
    again = play("undo", options=("--resume", str(path), "--role", "o"))
    assert again.returncode == 0 and len(list(Path("matches").iterdir())) == 2


@pytest.mark.slow
def test_play_without_a_place_for_the_record() -> None:
    Path("matches").write_text("a file, no folder")
    done = play("2 2", "1")
    assert done.returncode == 0 and len(re.findall("^turn ", done.stdout, re.MULTILINE)) >= 3
    (line,) = done.stderr.splitlines()
    assert line.startswith("this game is not recorded: matches/") and "record: " not in done.stdout
    Path("notes.txt").write_text("mine")
    refused = play("2 2", options=("--record", "notes.txt"))
    assert refused.returncode == 2 and "--record notes.txt: this exists already" in refused.stderr
    assert Path("notes.txt").read_text() == "mine"


# ---- colours


def on_a_terminal(*lines: str, environment: dict[str, str]) -> str:
    """Play on a pseudo-terminal; return what was printed."""
    parent, child = pty.openpty()
    known = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    streams = {"stdin": child, "stdout": child, "stderr": subprocess.DEVNULL}
    environment = {**known, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color", **environment}
    words = ("connect_four", "--simulations", "60", "--no-record")
    playing = cli_process.start("play", *words, env=environment, **streams)
    os.close(child)
    shown = b""
    waiting = list(lines)
    try:
        while select.select([parent], [], [], 120)[0]:
            try:
                read = os.read(parent, 65536)
            except OSError:  # the process has gone, and with it the other end
                break
            if not read:
                break
            shown += read
            if waiting and shown.rstrip().endswith(b"red>"):
                os.write(parent, f"{waiting.pop(0)}\n".encode())
        assert playing.wait(timeout=60) == 0
    finally:
        playing.kill()
        playing.wait()
        os.close(parent)
    return shown.decode()


def test_colours_and_marks_on_a_terminal() -> None:
    colourful = on_a_terminal("drop 4", "quit", environment={})
    # A disc of red's own, and the answer of yellow, which is marked (7: reverse).
    assert "\x1b[1;31mr\x1b[0m" in colourful and "\x1b[1;7;33my\x1b[0m" in colourful
    plain = on_a_terminal("drop 4", "quit", environment={"NO_COLOR": "1"})
    assert not re.search(r"\x1b\[[0-9;]*3[0-7]", plain)
    assert "\x1b[1;7my\x1b[0m" in plain


# ---- help and tables on narrow terminals


@pytest.mark.parametrize("columns", [80, 120])
def test_help_fits_the_terminal(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    texts = {parser.prog: parser.format_help() for parser in cli_process.parsers(build_parser())}
    assert len(texts) > 20
    for program, text in texts.items():
        for line in text.splitlines():
            assert len(line) <= columns, (program, line)
            assert not re.search(r"[a-z]-$", line), (program, line)  # no word is broken
    used = max(len(line) for text in texts.values() for line in text.splitlines())
    assert used > columns - 6


@pytest.mark.parametrize("columns", [80, 120])
def test_tables_fit_the_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    assert play("2 2").returncode == 0
    monkeypatch.setenv("COLUMNS", str(columns))
    listed = run(capsys, "records")[0].splitlines()
    found = run(capsys, "search", "breakthrough", "--simulations", "3000", "--seed", "1")[0].splitlines()
    assert max(map(len, listed)) <= columns and max(map(len, found)) <= columns
    assert listed[1].startswith("tic_tac_toe.") and "person agent" in listed[1]
    left_out = [line for line in listed if line.startswith("(no room for: ")]
    assert bool(left_out) == (columns == 80)
    assert ("date" in listed[0]) == (columns == 120)


@pytest.mark.slow
def test_records_into_a_pipe_are_whole(tmp_path: Path) -> None:
    assert play("2 2").returncode == 0
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    done = cli_process.run("records", env={**environment, "PYTHONPATH": str(ROOT)})
    assert done.stdout.splitlines()[0].split() == [*HEAD]


# ---- what the pages advise


def test_no_page_advises_to_install_from_an_index_where_the_program_is_not() -> None:
    texts = [*ROOT.glob("docs/**/*.md"), *ROOT.glob("*.md"), *ROOT.glob("g*/**/*.py"), *ROOT.glob("kif_games/*.py")]
    assert len(texts) > 50
    for path in texts:
        assert not re.search(r"pip install\W+ggp-agent", path.read_text()), path

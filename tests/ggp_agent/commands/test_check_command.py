"""`ggp-agent check`: what it prints, its JSON, and its exit status."""

from __future__ import annotations

import json
import resource
from pathlib import Path

import cli_process
import pytest
from quick import few
from small_games import NIM

from ggp_agent.cli import main
from kif_games import catalogue, path

pytestmark = pytest.mark.usefixtures("in_empty_folder")

ENDLESS = """\
(role robot) (init (at 1)) (legal robot wait)
(<= (next (at ?x)) (true (at ?x)))
(<= terminal (not (true (at 1))))
(goal robot 0)
"""

NOT_PLAYED = (
    "no games were played: roles without a legal move, missing goals and games without an end are found by --play N"
)


def write(text: str, name: str = "game.kif") -> str:
    Path(name).write_bytes(text.encode())
    return name


def test_our_sheets_are_clean(capsys: pytest.CaptureFixture[str]) -> None:
    files = [str(path(name)) for name, entry in catalogue().items() if not entry.hidden]
    assert main(["check", *files]) == 0
    assert capsys.readouterr().out.splitlines() == [*(f"{file}: valid" for file in files), NOT_PLAYED]


def test_findings_in_text(capsys: pytest.CaptureFixture[str]) -> None:
    write(NIM + "\n\t(<= (next (q ?x)) (not (true (heap ?x)))) ; \u00e4\r\n(init ()) (init (Heap)) \x1b[31m")
    assert main(["check", "game.kif"]) == 1
    assert "this is not a text" in capsys.readouterr().out
    write("\ufeff(role a)\r\n (init (p ?x)) (init ()) ; \u00e4\r\n")
    assert main(["check", "game.kif"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "game.kif:2:2: error GDL501 a fact contains ?x; variables are allowed in rules only",
        "     (init (p ?x)) (init ()) ; \u00e4",
        "     ^",
        "    cure: add a positive literal that contains the variable to every branch of the body",
        "game.kif:2:23: error GDL106 empty list; a list starts with the name of a relation or function",
        "     (init (p ?x)) (init ()) ; \u00e4",
        "                          ^",
        "    cure: remove it, or give it a name: (name argument ...)",
        "game.kif: 2 errors",
    ]


def test_warnings_alone_are_no_failure(capsys: pytest.CaptureFixture[str]) -> None:
    write(NIM + "(colour red)")
    assert main(["check", "game.kif"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert "warning GDL208 colour is defined, but no rule uses it" in shown[0]
    assert shown[-2:] == ["game.kif: 1 warning", NOT_PLAYED]


def test_findings_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    write(NIM, "good.kif")
    write(NIM + "(colour red)", "fair.kif")
    write("(role a", "bad.kif")
    assert main(["check", "good.kif", "fair.kif", "bad.kif", "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert [(each["file"], each["verdict"]) for each in document["files"]] == [
        ("good.kif", "valid"),
        ("fair.kif", "warnings"),
        ("bad.kif", "error"),
    ]
    assert document["files"][0]["findings"] == []
    assert document["files"][2]["findings"] == [
        {
            "code": "GDL104",
            "severity": "error",
            "line": 1,
            "column": 1,
            "message": "this parenthesis is never closed",
            "cure": "close it where the form ends",
        }
    ]


def test_files_that_cannot_be_read_do_not_hide_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    write(NIM)
    assert main(["check", "nowhere.kif", ".", "game.kif"]) == 2
    shown = capsys.readouterr()
    assert shown.out.splitlines() == ["game.kif: valid", NOT_PLAYED]
    assert shown.err.splitlines() == [
        "ggp-agent: error: nowhere.kif: no such file or directory",
        "ggp-agent: error: .: is a directory",
    ]


def test_play(capsys: pytest.CaptureFixture[str]) -> None:
    write(ENDLESS)
    assert main(["check", "game.kif"]) == 0
    assert main(["check", "game.kif", "--play", "2", "--max-turns", "14"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == [
        NOT_PLAYED,
        "game.kif:3:2: warning GDL802 no end after 14 turns of random play",
        "    (<= terminal (not (true (at 1))))",
        "     ^",
        "    moves: [2 turns]" + " (wait)" * 12,
        "    cure: count turns, let next keep what terminal reads, or allow more turns",
        "game.kif: 1 warning",
    ]
    assert main(["check", "game.kif", "--play", "2", "--max-turns", "3", "--json"]) == 0
    (finding,) = json.loads(capsys.readouterr().out)["files"][0]["findings"]
    assert (finding["code"], finding["line"], finding["moves"]) == ("GDL802", 3, [["wait"]] * 3)


def test_sheets_with_errors_are_not_played(capsys: pytest.CaptureFixture[str]) -> None:
    write(ENDLESS.replace("(goal robot 0)", ""))
    assert main(["check", "game.kif", "--play", "1"]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "game.kif: 1 error; not played because of the errors"


def test_play_finds_what_no_check_of_the_text_can(capsys: pytest.CaptureFixture[str]) -> None:
    write(ENDLESS.replace("(legal robot wait)", "(<= (legal robot wait) (not (true (at 1))))"))
    assert main(["check", "game.kif"]) == 0
    assert main(["check", "game.kif", "--play", "1"]) == 1
    assert "game.kif:1:29: error GDL801 robot has no legal move at the start" in capsys.readouterr().out


@pytest.mark.parametrize(
    "content",
    few(
        [
            b"(" * 100_000,
            b"\0" * 3_000_000,
            bytes(range(256)) * 20_000,
            b"(role " + b"x" * 10_000 + b")",
            b"a) (b " * 10**6,
        ],
        2,
    ),
    ids=["deep", "nul", "binary", "long word", "unbalanced"],
)
def test_bad_input_is_answered_soon_and_in_few_lines(content: bytes) -> None:
    Path("bad.kif").write_bytes(content)
    done = cli_process.run(
        "check", "bad.kif", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
    )
    assert done.returncode == 1, done.stderr
    assert done.stderr == ""
    assert "GDL1" in done.stdout and len(done.stdout.splitlines()) < 10


def test_all_errors_of_a_sheet_are_told_by_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    write("(role a)\n(init ())\n(goal a 100))\n")
    assert main(["match", "game.kif"]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "ggp-agent: error: game.kif:2:8: empty list; a list starts with the name of a relation or function",
        "    (init ())",
        "           ^",
        "ggp-agent: error: game.kif:3:13: closing parenthesis without an opening one",
        "    (goal a 100))",
        "                ^",
    ]


def test_standard_input_and_fixes() -> None:
    sheet = f"{NIM}(role \U0001f600\r\n x))\n"
    done = cli_process.run("check", "--stdin", "--json", input=sheet, encoding="utf-8")
    (document,) = json.loads(done.stdout)["files"]
    assert (done.returncode, done.stderr, document["file"]) == (1, "", "<stdin>")
    line = NIM.count("\n") + 2
    fixes = {finding["code"]: finding.get("fixes") for finding in document["findings"]}
    assert fixes["GDL103"] == [
        {
            "title": "Remove the closing parenthesis",
            "edits": [{"start": [line, 4], "end": [line, 5], "replacement": ""}],
        }
    ]
    assert fixes["GDL201"] is None


def test_files_and_standard_input_exclude_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in ([], ["--stdin", "game.kif"]):
        assert main(["check", *arguments]) == 2
        assert capsys.readouterr().err == "ggp-agent: error: give either files or --stdin\n"

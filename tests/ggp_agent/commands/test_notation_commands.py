"""`ggp-agent format` and `convert`, and rules in infix notation in other commands."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from loopback_site import Page, Site
from places import ROOT, SHARED

from ggp_agent.cli import main
from ggp_agent.game.load import load_game
from kif_games.catalogue import path as path_of

pytestmark = pytest.mark.usefixtures("in_empty_folder")

KIF = (
    "(role p)(init (s 0)) ; start\n(legal p go)\n(<= (next (s 1)) (true (s 0)))\n"
    "(<= terminal (true (s 1)))\n(goal p 100)\n"
)
FORMATTED = KIF.replace("(role p)(", "(role p)\n(")
INFIX = "role(p)\ninit(s(0)) % start\nlegal(p, go)\nnext(s(1)) :- true(s(0))\nterminal :- true(s(1))\ngoal(p, 100)\n"
FIELD = SHARED / "field" / "03-infix-sheet-cascade"


def write(name: str, text: str) -> str:
    Path(name).write_bytes(text.encode())
    return name


LETTER = "Dear Madam,\n\nthank you (very much) for the (role of the) king.\n"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (LETTER, "most of this text is words outside of rules"),
        ("thank you very much", "the text contains no rule and no role"),
        ("cff-version: 1.2.0\nmessage: cite this\ntype: software\n", "the text contains no rule and no role"),
        ('{"role": "x", "rules": []}', "the text contains no rule and no role"),
        ("name,goal\nwhite,100\n", "the text contains no rule and no role"),
        ("x = 3\nprint(x)\n", "unexpected ="),
        ("(a)(b)", "the text contains no rule and no role"),
        ("; only a comment\n", "the text contains no rule and no role"),
        ("", "the text contains no rule and no role"),
        ("# Title\n\n    (<= (p ?x) (q ?x))\n", "# looks like the start of a comment"),
        ("\x7fELF\x01\x00\x00(role a)\x00", "this is not a text (byte 0x01)"),
        ("a" * 600_000, "the text is longer than 500,000 characters"),
    ],
)
@pytest.mark.parametrize("command", [["format"], ["format", "--check"], ["convert", "--to", "kif"]])
def test_files_that_are_no_rule_sheets_are_not_rewritten(
    capsys: pytest.CaptureFixture[str], command: list[str], content: str, reason: str
) -> None:
    write("file.txt", content)
    assert main([*command, "file.txt"]) == 2
    shown = capsys.readouterr()
    assert shown.out == "" and Path("file.txt").read_text() == content
    if command[0] == "format":
        assert reason in shown.err


def test_format_keeps_a_text_file_of_this_project(capsys: pytest.CaptureFixture[str]) -> None:
    for path in (ROOT / "LICENSE", ROOT / "README.md", ROOT / "setup.py", ROOT / "tests" / "sizes.toml"):
        copy = Path(path.name)
        copy.write_bytes(path.read_bytes())
        assert main(["format", path.name]) == 2
        assert copy.read_bytes() == path.read_bytes()


def test_format_keeps_read_only_files_and_sheets_of_the_catalogue(capsys: pytest.CaptureFixture[str]) -> None:
    path = Path(write("game.kif", "(role  a)"))
    path.chmod(0o444)
    assert main(["format", "game.kif"]) == 2 and path.read_text() == "(role  a)"
    assert "game.kif: the file is read-only, so it is not changed" in capsys.readouterr().err
    assert main(["format", "hex"]) == 2
    assert "hex: sheets of the catalogue can only be checked" in capsys.readouterr().err


# ---- format


def test_format_writes_in_place_and_a_second_run_changes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    write("game.kif", KIF.replace("\n", "\r"))
    os.chmod("game.kif", 0o600)
    Path("link.kif").symlink_to("game.kif")
    assert main(["format", "link.kif"]) == 0
    assert capsys.readouterr().out == "changed: link.kif\n"
    assert Path("game.kif").read_bytes() == FORMATTED.encode()
    assert Path("link.kif").is_symlink()
    assert stat.S_IMODE(os.stat("game.kif").st_mode) == 0o600
    assert main(["format", "game.kif", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"files": [{"file": "game.kif", "changed": False}]}


def test_format_check_writes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.kif", KIF)
    write("b.kif", FORMATTED)
    write("c.hrf", INFIX)
    assert main(["format", "a.kif", "b.kif", "c.hrf", "--check"]) == 1
    assert capsys.readouterr().out == "would change: a.kif\n"
    assert Path("a.kif").read_text() == KIF
    assert main(["format", "b.kif", "c.hrf", "--check"]) == 0


def test_format_has_a_width() -> None:
    write("c.hrf", INFIX)
    assert main(["format", "c.hrf", "--width", "22"]) == 0
    assert "next(s(1)) :-\n    true(s(0))\nterminal" in Path("c.hrf").read_text()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"(role p) ; K\xf6nig", "bad.kif: byte 12 is not UTF-8; save the sheet in UTF-8"),
        (b"(role p", "bad.kif:1:1: this parenthesis is never closed"),
        (b"(role p)" * 70_000, "bad.kif:1:1: the text is longer than 500,000 characters"),
        (b"\xff" * 3_000_000, "bad.kif:1:1: the text is longer than 500,000 characters"),
    ],
)
def test_format_refuses_what_it_cannot_keep(content: bytes, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("bad.kif").write_bytes(content)
    write("good.kif", KIF)
    assert main(["format", "bad.kif", "missing.kif", "good.kif"]) == 2
    captured = capsys.readouterr()
    assert captured.out == "changed: good.kif\n"
    assert captured.err.splitlines()[0] == f"ggp-agent: error: {message}"
    assert captured.err.splitlines()[-1] == "ggp-agent: error: missing.kif: no such file or directory"
    assert Path("bad.kif").read_bytes() == content
    assert sorted(os.listdir()) == ["bad.kif", "good.kif"]


# ---- convert


def test_convert_prints_or_writes_a_new_file(capsys: pytest.CaptureFixture[str]) -> None:
    write("game.kif", KIF)
    assert main(["convert", "game.kif", "--to", "infix"]) == 0
    assert capsys.readouterr().out == INFIX
    assert main(["convert", "game.kif", "--to", "infix", "-o", "game.hrf"]) == 0
    assert Path("game.hrf").read_text() == INFIX
    assert main(["convert", "game.hrf", "--to", "kif", "--out", "back.kif"]) == 0
    assert Path("back.kif").read_text() == FORMATTED


@pytest.mark.parametrize(
    ("name", "text", "to", "message"),
    [
        ("game.kif", KIF, "kif", "game.kif: these rules are in KIF already; 'ggp-agent format' changes the layout"),
        ("a.hrf", "p(a) :- q &", "kif", "a.hrf:1:11: the rule ends after &, where more must follow"),
        ("a.hrf", "p('a b')", "kif", "a.hrf:1:3: the name 'a b' cannot be written in KIF: "),
        ("missing.kif", "", "kif", "missing.kif: no such file or directory"),
    ],
)
def test_convert_refuses_with_one_line(
    name: str, text: str, to: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if text:
        write(name, text)
    assert main(["convert", name, "--to", to, "-o", "out.txt"]) == 2
    assert capsys.readouterr().err.startswith(f"ggp-agent: error: {message}")
    assert not Path("out.txt").exists()


def test_convert_adds_the_pie_rule_in_both_notations(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", "tic_tac_toe", "--pie", "-o", "pie.kif"]) == 0
    assert main(["convert", "tic_tac_toe", "--pie", "--to", "infix", "-o", "pie.hrf"]) == 0
    assert load_game("pie.kif").sheet == load_game("pie.hrf").sheet
    assert main(["check", "pie.kif", "--play", "20"]) == 0
    capsys.readouterr()
    assert main(["convert", "battle", "--pie"]) == 2
    assert "battle: the pie rule is for games of two roles that move in turn" in capsys.readouterr().err
    assert main(["convert", "tic_tac_toe"]) == 2
    assert "name what to convert: the notation by --to kif" in capsys.readouterr().err


# ---- infix rules in other commands


@pytest.mark.parametrize("name", ["game.hrf", "game(2).gdl", "game.pl", "game.rules", "game.kif"])
def test_commands_read_infix_rules_in_any_file(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    write(name, INFIX)
    assert load_game(name).sheet == load_game(write("kif.kif", KIF)).sheet
    assert main(["check", name, "--play", "2"]) == 0
    assert capsys.readouterr().out == f"{name}: valid\n"
    assert main(["perft", name, "--depth", "1", "--json"]) == 0
    assert main(["inspect", name]) == 0
    capsys.readouterr()


def test_a_match_sends_infix_rules_as_kif(capsys: pytest.CaptureFixture[str]) -> None:
    write("game.hrf", INFIX)
    assert main(["match", "game.hrf", "--player", "legal", "--startclock", "5", "--playclock", "5", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["goalValues"] == [100]


def test_infix_rules_are_read_from_a_url() -> None:
    with Site({"/my_game.hrf": Page(INFIX.encode())}) as site:
        game = load_game(site.url("/my_game.hrf"))
    assert (game.name, game.sheet) == ("my_game", load_game(KIF).sheet)


@pytest.mark.skipif(not FIELD.is_dir(), reason=f"the inputs are not at {FIELD}")
def test_public_dialects(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("hrf.hrf", "prolog.gdl"):
        assert main(["check", str(FIELD / name)]) == 0
        assert capsys.readouterr().out.startswith(f"{FIELD / name}: valid\n")
        assert main(["perft", str(FIELD / name), "--depth", "1"]) == 0
        capsys.readouterr()
    assert main(["check", str(FIELD / "gamemaster.rules")]) == 1
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].startswith(
        f"{FIELD}/gamemaster.rules:9:11: error GDL118 '::' belongs to an operation of Gamemaster"
    )
    assert shown[-1] == f"{FIELD}/gamemaster.rules: 1 error"
    assert main(["perft", str(FIELD / "gamemaster.rules"), "--depth", "1"]) == 2
    assert "'::' belongs to an operation of Gamemaster" in capsys.readouterr().err.splitlines()[0]


def test_commands_for_sheets_accept_names_of_the_catalogue(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "hex"]) == 0
    assert capsys.readouterr().out.startswith("hex: valid")
    assert main(["format", "hex", "--check"]) == main(["format", str(path_of("hex")), "--check"])
    assert main(["convert", "hex", "--to", "infix"]) == 0
    write("hex", KIF)  # a file of this name comes first
    capsys.readouterr()
    assert main(["format", "hex"]) == 0
    assert capsys.readouterr().out == "changed: hex\n" and Path("hex").read_text() == FORMATTED


@pytest.mark.parametrize("end", [b"\0\0(role p)", b"\x88\xff(role p)"])
def test_a_binary_file_is_not_printed(capsys: pytest.CaptureFixture[str], end: bytes) -> None:
    Path("program.kif").write_bytes(b"\x7fELF\x02\x01\x01" + end)
    for command in (["play", "program.kif"], ["check", "program.kif"], ["format", "program.kif"]):
        main(command)
        shown = "".join(capsys.readouterr())
        assert "this is not a text (byte 0x02)" in shown or "byte 7 is not UTF-8" in shown
        assert "ELF" not in shown

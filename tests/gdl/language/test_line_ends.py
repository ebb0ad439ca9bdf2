"""LF, CRLF and CR end lines and comments in every place that reads rule texts."""

from __future__ import annotations

from pathlib import Path

import pytest

from gdl import GdlSyntaxError, parse_sheet, parse_term
from gdl.checks import check_text
from gdl.compile.cache import Cache
from gdl.compile.kept_sheets import kept_sheet
from ggp_agent.cli import main
from ggp_agent.protocol.message_text import split

ENDS = ["\n", "\r\n", "\r"]
LINES = [
    "; a comment (",
    "(role p) (init (s 0)) ; another )",
    "(legal p go) (goal p 100)",
    ";; one more",
    "(<= (next (s 1)) (true (s 0)))",
    "(<= terminal (true (s 1)))",
    "",
]


@pytest.mark.parametrize("end", ENDS)
def test_a_comment_ends_at_every_line_end(end: str, tmp_path: Path) -> None:
    text = end.join(LINES)
    assert parse_sheet(text) == parse_sheet("\n".join(LINES))
    assert [rule.position for rule in parse_sheet(text).rules] == [
        rule.position for rule in parse_sheet("\n".join(LINES)).rules
    ]
    assert check_text(text).verdict == "valid"
    assert kept_sheet(text, cache=Cache(tmp_path / "cache")) == parse_sheet("\n".join(LINES))
    assert parse_term(f"; (a{end}(mark 1 ; b){end} 2)") == parse_term("(mark 1 2)")
    assert [str(item) for item in split(f"(PLAY m ; a ){end} nil)")] == ["(PLAY m nil)"]


def test_mixed_line_ends_count_as_lines() -> None:
    with pytest.raises(GdlSyntaxError) as caught:
        parse_sheet("; a\r(role p)\r\n; b\n\r(init ())\r(init (s 0))")
    assert caught.value.position == (5, 8)
    assert caught.value.excerpt == "(init ())\n       ^"


@pytest.mark.parametrize("end", ENDS)
def test_check_shows_the_line_of_a_finding(end: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "game.kif"
    file.write_bytes(end.join([*LINES[:-1], "(init ())", "(init (s 1))"]).encode())
    assert main(["check", str(file)]) == 1
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].startswith(f"{file}:7:8: error GDL106 ")
    assert shown[1:3] == ["    (init ())", "           ^"]

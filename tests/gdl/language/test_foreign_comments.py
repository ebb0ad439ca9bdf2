"""Comments of other languages in KIF: an error with a place, and none of their words become rules."""

from __future__ import annotations

import time

import pytest
from quick import few
from small_games import NIM

from gdl import GdlSyntaxError, parse_sheet
from gdl.checks import check_text
from gdl.language.infix import is_infix
from gdl.language.parse import parse_term, recover_sheet

GAME = """(role p) (init (s 0)) (legal p go)
(<= (next (s 1)) (true (s 0)))
(<= terminal (true (s 1)))
(goal p 100)"""
RULES = parse_sheet(GAME).rules

# Comments that may stand anywhere between two words.
COMMENTS = [
    "/* (init (s 1)) an old start */",
    "/* (init (s 1)\n ; ) not yet */",
    "/**/",
    "// (init (s 1)) and more\n",
    "//(init (s 1))\n",
    "///\n",
    "#| (init (s 1)) |#",
    "#|\n(init (s 1))\n(role q)\n|#",
]


def errors(text: str) -> list[tuple[str, int, int]]:
    return [(found.code, *found.position) for found in check_text(text).findings if found.severity == "error"]


@pytest.mark.parametrize("comment", COMMENTS)
@pytest.mark.parametrize("place", range(0, len(GAME.split(" ")) + 1, 2))
def test_a_comment_is_one_error_and_adds_no_rules(comment: str, place: int) -> None:
    words = GAME.split(" ")
    before = " ".join(words[:place]) + "\n"
    text = f"{before}  {comment} {' '.join(words[place:])}"
    line = before.count("\n") + 1
    report = check_text(text)
    assert [(found.code, found.position) for found in report.findings] == [("GDL120", (line, 3))]
    assert "comments begin with ;" in report.findings[0].message
    assert report.sheet.rules == RULES
    with pytest.raises(GdlSyntaxError, match=rf"^game\.kif:{line}:3: .* looks like the start of a comment"):
        parse_sheet(text, source="game.kif")


@pytest.mark.parametrize("comment", ["# (init (s 1))", "#(init (s 1))", "% (init (s 1))", "%% (role q)", "#!/bin/ggp"])
def test_a_comment_line_between_forms(comment: str) -> None:
    for text in (
        f"{comment}\n{GAME}",
        f"{GAME}\n{comment}",
        f"{GAME} {comment}",
        GAME.replace("\n", f"\n{comment}\n", 1),
    ):
        report = check_text(text)
        assert [found.code for found in report.findings] == ["GDL120"] and report.sheet.rules == RULES


@pytest.mark.parametrize("opening", ["/*", "#|"])
def test_an_unclosed_comment_hides_the_rest(opening: str) -> None:
    forms = GAME.replace("\n", f" {opening} old\n", 1)
    report = check_text(forms)
    assert [(found.code, found.position) for found in report.findings] == [("GDL120", (1, 36))]
    assert report.findings[0].message.endswith("is missing, so the rest of the text is not read)")
    assert report.sheet.rules == RULES[:3]


@pytest.mark.parametrize("ending", ["*/", "|#"])
def test_the_end_of_a_comment_that_a_semicolon_began_is_an_error(ending: str) -> None:
    assert errors(f"; /* #| old\n{GAME}\n  {ending}") == [("GDL120", 6, 3)]


@pytest.mark.parametrize(
    "word", ["a//b", "a/*b*/", "http://example.org", "+//", "a#|b", "x|#", "/", "*", "#", "%x", "#t"]
)
def test_the_same_characters_inside_a_word_are_part_of_the_name(word: str) -> None:
    text = GAME.replace("p go", f"p {word}")
    assert [str(rule) for rule in parse_sheet(text).rules] == [str(rule).replace("p go", f"p {word}") for rule in RULES]
    assert errors(text) == []


def test_comments_of_kif_and_terms_may_contain_anything() -> None:
    assert parse_sheet(GAME.replace("\n", " ; // /* #| |# */ % #\n")).rules == RULES
    assert parse_term("//") == "//"


def test_infix_rules_keep_their_comments() -> None:
    text = "/* old: role(q). */ % #| \n# |#\nrole(p). // role(r).\n#| one |\ninit(s). #|"
    assert is_infix(text)
    assert [str(rule) for rule in parse_sheet(text).rules] == ["(role p)", "(init s)"]


@pytest.mark.parametrize(
    "comment", ["#| for role(white) |#", "#| one\n role(white). |#", "/* role(white). */", "// role(x).\n"]
)
def test_infix_rules_inside_a_comment_do_not_make_a_sheet_infix(comment: str) -> None:
    text = f"{comment}\n{GAME}"
    assert not is_infix(text)
    assert [code for code, *_ in errors(text)] == ["GDL120"] and recover_sheet(text).sheet.rules == RULES


@pytest.mark.parametrize(
    "piece", few(["/*", "*/", "//", "#|", "|#", "#|\n", "// \n", "/* */", "(", "#\n", "%", "/*\n(", "//(\n)"], 4)
)
def test_many_signs_take_linear_time(piece: str) -> None:
    text = piece * (400_000 // len(piece))
    began = time.process_time()
    check_text(text)
    assert time.process_time() - began < 20


def test_many_comments_are_listed_up_to_the_limit() -> None:
    found = check_text("// one\n" * 5_000 + NIM).findings
    assert sorted(each.code for each in found) == ["GDL116"] + ["GDL120"] * 100

"""Reading faulty sheets: every error with its position and cause, and all correct forms."""

from __future__ import annotations

import pickle
import random
import threading
import time
from pathlib import Path

import pytest

from gdl import GdlError, GdlSyntaxError, parse_sheet, read_sheet
from gdl.language.errors import GdlLimitError, GdlRuleError
from gdl.language.forms import MAX_CHARACTERS, MAX_NESTING, MAX_SYMBOL
from gdl.language.parse import MAX_ERRORS, recover_sheet
from gdl.language.rule_sheet import Position


def errors(text: str) -> list[str]:
    return [f"{e.position.line}:{e.position.column} {e.code} {e.message}" for e in recover_sheet(text).errors]


def rules(text: str) -> list[str]:
    return [str(rule) for rule in recover_sheet(text).sheet.rules]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (")", "1:1 GDL103 closing parenthesis without an opening one"),
        ("(a", "1:1 GDL104 this parenthesis is never closed"),
        ("(a\n  ())", "2:4 GDL106 empty list; a list starts with the name of a relation or function"),
        ("(a ((f) 1))", "1:5 GDL107 a list starts with a name, not with another list"),
        ("(a (?x 1))", "1:5 GDL108 a list starts with a name, not with the variable ?x"),
        ("(?x 1)", "1:2 GDL108 a list starts with a name, not with the variable ?x"),
        ("(<= a (p ?))", "1:10 GDL110 a variable needs a name after its question mark"),
        ("(<= a ?x)", "1:7 GDL111 the variable ?x stands where a sentence must stand"),
        ("?x", "1:1 GDL111 the variable ?x stands where a sentence must stand"),
        ("(<= a (not b c))", "1:8 GDL112 'not' takes one formula, not 2"),
        ("(<= a (distinct b))", "1:8 GDL113 'distinct' takes two terms, not 1"),
        ("(<=)", "1:2 GDL114 a rule needs a head: (<= head body ...)"),
        ("(<= (or a b) c)", "1:2 GDL115 the head of a rule is one sentence, not a formula"),
    ],
)
def test_each_cause_has_its_name_and_place_and_spoils_nothing_else(text: str, error: str) -> None:
    assert errors(text) == [error]
    assert rules(text) == []
    before, after = "(good 1)\r\n; (comment\n", "\n(<= (good 2) (not (bad ?x)))"
    assert [line.split(" ", 1)[1] for line in errors(before + text + after)] == [error.split(" ", 1)[1]]
    assert rules(before + text + after) == ["(good 1)", "(<= (good 2) (not (bad ?x)))"]


def test_all_errors_are_found_in_one_run_in_the_order_of_the_text() -> None:
    text = "(role a)\n(init ())\n(legal a ((b)))\n(init (c d)\n(init (e f))\n(<= terminal (not))\n(goal a 100))\n"
    assert [line.split(" ")[0:2] for line in errors(text)] == [
        ["2:8", "GDL106"],
        ["3:11", "GDL107"],
        ["4:1", "GDL104"],
        ["6:15", "GDL112"],
        ["7:13", "GDL103"],
    ]
    assert rules(text) == ["(role a)", "(init (e f))", "(goal a 100)"]
    with pytest.raises(GdlSyntaxError, match=r"^<text>:2:8: empty list") as caught:
        parse_sheet(text)
    assert [error.code for error in caught.value.others] == ["GDL107", "GDL104", "GDL112", "GDL103"]
    assert caught.value.excerpt == "(init ())\n       ^"
    assert caught.value.others[-1].excerpt == "(goal a 100))\n            ^"


def test_on_one_line_a_rule_starts_a_form_wherever_a_parenthesis_is_lost() -> None:
    text = "(ROLE A) (INIT (STEP 1) (<= TERMINAL (TRUE (STEP 2)) (<= (LEGAL A B) (TRUE (STEP 1))) (GOAL A 100)"
    assert [line[:12] for line in errors(text)] == ["1:10 GDL104 ", "1:25 GDL104 "]
    assert rules(text) == ["(role A)", "(<= (legal A B) (true (STEP 1)))", "(goal A 100)"]


def test_forms_may_continue_in_the_first_column_while_parentheses_match() -> None:
    assert rules("(<= (a ?x)\n(b ?x)\n(c ?x))") == ["(<= (a ?x) (b ?x) (c ?x))"]


def test_errors_pass_between_processes_whole() -> None:
    with pytest.raises(GdlError) as caught:
        parse_sheet("(a ())\n(b))")
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (str(copy), copy.code, copy.excerpt) == (str(caught.value), "GDL106", "(a ())\n    ^")
    assert [(str(e), e.excerpt) for e in copy.others] == [(str(e), e.excerpt) for e in caught.value.others]


def test_files_with_byte_order_mark_windows_lines_and_broken_bytes_in_comments(tmp_path: Path) -> None:
    file = tmp_path / "game.kif"
    file.write_bytes("\ufeff; K\u00f6nig ".encode() + b"\xff\xfe (\r\n(role w)\r\n(role ())\r\n")
    with pytest.raises(GdlSyntaxError) as caught:
        read_sheet(file)
    assert caught.value.position == (3, 8)
    assert caught.value.excerpt == "(role ())\n       ^"
    assert rules("\ufeff(role w)") == ["(role w)"]
    assert errors("\ufeff(role ())")[0].startswith("1:8 ")


@pytest.mark.parametrize("text", ["(role \0)", "PK\x03\x04", "; comment \x00\n(role a)"])
def test_data_that_is_not_a_text_is_reported_once(text: str) -> None:
    assert [line.split(" ")[1] for line in errors(text)] == ["GDL101"]
    assert rules(text) == []


def test_long_words_and_deep_nesting_have_limits() -> None:
    longest, deepest = "a" * MAX_SYMBOL, "(f " * MAX_NESTING + "x" + ")" * MAX_NESTING
    assert errors(f"(p {longest}) {deepest}") == []
    assert errors(f"(p {longest}a) (q 1)")[0] == "1:4 GDL109 a word of 1,001 characters; the limit is 1,000"
    assert errors(f"(q 1)\n(f {deepest})")[0] == "2:301 GDL105 parentheses nested deeper than 100"
    assert rules(f"(p {longest}a) (q 1) (f {deepest})") == ["(q 1)"]


@pytest.mark.parametrize("text", ["(" * 100_000, "(" * 100_000 + ")" * 100_000, "(a " * 100_000 + ")" * 50_000])
def test_a_hundred_thousand_parentheses_are_one_error(text: str) -> None:
    assert [line.split(" ")[1] for line in errors(text)] == ["GDL105"]


def test_fifty_megabytes_are_refused_at_once(tmp_path: Path) -> None:
    file = tmp_path / "huge.kif"
    with file.open("wb") as out:
        for _ in range(50):
            out.write(b"(succ 1 2)      " * 65_536)
    started = time.process_time()
    with pytest.raises(GdlSyntaxError, match=f"the text is longer than {MAX_CHARACTERS:,} characters"):
        read_sheet(file)
    assert time.process_time() - started < 20


def test_errors_of_random_data_are_limited() -> None:
    rng = random.Random(1)
    garbage = "".join(rng.choices([chr(code) for code in (10, *range(32, 127))], k=MAX_CHARACTERS))
    found = errors(garbage)
    assert len(found) == MAX_ERRORS + 1
    assert found[-1].endswith(f"GDL116 more than {MAX_ERRORS} errors; later errors are not listed")


def test_threads_read_at_the_same_time() -> None:
    text = "\n".join(f"(<= (p {n} ?x) (q ?x {n}) (not (r ?x)))" for n in range(300))
    results: dict[int, list[str]] = {}

    def read(number: int) -> None:
        results[number] = rules(text + f"\n(mine {number})")

    threads = [threading.Thread(target=read, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [results[number][-1] for number in range(4)] == [f"(mine {number})" for number in range(4)]
    assert all(len(found) == 301 for found in results.values())


@pytest.mark.parametrize("kind", [GdlSyntaxError, GdlRuleError, GdlLimitError])
def test_errors_survive_pickling(kind: type[GdlError]) -> None:
    error = kind("wrong", source="game.kif", position=Position(2, 3), text="(a\n(b ())\n")
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is kind
    assert (str(copy), copy.source, copy.position) == ("game.kif:2:3: wrong", "game.kif", Position(2, 3))
    assert (copy.message, copy.excerpt) == ("wrong", "(b ())\n  ^")

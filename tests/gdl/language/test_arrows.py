"""Other signs than `<=` at the start of a rule: one error, and the rule is checked as a rule."""

from __future__ import annotations

import pytest

from gdl import GdlError, parse_sheet
from gdl.checks import check_text

LEFT = ["<==", "<===", "<-", "<--", "=<", "<=>", ":-", ":=", "\u21d0", "\u2190", "\u27f8", "\u27f5", "\u2264"]
LEFT += ["\u21d4", ":\u2212", ":\u2013", "<\u2212", "<\u2014"]
RIGHT = ["=>", "==>", "->", "-->", "\u21d2", "\u2192", "\u27f9", "\u27f6", "\u2212>", "\u2013>"]

GAME = """(role p) (init (s 0)) (legal p go) (succ 0 1)
(ARROW (next (s ?n)) (true (s ?m)) (succ ?m ?n))
(<= terminal (true (s 1)))
(<= (goal p 100) terminal)
(<= (goal p 0) (not terminal))"""
RULES = parse_sheet(GAME.replace("ARROW", "<=")).rules


@pytest.mark.parametrize("arrow", [*LEFT, *RIGHT])
def test_an_arrow_is_one_error_and_the_form_counts_as_a_rule(arrow: str) -> None:
    report = check_text(GAME.replace("ARROW", arrow))
    (finding,) = report.findings
    assert (finding.code, finding.severity, finding.position) == ("GDL121", "error", (2, 2))
    assert finding.message == f"{arrow} looks like the arrow of a rule; write <="
    assert finding.cure == "write (<= head body ...)"
    assert report.sheet.rules == RULES
    with pytest.raises(GdlError, match=r"^game\.kif:2:2: .* looks like the arrow of a rule; write <="):
        parse_sheet(GAME.replace("ARROW", arrow), source="game.kif")


@pytest.mark.parametrize("arrow", RIGHT)
def test_after_an_arrow_to_the_right_the_head_is_last(arrow: str) -> None:
    turned = GAME.replace(
        "(ARROW (next (s ?n)) (true (s ?m)) (succ ?m ?n))", f"({arrow} (true (s ?m)) (succ ?m ?n) (next (s ?n)))"
    )
    report = check_text(turned)
    assert [found.code for found in report.findings] == ["GDL121"]
    assert report.findings[0].message.endswith("write <=, and the head first: (<= head body ...)")
    assert report.sheet.rules == RULES
    end = GAME.replace("ARROW", "<=").replace("(<= terminal (true (s 1)))", f"({arrow} (true (s 1)) terminal)")
    assert check_text(end).sheet.rules == RULES


@pytest.mark.parametrize("arrow", ["->", "<-", "=>", "=<", "\u2192", "\u2264"])
def test_an_arrow_may_be_the_name_of_a_relation(arrow: str) -> None:
    facts = f"({arrow} 0 1) ({arrow} (f 1) 2)"
    text = GAME.replace("(succ 0 1)", facts).replace("(succ ?m ?n)", f"({arrow} ?m ?n)").replace("ARROW", "<=")
    assert [str(rule) for rule in parse_sheet(text).rules][3:5] == [f"({arrow} 0 1)", f"({arrow} (f 1) 2)"]
    assert not [found for found in check_text(text).findings if found.severity == "error"]


def test_an_arrow_between_two_forms_is_an_error() -> None:
    text = GAME.replace("(ARROW (next (s ?n)) (true (s ?m)) (succ ?m ?n))", "(next (s 1)) :- (true (s 0))")
    found = {each.code: each.message for each in check_text(text).findings}
    assert found["GDL121"] == ":- looks like the arrow of a rule; write the rule as one list: (<= head body ...)"


def test_errors_inside_such_a_rule_are_found() -> None:
    report = check_text(GAME.replace("(ARROW (next (s ?n))", "(:- (next (s ?q))"))
    assert [found.code for found in report.findings] == ["GDL121", "GDL501"]
    found = {each.code for each in check_text("(:-) (<== (not a) b)").findings}
    assert {"GDL114", "GDL115", "GDL121"} <= found

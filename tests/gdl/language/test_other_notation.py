"""A rule in the other notation within a sheet: one error that gives the corrected rule, and nothing of it is read."""

from __future__ import annotations

import pytest

from gdl import GdlSyntaxError, parse_sheet
from gdl.checks import check_text
from gdl.language.errors import MAX_ERRORS
from gdl.language.notation import notation_of

KIF = """(role p) ; a player
(init (on 0))
(legal p go)
STRAY
(<= (next (on 1)) (does p go))
(<= terminal (true (on 1)))
(goal p 100)
"""
INFIX = """role(p) % a player
init(on(0))
legal(p, go)
STRAY
next(on(1)) :- does(p, go)
terminal :- true(on(1))
goal(p, 100)
"""
FINISHED = "(<= (finished ?x) (ready ?x))"


@pytest.mark.parametrize(
    ("stray", "written"),
    [
        ("finished(x):-ready(x)", FINISHED),
        ("finished(x) :- ready(x).", FINISHED),
        ("finished (x) :- ready (x)", FINISHED),
        ("finished(?x) <= ready(?x)", FINISHED),
        ("(finished(x) :- ready(x))", FINISHED),
        ("(<= finished(X) :- ready(X))", FINISHED),
        (
            "finished(x) :-\n    ready(x) & % no comment of KIF\n".replace("% no comment of KIF", "")
            + "    ~true(on(x))",
            None,
        ),
        ("finished(p) :- does(p, go) & (ready(1) | true(on(2))).", None),
        ("terminal:-true(on(2))", "(<= terminal (true (on 2)))"),
        ("init(on(2))", "(init (on 2))"),
        ("open.", "open"),
        ("finished(x :- ready(x)", "(<= head body ...)"),
        (":-ready(x)", "(<= head body ...)"),
    ],
)
@pytest.mark.parametrize("first", [False, True])
def test_an_infix_rule_in_kif_is_one_error(stray: str, written: str | None, first: bool) -> None:
    if first and stray.startswith(":-"):
        return  # the first word decides about the notation
    text = f"{stray}\n{KIF.replace('STRAY', '')}" if first else KIF.replace("STRAY", stray)
    (finding,) = check_text(text).findings
    assert (finding.code, finding.position) == ("GDL122", (1 if first else 4, 1))
    assert "infix notation among rules in KIF: write " in finding.message
    if written:
        assert finding.message.endswith(f"write {written}")
    assert [str(rule) for rule in check_text(text).sheet.rules] == list(
        map(str, parse_sheet(KIF.replace("STRAY", "")).rules)
    )
    with pytest.raises(GdlSyntaxError, match="infix notation among rules in KIF"):
        parse_sheet(text)


def test_constants_of_the_sheet_stay_constants() -> None:
    (finding,) = check_text(KIF.replace("STRAY", "won(p, x) :- lost(p, x)")).findings
    assert finding.message.endswith("write (<= (won p ?x) (lost p ?x))")


def test_two_infix_rules_are_two_errors() -> None:
    found = check_text(KIF.replace("STRAY", "a(x):-b(x). c(y):-d(y).")).findings
    assert [(each.code, each.position.column) for each in found] == [("GDL122", 1), ("GDL122", 13)]


def test_full_stops_between_forms_are_one_error() -> None:
    (finding,) = check_text(KIF.replace("STRAY", "").replace(")\n", ").\n")).findings
    assert (finding.code, finding.position) == ("GDL122", (2, 14))
    assert finding.message == "a full stop between forms of KIF: remove it (and 4 more)"


def test_an_arrow_between_lists_is_one_error() -> None:
    (finding,) = check_text(KIF.replace("STRAY", "(finished ?x) :- (ready ?x) (on ?x)")).findings
    assert (finding.code, finding.position) == ("GDL121", (4, 15))


@pytest.mark.parametrize(
    ("stray", "written"),
    [
        ("(<= (next (on 2)) (true (on ?x)))", "next(on(2)) :- true(on(X))"),
        ("(<= terminal\n    (true (on 4))\n    (not (true (on 5))))", "terminal :- true(on(4)) & ~true(on(5))"),
        ("(init (on 3)).", "init(on(3))"),
        ("(<= terminal (true (on 4))", "head :- literal & literal"),
    ],
)
@pytest.mark.parametrize("first", [False, True])
def test_a_form_of_kif_in_infix_rules_is_one_error(stray: str, written: str, first: bool) -> None:
    text = f"{stray}\n{INFIX.replace('STRAY', '')}" if first and ":-" in written else INFIX.replace("STRAY", stray)
    (finding,) = check_text(text).findings
    assert finding.code == "GDL122"
    assert finding.message.endswith(f"in KIF among rules in infix notation: write {written}")


@pytest.mark.parametrize(
    "text",
    [
        "(role p)(init(on 0))open(legal p go)",
        "(<= terminal(true (on 1)))",
        "(role p) open (role q) (shut) (a.b c.) a.b",
        "(p :=) (<- a b) (-> 1 2)",
        "role(p). p(X) :- q(X) & (r(X) | s(X)), (not t(X)).",
        "terminal :- a\n  & (b | c)",
        "role(p) next(F) :- (true(F))",
    ],
)
def test_other_texts_have_no_rule_in_another_notation(text: str) -> None:
    assert "GDL122" not in {finding.code for finding in check_text(text).findings}


def test_most_lines_decide_about_the_notation() -> None:
    assert notation_of("p(x) :- q(x)\n" + KIF) == "kif"
    assert notation_of("(<= (p ?x) (q ?x))\n" + INFIX) == "infix"
    assert notation_of("p(x) :- q(x)\n(role a)") == "infix"


@pytest.mark.parametrize(
    "text", ["(a) :- " * 500, "p(x):-q(x). " * 500 + KIF, "(<= (p ?x) (q ?x))\n" * 300 + "p(X)\n" * 400]
)
def test_errors_are_limited(text: str) -> None:
    found = check_text(text).findings
    assert len(found) <= MAX_ERRORS + 1
    assert "GDL116" in {finding.code for finding in found}

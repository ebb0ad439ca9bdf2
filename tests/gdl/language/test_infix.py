"""Rules in infix notation: the same rules as in KIF, and errors with their place in the infix text."""

from __future__ import annotations

import time

import pytest
from quick import few

from gdl import GdlSyntaxError, parse_sheet
from gdl.checks import check_text
from gdl.language.forms import MAX_NESTING, MAX_SYMBOL
from gdl.language.infix import is_infix
from gdl.language.notation import convert_sheet, format_sheet
from gdl.language.parse import recover_sheet

HRF = """\
; a comment of HRF, with a full stop.
role(white)
role(black)   # another one
init(cell(1,1,b))
init(control(white))

legal(P, mark(X,Y)) :- true(cell(X,Y,b)) & true(control(P))
legal(P, noop) :-
    role(P) &
    ~true(control(P))
next(cell(X,Y,P)) :- does(P, mark(X,Y))
next(cell(X,Y,W)) :- true(cell(X,Y,W)) & does(P, mark(U,V)) & or(distinct(X,U), distinct(Y,V))
next(control(P)) :- role(P) & not(true(control(P)))
terminal :- true(cell(1,1,X)) & distinct(X,b)
goal(P, 100) :- true(cell(1,1,P))
goal(P, 0) :- role(P) & ~true(cell(1,1,P))
"""
PROLOG = """\
% the same game
role(white). role(black).
init(cell(1,1,b)). init(control(white)).
legal(P, mark(X,Y)) :- true(cell(X,Y,b)), true(control(P)).
legal(P, noop) :- role(P), not true(control(P)).
next(cell(X,Y,P)) :- does(P, mark(X,Y)). /* a comment
  of two lines. */
next(cell(X,Y,W)) :- true(cell(X,Y,W)), does(P, mark(U,V)), (X \\= U ; Y != V).
next(control(P)) :- role(P), \\+ true(control(P)).
terminal :- true(cell(1,1,X)), X != b.
goal(P, 100) :- true(cell(1,1,P)).
goal(P, 0) :- role(P), not(true(cell(1,1,P))).
"""
QUESTION_MARKS = "legal(?p, mark(?x,?Y)) :- true(cell(?X,?y,b)) & true(control(?P))"
KIF = """
(role white) (role black) (init (cell 1 1 b)) (init (control white))
(<= (legal ?p (mark ?x ?y)) (true (cell ?x ?y b)) (true (control ?p)))
(<= (legal ?p noop) (role ?p) (not (true (control ?p))))
(<= (next (cell ?x ?y ?p)) (does ?p (mark ?x ?y)))
(<= (next (cell ?x ?y ?w)) (true (cell ?x ?y ?w)) (does ?p (mark ?u ?v)) (or (distinct ?x ?u) (distinct ?y ?v)))
(<= (next (control ?p)) (role ?p) (not (true (control ?p))))
(<= terminal (true (cell 1 1 ?x)) (distinct ?x b))
(<= (goal ?p 100) (true (cell 1 1 ?p)))
(<= (goal ?p 0) (role ?p) (not (true (cell 1 1 ?p))))
"""


def errors(text: str) -> list[str]:
    return [f"{e.position.line}:{e.position.column} {e.code} {e.message}" for e in recover_sheet(text).errors]


def rules(text: str) -> list[str]:
    return [str(rule) for rule in recover_sheet(text).sheet.rules]


@pytest.mark.parametrize("text", [HRF, PROLOG, HRF.replace("\n", "\r"), PROLOG.replace("\n", "\r\n")])
def test_each_dialect_gives_the_rules_of_kif(text: str) -> None:
    assert is_infix(text)
    assert parse_sheet(text) == parse_sheet(KIF)
    assert check_text(text).verdict == "valid"


@pytest.mark.parametrize(
    ("text", "kif"),
    [
        ("p :- a | b & c", "(<= p (or a (and b c)))"),
        ("p :- a, b | c", "(<= p (or (and a b) c))"),
        ("p :- (a | b) & c.", "(<= p (or a b) c)"),
        ("p :- a & (b & c)", "(<= p a (and b c))"),
        ("p :- or(a & b, c | d), and(), or(e)", "(<= p (or (and a b) (or c d)) (and) (or e))"),
        ("p :- ~ ~q(X), not (a | b)", "(<= p (not (not (q ?x))) (not (or a b)))"),
        ("p(-1, 2.5, 3a) :- q()", "(<= (p -1 2.5 3a) q)"),
        ("p('Big', 'it''s', '<=') :- 'not'(X) & 'or'", "(<= (p Big it's <=) (not ?x) or)"),
        ("p((X, Y), f(a, (Z))) :- distinct((X, 1), Y)", "(<= (p (tuple ?x ?y) (f a ?z)) (distinct (tuple ?x 1) ?y))"),
        ("p(House, HOUSE) :- q(House, HOUSE, house_2)", "(<= (p ?house ?house_2) (q ?house ?house_2 house_2))"),
        ("p :- q(_, _, _1, X_)", "(<= p (q ?_1 ?_2 ?_1_2 ?x_))"),
        ("goal (xplayer ,100) :- line( x )", "(<= (goal xplayer 100) (line x))"),
        ("p :- q\n  ; r.\ns.", "(<= p (or q r))"),
    ],
)
def test_formulas_and_terms(text: str, kif: str) -> None:
    assert (errors(text), rules(text)[:1]) == ([], [kif])


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("p(X :- q(X)", "1:2 GDL104 this parenthesis is never closed"),
        ("p(f(1)", "1:2 GDL104 this parenthesis is never closed"),
        ("p(1)) :- q", "1:5 GDL103 closing parenthesis without an opening one"),
        ("p :- q(X) r(X)", "1:11 GDL117 '&' is missing before r; a new rule begins a line of its own"),
        ("p :- q(X)\n  r(X)", "2:3 GDL117 '&' is missing before r; a new rule begins a line of its own"),
        ("p :- q &", "1:8 GDL117 the rule ends after &, where more must follow"),
        ("p :- q & & r", "1:10 GDL117 unexpected & in a rule"),
        ("p(a) <= q", "1:6 GDL117 unexpected <=: write ':-' between head and body"),
        ("p(a) :- X = b", "1:11 GDL117 unexpected =: write the same variable twice, or distinct(X, Y)"),
        ("p(a) :- Q(a)", "1:9 GDL108 the variable Q stands where a name must stand"),
        ("p(a) :- Q", "1:9 GDL111 the variable Q stands where a sentence must stand"),
        ("p(a) :- distinct(X)", "1:9 GDL113 'distinct' takes two terms, here are 1"),
        ("p(a) :- q('a b')", "1:11 GDL119 the name 'a b' cannot be written in KIF"),
        ("p(a) :- q('abc)", "1:11 GDL117 unexpected ': this quote is never closed"),
        ("p(a) :- q(\ufffd)", "1:11 GDL117 unexpected \ufffd"),
    ],
)
def test_each_error_has_its_place_and_spoils_nothing_else(text: str, error: str) -> None:
    for end in ("", "."):
        found = errors(f"{text}{end}\n")
        if "\ufffd" not in text:
            assert len(found) == 1
            assert found[0].startswith(error)
        assert rules(f"{text}{end}\n") == []
        around = f"good(1){end}\n{text}{end}\ngood(X) :- good(2){end}\n"
        assert len(errors(around)) == 1
        assert {"(good 1)", "(<= (good ?x) (good 2))"} == set(rules(around))


def test_an_error_shows_its_line() -> None:
    with pytest.raises(GdlSyntaxError, match=r"^nim\.hrf:2:8: '&' is missing") as caught:
        parse_sheet("role(p)\np :- q r\n", source="nim.hrf")
    assert caught.value.excerpt == "p :- q r\n       ^"


def test_operations_of_gamemaster_are_one_finding() -> None:
    text = "role(x)\ncell(1)\nmark(X) :: control(Z) ==> ~cell(X) & cell(Z)\nmark(X) :: a ==> b\n"
    (finding,) = check_text(text).findings
    assert (finding.code, finding.position) == ("GDL118", (3, 9))


def test_findings_are_written_in_infix_notation() -> None:
    text = HRF.replace("next(control(P)) :- role(P) &", "next(control(Q)) :- role(P) &").replace("role(black)", "")
    found = {finding.code: finding for finding in check_text(text).findings}
    assert found["GDL501"].message == "the head contains Q, which no positive literal of the body binds in every case"
    assert found["GDL501"].position == (13, 1)
    (finding,) = check_text("role(p)\ninit(s)\nlegal(p,go)\nterminal :- true(s)\n").findings
    assert finding.cure == "add rules such as goal(white, 100) :- body & ..."
    (finding,) = [each for each in check_text(f"{PROLOG}init(cell(a, b, 'B')).").findings if each.code == "GDL209"]
    assert finding.position == (13, 17)


@pytest.mark.parametrize(
    ("text", "infix"),
    [
        ("", False),
        ("; only a comment", False),
        ("(role white)", False),
        ("; infix(x) :- y\n(role white)", False),
        ("role p) (init (s 0))", False),
        ("draw (role white)", False),
        ("#| a comment\n of Lisp |#\n(role p)", False),
        ("/* of C */ // and\n(role p)", False),
        ("<html>", False),
        ("game", False),
        ("% x\nrole (white)", True),
        ("terminal :- open", True),
        ("draw.\nrole(a).", True),
        ("/* ( */ 'Role'(x)", True),
    ],
)
def test_the_notation_is_recognised(text: str, infix: bool) -> None:
    assert is_infix(text) is infix


@pytest.mark.parametrize(
    "text",
    few(
        [
            "p" + "(f" * 25_000,
            "p :- " + "~" * 50_000 + "q",
            "p(x). " + "/*" * 50_000,
            "p(x). " + "'" * 80_000,
            "p(x)" + ")" * 80_000,
            "p(x) :- " + "q & " * 25_000,
            "p(x)\n" * 20_000,
            "p(x). " * 5_000 + ";" * 80_000,
            "p(" + "_, " * 25_000 + "_)",
        ],
        3,
    ),
)
def test_any_text_is_read_in_linear_time(text: str) -> None:
    started = time.process_time()
    recover_sheet(text)
    assert time.process_time() - started < 20


def test_words_and_nesting_have_limits() -> None:
    word, nested = "a" * MAX_SYMBOL, "f(" * MAX_NESTING + "x" + ")" * MAX_NESTING
    assert errors(f"p({word})\n{nested}\np :- {'~' * MAX_NESTING}q") == []
    assert [line.split()[1] for line in errors(f"p({word}a)\np({nested})\np :- {'~' * (MAX_NESTING + 1)}q")] == [
        "GDL109",
        "GDL105",
        "GDL105",
    ]


def test_variables_with_a_question_mark_are_read() -> None:
    marked = HRF.replace("legal(P, mark(X,Y)) :- true(cell(X,Y,b)) & true(control(P))", QUESTION_MARKS)
    assert parse_sheet(marked).rules == parse_sheet(HRF).rules
    assert [(each.code, each.position) for each in check_text(marked).findings] == [("GDL219", (7, 7))]
    assert format_sheet(marked) == format_sheet(HRF)
    assert convert_sheet(marked, "kif") == convert_sheet(HRF, "kif")


def test_a_variable_with_a_question_mark_differs_from_one_in_capitals() -> None:
    text = "p(?door, Door) :- q(Door, ?Door)\n"
    assert [str(rule) for rule in parse_sheet(text).rules] == ["(<= (p ?door ?door_2) (q ?door_2 ?door))"]
    assert format_sheet(text) == "p(Door_2, Door) :- q(Door, Door_2)\n"


def test_a_question_mark_alone_is_an_error() -> None:
    assert [each.code for each in check_text(HRF + "won(?) :- true(cell(1,1,b))\n").findings] == ["GDL117"]

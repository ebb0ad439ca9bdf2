"""The facts of arithmetic: only those that are needed, in a range; findings about uses that cannot be evaluated."""

from __future__ import annotations

import pytest

from gdl import parse_sheet
from gdl.checks import check_text
from gdl.compile.arithmetic import arithmetic_of, with_arithmetic
from gdl.language.notation import convert_sheet

GAME = "(role p) (init (n 2)) (legal p go) (<= terminal (true (n 2))) (goal p 50) RULES"


def facts(rules: str) -> list[str]:
    sheet = parse_sheet(GAME.replace("RULES", rules))
    return [str(rule) for rule in with_arithmetic(sheet).rules[len(sheet.rules) :]]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("(> ?n 1)", ["(> 2 1)"]),
        ("(>= 1 ?n)", []),
        ("(<= ?n 2)", ["(<= 2 2)"]),
        ("(not (< ?n 3))", ["(< 2 3)"]),
        ("(+ ?n 5 ?m)", ["(+ 2 5 7)"]),
        ("(plus ?n 5 7)", ["(plus 2 5 7)"]),
        ("(* ?n -4 -7)", []),
        ("(- ?n 5 ?m) (mod ?m 2 ?k)", ["(- 2 5 -3)", "(mod -3 2 -1)"]),
        ("(- ?n 5 ?m) (/ ?m 2 ?k)", ["(- 2 5 -3)", "(/ -3 2 -1)"]),
        ("(/ ?n 0 ?m)", []),
        ("(MIN ?n 1 ?m)", ["(MIN 2 1 1)"]),
        ("(succ ?n ?m)", ["(succ 2 3)"]),
        ("(evaluate (plus ?n 1 (times ?n 3)) ?m)", ["(evaluate (plus 2 1 (times 2 3)) 9)"]),
        ("(is ?m (max ?n 3))", ["(is 3 (max 2 3))"]),
        ("(> (+ ?n 2) 3)", ["(> (+ 2 2) 3)"]),
        ("(or (> ?n 1) (> ?n 5))", ["(> 2 1)"]),
        ("(+ ?n 1 ?m) (< ?m ?n)", ["(+ 2 1 3)"]),
    ],
)
def test_facts_of_a_condition(condition: str, expected: list[str]) -> None:
    assert facts(f"(<= (next on) (true (n ?n)) {condition})") == expected
    assert facts(f"(<= (next on) {condition} (true (n ?n)))") == expected


def test_conditions_bound_a_counter() -> None:
    rules = "(<= (next (n ?m)) (true (n ?n)) (max ?most) (< ?n ?most) (+ ?n 1 ?m)) (max 4)"
    assert facts(rules) == ["(+ 2 1 3)", "(+ 3 1 4)", "(< 2 4)", "(< 3 4)"]


@pytest.mark.parametrize(
    ("rules", "limit", "number"),
    [
        ("(<= (next (n ?m)) (true (n ?n)) (+ ?n 1 ?m))", 1_000, 998),
        ("(init (n 5000)) (<= (next (n ?m)) (true (n ?n)) (- ?n 500 ?m))", 5_000, 20 + 10),
        (
            "(<= (next (n ?m)) (true (n ?n)) (+ ?n 1 ?m)) (<= (next on) (true (n ?n)) (true (n ?m)) (* ?n ?m 8))",
            300,
            300,
        ),
    ],
)
def test_the_warning_has_the_range(rules: str, limit: int, number: int) -> None:
    sheet = parse_sheet(GAME.replace("RULES", rules))
    arithmetic = arithmetic_of(sheet)
    assert arithmetic is not None
    assert (arithmetic.limit, len(arithmetic.facts)) == (limit, number)
    for text in (GAME.replace("RULES", rules), convert_sheet(GAME.replace("RULES", rules), "infix")):
        (finding,) = [
            each for each in check_text(text).findings if each.code in ("GDL207", "GDL211", "GDL220", "GDL221")
        ]
        assert (finding.code, finding.severity) == ("GDL220", "warning")
        assert finding.message.endswith(f"; results from -{limit:,} to {limit:,}")


@pytest.mark.parametrize(
    ("condition", "reason"),
    [
        ("(> ?m 1)", "no other condition binds ?m"),
        ("(+ ?m 1 ?n)", "no other condition binds ?m"),
        ("(+ ?m 1 ?k) (- ?k 1 ?m)", "no other condition binds ?m"),
        ("(> ?n few)", "few is not an integer"),
        ("(> ?n 1.5)", "1.5 is not an integer"),
        ("(+ ?n)", "+ takes 3 arguments, not 1"),
        ("(evaluate (root ?n) ?m)", "(root ?n) is not an integer"),
        ("(colour ?m) (<= ?m 2)", "?m is never an integer"),
    ],
)
def test_each_use_that_cannot_be_evaluated_is_a_finding(condition: str, reason: str) -> None:
    text = GAME.replace("RULES", f"(colour red) (<= (next on) (true (n ?n)) (colour ?any) {condition})")
    findings = check_text(text).findings
    assert {(each.code, each.severity) for each in findings} == {("GDL221", "warning")}
    assert findings[0].message.endswith(f"cannot be evaluated and never holds: {reason}")
    infix = [each.code for each in check_text(convert_sheet(text, "infix")).findings]
    assert infix == ["GDL221"] * len(findings)


def test_two_uses_are_found_at_their_places() -> None:
    text = GAME.replace("RULES", "(<= (next on) (true (n ?n))\n(+ ?m 1 ?k)\n(- ?k 1 ?m))")
    first, second = check_text(text).findings
    assert second.position.line == first.position.line + 1
    assert "(+ ?m 1 ?k) cannot be evaluated" in first.message and "(- ?k 1 ?m) cannot be evaluated" in second.message


def test_too_many_facts_are_found() -> None:
    steps = "(init (N 0)) (<= (next (N ?m)) (true (N ?n)) (or (+ ?n 1 ?m) (- ?n 1 ?m)))"
    counters = "".join(steps.replace("N", name) for name in ("c0", "c1", "c2"))
    rule = "(<= (next on) (true (c0 ?a)) (true (c1 ?b)) (true (c2 ?c)) (> (+ ?a ?b) ?c))"
    findings = check_text(GAME.replace("RULES", counters + rule)).findings
    assert {each.code for each in findings} == {"GDL221"}
    assert all(each.message.endswith("more than 300,000 facts would be necessary") for each in findings)


@pytest.mark.parametrize("rule", ["(> 1 0)", "(<= (> ?a ?b) (greater ?a ?b)) (greater 2 1)"])
def test_own_relations_are_no_arithmetic(rule: str) -> None:
    text = GAME.replace("RULES", f"{rule} (<= (next on) (true (n ?n)) (> ?n 1))")
    assert arithmetic_of(parse_sheet(text)) is None
    assert not {each.code for each in check_text(text).findings} & {"GDL220", "GDL221"}


def test_fluents_and_moves_are_no_arithmetic() -> None:
    text = GAME.replace("RULES", "(init (max 1 2 3)) (<= (next on) (max 1 2 3))")
    assert [each.code for each in check_text(text).findings] == ["GDL207"]


def test_comparisons_by_an_arrow_are_no_rules() -> None:
    text = "(<= (next on)\n(true (n ?n))\n(<= ?n\n 2))\n"
    (rule,) = parse_sheet(text).rules
    assert str(rule) == "(<= (next on) (true (n ?n)) (<= ?n 2))"
    assert [each.code for each in check_text(GAME.replace("RULES", "(<= (next on) (<= a b))")).findings] == ["GDL203"]


@pytest.mark.parametrize("sign", ["Y is X + 1", "q(X + 1)", "q(X * 2)"])
def test_terms_with_signs_have_an_advice(sign: str) -> None:
    (finding,) = check_text(f"role(p)\np(X) :- q(X) & {sign}\n").findings
    assert finding.message.endswith("write arithmetic as a relation, such as '+'(X, 1, Y)")


def test_infix_signs_stand_between_terms_or_before_parentheses() -> None:
    rules = "p(X) :- q(X) & X > 1 & f(X) >= 2 & X =< Y & ~(X<3), +(X, -1, 3) & X <= 4.\n-(1, 2, 3)."
    assert [str(rule) for rule in parse_sheet(rules).rules] == [
        "(<= (p ?x) (q ?x) (> ?x 1) (>= (f ?x) 2) (=< ?x ?y) (not (< ?x 3)) (+ ?x -1 3) (<= ?x 4))",
        "(- 1 2 3)",
    ]
    assert [each.code for each in check_text("role(p)\np(X) <= q(X)\np(X) :- q(X) & X > Y + 1\n").findings] == [
        "GDL117"
    ] * 2

"""Checks of literals that can never hold: misspelt fluents, moves and roles. `test_check` tests public sheets."""

from __future__ import annotations

import time

import pytest
from quick import few

from gdl import parse_sheet
from gdl.checks import check_text, matching
from gdl.checks.findings import MAX_FINDINGS_OF_A_CODE

CODES = ("GDL213", "GDL214", "GDL215")

GAME = """
(role white) (role black) (succ 1 2) (succ 2 3)
(init (cell 1 1 blank)) (init (cell 1 2 blank)) (init (control white)) (init (step 1))
(<= (legal ?r (take ?x)) (role ?r) (true (cell 1 ?x blank)))
(legal white noop)
(<= (next (cell 1 ?x ?r)) (does ?r (take ?x)))
(<= (next (cell ?x ?y ?c)) (true (cell ?x ?y ?c)) (not (gone ?x ?y)))
(<= (next ?f) (true ?f) (not (does white noop)))
(<= (next (control black)) (true (control white)))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= (gone 1 ?x) (does ?r (take ?x)))
(<= terminal (true (step 3))) (goal white 50) (goal black 50)
"""


def found(text: str) -> list[tuple[str, str]]:
    return [(each.code, each.message) for each in check_text(GAME + text).findings if each.code in CODES]


def test_the_game_has_no_findings() -> None:
    assert check_text(GAME).findings == ()


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        (
            "(true (cel 1 2 blank))",
            "GDL213",
            "(cel 1 2 blank) never holds: no init or next makes it true; do you mean cell?",
        ),
        (
            "(true (cell 2 blank))",
            "GDL213",
            "(cell 2 blank) never holds: no init or next makes it true; there cell has 3 arguments, not 2",
        ),
        (
            "(not (true (control whyte)))",
            "GDL213",
            "(control whyte) never holds: no init or next makes it true; do you mean white?",
        ),
        ("(true control)", "GDL213", "control never holds: no init or next makes it true; "
         "there control has 1 argument, not 0"),
        ("(or (true (step 1)) (true zzz))", "GDL213", "zzz never holds: no init or next makes it true"),
        ("(true (cell 2 ?x blank))", "GDL213", "(cell 2 ?x blank) never holds: no init or next makes it true"),
        ("(does ?r (tak 1))", "GDL214", "no role can do (tak 1): no legal allows it; do you mean take?"),
        ("(does black noop)", "GDL214", "black can never do noop: no legal allows it"),
        ("(legal black noop)", "GDL214", "black can never do noop: no legal allows it"),
        ("(does whit noop)", "GDL215", "no role fact names whit, so no player has this role; do you mean white?"),
        ("(role red)", "GDL215", "no role fact names red, so no player has this role"),
    ],
)  # fmt: skip
def test_literals_that_never_hold_are_named(body: str, code: str, message: str) -> None:
    assert found(f"(<= (next (mark ?x)) (succ ?x 2) {body})") == [(code, message)]
    (finding,) = [each for each in check_text(GAME + f"(<= (next mark)\n {body})").findings if each.code in CODES]
    assert finding.severity == "warning" and finding.position.line == GAME.count("\n") + 2


@pytest.mark.parametrize("head", ["(legal whit noop)", "(goal whit 0)"])
def test_roles_in_heads_are_checked(head: str) -> None:
    assert [code for code, _ in found(head)] == ["GDL215"]


@pytest.mark.parametrize(
    "body",
    [
        "(true ?f)",
        "(true (cell ?x ?y ?z))",
        "(true (cell 1 2 white))",  # matched by a next for a move whose role is a variable
        "(true (CELL 1 2 Blank))",
        "(does ?r (take ?x))",
        "(does ?r ?m)",
        "(does white ?m)",
        "(legal white noop)",
        "(goal white 50)",
        "(true (step 99))",  # the body of a next is not examined
    ],
)
def test_literals_that_may_hold_are_accepted(body: str) -> None:
    assert found(f"(<= (next (other ?x)) (succ ?x 2) {body})") == []


def test_a_rule_that_only_keeps_makes_nothing_true() -> None:
    assert found("(<= (next (light ?x)) (true (light ?x)) (succ ?x 2))") == [
        ("GDL213", "(light ?x) never holds: this rule keeps it, but no init or next makes it true")
    ]
    # Another rule may make it true.
    assert found("(<= (next (light ?x)) (true (light ?y)) (succ ?x ?y)) (init (light 3))") == []
    assert found("(<= (next (light ?x)) (not (true (light ?x))) (succ ?x 2))") == []


def test_repeated_variables_stand_for_one_term() -> None:
    pairs = "(init (pair 1 2)) (init (pair 2 1)) (init (nest (f 1) (f 2)))"
    assert found(pairs + "(<= (next one) (true (pair ?x ?x)))") != []
    assert found(pairs + "(<= (next one) (true (nest ?x ?x)))") != []
    assert found(pairs + "(<= (next one) (true (pair ?x ?y)))") == []
    assert found(pairs + "(init (pair 3 3)) (<= (next one) (true (pair ?x ?x)))") == []
    twice = "(<= (next (twin ?x ?x)) (succ ?x 2)) (<= (next one) (true (twin 1 2)))"
    assert found(twice) != []
    assert found(twice.replace("1 2)))", "2 2)))")) == []
    assert found(twice.replace("1 2)))", "?a ?b)))")) == []
    assert found("(init ?x) (<= (next one) (true anything))") == []


def test_there_is_no_finding_if_the_reason_may_be_hidden() -> None:
    text = "(<= (next mark) (true (cel 1)) (does whit noop))"
    assert len(found(text)) == 2
    assert found(text + "(init ())") == []


def test_each_literal_is_reported_once_and_lists_are_limited() -> None:
    twice = found("(<= (next mark) (true on)) (<= (next mark2) (true on))")
    assert len(twice) == 1
    many = found("".join(f"(<= (next m{n}) (true x{n}))" for n in range(200)))
    assert len(many) == MAX_FINDINGS_OF_A_CODE + 1
    assert many[-1][1].endswith("more findings 'fluent that never holds' after it)")


# ---- foreign text


@pytest.mark.parametrize(
    "text",
    few(
        [
            # Many heads that agree with many literals at each single place, but with no literal at all places.
            "".join(f"(init (f a b{n} (h {n}))) (init (f a{n} b (h {n})))" for n in range(2500))
            + "".join(f"(<= (next g) (true (f a b (k {n}))))" for n in range(2500)),
            "".join(f"(init (f {n} {n + 1}))" for n in range(2500))
            + "".join(f"(<= (next g) (true (f ?x{n} ?x{n})))" for n in range(2500)),
            # Long terms that differ in many places.
            "".join(f"(init (f a b{n} {'x ' * 800})) (init (f a{n} b {'x ' * 800}))" for n in range(80))
            + "".join(f"(<= (next g) (true (f a b {'x ' * 799}y{n})))" for n in range(80)),
            f"(init (f {'a ' * 20_001}))"
            + "".join(f"(<= (next g) (true (f z{n} {'?y ' * 19_999}b)))" for n in range(5)),
            "".join(f"(init {'n' * 60}{n})" for n in range(2500))
            + "".join(f"(<= (next g) (true {'n' * 59}m{n}))" for n in range(2500)),
        ],
        1,
    ),
    ids=["places", "variables", "long", "wide", "names"],
)
def test_many_heads_and_many_literals_take_no_quadratic_time(text: str) -> None:
    sheet = parse_sheet(GAME + text)
    started = time.process_time()
    list(matching.check_matching(sheet))
    # Some tenths of a second on an idle computer; six million pairs would take ten seconds.
    assert time.process_time() - started < 5


def test_a_misspelt_fluent_that_no_condition_reads() -> None:
    def unread(text: str) -> list[str]:
        return [each.message for each in check_text(GAME + text).findings if each.code == "GDL218"]

    assert unread("(init (contrl white))") == ["no condition reads the fluent contrl; do you mean control?"]
    assert unread("(<= (next (contrl black)) (does white noop))") == unread("(init (contrl white))")
    assert unread("(init (last_move white))") == []
    assert unread("(init (contrl white)) (<= (goal white 0) (true (contrl black)))") == []

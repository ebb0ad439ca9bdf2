"""Hints about words: lost parentheses, keywords as constants, variables without `?`, forgotten `true` and `does`."""

from __future__ import annotations

import pytest

from gdl.checks import Finding, check_text

GAME = """(role robot) (init (at 1)) (succ 1 2) (succ 2 3)
(<= (legal robot (go ?y)) (true (at ?x)) (succ ?x ?y))
(<= (next (at ?y)) (does robot (go ?y)))
(<= terminal (true (at 3)))
(<= (goal robot 100) terminal)
(<= (goal robot 0) (not terminal))
"""


def found(text: str) -> list[Finding]:
    return list(check_text(text).findings)


def codes(text: str) -> list[str]:
    return [finding.code for finding in found(text)]


def test_the_game_is_valid() -> None:
    assert codes(GAME) == []


def test_a_word_outside_all_forms_is_found_where_it_stands() -> None:
    place = next(each.position for each in found(GAME + "succ\n(<= (p ?x) (succ ?x 2))") if each.code == "GDL204")
    assert place == (7, 1)


# ---- connectives and keywords as constants


@pytest.mark.parametrize("word", ["not", "or", "and", "distinct", "<=", "NOT"])
@pytest.mark.parametrize(
    "form",
    [
        "(init (blank WORD))",
        "(<= (next (blank 1)) (true (at WORD)))",
        "(<= (next (blank 1)) (distinct WORD 1))",
        "(<= (next (blank 1)) (not (distinct 1 WORD)))",
        "(<= (next (blank 1)) (or (true (at 1)) (true (at (f WORD)))))",
        "(succ here WORD)",
    ],
)
def test_a_connective_as_a_constant_is_an_error_at_its_place(word: str, form: str) -> None:
    form = form.replace("WORD", word)
    report = check_text(GAME + form)
    (finding,) = [each for each in report.findings if each.code == "GDL203"]
    assert (report.verdict, finding.position) == ("error", (7, form.replace("(not (", "(xxx (").rindex(word) + 1))
    assert finding.message == f"the connective {word} stands where a constant must stand"
    assert finding.cure == "close the parenthesis before it, or give the constant another name"


@pytest.mark.parametrize("word", ["role", "init", "true", "next", "legal", "does", "goal", "terminal", "base", "sees"])
@pytest.mark.parametrize("form", ["(init (phase WORD))", "(<= (next (phase 1)) (true (at 1)) (distinct WORD 1))"])
def test_a_keyword_as_a_constant_is_a_warning(word: str, form: str) -> None:
    report = check_text(GAME + form.replace("WORD", word))
    (finding,) = report.findings
    assert (report.verdict, finding.code, finding.position.line) == ("warnings", "GDL216", 7)
    assert finding.message.startswith(f"the keyword {word} is used as a constant here")


def test_the_role_random_is_no_keyword() -> None:
    assert codes(GAME + "(role random) (legal random wait) (goal random 100)") == ["GDL705"]


@pytest.mark.parametrize(
    "percept", ["(does ?o ?m)", "(seen (does ?o ?m))", "(legal ?o ?m)", "(terminal ?o ?m)", "terminal"]
)
def test_percepts_may_be_written_with_keywords(percept: str) -> None:
    report = check_text(f"{GAME} (<= (sees robot {percept}) (does ?o ?m))")
    assert [finding.code for finding in report.findings] == ["GDL701"]
    assert "GDL202" in codes(f"{GAME} (<= (next {percept}) (does ?o ?m))") or percept == "terminal"


# ---- variables without ?


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("(next (at ?y)) (does robot (go ?y))", "(next (at Y)) (does robot (go Y))", "Y looks like a variable"),
        (
            "(legal robot (go ?y)) (true (at ?x)) (succ ?x ?y)",
            "(legal robot (go To)) (true (at From)) (succ From To)",
            "To, From look like variables",
        ),
        ("(<= terminal (true (at 3)))", "(<= terminal (true (at X)) (succ 2 X))", "X looks like a variable"),
        (
            "(goal robot 0) (not terminal)",
            "(goal Player 0) (role Player) (not terminal)",
            "Player looks like a variable",
        ),
        ("(true (at 3))", "(or (true (at X1)) (not (true (at X1))))", "X1 looks like a variable"),
    ],
)  # fmt: skip
def test_a_word_in_upper_case_that_never_enters_the_game_looks_like_a_variable(old: str, new: str, words: str) -> None:
    assert old in GAME
    text = GAME.replace(old, new)
    finding, *others = found(text)
    assert (finding.code, finding.severity) == ("GDL217", "warning")
    assert finding.message == f"{words}; variables begin with ?"
    word = words.split(",")[0].split()[0]
    assert finding.cure == f"write ?{word.lower()}"
    line, column = finding.position
    assert text.split("\n")[line - 1][column - 1 :].startswith(word)
    assert [other.code for other in others if other.code not in ("GDL501", "GDL502")] == []


@pytest.mark.parametrize(
    "rules",
    [
        # From a fact, from the head of a rule, or used once in a rule.
        "(init (look North)) (<= (next (look North)) (true (look North)))",
        "(<= (next (look North)) (true (at 1))) (<= (next (look North)) (true (look North)) (not (true (at 1))))",
        "(<= (next (at 1)) (true (at North)))",
        "(<= (legal robot (turn North)) (true (at 1))) (<= (next (look North)) (does robot (turn North)))",
    ],
)
def test_constants_in_upper_case_are_constants(rules: str) -> None:
    assert "GDL217" not in codes(GAME + rules)


def test_in_infix_notation_words_in_quotes_are_constants() -> None:
    assert "GDL217" not in codes("role(r). init(a). next(at('X')) :- true(at('X')).")


def test_all_rules_of_a_sheet_with_prolog_variables_get_one_hint_each() -> None:
    assert codes(GAME.replace("?x", "X").replace("?y", "Y")) == ["GDL217", "GDL217"]


# ---- forgotten true and does


@pytest.mark.parametrize(
    ("old", "new", "cure"),
    [
        ("terminal (true (at 3))", "terminal (at 3)", "at is a fluent: write (true (at 3))"),
        ("(true (at ?x))", "(at ?x)", "at is a fluent: write (true (at ?x))"),
        ("(not terminal)", "(not terminal) (not (at 3))", "at is a fluent: write (true (at 3))"),
        ("(true (at 3)))", "open) (init open)", "open is a fluent: write (true open)"),
        ("(does robot (go ?y))", "(go ?y)", "go is a move: write (does ?role (go ?y))"),
    ],
)
def test_a_fluent_or_move_without_its_keyword_is_named(old: str, new: str, cure: str) -> None:
    assert old in GAME
    (finding,) = [each for each in found(GAME.replace(old, new)) if each.code in ("GDL206", "GDL207")]
    assert (finding.code, finding.cure) == ("GDL207", cure)


def test_other_undefined_relations_have_the_usual_cure() -> None:
    for wrong in ("(att 3)", "(at 3 3)"):
        findings = found(GAME.replace("(true (at 3))", wrong))
        assert ("GDL207", "check the spelling, or write a fact or rule for it") in [(x.code, x.cure) for x in findings]


def test_hints_for_infix_rules_are_in_infix_notation() -> None:
    (finding,) = [x for x in found("role(r). init(s(1)). terminal :- s(1).") if x.code == "GDL207"]
    assert finding.cure == "s is a fluent: write true(s(1))"


# ---- goal values


@pytest.mark.parametrize("value", ["0", "100", "0100", "050", "00000000000000000000050", "-0"])
def test_numbers_from_0_to_100_are_goal_values(value: str) -> None:
    assert codes(GAME.replace("robot 100", f"robot {value}")) == []


@pytest.mark.parametrize(
    "value", ["101", "-1", "+5", "1e2", "33.5", "100.0", "1_0", "0x10", "win", "(f 5)", "\u0665\u0660"]
)
def test_other_goal_values_are_errors(value: str) -> None:
    assert "GDL212" in codes(GAME.replace("robot 100", f"robot {value}"))

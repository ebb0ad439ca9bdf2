"""Text to terms and rules: all that KIF allows, every message with its position, print as the inverse of parse."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from quick import examples

from gdl.language.errors import GdlError, GdlRuleError, GdlSyntaxError
from gdl.language.forms import is_unmistakable
from gdl.language.parse import MAX_NESTING, parse_sheet, parse_term, read_sheet
from gdl.language.rule_sheet import (
    KEYWORD_ARITIES,
    Conjunction,
    Disjunction,
    Distinct,
    Formula,
    Literal,
    Negation,
    Position,
    Rule,
)
from gdl.language.terms import Compound, Term, Variable, to_kif


def rule(text: str) -> Rule:
    """Read the only rule of a text."""
    (only,) = parse_sheet(text).rules
    return only


def body(text: str) -> tuple[Formula, ...]:
    """Read formulas as the body of a rule."""
    return rule(f"(<= head {text})").body


def printed(text: str) -> list[str]:
    return [str(each) for each in parse_sheet(text).rules]


# ---- terms


def test_terms_nest() -> None:
    term = parse_term("(move (cell 1 ?X) (s (s (s 0))))")
    numeral: Term = "0"
    for _ in range(3):
        numeral = Compound("s", (numeral,))
    assert term == Compound("move", (Compound("cell", ("1", Variable("x"))), numeral))
    assert to_kif(term) == "(move (cell 1 ?x) (s (s (s 0))))"


@pytest.mark.parametrize("text", ["f", "(f)", "( f )", " (f\n) ", "((f" + ")" * 2][:4])
def test_a_list_of_one_name_is_the_atom(text: str) -> None:
    assert parse_term(text) == "f"
    assert parse_term(f"(g {text} {text})") == Compound("g", ("f", "f"))


def test_a_sentence_without_arguments_is_the_atom() -> None:
    assert printed("(terminal) (<= (terminal) (open))") == ["terminal", "(<= terminal open)"]
    assert rule("(open)").head == rule("open").head


@pytest.mark.parametrize(
    "atom",
    ["a,b", '"a', 'a"b"', "'a", "a.b", "1.5", "-1", "+", "*", "=", "<", "=<", "<==", "<=>", "a?b", "#", "[x]", "{}",
     "|", "\\", "%", "@home", "k0", "_", "été", "白", "♟", "a\u200bb", "not-a-word", "orange", "android", "distinctly",
     "nothing", "<=x"],
)  # fmt: skip
def test_any_other_characters_make_atoms(atom: str) -> None:
    assert parse_term(atom) == atom
    assert parse_term(f"({atom} {atom} ({atom} ?{atom}))") == Compound(
        atom, (atom, Compound(atom, (Variable(atom.lower()),)))
    )
    assert body(atom) == (Literal(atom),)
    assert body(f"(not ({atom} {atom}))") == (Negation(Literal(Compound(atom, (atom,)))),)


@pytest.mark.parametrize("word", ["not", "or", "and", "distinct", "<=", "NOT", "Or"])
def test_connectives_are_symbols_where_no_formula_stands(word: str) -> None:
    assert parse_term(word) == word
    assert parse_term(f"(cell {word})") == Compound("cell", (word,))
    assert parse_term(f"({word} a)") == Compound(word, ("a",))
    assert parse_term(f"(p ({word} {word} x))") == Compound("p", (Compound(word, (word, "x")),))
    assert body(f"(p {word})") == (Literal(Compound("p", (word,))),)
    assert body(f"(p ({word} a))") == (Literal(Compound("p", (Compound(word, ("a",)),))),)
    assert body(f"(distinct ?x {word})") == (Distinct(Variable("x"), word),)
    assert body(word) == (Literal(word),)


@pytest.mark.parametrize("change", [str.lower, str.upper, str.title, str.swapcase])
def test_connectives_are_read_in_any_case(change: Callable[[str], str]) -> None:
    p, q = Literal("p"), Literal("q")
    assert body(f"({change('not')} p)") == (Negation(p),)
    assert body(f"({change('or')} p q)") == (Disjunction((p, q)),)
    assert body(f"({change('and')} p q)") == (Conjunction((p, q)),)
    assert body(f"({change('distinct')} p q)") == (Distinct("p", "q"),)


@pytest.mark.parametrize("keyword", sorted(KEYWORD_ARITIES))
def test_keywords_are_read_in_any_case(keyword: str) -> None:
    for spelt in keyword, keyword.upper(), keyword.title():
        assert rule(f"({spelt} a b)").head.sentence == Compound(keyword, ("a", "b"))
        assert body(f"(not ({spelt} a))") == (Negation(Literal(Compound(keyword, ("a",)))),)
        assert rule(spelt).head.sentence == keyword


def test_a_keyword_as_a_term_keeps_its_spelling() -> None:
    assert printed("(init (True a)) (<= (NEXT (true a)) (TRUE (tRUE a)))") == [
        "(init (True a))",
        "(<= (next (True a)) (true (True a)))",
    ]


def test_symbols_keep_their_first_spelling_and_compare_without_case() -> None:
    sheet = parse_sheet("(role White) (init (Cell a B)) (<= (legal WHITE (mark ?X)) (true (CELL A b)) (true ?x))")
    assert [str(each) for each in sheet.rules] == [
        "(role White)",
        "(init (Cell a B))",
        "(<= (legal White (mark ?x)) (true (Cell a B)) (true ?x))",
    ]
    assert to_kif(parse_term("(CELL (MARK b) new)", sheet.spellings)) == "(Cell (mark B) new)"
    assert sheet.roles() == ("White",)


def test_terms_of_different_texts_do_not_share_spellings() -> None:
    assert (parse_term("Abc"), parse_term("aBC")) == ("Abc", "aBC")
    spellings = parse_sheet("(p Abc)").spellings
    assert [parse_term(text, spellings) for text in ("Abc", "aBC", "(ABC abc)")] == [
        "Abc",
        "Abc",
        Compound("Abc", ("Abc",)),
    ]


# ---- formulas


def test_formulas_nest() -> None:
    (formula,) = body("(not (or (and p (not q)) (distinct ?x (f ?x)) (r ?x)))")
    p, q = Literal("p"), Literal("q")
    assert formula == Negation(
        Disjunction(
            (
                Conjunction((p, Negation(q))),
                Distinct(Variable("x"), Compound("f", (Variable("x"),))),
                Literal(Compound("r", (Variable("x"),))),
            )
        )
    )


def test_a_rule_without_body_is_a_fact() -> None:
    assert rule("(<= (p a))") == rule("(p a)") == Rule(Literal(Compound("p", ("a",))))


def test_white_space_comments_and_line_ends() -> None:
    text = "; a (comment\r\n(<=\t(next (p 1)) ; of ) two lines ?\r\n\r\n  (true(p 2))(not\f(true\v(p 3))));end"
    assert printed(text) == ["(<= (next (p 1)) (true (p 2)) (not (true (p 3))))"]
    assert printed("(p a);;;\n;\n(p b) ; (p c)") == ["(p a)", "(p b)"]
    assert printed("") == printed(" \n\t; nothing") == []
    assert parse_term(" a ; b") == "a"


def test_places_of_rules_and_literals() -> None:
    text = "(role r)\r\n  (<= (next a)\r\n      (true b) ; (c)\r\n      (or (not (true d)) (distinct e f)))\r\nopen\r\n"
    fact, found, last = parse_sheet(text).rules
    assert fact.position == fact.head.position == Position(1, 1)
    assert found.position[0] == 2
    assert found.head.position == Position(2, 7)
    literal, disjunction = found.body
    assert literal.position == Position(3, 7)
    assert isinstance(disjunction, Disjunction)
    negation, distinct = disjunction.formulas
    assert [part.position[0] for part in (disjunction, negation, distinct)] == [4, 4, 4]
    assert isinstance(negation, Negation)
    assert negation.formula.position == Position(4, 16)
    assert last.position == Position(5, 1)


# ---- files


def test_broken_bytes_may_stand_in_comments_only(tmp_path: Path) -> None:
    file = tmp_path / "game.kif"
    file.write_bytes(b"; caf\xe9\n(role r) ; \xff\n")
    assert read_sheet(file).roles() == ("r",)
    file.write_bytes(b"(role r)\n(init (caf\xe9 1))\n")
    with pytest.raises(GdlSyntaxError, match=r"game\.kif:2:11: .*UTF-8"):
        read_sheet(file)


@pytest.mark.parametrize("data", [b"\x7fELF\x02\x01\x00", "(role r)".encode("utf-16"), b"(role r)\n\n\x00"])
def test_binary_files_are_no_text(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "game.kif"
    file.write_bytes(data)
    with pytest.raises(GdlSyntaxError, match=r"game\.kif:\d:\d+: this is not a text \(byte 0x0"):
        read_sheet(file)


# ---- error messages


ERRORS = [
    # text, line, column, message
    ("(role r))", 1, 9, "closing parenthesis without an opening one"),
    ("(role r)\n  )\n(p", 2, 3, "closing parenthesis without an opening one"),
    ("(role r)\n\t(p (q a)\n(r)", 2, 2, "this parenthesis is never closed"),
    ("(p ; )\n", 1, 1, "this parenthesis is never closed"),
    ("(role r)\r\n(init ())", 2, 8, "empty list"),
    ("()", 1, 2, "empty list"),
    ("(<= p\n  ())", 2, 4, "empty list"),
    ("(p ((f) a))", 1, 5, "not with another list"),
    ("(<= p ((q a)))", 1, 8, "not with another list"),
    ("(p (?F a))", 1, 5, "not with the variable ?F"),
    ("(<= p\n q ?r)", 2, 4, "the variable ?r stands where a sentence must stand"),
    ("(<= p (not ?q))", 1, 12, "the variable ?q stands where a sentence must stand"),
    ("(<= ?p q)", 1, 5, "the variable ?p stands where a sentence must stand"),
    ("(<= (not p) q)", 1, 2, "the head of a rule is one sentence"),
    ("(<= p (not))", 1, 8, "'not' takes one formula, not 0"),
    ("(<= p (NOT q r))", 1, 8, "'not' takes one formula, not 2"),
    ("(<= p (distinct ?x))", 1, 8, "'distinct' takes two terms, not 1"),
    ("(<= p q\n    (distinct a b c))", 2, 6, "'distinct' takes two terms, not 3"),
    ("(<= p (<= q r))", 1, 7, "a rule inside a rule"),
    ("(p (", 1, 1, "this parenthesis is never closed"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line", "column", "what"), ERRORS)
def test_errors_contain_the_position(text: str, line: int, column: int, what: str) -> None:
    with pytest.raises((GdlSyntaxError, GdlRuleError)) as raised:
        parse_sheet(text, source="game.kif")
    error = raised.value
    message = str(error)
    assert "\n" not in message
    assert what in message
    assert message.startswith(f"game.kif:{line}:{column}: ")
    assert error.position == Position(line, column)
    shown, caret = error.excerpt.split("\n")
    assert shown == text.split("\n")[line - 1].rstrip("\r").replace("\t", " ")
    assert caret == " " * (error.position.column - 1) + "^"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "; nothing",
        "a b",
        "(a) (b)",
        "a)",
        "(a",
        "(a ()",
        "()",
        "((a))",
        "(?x a)",
        "?",
        "(f ?)",
        "a\0",
        pytest.param(")" * 1000, id="thousand"),
    ],
)
def test_a_term_is_exactly_one(text: str) -> None:
    with pytest.raises(GdlError) as raised:
        parse_term(text)
    assert str(raised.value).startswith("<term>")
    assert "\n" not in str(raised.value)


def test_a_term_is_read_without_lark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gdl.language.grammar", None)
    assert parse_term("(mark 1 (s ?X))") == Compound("mark", ("1", Compound("s", (Variable("x"),))))


def test_the_excerpt_of_a_long_line_is_cut_around_the_place() -> None:
    text = "(p a)\n" + "(q b) " * 1000 + "(())" + " (q c)" * 1000
    with pytest.raises(GdlSyntaxError) as raised:
        parse_sheet(text)
    shown, caret = raised.value.excerpt.split("\n")
    assert raised.value.position == Position(2, 6002)
    assert len(shown) <= 100
    assert shown[caret.index("^") - 1 : caret.index("^") + 3] == "(())"


def test_unprintable_characters_do_not_reach_the_terminal() -> None:
    with pytest.raises(GdlSyntaxError) as raised:
        parse_sheet("(p \x1b[31m\u202e ())")
    assert raised.value.excerpt.split("\n")[0] == "(p  [31m  ())"


@pytest.mark.parametrize("text", ["(" * 100_000, "(a " * 100_000 + ")" * 100_000, "(<= p " + "(not " * 90_000])
@pytest.mark.parametrize("read", [parse_sheet, parse_term])
def test_deep_nesting_is_refused_quickly(text: str, read: Callable[[str], Any]) -> None:
    started = time.thread_time()
    with pytest.raises(GdlSyntaxError, match=f"nested deeper than {MAX_NESTING}") as raised:
        read(text)
    assert time.thread_time() - started < 10
    assert raised.value.position.line == 1


def test_nesting_up_to_the_limit_is_read() -> None:
    term: Any = parse_term("(s " * MAX_NESTING + "0" + ")" * MAX_NESTING)
    for _ in range(MAX_NESTING):
        assert isinstance(term, Compound)
        (term,) = term.args
    assert term == "0"


def test_a_large_sheet_is_read() -> None:
    facts = "".join(f"(succ {n} {n + 1})\n" for n in range(5_000))
    found = parse_sheet(facts).rules
    assert len(found) == 5_000
    assert found[-1].position == Position(5_000, 1)


# ---- print is the inverse of parse

_CHARACTERS = st.characters(
    codec="utf-8",
    exclude_categories=("Cs", "Zs", "Zl", "Zp", "Cc"),
    exclude_characters="();\N{REPLACEMENT CHARACTER}\N{ZERO WIDTH NO-BREAK SPACE}",
)
_WORDS = ["a", "b", "cell", "not", "or", "and", "distinct", "<=", "true", "does", "1", "nothing"]
_COMMENTS = ("%", "#", "//", "/*", "*/", "|#")


def _symbol(text: str) -> bool:
    """Return whether a text is a symbol that may stand anywhere: no variable, comment sign or arrow."""
    is_foreign = text.startswith(("?", *_COMMENTS)) or ":-" in text or is_unmistakable(text)
    return not is_foreign and not any(c.isspace() for c in text)


_symbols = (st.sampled_from(_WORDS) | st.text(_CHARACTERS, min_size=1, max_size=4).filter(_symbol)).map(str.lower)
_variables = st.sampled_from(["x", "y", "?", "not", "1"]).map(Variable)
_terms: st.SearchStrategy[Term] = st.recursive(
    _symbols | _variables,
    lambda inner: st.builds(Compound, _symbols, st.lists(inner, min_size=1, max_size=3).map(tuple)),
    max_leaves=6,
)
_names = _symbols.filter(lambda name: name not in ("not", "or", "and", "distinct", "<="))
_sentences = _names | st.builds(Compound, _names, st.lists(_terms, min_size=1, max_size=3).map(tuple))
_literals = st.builds(Literal, _sentences)
_formulas: st.SearchStrategy[Formula] = st.recursive(
    _literals | st.builds(Distinct, _terms, _terms),
    lambda inner: st.one_of(
        st.builds(Negation, inner),
        st.builds(Disjunction, st.lists(inner, min_size=1, max_size=3).map(tuple)),
        st.builds(Conjunction, st.lists(inner, max_size=3).map(tuple)),
    ),
    max_leaves=6,
)
_rules = st.builds(Rule, _literals, st.lists(_formulas, max_size=3).map(tuple))


@examples(80, deadline=None)
@given(st.lists(_rules, max_size=4).map(tuple))
def test_printed_rules_parse_to_themselves(rules: tuple[Rule, ...]) -> None:
    text = "\n".join(map(str, rules))
    assert parse_sheet(text).rules == rules


@examples(200, deadline=None)
@given(_terms)
def test_printed_terms_parse_to_themselves(term: Term) -> None:
    assert parse_term(to_kif(term)) == term


@examples(300, deadline=None)
@given(st.text(st.sampled_from('()?; \n\tab<=-ornotd"')) | st.text(max_size=20))
def test_any_text_is_read_or_refused_in_one_line(text: str) -> None:
    for read in parse_sheet, parse_term:
        try:
            read(text)
        except GdlError as error:
            assert "\n" not in str(error)


def test_terms_that_arrive_later_do_not_make_the_table_grow() -> None:
    spellings = parse_sheet("(role Robot)").spellings
    known = len(spellings.by_lower_case)
    assert parse_term("(go ROBOT Nowhere)", spellings) == Compound("go", ("Robot", "Nowhere"))
    assert len(spellings.by_lower_case) == known

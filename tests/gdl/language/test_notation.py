"""Layout and conversion of rule sheets keep rules, order and comments; a second pass changes nothing."""

from __future__ import annotations

import re
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import CORPUS
from quick import examples
from random_sheets import random_sheet

from gdl import GdlError, parse_sheet
from gdl.language.forms import with_lf
from gdl.language.infix import COMMENT, infix_tokens
from gdl.language.notation import convert_sheet, format_sheet, notation_of, renamed
from gdl.language.rule_sheet import Conjunction, Disjunction, Distinct, Formula, Literal, Negation, Rule, RuleSheet
from gdl.language.terms import Compound, Term, Variable

FILES = sorted(path for path in CORPUS.glob("rules/*.kif") if path.stat().st_size < 12_000)

NAMES = st.one_of(
    st.sampled_from(
        ["a", "b", "White", "not", "or", "distinct", "<=", "it's", "''", "1", "-1", "2.5", "a-b", "%", "#x", "é"]
    ),
    st.from_regex(r"[^\s();?\x00-\x1f\ufffd][^\s();\x00-\x1f\ufffd]{0,3}", fullmatch=True),
)
# Words that begin a comment in other languages are errors in KIF.
NAMES = NAMES.filter(lambda name: re.match(r"//|/\*|\*/$|#\||\|#$", name) is None)
FUNCTIONS = NAMES.filter(lambda name: name != "<=")  # in the first column it would begin a rule
VARIABLES = st.sampled_from(["x", "y", "_", "_x", "1", "x-1", "x_1", "x+", "++", "é"]).map(Variable)
TERMS: st.SearchStrategy[Term] = st.recursive(
    st.one_of(NAMES, VARIABLES),
    lambda inner: st.builds(Compound, FUNCTIONS, st.lists(inner, min_size=1, max_size=3).map(tuple)),
    max_leaves=4,
)
RELATIONS = NAMES.filter(
    lambda name: (
        name.lower() not in ("not", "or", "and", "distinct") and re.match(r"[#%]|[<>=:&\u2010-\u2fff-]", name) is None
    )
)
LITERALS = st.builds(
    Literal, st.one_of(RELATIONS, st.builds(Compound, RELATIONS, st.lists(TERMS, min_size=1, max_size=2).map(tuple)))
)
FORMULAS: st.SearchStrategy[Formula] = st.recursive(
    st.one_of(LITERALS, st.builds(Distinct, TERMS, TERMS)),
    lambda inner: st.one_of(
        st.builds(Negation, inner),
        st.builds(Disjunction, st.lists(inner, max_size=3).map(tuple)),
        st.builds(Conjunction, st.lists(inner, max_size=3).map(tuple)),
    ),
    max_leaves=4,
)
RULES = st.lists(st.builds(Rule, LITERALS, st.lists(FORMULAS, max_size=3).map(tuple)), max_size=5).map(tuple)


def decorated(text: str, random: Random) -> str:
    """Return the tokens of a KIF text with other blanks, and with comments anywhere."""
    shown = []
    for token in re.findall(r";[^\n]*|[()]|[^\s();]+", with_lf(text)):
        shown.append(token)
        blank = random.choice(["", " ", "\n", "\t  ", "\n\n\n", " ; (one\n", "\n;; two )) \n", "\r\n", ";\r"])
        shown.append("\n" + blank if token[0] == ";" else blank or (" " if token not in "()" else ""))
    return "".join(shown)


def kif_comments(text: str) -> list[str]:
    return [comment.rstrip() for comment in re.findall(r";[^\n]*", with_lf(text))]


def require_kept(text: str, width: int) -> None:
    """Compare rules and comments of a KIF text after each change of layout and notation."""
    sheet = parse_sheet(text)
    rules = [renamed(rule) for rule in sheet.rules]
    laid_out = format_sheet(text, width=width)
    assert parse_sheet(laid_out) == sheet
    assert kif_comments(laid_out) == kif_comments(text)
    assert format_sheet(laid_out, width=width) == laid_out
    infix = convert_sheet(text, "infix", width=width)
    assert notation_of(infix) == "infix"
    assert [renamed(rule) for rule in parse_sheet(infix).rules] == rules
    comments = [token.text for token in infix_tokens(infix) if token.kind == COMMENT]
    assert comments == [f"%{comment[1:]}" for comment in kif_comments(text)]
    assert format_sheet(infix, width=width) == infix
    back = convert_sheet(infix, "kif", width=width)
    assert [renamed(rule) for rule in parse_sheet(back).rules] == rules
    assert kif_comments(back) == kif_comments(text)
    assert format_sheet(back, width=width) == back


@examples(12, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([30, 60, 100]))
def test_random_games_are_kept(seed: int, width: int) -> None:
    random = Random(seed)
    require_kept(decorated(random_sheet(random), random), width)


@examples(50, deadline=None)
@given(RULES, st.integers(0, 10**6))
def test_random_rules_are_kept(rules: tuple[Rule, ...], seed: int) -> None:
    text = f"(role r)\n{RuleSheet(rules)}"
    require_kept(decorated(text, Random(seed)), 60)


@pytest.mark.skipif(not FILES, reason=f"the corpus of rule sheets is not at {CORPUS}")
@examples(12, deadline=None)
@given(st.sampled_from(FILES or [CORPUS]), st.integers(0, 10**6))
def test_public_sheets_are_kept(path: object, seed: int) -> None:
    text = path.read_text(encoding="utf-8", errors="replace")  # type: ignore[attr-defined]
    require_kept(decorated(text, Random(seed)) if seed % 2 else text, 80)


@examples(20, deadline=None)
@given(st.integers(0, 10**6), st.booleans())
def test_infix_comments_anywhere_are_kept(seed: int, dotted: bool) -> None:
    random = Random(seed)
    plain = convert_sheet(random_sheet(random), "infix")
    shown = []
    for token in infix_tokens(plain.replace("\n", " .\n").replace("&  .", "&").replace(":-  .", ":-")):
        if token.kind == "STOP":
            shown.append("\n" if not dotted else random.choice([".", " . ", " % z\n. "]))
            shown.append("\n")
        else:
            word = "\n" if token.kind == "NOT" and token.text != "~" else ""
            shown += [token.text, " " + word, random.choice(["", "", " /* in\nside */ ", "% a\n  ", " // b\n\n   "])]
    text = "".join(shown)
    try:
        sheet = parse_sheet(text)
    except GdlError:
        return  # a name in the first column of a line begins a rule
    laid_out = format_sheet(text, width=50)
    assert [renamed(rule) for rule in parse_sheet(laid_out).rules] == [renamed(rule) for rule in sheet.rules]
    assert [t.text for t in infix_tokens(laid_out) if t.kind == COMMENT] == [
        t.text for t in infix_tokens(text) if t.kind == COMMENT
    ]
    assert format_sheet(laid_out, width=50) == laid_out


def test_layout_of_kif() -> None:
    text = "(role p)(role q) ; two\n\n\n; note\n(<= (legal ?p (go ?x)) (or (a ?x) ; why\n (b ?x)) (c ?x))"
    text += "(<= terminal (end))"
    assert format_sheet(text) == (
        "(role p)\n(role q) ; two\n\n; note\n"
        "(<= (legal ?p (go ?x))\n    (or\n        (a ?x) ; why\n        (b ?x))\n    (c ?x))\n"
        "(<= terminal (end))\n"
    )
    assert format_sheet("(<= (p ?x) (q ?x) (r ?x))", width=20) == "(<= (p ?x)\n    (q ?x)\n    (r ?x))\n"


def test_layout_of_infix_rules() -> None:
    text = "role( p ).p(X):-q(X),% why\n\\+r( X ,1);s(f( (X,a) )).  % end\nt :- u."
    assert format_sheet(text) == (
        "role(p).\np(X) :-\n    q(X), % why\n    \\+ r(X, 1) ;\n    s(f((X, a))). % end\nt :- u.\n"
    )
    assert format_sheet("p(X) :- qq(X) & rr(X)", width=15) == "p(X) :-\n    qq(X) &\n    rr(X)\n"


def test_comments_change_their_sign() -> None:
    text = "/* a\n\n   b */\np(1) // c\n# d\n%e\np :- q % f\n"
    assert convert_sheet(text, "kif") == "; a\n; b\n(p 1) ; c\n; d\n;e\n(<= p q) ; f\n"


def test_names_that_a_notation_cannot_write() -> None:
    assert convert_sheet("(P x-1 'a) (<= (q ?x ?X-1 ?) (r ?x))".replace(" ?)", ")"), "infix") == (
        "'P'('x-1', '''a')\nq(X, X_1) :- r(X)\n"
    )
    with pytest.raises(GdlError, match=r"^x\.hrf:2:1: this rule cannot be written in KIF"):
        convert_sheet("p(a)\np(b) :- 'not'(p(a))", "kif", source="x.hrf")
    with pytest.raises(GdlError, match=r"^<text>:1:3: the name 'a b' cannot be written in KIF"):
        convert_sheet("p('a b')", "kif")
    with pytest.raises(GdlError, match=r"^<text>:1:1: this parenthesis is never closed"):
        format_sheet("(p a")

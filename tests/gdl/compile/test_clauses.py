"""Rules to clauses: `or`, `not` and `distinct` are translated, and unsafe rules get a meaning."""

from __future__ import annotations

import clingo
import pytest

from gdl import parse_sheet
from gdl.compile.clauses import Auxiliaries, Clause, Differs, Holds, clauses
from gdl.compile.ground import asp_program
from gdl.language.errors import GdlRuleError
from gdl.machines.reference import ReferenceMachine


def printed(text: str) -> list[str]:
    """Translate rules and print the clauses."""
    return [show(clause) for clause in clauses(parse_sheet(text), Auxiliaries())]


def show(clause: Clause) -> str:
    parts = []
    for condition in clause.body:
        match condition:
            case Holds(sentence=sentence, negated=negated):
                parts.append(f"{'not ' if negated else ''}{sentence}")
            case Differs(left=left, right=right, negated=negated):
                parts.append(f"{left} {'=' if negated else '!='} {right}")
    return f"{clause.head} :- {', '.join(parts)}" if parts else str(clause.head)


def derived(text: str, name: str) -> list[str]:
    """Return the arguments for which a relation with one argument holds, derived by clingo."""
    program = asp_program(clauses(parse_sheet(text), Auxiliaries()))
    control = clingo.Control(["-Wnone"])
    control.add("base", [], program.text)
    control.ground([("base", [])])
    relation = f"pk{program.constants.index(name)}"
    return sorted(
        program.constants[int(str(atom.symbol.arguments[0])[1:])]
        for atom in control.symbolic_atoms
        if atom.symbol.name == relation and atom.is_fact
    )


FACTS = "(cell a) (cell b) (cell c) (red a) (big a) (big b) (edge a b) (edge b c) "


def holds(body: str) -> list[str]:
    """Return the ?x for which formulas hold; clingo and the reference interpreter must agree."""
    rule = f"(<= (found ?x) (cell ?x) {body})"
    answer = derived(FACTS + rule, "found")
    machine = ReferenceMachine(parse_sheet(f"(role r) {FACTS} {rule} (<= (legal r ?x) (found ?x))"))
    assert machine.legal(machine.initial(), "r") == answer
    return answer


def test_facts_and_conjunctions_stay() -> None:
    assert printed("(p a) (<= (q ?x) (p ?x) (and (r ?x) (and s)))") == ["(p a)", "(q ?x) :- (p ?x), (r ?x), s"]
    assert printed("(<= (p ?x) (q ?x) (r ?x) (q ?x))") == ["(p ?x) :- (q ?x), (r ?x)"]


def test_or_becomes_one_clause_a_case() -> None:
    assert printed("(<= (p ?x) (or (q ?x) (and (r ?x) s)) t)") == ["(p ?x) :- (q ?x), t", "(p ?x) :- (r ?x), s, t"]
    assert len(printed("(<= p (or a b) (or c d) (or (or e f) g))")) == 2 * 2 * 3
    assert printed("(<= p (or a a))") == ["p :- a", "p :- a"]


def test_not_goes_inward() -> None:
    assert printed("(<= p (not (not q)))") == ["p :- q"]
    assert printed("(<= p (not (or q (not r))))") == ["p :- not q, r"]
    assert printed("(<= p (not (and q r)))") == ["p :- not q", "p :- not r"]
    assert printed("(<= p (not (or (and a b) c)))") == ["p :- not a, not c", "p :- not b, not c"]


def test_distinct_and_equality() -> None:
    assert printed("(<= (p ?x ?y) (q ?x ?y) (distinct ?x ?y))") == ["(p ?x ?y) :- (q ?x ?y), ?x != ?y"]
    assert printed("(<= (p ?x ?y) (q ?x) (r ?y) (not (distinct ?x ?y)))") == ["(p ?y ?y) :- (q ?y), (r ?y)"]
    assert printed("(<= (p ?x) (q ?x) (not (distinct (f a) ?x)))") == ["(p (f a)) :- (q (f a))"]
    assert printed("(<= (p ?x) (q ?x ?y) (not (or (distinct ?x a) (distinct ?y (f ?x)))))") == ["(p a) :- (q a (f a))"]
    assert printed("(<= p (not (distinct a b)))") == ["p :- a = b"]


@pytest.mark.parametrize(
    ("body", "answer"),
    [
        ("(not (red ?x))", "bc"),
        ("(not (not (red ?x)))", "a"),
        ("(not (not (not (red ?x))))", "bc"),
        ("(or (red ?x) (not (big ?x)))", "ac"),
        ("(not (or (red ?x) (not (big ?x))))", "b"),
        ("(not (and (big ?x) (not (red ?x))))", "ac"),
        ("(or (red ?x) (and (big ?x) (or (red b) (edge ?x c))))", "ab"),
        ("(distinct ?x b)", "ac"),
        ("(not (distinct ?x b))", "b"),
        ("(not (or (distinct ?x b) (red ?x)))", "b"),
        ("(not (and (distinct ?x b) (distinct ?x c)))", "bc"),
        ("(edge ?x ?y) (not (distinct ?y c))", "b"),
        # Variables that occur only in a negation: no instance holds.
        ("(not (edge ?x ?y))", "c"),
        ("(not (edge ?y ?z))", ""),
        ("(not (not (edge ?x ?y)))", "ab"),
        ("(not (or (edge ?x ?y) (edge ?y ?x)))", ""),
        ("(not (or (red ?x) (edge ?x ?y)))", "c"),
        ("(not (and (edge ?x ?y) (red ?y)))", "abc"),
        ("(not (and (edge ?x ?y) (big ?y)))", "bc"),
        ("(not (and (edge ?x ?y) (not (big ?y))))", "ac"),
        ("(not (and (red ?y) (distinct ?x ?y)))", "a"),
        ("(not (and (big ?y) (or (edge ?x ?y) (edge ?y ?x))))", ""),
        ("(not (and (red ?y) (or (edge ?x ?y) (edge ?y ?x))))", "ac"),
        ("(not (and (edge ?x ?y) (not (and (edge ?y ?z) (cell ?z)))))", "ac"),
        ("(not (edge ?y ?x)) (not (edge ?x ?y))", ""),
        ("(or (not (edge ?x ?y)) (red ?x))", "ac"),
        # A distinct with an unbound variable holds.
        ("(distinct ?x ?y)", "abc"),
        ("(distinct ?y c) (red ?x)", "a"),
    ],
)
def test_meaning(body: str, answer: str) -> None:
    assert holds(body) == list(answer)


def test_heads_with_unbound_variables_derive_nothing() -> None:
    assert printed("(<= (p ?x) q) (<= (p ?x) (not (q ?x))) (<= (p ?x) (or (q ?x) r)) (p ?x)") == ["(p ?x) :- (q ?x)"]


@pytest.mark.parametrize("head", ["(true x)", "(does r x)", "(TRUE x)"])
def test_state_and_moves_are_given(head: str) -> None:
    with pytest.raises(GdlRuleError, match=r"^game\.kif:2:2: '(true|does)' is given by the state and the moves"):
        clauses(parse_sheet(f"(role r)\n(<= {head} (p a))", source="game.kif"), Auxiliaries())


def test_an_or_that_grows_too_large_is_refused_by_place() -> None:
    parts = " ".join(f"(or (a{n}) (b{n}) (c{n}) (d{n}))" for n in range(7))
    with pytest.raises(GdlRuleError, match=r"^game\.kif:1:2: multiplying out the 'or' .* more than 10000 cases$"):
        clauses(parse_sheet(f"(<= p {parts})", source="game.kif"), Auxiliaries())
    negated = " ".join(f"(and (a{n}) (b{n}) (c{n}) (d{n}))" for n in range(7))
    with pytest.raises(GdlRuleError, match="more than 10000 cases"):
        clauses(parse_sheet(f"(<= p (not (or {negated})))"), Auxiliaries())
    fewer = " ".join(f"(or (a{n}) (b{n}) (c{n}) (d{n}))" for n in range(6))
    assert len(clauses(parse_sheet(f"(<= p {fewer})"), Auxiliaries())) == 4**6


def test_auxiliaries_are_shared_by_equal_bodies() -> None:
    found = printed("(<= p (not (q ?x))) (<= r (not (q ?y)))")
    assert found == ["auxiliary 0 :- (q ?x)", "p :- not auxiliary 0", "r :- not auxiliary 0"]

"""Clauses to a program for clingo.

Fluents and moves become choices: `{true(F)} :- init(F)`, `{true(F)} :- next(F)` and `{does(R,M)} :- legal(R,M)`,
so that grounding instantiates the rules for every fluent and move that play could reach; `base` and `input` are
not trusted. Constants are interned as `k0`, `k1`, ... in order of appearance.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ..language.terms import Compound, Term, Variable, arguments, relation
from .clauses import Clause, Condition, Holds

_OWN_RELATIONS = {
    ("role", 1),
    ("init", 1),
    ("true", 1),
    ("next", 1),
    ("legal", 2),
    ("does", 2),
    ("goal", 2),
    ("terminal", 0),
    ("sees", 2),
}
_WANTED = [("init", 1), ("next", 1), ("legal", 2), ("goal", 2), ("terminal", 0), ("sees", 2)]
_INPUTS = {("true", 1): [("init", 1), ("next", 1)], ("does", 2): [("legal", 2)]}
_CHOICES = """\
{true(F)} :- init(F).
{true(F)} :- next(F).
{does(R,M)} :- legal(R,M).
#defined true/1. #defined does/2. #defined init/1. #defined next/1. #defined legal/2. #defined sees/2.
#show.
"""


@dataclass(frozen=True, slots=True)
class AspProgram:
    """A program in clingo's language; its constant `k<i>` is `constants[i]` of the sheet."""

    text: str
    constants: tuple[str, ...]


def relevant(clauses: Sequence[Clause]) -> list[Clause]:
    """Keep the clauses on which states, legality, termination, goals or percepts can depend."""
    by_relation: dict[tuple[str, int], list[Clause]] = {}
    for clause in clauses:
        by_relation.setdefault(relation(clause.head), []).append(clause)
    needed: set[tuple[str, int]] = set()
    pending = list(_WANTED)
    while pending:
        wanted = pending.pop()
        if wanted in needed:
            continue
        needed.add(wanted)
        pending += _INPUTS.get(wanted, [])
        for clause in by_relation.get(wanted, []):
            pending += [relation(c.sentence) for c in clause.body if isinstance(c, Holds)]
    return [clause for clause in clauses if relation(clause.head) in needed]


def asp_program(clauses: Iterable[Clause]) -> AspProgram:
    """Print clauses in clingo's language."""
    printer = _Printer()
    lines = [printer.clause(clause) for clause in clauses]
    return AspProgram("\n".join(lines) + "\n" + _CHOICES, tuple(printer.numbers))


@dataclass(slots=True)
class _Printer:
    numbers: dict[str, int] = field(default_factory=dict)

    def constant(self, symbol: str) -> str:
        return f"k{self.numbers.setdefault(symbol, len(self.numbers))}"

    def term(self, term: Term, names: dict[Variable, str]) -> str:
        if isinstance(term, Variable):
            return names.setdefault(term, f"V{len(names)}")
        if isinstance(term, Compound):
            return f"{self.constant(term.name)}({','.join(self.term(t, names) for t in term.args)})"
        return self.constant(term)

    def sentence(self, sentence: Term, names: dict[Variable, str]) -> str:
        name, arity = relation(sentence)
        own = (name, arity) in _OWN_RELATIONS
        printed = name if own else "p" + self.constant(name)
        terms = ",".join(self.term(t, names) for t in arguments(sentence))
        return f"{printed}({terms})" if terms else printed

    def condition(self, condition: Condition, names: dict[Variable, str]) -> str:
        if isinstance(condition, Holds):
            return ("not " if condition.negated else "") + self.sentence(condition.sentence, names)
        sign = "=" if condition.negated else "!="
        return f"{self.term(condition.left, names)}{sign}{self.term(condition.right, names)}"

    def clause(self, clause: Clause) -> str:
        names: dict[Variable, str] = {}
        head = self.sentence(clause.head, names)
        if not clause.body:
            return head + "."
        return f"{head} :- {', '.join(self.condition(condition, names) for condition in clause.body)}."

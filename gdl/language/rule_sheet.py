"""Rules of a sheet: heads, bodies and their formulas, each with its position in the text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeAlias

from .terms import Spellings, Term, Variable, relation, to_kif, variables

# Relations with a predefined meaning and the number of their arguments (GDL specification, 2008; GDL-II, 2010;
# `percept` declares the possible percepts, as `base` and `input` declare fluents and moves).
KEYWORD_ARITIES = {
    "role": 1,
    "init": 1,
    "true": 1,
    "next": 1,
    "base": 1,
    "input": 2,
    "legal": 2,
    "does": 2,
    "goal": 2,
    "terminal": 0,
    "sees": 2,
    "percept": 2,
    "random": 0,
}


class Position(NamedTuple):
    """A place in a text; lines and columns count from 1."""

    line: int
    column: int


NOWHERE = Position(0, 0)


@dataclass(frozen=True, slots=True)
class Literal:
    """A formula: this sentence holds."""

    sentence: Term
    position: Position = field(default=NOWHERE, compare=False)

    def __str__(self) -> str:
        return to_kif(self.sentence)


@dataclass(frozen=True, slots=True)
class Negation:
    """A formula: the inner formula does not hold (negation as failure)."""

    formula: Formula
    position: Position = field(default=NOWHERE, compare=False)

    def __str__(self) -> str:
        return f"(not {self.formula})"


@dataclass(frozen=True, slots=True)
class Disjunction:
    """A formula: at least one of these holds."""

    formulas: tuple[Formula, ...]
    position: Position = field(default=NOWHERE, compare=False)

    def __str__(self) -> str:
        return f"({' '.join(['or', *map(str, self.formulas)])})"


@dataclass(frozen=True, slots=True)
class Conjunction:
    """A formula: all of these hold."""

    formulas: tuple[Formula, ...]
    position: Position = field(default=NOWHERE, compare=False)

    def __str__(self) -> str:
        return f"({' '.join(['and', *map(str, self.formulas)])})"


@dataclass(frozen=True, slots=True)
class Distinct:
    """A formula: these two terms are different."""

    left: Term
    right: Term
    position: Position = field(default=NOWHERE, compare=False)

    def __str__(self) -> str:
        return f"(distinct {to_kif(self.left)} {to_kif(self.right)})"


Formula: TypeAlias = Literal | Negation | Disjunction | Conjunction | Distinct


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: the head holds if every formula of the body holds; a fact has an empty body."""

    head: Literal
    body: tuple[Formula, ...] = ()
    position: Position = field(default=NOWHERE, compare=False)

    def __str__(self) -> str:
        if not self.body:
            return str(self.head)
        return f"(<= {self.head} {' '.join(map(str, self.body))})"

    def atoms(self) -> Iterator[Literal | Distinct]:
        """Yield every literal and `distinct` of the body, also inside other formulas."""
        for formula in self.body:
            for atom, _ in signed_atoms(formula):
                yield atom

    def literals(self) -> Iterator[Literal]:
        """Yield every literal of the body, also inside other formulas."""
        yield from (atom for atom in self.atoms() if isinstance(atom, Literal))

    def terms(self) -> Iterator[Term]:
        """Yield the sentences of the head and of all literals, and both sides of every `distinct`."""
        yield self.head.sentence
        for formula in self.body:
            yield from terms(formula)

    def variables(self) -> Iterator[Variable]:
        """Yield the variables of the head and the body, with repetitions."""
        for term in self.terms():
            yield from variables(term)

    def with_atoms(self, changed: Callable[[Literal | Distinct], Formula]) -> Rule:
        """Return the rule with the head and each literal and `distinct` replaced by the result of `changed`."""
        head = changed(self.head)
        assert isinstance(head, Literal)
        return replace(self, head=head, body=tuple([with_atoms(formula, changed) for formula in self.body]))


@dataclass(frozen=True, slots=True)
class RuleSheet:
    """The rules of one game in the order of the text.

    `source` names the origin of the text (a path, or `<text>`) for messages. `spellings` is the table of symbols with
    which moves and fluents are read later.
    """

    rules: tuple[Rule, ...]
    spellings: Spellings = field(default_factory=Spellings, compare=False)
    source: str = field(default="<text>", compare=False)

    def roles(self) -> tuple[str, ...]:
        """Return the roles in the order of the sheet, as its `role` facts give them."""
        found: dict[str, None] = {}
        for rule in self.rules:
            if relation(rule.head.sentence) == ("role", 1) and not rule.body:
                found.setdefault(to_kif(rule.head.sentence.args[0]))  # type: ignore[union-attr]
        return tuple(found)

    def __str__(self) -> str:
        return "\n".join(map(str, self.rules)) + "\n"


def signed_atoms(formula: Formula, negated: bool = False) -> Iterator[tuple[Literal | Distinct, bool]]:
    """Yield every literal and `distinct` inside a formula, and whether it is inside an odd number of negations."""
    match formula:
        case Literal() | Distinct():
            yield formula, negated
        case Negation(formula=inner):
            yield from signed_atoms(inner, not negated)
        case Disjunction(formulas=parts) | Conjunction(formulas=parts):
            for part in parts:
                yield from signed_atoms(part, negated)


def signed_literals(formula: Formula) -> Iterator[tuple[Literal, bool]]:
    """Yield every literal inside a formula, and whether it is inside an odd number of negations."""
    for atom, negated in signed_atoms(formula):
        if isinstance(atom, Literal):
            yield atom, negated


def terms(formula: Formula) -> Iterator[Term]:
    """Yield the sentences of all literals inside a formula, and both sides of every `distinct`."""
    for atom, _ in signed_atoms(formula):
        if isinstance(atom, Literal):
            yield atom.sentence
        else:
            yield from (atom.left, atom.right)


def formula_variables(formula: Formula) -> Iterator[Variable]:
    """Yield the variables inside a formula, with repetitions."""
    for term in terms(formula):
        yield from variables(term)


def conjuncts(formula: Formula) -> Iterator[Formula]:
    """Yield the parts of nested conjunctions, or the formula itself if it is not a conjunction."""
    if isinstance(formula, Conjunction):
        for part in formula.formulas:
            yield from conjuncts(part)
    else:
        yield formula


def with_atoms(formula: Formula, changed: Callable[[Literal | Distinct], Formula]) -> Formula:
    """Return the formula with each literal and `distinct` replaced by the result of `changed`."""
    match formula:
        case Literal() | Distinct():
            return changed(formula)
        case Negation(formula=inner):
            return Negation(with_atoms(inner, changed), formula.position)
        case Disjunction(formulas=parts):
            return Disjunction(tuple([with_atoms(part, changed) for part in parts]), formula.position)
        case Conjunction(formulas=parts):
            return Conjunction(tuple([with_atoms(part, changed) for part in parts]), formula.position)


def has_variable(term: Term) -> bool:
    """Return whether a term contains a variable."""
    return next(variables(term), None) is not None

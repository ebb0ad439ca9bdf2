"""Rules prepared for direct evaluation: bodies as steps, in an order in which they can be evaluated.

Variables become columns of a row. Conjunctions are flattened. A `not` or `distinct`, or a disjunction that contains
one, waits until the formulas that bind its variables have been evaluated; positive literals stay in the order of the
text. Each step knows the columns that no later step reads, so that rows which differ only there are merged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import TypeAlias

from ..language.rule_sheet import (
    Conjunction,
    Disjunction,
    Distinct,
    Formula,
    Literal,
    Negation,
    Rule,
    conjuncts,
    formula_variables,
)
from ..language.terms import Compound, Term, Variable, arguments, relation
from .patterns import Pattern, Sentence


@dataclass(frozen=True, slots=True)
class Ask:
    """A literal to be asked; `forget` lists (in all steps) the columns that no later step reads."""

    source: Literal
    forget: tuple[int, ...]
    pattern: Sentence


@dataclass(frozen=True, slots=True)
class Either:
    """A disjunction: one body for each of its formulas."""

    forget: tuple[int, ...]
    bodies: tuple[Body, ...]


@dataclass(frozen=True, slots=True)
class Refute:
    """A negation: a body that must have no solution."""

    forget: tuple[int, ...]
    body: Body


@dataclass(frozen=True, slots=True)
class Differ:
    """Two terms that must not be the same."""

    forget: tuple[int, ...]
    left: Pattern
    right: Pattern


Step: TypeAlias = Ask | Either | Refute | Differ
Body: TypeAlias = tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class CompiledRule:
    """A rule whose variables have become columns of a row."""

    head: Sentence
    body: Body
    columns: int
    source: Rule


def compile_term(term: Term, columns: dict[Variable, int]) -> Pattern:
    """Turn a term into a pattern; variables that are not in `columns` are added with the next free column.

    >>> compile_term(Compound("s", (Variable("x"), "0")), {})
    ('s', 0, '0')
    """
    if isinstance(term, Compound):
        return (term.name, *(compile_term(argument, columns) for argument in term.args))
    return columns.setdefault(term, len(columns)) if isinstance(term, Variable) else term


def _compile_sentence(sentence: Term, columns: dict[Variable, int]) -> Sentence:
    return (relation(sentence)[0], *(compile_term(argument, columns) for argument in arguments(sentence)))


def compile_rule(rule: Rule) -> CompiledRule:
    """Assign columns to the variables of a rule, and order its body."""
    columns: dict[Variable, int] = {}
    head = _compile_sentence(rule.head.sentence, columns)
    body = _compile_body(rule.body, columns, set(columns))
    return CompiledRule(head, body, len(columns), rule)


def _compile_body(formulas: Iterable[Formula], columns: dict[Variable, int], read_after: set[Variable]) -> Body:
    """Compile the formulas of a conjunction; `read_after` is changed during the call and restored at the end."""
    steps: list[Step] = []
    added: set[Variable] = set()
    for formula in reversed(_order(list(formulas))):
        inside = set(formula_variables(formula)) - read_after
        forget = tuple(columns.setdefault(variable, len(columns)) for variable in sorted(inside, key=str))
        match formula:
            case Literal(sentence=sentence):
                steps.append(Ask(formula, forget, _compile_sentence(sentence, columns)))
            case Disjunction(formulas=parts):
                bodies = tuple(_compile_body([part], columns, read_after) for part in parts)
                steps.append(Either(forget, bodies))
            case Negation(formula=inner):
                steps.append(Refute(forget, _compile_body([inner], columns, set())))
            case Distinct(left=left, right=right):
                left_term, right_term = compile_term(left, columns), compile_term(right, columns)
                steps.append(Differ(forget, left_term, right_term))
        read_after |= inside
        added |= inside
    read_after -= added
    return tuple(reversed(steps))


def _order(formulas: list[Formula]) -> list[Formula]:
    """Flatten conjunctions, and let each formula wait for the formulas that bind its variables.

    The next formula is the first one whose variables are bound, or cannot be bound by other formulas; else the first of
    all. The time is linear in the length of the formulas, except for a logarithm.
    """
    waiting = [part for formula in formulas for part in conjuncts(formula)]
    givers: dict[Variable, set[int]] = {}
    for place, formula in enumerate(waiting):
        for variable in _gives(formula):
            givers.setdefault(variable, set()).add(place)
    missing: list[set[Variable]] = []
    missed_by: dict[Variable, set[int]] = {}
    for place, formula in enumerate(waiting):
        missing.append({v for v in _needs(formula) if len(of := givers.get(v, ())) > (place in of)})
        for variable in missing[place]:
            missed_by.setdefault(variable, set()).add(place)
    ready = [place for place, variables in enumerate(missing) if not variables]  # sorted, and so a heap
    first, taken = 0, [False] * len(waiting)
    ordered: list[Formula] = []

    def no_longer_missed(variable: Variable, places: Iterable[int]) -> None:
        for place in places:
            missed_by[variable].discard(place)
            missing[place].discard(variable)
            if not missing[place] and not taken[place]:
                heappush(ready, place)

    while len(ordered) < len(waiting):
        while taken[first]:
            first += 1
        place = heappop(ready) if ready else first
        taken[place] = True
        formula = waiting[place]
        ordered.append(formula)
        for variable in _binds(formula):
            no_longer_missed(variable, list(missed_by.get(variable, ())))
        for variable in _gives(formula):
            left = givers[variable]
            left.discard(place)
            if len(left) < 2:
                no_longer_missed(variable, [p for p in missed_by.get(variable, ()) if left <= {p}])
    return ordered


def _gives(formula: Formula) -> set[Variable]:
    """Return the variables that a formula may bind."""
    match formula:
        case Literal():
            return set(formula_variables(formula))
        case Disjunction(formulas=parts) | Conjunction(formulas=parts):
            return set().union(*map(_gives, parts))
        case Negation() | Distinct():
            return set()


def _binds(formula: Formula) -> set[Variable]:
    """Return the variables that a formula always binds: for a disjunction, variables that each part binds."""
    if isinstance(formula, Disjunction):
        return set.intersection(*map(_binds, formula.formulas)) if formula.formulas else set()
    if isinstance(formula, Conjunction):
        return set().union(*map(_binds, formula.formulas))
    return _gives(formula)


def _needs(formula: Formula) -> set[Variable]:
    """Return the variables that should be bound before a formula is evaluated, if another formula binds them."""
    match formula:
        case Literal():
            return set()
        case Negation() | Distinct():
            return set(formula_variables(formula))
        case Disjunction(formulas=parts):
            return set().union(*map(_needs, parts))
        case Conjunction(formulas=parts):
            return set().union(*map(_needs, parts)) - _gives(formula)


def asks(body: Body) -> Iterator[Ask]:
    """Yield the literals of a body, also inside disjunctions and negations."""
    for step in body:
        if isinstance(step, Ask):
            yield step
        for inner in step.bodies if isinstance(step, Either) else [step.body] if isinstance(step, Refute) else []:
            yield from asks(inner)

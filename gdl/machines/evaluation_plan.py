"""Rules prepared for direct evaluation: terms as patterns, and bodies as steps in an order of evaluation.

A compound term or a sentence is a tuple `(name, argument, ...)`, a symbol is a string, and a variable is an integer:
its column in a row of bindings, where None stands for unbound. A goal is a sentence whose variables are numbered from 0
in the order of their first occurrence.

Variables become columns of a row. Conjunctions are flattened. A `not` or `distinct`, or a disjunction that contains
one, waits until the formulas that bind its variables have been evaluated; positive literals stay in the order of the
text. Each step knows the columns that no later step reads, so that rows which differ only there are merged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import TypeAlias, cast

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

Pattern: TypeAlias = "str | int | tuple[Pattern, ...]"
Sentence: TypeAlias = tuple[Pattern, ...]
Row: TypeAlias = "list[Pattern | None]"


# Loops instead of `all` and `any`: generators in recursions would use the C stack too.


def is_ground(term: Pattern) -> bool:
    """Return whether a pattern contains no variable."""
    if type(term) is tuple:
        for part in term:  # noqa: SIM110
            if not is_ground(part):
                return False
        return True
    return type(term) is str


def instantiate(term: Pattern, row: Row, free: dict[int, int]) -> Pattern:
    """Replace variables by their values; unbound variables are numbered in order and stored in `free`."""
    if type(term) is str:
        return term
    if type(term) is int:
        value = row[term]
        return free.setdefault(term, len(free)) if value is None else value
    return tuple([instantiate(part, row, free) for part in cast(Sentence, term)])


def match_ground(pattern: Pattern, ground: Pattern, row: Row) -> bool:
    """Bind the variables of a pattern so that it becomes the ground term, if that is possible.

    >>> row = [None, "b"]
    >>> match_ground(("cell", 0, 1), ("cell", "a", "b"), row), row
    (True, ['a', 'b'])
    """
    if type(pattern) is int:
        value = row[pattern]
        if value is None:
            row[pattern] = ground
            return True
        return value == ground
    if type(pattern) is str:
        return pattern == ground
    pattern = cast(Sentence, pattern)
    if type(ground) is not tuple or len(pattern) != len(ground):
        return False
    for part, other in zip(pattern, ground, strict=True):  # noqa: SIM110
        if not match_ground(part, other, row):
            return False
    return True


def fits(goal: Sentence, answer: Sentence) -> bool:
    """Return whether a ground sentence is an instance of a goal."""
    return match_ground(goal, answer, [None] * _count(goal))


def _count(term: Pattern) -> int:
    """Count the variables of a goal."""
    if type(term) is int:
        return term + 1
    count = 0
    if type(term) is tuple:
        for part in term:
            count = max(count, _count(part))
    return count


def nesting(term: Pattern) -> int:
    """Return the depth of nested parentheses of a term.

    >>> nesting("a"), nesting(("f", "a")), nesting(("f", ("g", "a"), "b"))
    (0, 1, 2)
    """
    if type(term) is not tuple:
        return 0
    deepest = 0
    for part in term:
        if type(part) is tuple:
            deepest = max(deepest, nesting(part))
    return deepest + 1


def bind_head(head: Pattern, goal: Pattern, row: Row) -> bool:
    """Bind the variables of a head by the ground parts of a goal.

    Variables of the goal bind nothing, so the rule may find too many sentences; `fits` removes them.
    """
    if type(goal) is int:
        return True
    if type(head) is int:
        return not is_ground(goal) or match_ground(head, goal, row)
    if type(head) is str:
        return head == goal
    head = cast(Sentence, head)
    if type(goal) is not tuple or len(head) != len(goal):
        return False
    for part, other in zip(head, goal, strict=True):  # noqa: SIM110
        if not bind_head(part, other, row):
            return False
    return True


def print_ground(term: Pattern) -> str:
    """Print a ground term in canonical KIF.

    >>> print_ground(("mark", "1", ("s", "0")))
    '(mark 1 (s 0))'
    """
    return f"({' '.join(map(print_ground, term))})" if isinstance(term, tuple) else str(term)


class Facts:
    """Find ground sentences by any combination of known arguments."""

    def __init__(self, sentences: Iterable[Sentence]) -> None:
        self._all: dict[tuple[Pattern, ...], list[Sentence]] = {}
        self._indexes: dict[tuple[Pattern, ...], dict[Sentence, list[Sentence]]] = {}
        for sentence in sentences:
            self._all.setdefault((sentence[0], len(sentence)), []).append(sentence)

    def find(self, goal: Sentence) -> list[Sentence]:
        """List the sentences that match a goal."""
        key = goal[0], len(goal)
        sentences = self._all.get(key, [])
        known = _known_parts(goal)
        if not known or len(sentences) < 4:
            return [sentence for sentence in sentences if fits(goal, sentence)]
        places, values = tuple(place for place, _ in known), tuple(value for _, value in known)
        index = self._indexes.get((*key, *places))
        if index is None:
            index = self._indexes[(*key, *places)] = {}
            for sentence in sentences:
                parts = dict(_parts(sentence))
                if all(place in parts for place in places):
                    index.setdefault(tuple(parts[place] for place in places), []).append(sentence)
        return [sentence for sentence in index.get(values, ()) if fits(goal, sentence)]


def _parts(sentence: Sentence) -> Iterator[tuple[int, Pattern]]:
    """Number the arguments of a sentence; a fluent inside `true` counts as its name, its arity and its arguments."""
    if sentence[0] == "true" and isinstance(sentence[1], tuple):
        yield 0, len(sentence[1])
        yield from enumerate(sentence[1], start=1)
    else:
        yield from enumerate(sentence[1:], start=1)


def _known_parts(goal: Sentence) -> list[tuple[int, Pattern]]:
    return [(place, part) for place, part in _parts(goal) if place == 0 or is_ground(part)]


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

"""Rules to clauses: a head and a flat conjunction, safe, without `or` and without equalities.

A rule with disjunctions becomes one clause for each way to satisfy its body (disjunctive normal form).
Some sheets break the rules of safety. They get the meaning that public reasoners give them: a negation holds when no
instance of it holds, and a `distinct` with an unbound variable holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from ..language.errors import GdlRuleError
from ..language.playable import with_bound_roles
from ..language.rule_sheet import (
    Conjunction,
    Disjunction,
    Distinct,
    Formula,
    Literal,
    Negation,
    Rule,
    RuleSheet,
    conjuncts,
    formula_variables,
)
from ..language.terms import Compound, Term, Variable, relation, substitute, variables

# A body with nested `or` grows exponentially when it is multiplied out; rules beyond this limit are rejected.
MAX_CLAUSES_PER_RULE = 10_000


@dataclass(frozen=True, slots=True)
class Holds:
    """A condition: a sentence holds (or, if negated, does not)."""

    sentence: Term
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Differs:
    """A condition: two terms are different (or, if negated, equal)."""

    left: Term
    right: Term
    negated: bool = False


Condition: TypeAlias = Holds | Differs
Body: TypeAlias = tuple[Condition, ...]
Bindings: TypeAlias = dict[Variable, Term]


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause: the head holds if all conditions of the body hold."""

    head: Term
    body: Body = ()


class Auxiliaries:
    """Create auxiliary relations; the same variables and conditions get the same relation."""

    def __init__(self) -> None:
        self._sentences: dict[tuple[tuple[Term, ...], Body], str] = {}

    def sentence(self, over: Iterable[Variable], body: Body) -> tuple[Term, bool]:
        """Return a sentence over the given variables that stands for the body, and whether it is new."""
        terms = tuple(over)
        seen = dict.fromkeys([*terms, *(v for condition in body for v in condition_variables(condition))])
        numbers: Bindings = {variable: Variable(str(number)) for number, variable in enumerate(seen)}
        key = (tuple(numbers[term] for term in terms), tuple(substituted(condition, numbers) for condition in body))
        new = key not in self._sentences
        name = self._sentences.setdefault(key, f"auxiliary {len(self._sentences)}")
        return (Compound(name, terms) if terms else name), new


def clauses(sheet: RuleSheet, auxiliaries: Auxiliaries) -> list[Clause]:
    """Translate all rules of a sheet, in their order."""
    return [clause for _, clause in clauses_of_rules(sheet, auxiliaries)]


def clauses_of_rules(sheet: RuleSheet, auxiliaries: Auxiliaries) -> Iterator[tuple[Rule, Clause]]:
    """Yield the clauses of each rule, with the rule; errors as in `clauses`."""
    for rule, given in zip(with_bound_roles(sheet).rules, sheet.rules, strict=True):
        name, _ = relation(rule.head.sentence)
        if name in ("true", "does"):
            raise _error(rule, sheet, f"'{name}' is given by the state and the moves; no rule may derive it")
        body = _Body(rule, sheet, auxiliaries)
        for clause in body.extra:
            yield given, clause
        for alternative in body.alternatives:
            head, conditions = solve_equalities(rule.head.sentence, alternative)
            conditions, extra = _make_safe(conditions, auxiliaries)
            unbound = set(variables(head)) - bound_variables(conditions)
            if unbound:
                continue  # the game does not depend on this rule (`with_bound_roles`)
            for clause in (*extra, Clause(head, conditions)):
                yield given, clause


def condition_variables(condition: Condition) -> Iterator[Variable]:
    """Yield the variables of a condition, with repetitions."""
    if isinstance(condition, Holds):
        yield from variables(condition.sentence)
    else:
        yield from variables(condition.left)
        yield from variables(condition.right)


def substituted(condition: Condition, bindings: Bindings) -> Condition:
    """Replace variables in a condition by the terms they are bound to."""
    if isinstance(condition, Holds):
        return Holds(substitute(condition.sentence, bindings), condition.negated)
    return Differs(substitute(condition.left, bindings), substitute(condition.right, bindings), condition.negated)


def bound_variables(body: Iterable[Condition]) -> set[Variable]:
    """Return the variables that positive conditions bind."""
    return {
        variable
        for condition in body
        if isinstance(condition, Holds) and not condition.negated
        for variable in variables(condition.sentence)
    }


def _error(rule: Rule, sheet: RuleSheet, message: str) -> GdlRuleError:
    return GdlRuleError(message, source=sheet.source, position=rule.position)


@dataclass(frozen=True, slots=True)
class _Scope:
    """The context of a formula in a rule, or in a negation inside it, with everything that surrounds it."""

    bound: frozenset[Variable] = frozenset()  # always bound, by the head or a literal
    outside: frozenset[Variable] = frozenset()  # `bound`, and variables that some part of an `or` binds
    binders: tuple[Term, ...] = ()  # sentences that always hold here

    def within(self, formula: Formula, *heads: Term) -> _Scope:
        """Return the scope of the parts of a formula."""
        sentences = tuple(part.sentence for part in conjuncts(formula) if isinstance(part, Literal))
        bound = self.bound.union(*map(variables, (*heads, *sentences)))
        outside = self.outside.union(bound, _positive_variables(formula))
        return _Scope(bound, outside, (*self.binders, *sentences))


class _Body:
    """Multiply out the body of one rule; `extra` collects the auxiliary clauses."""

    def __init__(self, rule: Rule, sheet: RuleSheet, auxiliaries: Auxiliaries) -> None:
        self._rule = rule
        self._sheet = sheet
        self._auxiliaries = auxiliaries
        self.extra: list[Clause] = []
        body = Conjunction(rule.body)
        self.alternatives = self._multiply(body, _Scope().within(body, rule.head.sentence), negated=False)

    def _multiply(self, formula: Formula, scope: _Scope, *, negated: bool) -> list[list[Condition]]:
        """Return the conjunctions one of which must hold."""
        match formula:
            case Literal(sentence=sentence):
                return [[Holds(sentence, negated)]]
            case Distinct(left=left, right=right):
                return [[Differs(left, right, negated)]]
            case Negation(formula=inner) if negated and not scope.bound.issuperset(formula_variables(inner)):
                return [[Holds(projection)] for projection in self._projections(inner, scope)]
            case Negation(formula=inner):
                return self._multiply(inner, scope, negated=not negated)
            case Conjunction() if negated and not scope.bound.issuperset(formula_variables(formula)):
                return [[Holds(projection, negated=True) for projection in self._projections(formula, scope)]]
            case Disjunction(formulas=parts) | Conjunction(formulas=parts):
                lists = [self._multiply(part, scope, negated=negated) for part in parts]
                message = f"multiplying out the 'or' of this rule gives more than {MAX_CLAUSES_PER_RULE} cases"
                if isinstance(formula, Disjunction) != negated:
                    if sum(map(len, lists)) > MAX_CLAUSES_PER_RULE:
                        raise _error(self._rule, self._sheet, message)
                    return [alternative for one in lists for alternative in one]
                product: list[list[Condition]] = [[]]
                for one in lists:
                    if len(one) == 1:
                        for conjunction in product:
                            conjunction += one[0]
                        continue
                    if len(product) * len(one) > MAX_CLAUSES_PER_RULE:
                        raise _error(self._rule, self._sheet, message)
                    product = [[*before, *after] for before in product for after in one]
                return product

    def _projections(self, formula: Formula, scope: _Scope) -> list[Term]:
        """Return sentences, one of which holds when the formula holds for some values of its own variables."""
        over = [v for v in dict.fromkeys(formula_variables(formula)) if v in scope.outside]
        sentences = []
        for body in self._multiply(formula, scope.within(formula), negated=False):
            unbound = set(over) - bound_variables(body)
            binders = [Holds(sentence) for sentence in scope.binders if not unbound.isdisjoint(variables(sentence))]
            sentence, new = self._auxiliaries.sentence(over, (*body, *binders))
            if new:
                head, conditions = solve_equalities(sentence, [*body, *binders])
                conditions, extra = _make_safe(conditions, self._auxiliaries)
                self.extra += [*extra, Clause(head, conditions)]
            sentences.append(sentence)
        return sentences


def _positive_variables(formula: Formula) -> Iterator[Variable]:
    """Yield the variables of literals that are not negated."""
    match formula:
        case Literal(sentence=sentence):
            yield from variables(sentence)
        case Disjunction(formulas=parts) | Conjunction(formulas=parts):
            for part in parts:
                yield from _positive_variables(part)


def solve_equalities(head: Term, body: list[Condition]) -> tuple[Term, Body]:
    """Replace variables that `(not (distinct ?x t))` makes equal to terms, and drop repeated conditions."""
    pending = list(dict.fromkeys(body))
    while True:
        for condition in pending:
            if not (isinstance(condition, Differs) and condition.negated):
                continue
            left, right = condition.left, condition.right
            if not isinstance(left, Variable):
                left, right = right, left
            if isinstance(left, Variable) and left not in variables(right):
                pending.remove(condition)
                bindings: Bindings = {left: right}
                head = substitute(head, bindings)
                pending = list(dict.fromkeys([substituted(other, bindings) for other in pending]))
                break
        else:
            return head, tuple(pending)


def _make_safe(body: Body, auxiliaries: Auxiliaries) -> tuple[Body, list[Clause]]:
    """Give a meaning to negations and `distinct`s with unbound variables."""
    bound = bound_variables(body)
    safe: list[Condition] = []
    extra: list[Clause] = []
    for condition in body:
        loose = set(condition_variables(condition)) - bound
        if not loose:
            safe.append(condition)
        elif isinstance(condition, Holds):
            # No instance may hold: negate the projection to the variables that are bound.
            over = [v for v in dict.fromkeys(condition_variables(condition)) if v in bound]
            instance = (Holds(condition.sentence),)
            projection, new = auxiliaries.sentence(over, instance)
            if new:
                extra.append(Clause(projection, instance))
            safe.append(Holds(projection, negated=True))
    return tuple(safe), extra

"""Rule splitting: clauses that are cheaper to ground, with the same meaning.

A clause over variables V has up to |constants|^|V| instances. A variable that is not in the head can be projected away:
the conditions with this variable move to a clause of an auxiliary relation over their other variables, and a condition
of this relation replaces them. This is bucket elimination (Dechter, Artificial Intelligence 1999) over the variables of
a rule, as in the lpopt splitter (Bichler, Morak and Woltran, LOPSTR 2016).

Among all buckets (one variable with the variables that occur only together with it, or a connected component of
variables) the one whose clause has the fewest variables is taken first; of equal ones, the one that removes more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..language.terms import Term, Variable, arguments, relation, variables
from .clauses import Auxiliaries, Body, Clause, Condition, Holds, bound_variables, condition_variables

# The time to split grows with the third power of the variables. A clause with more variables stays as it is: the
# longest clause of the public sheets has half as many.
_MAX_VARIABLES = 60


def split(clauses: Sequence[Clause], auxiliaries: Auxiliaries) -> list[Clause]:
    """Split every clause while grounding becomes cheaper; auxiliary clauses come after the clauses that use them."""
    result: list[Clause] = []
    for clause in clauses:
        result += _split_clause(clause, auxiliaries)
    return result


@dataclass(frozen=True, slots=True)
class _Bucket:
    removed: frozenset[Variable]
    kept: tuple[Variable, ...]
    body: Body  # of the auxiliary clause
    rest: Body  # of the clause that is split, but for the auxiliary condition
    width: int  # variables of the auxiliary clause


def _split_clause(clause: Clause, auxiliaries: Auxiliaries) -> list[Clause]:
    head_variables = set(variables(clause.head))
    body = clause.body
    split_off: list[Clause] = []
    if len({variable for condition in body for variable in condition_variables(condition)}) > _MAX_VARIABLES:
        return [clause]
    while len(body) > 1:
        buckets = [
            bucket
            for removed in _candidates(body, head_variables)
            if (bucket := _bucket(body, removed, head_variables)) is not None
        ]
        if not buckets:
            break
        best = min(buckets, key=lambda bucket: (bucket.width, -len(bucket.removed), len(bucket.kept)))
        sentence, new = auxiliaries.sentence(best.kept, best.body)
        if new:
            split_off += _split_clause(Clause(sentence, best.body), auxiliaries)
        body = (*best.rest, Holds(sentence))
    return [Clause(clause.head, body), *split_off]


def _candidates(body: Body, head_variables: set[Variable]) -> list[frozenset[Variable]]:
    """Find sets of variables that could be projected away together."""
    conditions_of: dict[Variable, set[int]] = {}
    for index, condition in enumerate(body):
        for variable in condition_variables(condition):
            if variable not in head_variables:
                conditions_of.setdefault(variable, set()).add(index)
    found: dict[frozenset[Variable], None] = {}
    for conditions in conditions_of.values():
        found.setdefault(frozenset(v for v, others in conditions_of.items() if others <= conditions))
    left = set(conditions_of)
    while left:
        component = {left.pop()}
        frontier = set(component)
        while frontier:
            touched = set().union(*(conditions_of[variable] for variable in frontier))
            frontier = {v for v in left if conditions_of[v] & touched}
            left -= frontier
            component |= frontier
        found.setdefault(frozenset(component))
    # Sets are ordered by the first places of their variables, so that equal input gives equal output.
    place = {variable: number for number, variable in enumerate(conditions_of)}
    return sorted(found, key=lambda removed: sorted(place[variable] for variable in removed))


def _bucket(body: Body, removed: frozenset[Variable], head_variables: set[Variable]) -> _Bucket | None:
    """Form the bucket of some variables, or None if it would not help or not be safe."""
    inside = tuple(condition for condition in body if not removed.isdisjoint(condition_variables(condition)))
    rest = tuple(condition for condition in body if condition not in inside)
    scope = dict.fromkeys(variable for condition in inside for variable in condition_variables(condition))
    kept = tuple(variable for variable in scope if variable not in removed)
    everything = head_variables.union(*(condition_variables(condition) for condition in body))
    if len(scope) >= len(everything):
        return None
    if len(inside) < 2 and not kept and not rest:
        return None
    # A variable that only negative conditions of the bucket mention needs a binder; it is copied, so that the
    # rest of the clause stays safe as well.
    binders: list[Condition] = []
    for variable in kept:
        if variable in bound_variables((*inside, *binders)):
            continue
        choices = [
            condition
            for condition in rest
            if isinstance(condition, Holds)
            and not condition.negated
            and variable in variables(condition.sentence)
            and set(condition_variables(condition)) <= set(scope)
        ]
        if not choices:
            return None
        binders.append(min(choices, key=_cost_of_binder))
    if not head_variables.union(*map(condition_variables, rest)) <= bound_variables(rest) | set(kept):
        return None
    auxiliary_body = (*inside, *binders)
    if len(auxiliary_body) < 2 and len(rest) < 1:
        return None
    return _Bucket(removed, kept, auxiliary_body, rest, len(scope))


def _cost_of_binder(condition: Condition) -> tuple[int, bool]:
    """Rank binders: few variables first, and independent of state and moves before others."""
    assert isinstance(condition, Holds)
    sentence: Term = condition.sentence
    return len(set(variables(sentence))), relation(sentence)[0] in ("true", "does") and bool(arguments(sentence))

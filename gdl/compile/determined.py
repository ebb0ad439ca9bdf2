"""Clauses over values that the state determines, split condition by condition.

Some sheets express in one rule which role has filled a row of nine cells: nine conditions `true(cell ?row 1 ?v1)`,
`true(cell ?row 2 ?v2)`, ... and more on all of ?v1 .. ?v9 together. Such a rule has 9^9 instances, and rule splitting
does not help if every variable occurs with every other. But a cell has at most one value. With a functional dependency
from the other arguments of a fluent to one of them, a condition determines a variable. If D holds for at most one x,

    exists x: D(x) and A(x) and B(x)  =  (exists x: D(x) and A(x)) and (exists x: D(x) and B(x))

1. Dependencies of fluents: all fluents that differ in one argument only are in a group of which at most one holds in
   play. csrc/network/circuit/invariants.hpp proves such groups on the network of the rules without goals.
   Dependencies of relations that are given by facts, such as the successor of a number, are read from the facts.
2. A variable is determined if a positive condition has it at such a place, and the other variables of the condition
   occur in the head or are determined themselves. That condition defines it. Conditions that share an undetermined
   variable form a part. Each other condition is a part, too, and so is each defining condition that no part needs. Each
   part, with the conditions that define its variables, moves to an auxiliary relation over the variables of the head.
3. If the only part left is a condition of a relation that clauses define without recursion, it is unfolded: one clause
   for each of these clauses (Tamaki and Sato, ICLP 1984). The new clauses are split in turn.

The new clauses mean the same as before in all states that play can reach, but not in other states.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ..graphs import components
from ..language.parse import parse_term
from ..language.playable import require_playable
from ..language.rule_sheet import RuleSheet
from ..language.terms import Term, Variable, arguments, relation, variables
from .clauses import (
    Auxiliaries,
    Bindings,
    Body,
    Clause,
    Condition,
    Differs,
    Holds,
    bound_variables,
    clauses,
    condition_variables,
    solve_equalities,
    substituted,
)
from .ground import AspProgram, asp_program, relevant
from .split import split

# Clauses with fewer determined variables are cheap enough to stay as they are.
_MIN_DETERMINED = 4
# Limit of the clauses of a relation that is unfolded, and of all clauses made by unfolding.
_MAX_ALTERNATIVES = 100
_MAX_CLAUSES = 20_000

_TRUE = ("true", 1)
_INPUTS = {_TRUE, ("does", 2)}


@dataclass(frozen=True, slots=True)
class Place:
    """One argument of a fluent or relation, by its position."""

    fluent: bool
    name: str
    arity: int
    position: int


Dependencies: TypeAlias = frozenset[Place]  # arguments that the others of the same sentence determine


def dependencies_of_fluents(
    fluents: Sequence[str], always: Iterable[str], groups: Iterable[Sequence[int]]
) -> Dependencies:
    """Find the arguments of fluents that the others determine."""
    groups_of: list[set[int]] = [set() for _ in fluents]
    for number, group in enumerate(groups):
        for fluent in group:
            groups_of[fluent].add(number)
    places: dict[Place, dict[tuple[Term, ...], set[int]]] = {}
    refuted: set[Place] = set()
    for text, own in [*zip(fluents, groups_of, strict=True), *((text, set[int]()) for text in always)]:
        term = parse_term(text)
        values = arguments(term)
        for position in range(len(values)):
            place = Place(True, *relation(term), position)
            others = (*values[:position], *values[position + 1 :])
            known = places.setdefault(place, {})
            if others in known:
                known[others] = known[others] & own
                if not known[others]:
                    refuted.add(place)
            else:
                known[others] = own
    return frozenset(places.keys() - refuted)


def dependencies_of_facts(rules: Iterable[Clause]) -> Dependencies:
    """Find the arguments that the others determine in relations that are given by facts alone."""
    facts: dict[tuple[str, int], set[tuple[Term, ...]] | None] = {}
    for clause in rules:
        name = relation(clause.head)
        rows = facts.setdefault(name, set())
        if clause.body or any(True for _ in variables(clause.head)):
            facts[name] = None
        elif rows is not None:
            rows.add(arguments(clause.head))
    return frozenset(
        Place(False, name, arity, position)
        for (name, arity), rows in facts.items()
        if rows is not None and (name, arity) not in _INPUTS
        for position in range(arity)
        if len({(*row[:position], *row[position + 1 :]) for row in rows}) == len(rows)
    )


def take_apart(rules: Sequence[Clause], known: Dependencies, auxiliaries: Auxiliaries) -> list[Clause]:
    """Split clauses with determined variables; clauses of auxiliary relations come after their users."""
    apart = _Apart(rules, known | dependencies_of_facts(rules), auxiliaries)
    return [part for clause in rules for part in apart.of(clause)]


def to_asp_determined(known: Dependencies, sheet: RuleSheet) -> AspProgram:
    """Translate the rules on which play depends, split by determined variables and by `split`, for clingo."""
    require_playable(sheet)
    auxiliaries = Auxiliaries()
    apart = take_apart(clauses(sheet, auxiliaries), known, auxiliaries)
    return asp_program(relevant(split(apart, auxiliaries)))


class _Apart:
    def __init__(self, rules: Sequence[Clause], known: Dependencies, auxiliaries: Auxiliaries) -> None:
        self._known = known
        self._auxiliaries = auxiliaries
        self._definitions: dict[tuple[str, int], list[Clause]] = {}
        for clause in rules:
            self._definitions.setdefault(relation(clause.head), []).append(clause)
        uses = {
            name: {relation(c.sentence) for clause in definition for c in clause.body if isinstance(c, Holds)}
            for name, definition in self._definitions.items()
        }
        self._recursive = {
            name
            for component in components(uses)
            for name in component
            if len(component) > 1 or name in uses.get(name, ())
        }
        self._made = 0
        self._renamed = 0

    def of(self, clause: Clause) -> list[Clause]:
        """Return the clauses that replace a clause."""
        self._made += 1
        outer = set(variables(clause.head))
        definers = self._definers(clause.body, outer)
        if len(definers) < _MIN_DETERMINED:
            return [clause]
        parts = _parts(clause.body, definers, outer)
        if len(parts) == 1:
            return self._unfolded(clause, parts[0])
        body: list[Condition] = []
        extra: list[Clause] = []
        for part in parts:
            inside = _with_definers(clause.body, part, definers)
            if len(inside) == 1 and outer.issuperset(condition_variables(inside[0])):
                body.append(inside[0])
                continue
            needed = {variable for condition in inside for variable in condition_variables(condition)}
            if not needed <= bound_variables(inside):
                return [clause]
            over = [v for v in dict.fromkeys(variables(clause.head)) if v in needed]
            sentence, new = self._auxiliaries.sentence(over, inside)
            body.append(Holds(sentence))
            if new:
                extra += self.of(Clause(sentence, inside))
        return [Clause(clause.head, tuple(dict.fromkeys(body))), *extra]

    def _definers(self, body: Body, outer: set[Variable]) -> dict[Variable, Condition]:
        """Return the condition that defines each determined variable that is not in the head."""
        found: dict[Variable, Condition] = {}
        grows = True
        while grows:
            grows = False
            for condition in body:
                for variable, others in self._determines(condition):
                    if variable in outer or variable in found or not others <= outer | found.keys():
                        continue
                    found[variable] = condition
                    grows = True
        return found

    def _determines(self, condition: Condition) -> list[tuple[Variable, set[Variable]]]:
        """List the variables that a condition determines, each with the variables that must be known."""
        if not isinstance(condition, Holds) or condition.negated:
            return []
        fluent = relation(condition.sentence) == _TRUE
        sentence = arguments(condition.sentence)[0] if fluent else condition.sentence
        if isinstance(sentence, Variable):
            return []
        values = arguments(sentence)
        found = []
        for position, value in enumerate(values):
            if isinstance(value, Variable) and Place(fluent, *relation(sentence), position) in self._known:
                others = {v for other in (*values[:position], *values[position + 1 :]) for v in variables(other)}
                found.append((value, others))
        return found

    def _unfolded(self, clause: Clause, part: Body) -> list[Clause]:
        """Replace the only condition by the clauses of its relation, if that may help."""
        condition = part[0]
        if len(part) != 1 or not isinstance(condition, Holds) or condition.negated:
            return [clause]
        name = relation(condition.sentence)
        definition = self._definitions.get(name, [])
        wide = len(set(condition_variables(condition))) >= _MIN_DETERMINED
        if not wide or name in _INPUTS or name in self._recursive or not 0 < len(definition) <= _MAX_ALTERNATIVES:
            return [clause]
        if self._made + len(definition) > _MAX_CLAUSES:
            return [clause]
        rest = [other for other in clause.body if other != condition]
        result: list[Clause] = []
        for alternative in definition:
            bindings = self._fresh(alternative)
            renamed = [substituted(other, bindings) for other in alternative.body]
            head = substituted(Holds(alternative.head), bindings)
            assert isinstance(head, Holds)
            equal = [
                Differs(left, right, negated=True)
                for left, right in zip(arguments(condition.sentence), arguments(head.sentence), strict=True)
            ]
            solved = _without_trifles(*solve_equalities(clause.head, [*rest, *equal, *renamed]))
            if solved is not None:
                result += self.of(solved)
        return result

    def _fresh(self, clause: Clause) -> Bindings:
        """Return new names for the variables of a clause."""
        seen = dict.fromkeys([*variables(clause.head), *(v for c in clause.body for v in condition_variables(c))])
        bindings: Bindings = {}
        for variable in seen:
            self._renamed += 1
            bindings[variable] = Variable(f"unfolded {self._renamed}")
        return bindings


def _without_trifles(head: Term, body: Body) -> Clause | None:
    """Drop conditions that always hold; return None if a condition never holds."""
    kept = []
    for condition in body:
        if isinstance(condition, Differs) and not any(True for _ in condition_variables(condition)):
            if (condition.left == condition.right) != condition.negated:
                return None
            continue
        kept.append(condition)
    return Clause(head, tuple(kept))


def _parts(body: Body, definers: dict[Variable, Condition], outer: set[Variable]) -> list[Body]:
    """Divide the conditions: conditions that share an undetermined variable form one part."""
    defining = set(definers.values())
    parts: list[tuple[list[Condition], set[Variable]]] = []
    for condition in body:
        if condition in defining:
            continue
        open_variables = set(condition_variables(condition)) - outer - definers.keys()
        joined = ([condition], open_variables)
        for part in [part for part in parts if part[1] & open_variables]:
            parts.remove(part)
            joined = (part[0] + joined[0], part[1] | joined[1])
        parts.append(joined)
    result: list[Body] = [tuple(part) for part, _ in parts]
    used = {condition for part in result for condition in _with_definers(body, part, definers)}
    # In reverse order: later definitions need earlier ones.
    for definer in reversed(dict.fromkeys(definers.values())):
        if definer not in used:
            result.append((definer,))
            used.update(_with_definers(body, (definer,), definers))
    return result


def _with_definers(body: Body, part: Body, definers: dict[Variable, Condition]) -> Body:
    """Return a part with the conditions that define its variables, in the order of the body."""
    wanted = set(part)
    pending = list(part)
    while pending:
        for variable in condition_variables(pending.pop()):
            definer = definers.get(variable)
            if definer is not None and definer not in wanted:
                wanted.add(definer)
                pending.append(definer)
    return tuple(condition for condition in body if condition in wanted)

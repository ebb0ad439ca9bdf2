"""Magic sets: clauses that derive only what is needed, with the same answers (Bancilhon, Maier, Sagiv and Ullman,
PODS 1986; Beeri and Ramakrishnan, JLP 1991; under negation Balbin, Port, Ramamohanarao and Meenakshi, JLP 1991).

clingo instantiates a clause for all values that could make its body true, even if few of them are needed: a sheet that
counts stones by `(count ?square ?before ?after)` is grounded for every count before every square. Here a relation p
gets a guard, `p(x,y) :- asked_p(x), body`. `asked_p` holds for all values of the bound arguments with which a clause
can ask for p, starting from the fluents, moves, goals, percepts and termination of the game.

The asked values must depend on what can hold in some state, not on what holds in the present one: a guard that is not
a fact for clingo would be one more gate, and could close cycles through negation. Three layers:

1. Possible: `possible_p(x,y) :- asked_p(x), possible body without negations`, with `possible_true(F)` from the initial
   and the possible next fluents and `possible_does(R,M)` from the possible legal moves. It is derived from facts by
   clauses without negation, so clingo finds its atoms to be facts.
2. Asked: `asked_q(u) :- asked_p(x), possible conditions asked before q`. These atoms are facts as well.
3. The clauses themselves, with guards. clingo drops guards from what it emits, as it does with all facts: the ground
   program is a part of the one without guards, and stays stratified where that was. A negated condition asks for
   exactly the values that it is reached with; it does not stand in layers 1 and 2.

A relation that depends neither on the state nor on moves needs no copy in layer 1 if it holds the same without the
copy: if its definition contains no negation, or if it has no guard. It has no guard if it and all relations it depends
on are given by facts or have at most two arguments, because tables of pairs do not explode, and if no argument is
always bound. Negations of such relations may stand in layers 1 and 2, which makes these layers smaller.

Each relation has one guard, on the arguments that are bound in every condition that asks for it. It has no guard if
each of its clauses has a given condition (a fluent, a move, a relation without guard) with all variables of the head:
the relation is no larger than these conditions. The order of conditions is: first given conditions that are connected
with bound variables, then the relation with the fewest open arguments. Arguments such as `(s ?x)` do not count as bound
within a recursion, so that terms do not grow without end.

Guards have a cost: clingo finds every atom twice, and layers 1 and 2 are one recursion. If a clause asks with values
from several unconnected conditions there can even be more asked values than answers. So guards are used only for sheets
that cannot be grounded without them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ..graphs import components
from ..language.terms import Compound, Term, Variable, arguments, relation, variables
from .clauses import Auxiliaries, Body, Clause, Condition, Differs, Holds, condition_variables
from .ground import relevant
from .split import split

Relation: TypeAlias = tuple[str, int]

TRUE, DOES = ("true", 1), ("does", 2)
# Relations that a playing program asks for, with all arguments open.
_ROOTS: set[Relation] = {("init", 1), ("next", 1), ("legal", 2), ("goal", 2), ("terminal", 0), ("sees", 2), TRUE, DOES}
# A fluent or move is possible if one of these relations may hold.
_INPUTS = [(TRUE, ("init", 1)), (TRUE, ("next", 1)), (DOES, ("legal", 2))]
# Constant relations with at most this number of arguments need no guard.
_PAIR = 2


def magic(clauses: Sequence[Clause], auxiliaries: Auxiliaries) -> list[Clause]:
    """Add guards to relations, by the values that are needed."""
    return _Magic(relevant(clauses), auxiliaries).clauses()


@dataclass(frozen=True, slots=True)
class _Call:
    """A condition that asks for a guarded relation, and the conditions that are evaluated before it."""

    sentence: Term
    bound: frozenset[int]  # arguments
    before: Body


class _Magic:
    def __init__(self, clauses: Sequence[Clause], auxiliaries: Auxiliaries) -> None:
        self._clauses = clauses
        self._auxiliaries = auxiliaries
        self._definitions: dict[Relation, list[Clause]] = {}
        for clause in clauses:
            self._definitions.setdefault(relation(clause.head), []).append(clause)
        self._depends = {
            head: {relation(c.sentence) for clause in definition for c in clause.body if isinstance(c, Holds)}
            for head, definition in self._definitions.items()
        }
        # Components come after those they depend on.
        self._components = [frozenset(component) for component in components(self._depends)]
        self._component_of = {member: component for component in self._components for member in component}
        # The arguments that are bound whenever a relation is asked for; without such arguments it has no guard.
        self._bound = {head: frozenset(range(head[1])) for head in self._definitions if head not in _ROOTS}
        # Relations that depend neither on the state nor on moves: complete, or complete for the asked values.
        self._whole: set[Relation] = set()
        self._exact: set[Relation] = set()
        for component in self._components:
            if self._is_small(component):
                self._leave_whole(component)
            elif self._is_narrow(component):
                for member in component:
                    self._bound.pop(member, None)
        self._bind()
        # Relations without a guard are complete as well, and may bind more arguments than before.
        while unguarded := [component for component in self._components if self._is_unguarded(component)]:
            for component in unguarded:
                self._leave_whole(component)
            self._bind()
        for component in self._components:
            if self._is_exact(component):
                self._exact |= component

    # ---- which relations have guards

    def _outside(self, component: frozenset[Relation]) -> set[Relation]:
        return set().union(*(self._depends.get(member, ()) for member in component)) - component

    def _clauses_of(self, component: frozenset[Relation]) -> Iterator[Clause]:
        for member in component:
            yield from self._definitions.get(member, ())

    def _leave_whole(self, component: frozenset[Relation]) -> None:
        self._whole |= component
        for member in component:
            self._bound.pop(member, None)

    def _is_small(self, component: frozenset[Relation]) -> bool:
        """Return whether relations and all their dependencies are constant, and facts or tables of pairs."""
        if not component.isdisjoint((TRUE, DOES)) or not self._outside(component) <= self._whole:
            return False
        if not any(clause.body for clause in self._clauses_of(component)):
            return True
        heads = [arguments(clause.head) for clause in self._clauses_of(component)]
        return all(len(head) <= _PAIR and not any(isinstance(term, Compound) for term in head) for head in heads)

    def _is_narrow(self, component: frozenset[Relation]) -> bool:
        """Return whether in every clause of the relations one given condition has all variables of the head."""
        return all(
            not any(True for _ in variables(clause.head))
            or any(
                isinstance(condition, Holds)
                and not condition.negated
                and relation(condition.sentence) not in self._bound
                and set(variables(clause.head)) <= set(variables(condition.sentence))
                for condition in clause.body
            )
            for clause in self._clauses_of(component)
        )

    def _is_unguarded(self, component: frozenset[Relation]) -> bool:
        """Return whether relations are constant, and neither they nor their dependencies have guards."""
        if (
            not component.isdisjoint((TRUE, DOES))
            or component <= self._whole
            or not self._outside(component) <= self._whole
        ):
            return False
        return not any(self._bound.get(member) for member in component)

    def _is_exact(self, component: frozenset[Relation]) -> bool:
        """Return whether relations are constant and without negation."""
        if not component.isdisjoint((TRUE, DOES)) or not self._outside(component) <= self._whole | self._exact:
            return False
        conditions = (condition for clause in self._clauses_of(component) for condition in clause.body)
        return all(isinstance(c, Differs) or not c.negated or relation(c.sentence) in self._whole for c in conditions)

    def _bind(self) -> None:
        """Keep the arguments that are bound in all conditions that ask for a relation."""
        changed = True
        while changed:
            changed = False
            for clause in self._clauses:
                for call in self._calls(clause):
                    asked = relation(call.sentence)
                    if not self._bound[asked] <= call.bound:
                        self._bound[asked] &= call.bound
                        changed = True

    # ---- in which order the conditions of a clause are asked

    def _calls(self, clause: Clause) -> Iterator[_Call]:
        """Yield the conditions that ask for relations which may have guards, in the order in which they are asked."""
        head = relation(clause.head)
        terms = arguments(clause.head)
        known = set().union(*(variables(terms[place]) for place in self._bound.get(head, ())))
        waiting = [c for c in clause.body if isinstance(c, Holds) and not c.negated]
        tests = [c for c in clause.body if self._is_test(c)]
        before: list[Condition] = []
        while True:
            for test in [test for test in tests if known.issuperset(condition_variables(test))]:
                tests.remove(test)
                before.append(test)
            if not waiting:
                break
            chosen = min(waiting, key=lambda condition: self._urgency(condition, known))
            waiting.remove(chosen)
            if relation(chosen.sentence) in self._bound:
                yield self._call(chosen, head, known, before)
            before.append(Holds(self._possible(chosen.sentence)))
            known.update(variables(chosen.sentence))
        for condition in clause.body:
            if isinstance(condition, Holds) and condition.negated and relation(condition.sentence) in self._bound:
                yield self._call(condition, head, known, before)

    def _is_test(self, condition: Condition) -> bool:
        """Return whether a condition binds nothing and may be used in layers 1 and 2."""
        if isinstance(condition, Differs):
            return True
        return condition.negated and relation(condition.sentence) in self._whole

    def _urgency(self, condition: Holds, known: set[Variable]) -> tuple[int, int]:
        """Rank conditions: connected with known variables first, and given conditions before others."""
        terms = arguments(condition.sentence)
        connected = any(variable in known for variable in variables(condition.sentence))
        open_terms = sum(not known.issuperset(variables(term)) for term in terms)
        if relation(condition.sentence) not in self._bound:
            return (0 if connected or not open_terms else 2), 0
        return (1 if connected or not open_terms else 3), open_terms

    def _call(self, condition: Holds, head: Relation, known: set[Variable], before: list[Condition]) -> _Call:
        recursive = relation(condition.sentence) in self._component_of[head]
        bound = frozenset(
            place
            for place, term in enumerate(arguments(condition.sentence))
            if known.issuperset(variables(term))
            and not (recursive and isinstance(term, Compound) and any(True for _ in variables(term)))
        )
        return _Call(condition.sentence, bound, tuple(before))

    # ---- the clauses of the three layers

    def clauses(self) -> list[Clause]:
        """Return the clauses with their guards, and the clauses that define the guards."""
        guarded: list[Clause] = []
        possible: list[Clause] = []
        asked: list[Clause] = []
        for clause in self._clauses:
            guard = self._guard(clause.head)
            guarded.append(Clause(clause.head, (*guard, *clause.body)))
            if not self._is_known(relation(clause.head)):
                positive = [
                    Holds(self._possible(c.sentence)) for c in clause.body if isinstance(c, Holds) and not c.negated
                ]
                tests = filter(self._is_test, clause.body)
                possible.append(Clause(self._possible(clause.head), (*guard, *positive, *tests)))
            for call in self._calls(clause):
                body = (*guard, *call.before)
                asked += [Clause(question.sentence, body) for question in self._guard(call.sentence)]
        asked = [clause for clause in dict.fromkeys(asked) if Holds(clause.head) not in clause.body]
        return [*guarded, *possible, *self._inputs(), *split(asked, self._auxiliaries)]

    def _guard(self, sentence: Term) -> tuple[Holds, ...]:
        """Return the condition that a sentence is asked for; empty if its relation has no guard."""
        bound = self._bound.get(relation(sentence))
        if not bound:
            return ()
        name, arity = relation(sentence)
        terms = arguments(sentence)
        return (Holds(Compound(f"asked {name} {arity}", tuple(terms[place] for place in sorted(bound)))),)

    def _possible(self, sentence: Term) -> Term:
        """Return the sentence that holds if this one may hold in some state."""
        if self._is_known(relation(sentence)):
            return sentence
        name, terms = f"possible {relation(sentence)[0]}", arguments(sentence)
        return Compound(name, terms) if terms else name

    def _is_known(self, it: Relation) -> bool:
        """Return whether a relation may replace its copy in layer 1."""
        return it in self._whole or it in self._exact

    def _inputs(self) -> Iterator[Clause]:
        for chosen, source in _INPUTS:
            names = tuple(Variable(str(number)) for number in range(source[1]))
            yield Clause(
                self._possible(Compound(chosen[0], names)), (Holds(self._possible(Compound(source[0], names))),)
            )

"""Independent parts of a game: fluents and moves that interact only in the end, the goals and self-changing fluents.

Some fluents change by themselves, such as step counters and the role to move (`dependencies.runs_by_itself`). For each
move m, next_m(f) is the simplified next value of another fluent f if the role makes m, and next_0(f) if it makes no
move. Starting with single fluents, sets are merged until nothing changes:

    f and g        if next_m(f) depends on g;
    conditions     members of the conjunction legal(m): all fluents of one member; and a member with the sets on which m
                   acts, unless it is in one of them. A move *acts* on a set unless next_m(f) = f for all f in it, or
                   next_m(f) = next_0(f) for all f in it (such as lights that fade unless they are switched on);
    p and q        if some moves act on both, but not every action on p occurs with every action on q.

The resulting sets are independent: a move acts on one part, as on several boards, or combines any action on one part
with any action on another. Sets on which no move acts are not parts.

Literature: Guenther, Schiffel and Thielscher, "Factoring General Games", GIGA 2009; Hufschmitt, Vittaut and Mehat,
"Exploitation of Rule Syntax for Decomposition", 2016.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from operator import or_
from typing import TypeAlias

from .circuit import Circuit, UnservedError, bits
from .dependencies import Readers, conjuncts, fluents_below, runs_by_itself
from .formulas import FALSE, TRUE, Conjunctions
from .unrolling import evaluate, first_values

# Maximal number of gates to simplify, over all moves: about ten seconds.
MAX_GATES = 5_000_000

# If a move acts on more sets, they are merged at once, because their pairs are compared.
_MAX_SETS_OF_MOVE = 64


Effects: TypeAlias = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a game; fluents and moves are numbers."""

    fluents: tuple[int, ...]  # the fluents, ascending
    # The effect of each move on the part, if it has any: pairs of a fluent and the formula of its next value; equal
    # formulas have equal numbers.
    effects: dict[int, Effects]
    acting: frozenset[int]  # the moves that act on the part; the effect of other moves is the effect of making no move


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a game."""

    parts: tuple[Part, ...]  # the parts, in the order of their first fluents
    by_itself: int  # the fluents that change by themselves, as bits


def parts_of(circuit: Circuit) -> Parts:
    """Split a game into parts; a game that cannot be split has one part."""
    return _Division(circuit).parts()


class _Division:
    """Merge fluents until the sets are independent."""

    def __init__(self, circuit: Circuit) -> None:
        self._roles = circuit.roles
        self._by_itself = sum(1 << fluent for fluent in runs_by_itself(circuit))
        self._sets = _Sets(len(circuit.initial))
        below = fluents_below(circuit)
        self._conditions = [
            [list(bits(below[value] & ~self._by_itself)) for value, _ in conjuncts(circuit, legal)]
            for legal in circuit.legal
        ]
        effects = _Effects(circuit)
        self._idle = [self._others(effects.idle(role)) for role in range(max(circuit.roles, default=-1) + 1)]
        self._made = [self._others(effects.of(number)) for number in range(len(circuit.moves))]
        for made in self._made:
            for fluent, formula in made.items():
                self._sets.unite([fluent, *bits(effects.rests_on(formula) & ~self._by_itself)])
        for condition in (each for some in self._conditions for each in some):
            self._sets.unite(condition)

    def parts(self) -> Parts:
        """Merge sets that are not independent, and return the result."""
        while True:
            effects = [self._on_sets(made) for made in self._made]
            idle = [self._on_sets(made) for made in self._idle]
            acting = [
                {first: effect for first, effect in some.items() if effect != idle[role].get(first)}
                for some, role in zip(effects, self._roles, strict=True)
            ]
            if not self._unite_conditions(acting) and not self._unite_dependent(acting):
                break
        members: dict[int, list[int]] = {first: [] for some in acting for first in some}
        for fluent in range(self._sets.size):
            if self._sets.first(fluent) in members:
                members[self._sets.first(fluent)].append(fluent)
        parts = [
            Part(
                tuple(members[first]),
                {number: some[first] for number, some in enumerate(effects) if first in some},
                frozenset(number for number, some in enumerate(acting) if first in some),
            )
            for first in sorted(members)
        ]
        return Parts(tuple(parts), self._by_itself)

    def _others(self, effects: dict[int, int]) -> dict[int, int]:
        return {fluent: formula for fluent, formula in effects.items() if not self._by_itself >> fluent & 1}

    def _on_sets(self, made: dict[int, int]) -> dict[int, Effects]:
        """Return the effect of a move on each set, by the first fluent of the set."""
        found: dict[int, list[tuple[int, int]]] = {}
        for effect in sorted(made.items()):
            found.setdefault(self._sets.first(effect[0]), []).append(effect)
        return {first: tuple(effects) for first, effects in found.items()}

    def _unite_conditions(self, acting: Sequence[dict[int, Effects]]) -> bool:
        """Merge the sets on which a move acts with its conditions elsewhere; return True if anything was merged."""
        found = False
        for some, conditions in zip(acting, self._conditions, strict=True):
            strange = [each[0] for each in conditions if each and self._sets.first(each[0]) not in some]
            if some and strange:
                self._sets.unite([*some, *strange])
                found = True
        return found

    def _unite_dependent(self, acting: Sequence[dict[int, Effects]]) -> bool:
        """Merge sets if an action on one excludes an action on the other; return True if anything was merged."""
        of_set: dict[int, set[tuple[int, Effects]]] = {}
        of_pair: dict[tuple[int, int], set[tuple[int, Effects, Effects]]] = {}
        for some, role in zip(acting, self._roles, strict=True):
            for first, effect in some.items():
                of_set.setdefault(first, set()).add((role, effect))
            if len(some) > _MAX_SETS_OF_MOVE:
                self._sets.unite(list(some))
                return True
            for one, other in combinations(sorted(some), 2):
                of_pair.setdefault((one, other), set()).add((role, some[one], some[other]))
        found = False
        for (one, other), together in of_pair.items():
            roles = {role for role, *_ in together}
            every = sum(
                sum(each == role for each, _ in of_set[one]) * sum(each == role for each, _ in of_set[other])
                for role in roles
            )
            if len(together) < every:
                self._sets.unite([one, other])
                found = True
        return found


class _Sets:
    """Disjoint sets of fluents; the first fluent represents its set."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._parent = list(range(size))

    def first(self, fluent: int) -> int:
        """Return the first fluent of the set of a fluent."""
        parent = self._parent
        while parent[fluent] != fluent:
            parent[fluent] = parent[parent[fluent]]
            fluent = parent[fluent]
        return fluent

    def unite(self, fluents: Sequence[int]) -> None:
        """Merge the sets of some fluents."""
        firsts = {self.first(fluent) for fluent in fluents}
        for fluent in firsts:
            self._parent[fluent] = min(firsts)


class _Effects:
    """The effects of moves, as formulas over the fluents and the moves of other roles."""

    def __init__(self, circuit: Circuit) -> None:
        self._circuit = circuit
        self._formulas = _Supports()
        self._fluents = [self._formulas.new(1 << fluent) for fluent in range(len(circuit.initial))]
        self._a_move = 1 << len(circuit.initial)
        self._moves = [self._formulas.new(self._a_move) for _ in circuit.moves]
        self._gates = circuit.needed([value for value, _ in circuit.following])
        self._readers = Readers(self._gates)
        self._no_move: dict[int, list[int]] = {}
        self._looks = 0

    def of(self, number: int) -> dict[int, int]:
        """Return the fluents that a move changes, with the formulas of their next values."""
        values = self._without_move(self._circuit.roles[number])
        move = self._circuit.moves[number]
        cone = self._readers.cone(move)
        self._looks += len(cone)
        if self._looks > MAX_GATES:
            raise UnservedError(f"its moves need the simplification of more than {MAX_GATES:,} gates")
        before = [values[gate.value] for gate in cone]
        values[move] = TRUE
        evaluate(cone, values, self._formulas)
        made = self._following(values)
        values[move] = FALSE
        for gate, value in zip(cone, before, strict=True):
            values[gate.value] = value
        return made

    def idle(self, role: int) -> dict[int, int]:
        """Return the fluents that change if a role makes no move, with the formulas of their next values."""
        return self._following(self._without_move(role))

    def rests_on(self, formula: int) -> int:
        """Return the fluents on which a formula depends, as bits."""
        return self._formulas.rests_on(formula) & ~self._a_move

    def _following(self, values: Sequence[int]) -> dict[int, int]:
        following = self._circuit.following
        made = [-values[value] if complemented else values[value] for value, complemented in following]
        return {fluent: formula for fluent, formula in enumerate(made) if formula != self._fluents[fluent]}

    def _without_move(self, role: int) -> list[int]:
        """Return all values if a role makes no move, and the others any move."""
        if role not in self._no_move:
            circuit = self._circuit
            values = first_values(circuit, self._fluents)
            for value, atom, other in zip(circuit.moves, self._moves, circuit.roles, strict=True):
                values[value] = FALSE if other == role else atom
            evaluate(self._gates, values, self._formulas)
            self._no_move[role] = values
        return self._no_move[role]


class _Supports(Conjunctions):
    """Formulas with the set of fluents on which they depend, as bits."""

    def __init__(self) -> None:
        super().__init__()
        self._words = [0]

    def new(self, word: int) -> int:
        """Return a new atom with these dependencies."""
        self._words.append(word)
        return len(self._words) - 1

    def rests_on(self, literal: int) -> int:
        """Return the dependencies of a literal; 0 for constants."""
        return 0 if literal in (TRUE, FALSE) else self._words[abs(literal)]

    def _atom(self, literals: Sequence[int]) -> int:
        return self.new(reduce(or_, map(self.rests_on, literals)))

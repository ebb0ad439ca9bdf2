"""Independent parts of a game: fluents and moves that meet in nothing but the end, the goals and what runs by itself.

Fluents run by themselves as counters of steps do, and whose turn it is (`dependencies.runs_by_itself`). For each move
m, next_m(f) is the next value of another fluent f where the role makes m, simplified, and next_0(f) where it makes
none. Beginning with single fluents, sets are united until nothing changes:

    f and g        where next_m(f) rests on g;
    conditions     the members of the conjunction legal(m): all fluents of one; and a condition with what m acts on,
                   where that is nothing of the set of the condition. A move *acts* on a set unless next_m(f) = f for
                   all f in it, or next_m(f) = next_0(f) for all, as where lights fade that are not switched on;
    p and q        where moves act on both, but not every act on p goes with every act on q.

What is left is independent: moves act on one part each, as on boards that are played in turn, or do to several whatever
may be done to each. Sets that no move acts on are no parts.

Taking games apart: Guenther, Schiffel and Thielscher, "Factoring General Games", GIGA 2009; Hufschmitt, Vittaut and
Mehat, "Exploitation of Rule Syntax for Decomposition", 2016.
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

# Gates that may be simplified, over all moves: some ten seconds.
MAX_GATES = 5_000_000

# Sets that a move may act on before they are united; their pairs are looked at.
_MOST_TOGETHER = 64


Effects: TypeAlias = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a game; fluents and moves by number.

    Attributes:
        fluents: ascending.
        effects: for each move what it does to the part, if anything: pairs of a fluent and the formula of its next
            value; equal formulas have equal numbers.
        acting: the moves that act on the part; the others, where they do something, do what happens without a move.
    """

    fluents: tuple[int, ...]
    effects: dict[int, Effects]
    acting: frozenset[int]


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a game.

    Attributes:
        parts: the one with the first fluent first.
        by_itself: the fluents that run by themselves, as a word.
    """

    parts: tuple[Part, ...]
    by_itself: int


def parts_of(circuit: Circuit) -> Parts:
    """Take a game apart; a game of one part comes back whole.

    Raises:
        UnservedError: it has too many moves and gates.
    """
    return _Division(circuit).parts()


class _Division:
    """Unite fluents until the sets are independent."""

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
        """Unite what is not independent, and return what is left."""
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
        """Return what a move does to each set of fluents, which is known by its first."""
        found: dict[int, list[tuple[int, int]]] = {}
        for effect in sorted(made.items()):
            found.setdefault(self._sets.first(effect[0]), []).append(effect)
        return {first: tuple(effects) for first, effects in found.items()}

    def _unite_conditions(self, acting: Sequence[dict[int, Effects]]) -> bool:
        """Unite what each move acts on with its conditions elsewhere; tell whether there were any."""
        found = False
        for some, conditions in zip(acting, self._conditions, strict=True):
            strange = [each[0] for each in conditions if each and self._sets.first(each[0]) not in some]
            if some and strange:
                self._sets.unite([*some, *strange])
                found = True
        return found

    def _unite_dependent(self, acting: Sequence[dict[int, Effects]]) -> bool:
        """Unite sets where an act on one excludes some on another; tell whether there were any."""
        of_set: dict[int, set[tuple[int, Effects]]] = {}
        of_pair: dict[tuple[int, int], set[tuple[int, Effects, Effects]]] = {}
        for some, role in zip(acting, self._roles, strict=True):
            for first, effect in some.items():
                of_set.setdefault(first, set()).add((role, effect))
            if len(some) > _MOST_TOGETHER:
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
    """Disjoint sets of fluents, united step by step; each is known by its first fluent."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._parent = list(range(size))

    def first(self, fluent: int) -> int:
        """Return the first fluent of the set of one."""
        parent = self._parent
        while parent[fluent] != fluent:
            parent[fluent] = parent[parent[fluent]]
            fluent = parent[fluent]
        return fluent

    def unite(self, fluents: Sequence[int]) -> None:
        """Make one set of the sets of some fluents."""
        firsts = {self.first(fluent) for fluent in fluents}
        for fluent in firsts:
            self._parent[fluent] = min(firsts)


class _Effects:
    """What moves do to fluents, as formulas over the fluents and the moves of other roles."""

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
        """Return the fluents that a move changes, each with the formula of its next value."""
        values = self._without_move(self._circuit.roles[number])
        move = self._circuit.moves[number]
        cone = self._readers.cone(move)
        self._looks += len(cone)
        if self._looks > MAX_GATES:
            raise UnservedError(f"its moves make more than {MAX_GATES:,} gates to be looked at")
        before = [values[gate.value] for gate in cone]
        values[move] = TRUE
        evaluate(cone, values, self._formulas)
        made = self._following(values)
        values[move] = FALSE
        for gate, value in zip(cone, before, strict=True):
            values[gate.value] = value
        return made

    def idle(self, role: int) -> dict[int, int]:
        """Return the same where a role makes no move."""
        return self._following(self._without_move(role))

    def rests_on(self, formula: int) -> int:
        """Return a word of the fluents that a formula rests on."""
        return self._formulas.rests_on(formula) & ~self._a_move

    def _following(self, values: Sequence[int]) -> dict[int, int]:
        following = self._circuit.following
        made = [-values[value] if complemented else values[value] for value, complemented in following]
        return {fluent: formula for fluent, formula in enumerate(made) if formula != self._fluents[fluent]}

    def _without_move(self, role: int) -> list[int]:
        """Return all values where a role makes no move, and the others any."""
        if role not in self._no_move:
            circuit = self._circuit
            values = first_values(circuit, self._fluents)
            for value, atom, other in zip(circuit.moves, self._moves, circuit.roles, strict=True):
                values[value] = FALSE if other == role else atom
            evaluate(self._gates, values, self._formulas)
            self._no_move[role] = values
        return self._no_move[role]


class _Supports(Conjunctions):
    """Formulas of which is known what they rest on, as a word."""

    def __init__(self) -> None:
        super().__init__()
        self._words = [0]

    def new(self, word: int) -> int:
        """Return a new atom that rests on this."""
        self._words.append(word)
        return len(self._words) - 1

    def rests_on(self, literal: int) -> int:
        """Return the word of a literal, 0 for the constants."""
        return 0 if literal in (TRUE, FALSE) else self._words[abs(literal)]

    def _atom(self, literals: Sequence[int]) -> int:
        return self.new(reduce(or_, map(self.rests_on, literals)))

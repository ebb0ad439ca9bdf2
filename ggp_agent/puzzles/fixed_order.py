"""Games in which the order of moves hardly matters, solved with the order fixed: sudoku, queens, hidato, nonogram.

Moves are put in groups of which one move can be made at most (`move_groups`). The groups are put in one order, and the
game becomes one pass through them: layer g makes a move of group g, or none, which leaves the state as it is.

    x(g+1) = next(x(g), m)  where a move m of group g is made,  x(g)  elsewhere;
    m may be made where x(g) is not terminal and m is legal in x(g);
    wanted: terminal(x) & goal v alone, after the last layer.

Only what a group touches leaves rules behind, so the program is small where one over time has thousands of choices for
every step. Every answer is a line of legal moves; that there is none says nothing about lines in other orders. Moves
that can be repeated come last, one layer each.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence

from .circuit import Circuit, UnservedError
from .formulas import FALSE, TRUE, Formulas
from .line import KnownGoal, Report
from .move_groups import MoveGroups, move_groups
from .solving import Solver
from .unrolling import MAX_RULES, evaluate, first_values, gate_literal, highest_goals

# Seconds for one question in the first round.
_BUDGET = 0.5


def in_fixed_order(circuit: Circuit, report: Report) -> None:
    """Look for the best line in a fixed order of the groups of moves.

    Raises:
        UnservedError: the moves make no such groups, or the program would become too large.
    """
    groups = move_groups(circuit)
    solver = Solver()
    layers = _Layers(circuit, solver.formulas)
    with solver.growing():
        layers.build(groups)
    above = [goal for goal, _ in reversed(circuit.goals) if goal > 0]
    ceiling = above[0] if above else 0
    budget = _BUDGET
    while above:
        undecided = []
        for goal in above:
            found, line = solver.ask(layers.ended[goal], budget, layers.line)
            if line is not None:
                moves = tuple(circuit.move_names[number] for number in line)
                report(KnownGoal(goal, moves, ceiling, f"{len(groups.families[0])} groups of moves"))
                break
            if found is None:
                undecided.append(goal)
        above = undecided
        budget *= 2


class _Layers:
    """Build the program layer by layer, evaluating anew only what a layer changes.

    Attributes:
        ended: for each goal the literal that the game ends with it after the last layer.
    """

    def __init__(self, circuit: Circuit, formulas: Formulas) -> None:
        self._circuit = circuit
        self._formulas = formulas
        self._gate_of = {gate.value: gate for gate in circuit.gates}
        self._readers: dict[int, list[int]] = {}
        for gate in circuit.gates:
            for value in {*gate.plain, *gate.complemented}:
                self._readers.setdefault(value, []).append(gate.value)
        self._moves: list[tuple[int, int]] = []
        self._values = first_values(circuit, [TRUE if holds else FALSE for holds in circuit.initial])
        evaluate(circuit.gates, self._values, formulas)
        self.ended: dict[int, int] = {}

    def build(self, groups: MoveGroups) -> None:
        """Add a layer for each group of moves of the first family, and what is wanted after the last.

        Raises:
            UnservedError: the program would become too large.
        """
        layers = [*groups.families[0], *((number,) for number in groups.repeatable)]
        for group in layers:
            self._add(group)
            if self._formulas.rules > MAX_RULES:
                raise UnservedError(f"the {len(layers)} groups of moves take more than {MAX_RULES:,} rules")
        for family in groups.families[1:]:
            self._add_counting(groups.families[0], family)
        terminal = self._values[self._circuit.terminal]
        highest = highest_goals(self._circuit, self._values, self._formulas)
        self.ended = {goal: self._formulas.conjunction([terminal, literal]) for goal, literal in highest.items()}

    def line(self, holds: Callable[[int], bool]) -> list[int]:
        """Read the moves from what holds in an answer."""
        return [number for number, literal in self._moves if holds(literal)]

    def _add(self, group: Sequence[int]) -> None:
        circuit, formulas, values = self._circuit, self._formulas, self._values
        on = -values[circuit.terminal]
        made = {}
        for number in group:
            literal = formulas.choice(formulas.conjunction([on, values[circuit.legal[number]]]))
            if literal != FALSE:
                made[number] = literal
        if not made:
            return
        formulas.at_most_one(list(made.values()))
        self._moves += made.items()
        still = self._following()
        self._set({circuit.moves[number]: literal for number, literal in made.items()})
        moved = self._following()
        any_made = formulas.disjunction(made.values())
        self._set({circuit.moves[number]: FALSE for number in made})
        changes = {}
        for fluent, without, with_move in zip(circuit.fluents, still, moved, strict=True):
            now = values[fluent]
            # Where it stays as it is while no move is made, what it becomes with a move serves for both.
            after = with_move if without == now else formulas.select(any_made, with_move, now)
            if after != now:
                changes[fluent] = after
        self._set(changes)

    def _add_counting(self, layers: Sequence[Sequence[int]], family: Sequence[Sequence[int]]) -> None:
        """Add what counting says: as many moves as there are groups in another family take one of each group.

        It follows from the rest, but solvers without this do not see it (the pigeonhole principle).
        """
        literal_of = dict(self._moves)
        possible = [[literal_of[number] for number in group if number in literal_of] for group in family]
        taken = [self._formulas.disjunction(literals) for literals in possible if literals]
        made = [
            self._formulas.disjunction([literal_of[number] for number in group if number in literal_of])
            for group in layers
        ]
        full = self._formulas.at_least(len(taken), [literal for literal in made if literal != FALSE])
        for literal in taken:
            self._formulas.forbid([full, -literal])

    def _following(self) -> list[int]:
        """Return the literals of the next state."""
        return [-self._values[value] if sign else self._values[value] for value, sign in self._circuit.following]

    def _set(self, inputs: dict[int, int]) -> None:
        """Give values new literals, and evaluate again what rests on those that change, in order."""
        waiting: list[int] = []
        seen: set[int] = set()

        def change(value: int, literal: int) -> None:
            if self._values[value] != literal:
                self._values[value] = literal
                for reader in self._readers.get(value, ()):
                    if reader not in seen:
                        seen.add(reader)
                        heapq.heappush(waiting, reader)

        for value, literal in inputs.items():
            change(value, literal)
        while waiting:
            gate = self._gate_of[heapq.heappop(waiting)]
            change(gate.value, gate_literal(gate, self._values, self._formulas))

"""Solve games in which the order of moves hardly matters, with a fixed order: sudoku, queens, hidato, nonogram.

The moves are partitioned into groups of which at most one move can be made (`move_groups`). The groups are put in an
order, and the game becomes one pass through them: layer g makes a move of group g, or no move, which keeps the state.

    x(g+1) = next(x(g), m)  if a move m of group g is made,  x(g)  otherwise;
    m may be made if x(g) is not terminal and m is legal in x(g);
    wanted: terminal(x) and exactly goal v, after the last layer.

Only the fluents that a group changes need new rules. So the program is small, while a program over time has thousands
of choices for every step. Every answer is a line of legal moves; if there is no answer, lines in other orders may
exist. Repeatable moves come last, one layer for each.
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

# CPU-seconds for one query in the first round.
_QUERY_SECONDS = 0.5


def in_fixed_order(circuit: Circuit, report: Report) -> None:
    """Search for the best line in a fixed order of the groups of moves."""
    groups = move_groups(circuit)
    solver = Solver()
    layers = _Layers(circuit, solver.formulas)
    with solver.growing():
        layers.build(groups)
    above = [goal for goal, _ in reversed(circuit.goals) if goal > 0]
    ceiling = above[0] if above else 0
    budget = _QUERY_SECONDS
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
    """Build the program layer by layer, and evaluate only the gates that a layer changes."""

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
        self.ended: dict[int, int] = {}  # the literal of each goal that the game ends with it after the last layer

    def build(self, groups: MoveGroups) -> None:
        """Add a layer for each group of the first family, then the conditions after the last layer."""
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
        """Return the moves of an answer."""
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
            # If the fluent does not change without a move, its value after a move is correct in both cases.
            after = with_move if without == now else formulas.select(any_made, with_move, now)
            if after != now:
                changes[fluent] = after
        self._set(changes)

    def _add_counting(self, layers: Sequence[Sequence[int]], family: Sequence[Sequence[int]]) -> None:
        """Add a counting constraint: with as many moves as groups of another family, every such group has a move.

        The constraint is implied, but solvers do not find it (the pigeonhole principle).
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
        """Set values to new literals, and evaluate the gates that depend on changed values, in order."""
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

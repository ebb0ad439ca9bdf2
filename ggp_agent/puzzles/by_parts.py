"""Solve a puzzle of independent parts (`parts`) part by part.

The condition of a goal, or one of its alternatives, is a conjunction. If each member depends on one part only, each of
these parts has its own target. A part with its target is a smaller puzzle: it has the fluents of the part and the
fluents that change by themselves, and of the moves that act on the part one of each effect and condition. A
breadth-first search finds its shortest line, or, if it has too many states, the planner finds some line. Then the lines
of the parts are merged. In each state a legal move is chosen that makes the next step of as many parts as possible, and
does nothing to the others. When all lines are finished, moves that do nothing to these parts follow until the game
ends.

The merged line is checked on the machine, so a plan whose parts disturb each other is not reported. Only the highest
goal is a proof.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl import NetworkMachine, RuleSheet, load_machine

from ..common.terminal_text import amount
from .breadth_first import clock_of
from .circuit import TRUE_VALUE, Circuit, Gate, UnservedError, after, bits, circuit_of
from .dependencies import Readers, conjuncts, disjuncts, fluents_below
from .line import KnownGoal, Report, goal_after
from .parts import Effects, Part, Parts, parts_of
from .planner import plan

Truth: TypeAlias = NDArray[np.bool_]

# Bytes of a state, with its key and the move to it.
STATE_BYTES = 300

# Maximal number of states that are expanded together.
_TOGETHER = 1 << 15


def shortest_line(circuit: Circuit, fluents: Sequence[int], most_states: int) -> tuple[int, ...] | None:
    """Return the numbers of the fewest moves that make a circuit terminal."""
    return _Search(circuit, fluents, most_states).run()


class _Search:
    """The visited states, packed, each with its predecessor and the move between them."""

    def __init__(self, circuit: Circuit, fluents: Sequence[int], most_states: int) -> None:
        self._circuit = circuit
        self._fluents = np.array(fluents, dtype=np.intp)
        self._most_states = most_states
        self._early = circuit.needed([*circuit.legal, circuit.terminal])
        self._late = circuit.needed([circuit.following[fluent][0] for fluent in fluents])
        readers = Readers(self._late)
        self._cones = [readers.cone(move) for move in circuit.moves]
        self._read = [self._read_after(cone) for cone in self._cones]
        self._size = 1 + max([circuit.fluents.stop, *circuit.moves, *(gate.value for gate in circuit.gates)])
        self._known: dict[bytes, tuple[bytes, int] | None] = {}

    def run(self) -> tuple[int, ...] | None:
        """Search depth by depth."""
        rows = np.array(self._circuit.initial, dtype=np.bool_)[self._fluents][np.newaxis]
        self._known[_keys(rows)[0]] = None
        while len(rows):
            deeper = []
            for begin in range(0, len(rows), _TOGETHER):
                some = rows[begin : begin + _TOGETHER]
                values = self._values(some)
                ended = np.flatnonzero(values[self._circuit.terminal])
                if len(ended):
                    return self._line(_keys(some[ended[:1]])[0])
                deeper += self._expand(some, values)
            rows = np.concatenate(deeper) if deeper else rows[:0]
        return None

    def _read_after(self, cone: Sequence[Gate]) -> tuple[int, ...]:
        """Return the values on which the next state depends if only the gates of a move are evaluated again."""
        inputs = {value for gate in cone for value in (*gate.plain, *gate.complemented)}
        following = {self._circuit.following[fluent][0] for fluent in self._fluents}
        return tuple((inputs | following) - {gate.value for gate in cone})

    def _values(self, rows: Truth) -> list[Truth]:
        """Evaluate the circuit for some states without a move."""
        circuit = self._circuit
        values = [np.zeros(len(rows), dtype=np.bool_)] * self._size
        values[TRUE_VALUE] = ~values[TRUE_VALUE]
        for value, holds in zip(circuit.fluents, circuit.initial, strict=True):
            values[value] = values[int(holds)]
        for column, fluent in enumerate(self._fluents):
            values[circuit.fluents[fluent]] = rows[:, column]
        _evaluate(self._early, values)
        _evaluate(self._late, values)
        return values

    def _expand(self, rows: Truth, values: list[Truth]) -> list[Truth]:
        """Return the successors of some states that were not visited before."""
        found = []
        before = _keys(rows)
        for number, (move, legal) in enumerate(zip(self._circuit.moves, self._circuit.legal, strict=True)):
            which = np.flatnonzero(values[legal])
            if not len(which):
                continue
            made = {value: values[value][which] for value in self._read[number]}
            made[move] = np.ones(len(which), dtype=np.bool_)
            _evaluate(self._cones[number], made)
            following = [self._circuit.following[fluent] for fluent in self._fluents]
            after = np.stack([made[value] ^ complemented for value, complemented in following], axis=1)
            fresh = []
            for row, key in enumerate(_keys(after)):
                if key not in self._known:
                    self._known[key] = before[which[row]], number
                    fresh.append(row)
            found.append(after[fresh])
            if len(self._known) > self._most_states:
                raise UnservedError(f"a part has more than {self._most_states:,} states")
        return found

    def _line(self, key: bytes) -> tuple[int, ...]:
        moves: list[int] = []
        while (step := self._known[key]) is not None:
            key, move = step
            moves.append(move)
        return tuple(reversed(moves))


def _keys(rows: Truth) -> list[bytes]:
    """Return the rows, packed to bytes."""
    packed = np.packbits(rows, axis=1)
    width = packed.shape[1]
    whole = packed.tobytes()
    return [whole[at : at + width] for at in range(0, len(whole), width)] if width else [b""] * len(rows)


def _evaluate(gates: Iterable[Gate], values: list[Truth] | dict[int, Truth]) -> None:
    """Set the values of gates, in their order."""
    for gate in gates:
        inputs = [values[each] for each in gate.plain] + [~values[each] for each in gate.complemented]
        values[gate.value] = reduce(np.logical_or if gate.is_or else np.logical_and, inputs)


Targets: TypeAlias = dict[int, list[tuple[int, bool]]]

# Maximal length of a line.
_MAX_MOVES = 10_000


def by_parts(sheet: RuleSheet, before: Sequence[str], memory_mb: int, report: Report) -> None:
    """Solve a game of one role part by part."""
    machine = load_machine(sheet)
    circuit = circuit_of(machine)
    assert isinstance(machine, NetworkMachine)
    circuit = circuit.beginning_with(after(machine, before))
    game = parts_of(circuit)
    if len(game.parts) < 2:
        raise UnservedError("the game has one part only")
    best = circuit.goals[-1][0]
    most_states = (memory_mb << 20) // STATE_BYTES
    for goal, value in reversed(circuit.goals):
        for member, complemented in disjuncts(circuit, value) if goal > 0 else ():
            targets = targets_of(circuit, game, member, complemented)
            lines = targets and _lines(circuit, game, targets, most_states)
            moves = lines and _together(machine, before, lines)
            reached = goal_after(machine, (*before, *moves)) if moves else None
            if moves and reached is not None and reached >= goal:
                report(KnownGoal(reached, moves, best, amount(len(game.parts), "part")))
                return
    raise UnservedError(f"no goal of the {len(game.parts)} parts is reached by solving each alone")


def targets_of(circuit: Circuit, game: Parts, value: int, complemented: bool) -> Targets:
    """Split a condition among the parts."""
    below = fluents_below(circuit)
    words = [sum(1 << fluent for fluent in part.fluents) for part in game.parts]
    targets: Targets = {}
    for member in conjuncts(circuit, value, complemented):
        meant = [number for number, word in enumerate(words) if below[member[0]] & word]
        if len(meant) > 1:
            return {}
        for number in meant:
            targets.setdefault(number, []).append(member)
    return targets


def alone(circuit: Circuit, game: Parts, part: Part, target: Sequence[tuple[int, bool]]) -> Circuit:
    """Return the puzzle of one part, which ends with goal 100 when its target is reached."""
    own = sum(1 << fluent for fluent in part.fluents)
    below = fluents_below(circuit)
    kept: dict[tuple[Effects, tuple[tuple[int, bool], ...]], int] = {}
    for number, effects in part.effects.items():
        members = conjuncts(circuit, circuit.legal[number])
        condition = tuple(sorted(member for member in members if _concerns(below[member[0]], own, game)))
        kept.setdefault((effects, condition), number)
    moves = list(kept.values())
    first = 1 + max([circuit.fluents.stop, *circuit.moves, *(gate.value for gate in circuit.gates)])
    end = first + len(moves)
    legal = range(first, end)
    gates = [_conjunction(value, condition) for value, (_, condition) in zip(legal, kept, strict=True)]
    gates.append(_conjunction(end, target))
    return replace(
        circuit,
        gates=(*circuit.gates, *gates),
        moves=tuple(circuit.moves[number] for number in moves),
        legal=tuple(legal),
        roles=tuple(circuit.roles[number] for number in moves),
        terminal=end,
        goals=((100, end),),
        following=tuple(
            pair if (own | game.by_itself) >> number & 1 else (circuit.fluents[number], False)
            for number, pair in enumerate(circuit.following)
        ),
        move_names=tuple(circuit.move_names[number] for number in moves),
    )


def _concerns(below: int, own: int, game: Parts) -> bool:
    """Return True if a condition on these fluents concerns the part, or only fluents that change by themselves."""
    return bool(below & own) or not below & ~game.by_itself


def _conjunction(value: int, members: Sequence[tuple[int, bool]]) -> Gate:
    plain = tuple(member for member, complemented in members if not complemented)
    return Gate(value, False, plain or (1,), tuple(member for member, complemented in members if complemented))


@dataclass(slots=True)
class _Line:
    """The remaining steps of a part, as effects."""

    part: Part
    effects: list[Effects]
    done: int = 0

    @property
    def ended(self) -> bool:
        """True if no step is left."""
        return self.done == len(self.effects)

    def touches(self, move: int) -> bool:
        """Return True if a move acts on the part."""
        return move in self.part.effects

    def follows(self, move: int) -> bool:
        """Return True if a move makes the next step."""
        return not self.ended and self.part.effects.get(move) == self.effects[self.done]


def _lines(circuit: Circuit, game: Parts, targets: Targets, most_states: int) -> list[_Line]:
    """Find a line for each part with a target; empty if a part has none."""
    lines = []
    clock = sum(1 << fluent for fluent in clock_of(circuit))
    numbers = {name: number for number, name in enumerate(circuit.move_names)}
    for number, target in targets.items():
        part = game.parts[number]
        puzzle = alone(circuit, game, part, target)
        try:
            moves = shortest_line(puzzle, [*part.fluents, *bits(game.by_itself & ~clock)], most_states)
        except UnservedError:
            moves = _planned(puzzle)
        if moves is None:
            return []
        names = [puzzle.move_names[move] for move in moves]
        lines.append(_Line(part, [part.effects[numbers[name]] for name in names]))
    return lines


class _FoundError(Exception):
    """Stop the planner after its first line."""


def _planned(puzzle: Circuit) -> tuple[int, ...] | None:
    """Return a line of the planner, which may run without end."""
    found: list[KnownGoal] = []

    def take(finding: KnownGoal) -> None:
        found.append(finding)
        if finding.goal > 0:
            raise _FoundError

    try:
        plan(puzzle, take)
    except _FoundError:
        return tuple(puzzle.move_names.index(name) for name in found[-1].moves)
    return None


def _together(machine: NetworkMachine, before: Sequence[str], lines: Sequence[_Line]) -> tuple[str, ...]:
    """Merge the lines of the parts; empty if they do not fit together."""
    state = after(machine, before)
    made: list[str] = []
    while not machine.terminal(state):
        moves = {name: machine.move_number(0, name) for name in machine.legal(state, machine.roles[0])}
        name = _next_move(moves, lines)
        if name is None or len(made) == _MAX_MOVES:
            return ()
        for line in lines:
            line.done += line.follows(moves[name])
        made.append(name)
        state = machine.next(state, [name])
    return tuple(made)


def _next_move(moves: dict[str, int], lines: Sequence[_Line]) -> str | None:
    """Choose the first legal move that makes the next step of most lines and disturbs none."""
    if all(line.ended for line in lines):
        return min(moves, key=lambda name: sum(line.touches(moves[name]) for line in lines), default=None)
    helped = {
        name: sum(line.follows(move) for line in lines)
        for name, move in moves.items()
        if all(line.follows(move) or not line.touches(move) for line in lines)
    }
    name = max(helped, key=lambda each: helped[each], default=None)
    return name if name is not None and helped[name] else None

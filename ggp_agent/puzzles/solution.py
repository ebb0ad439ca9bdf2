"""Run the solvers of games of one role, and check their lines on the machine."""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from multiprocessing.connection import Connection
from typing import TypeAlias

from gdl import NetworkMachine, RuleSheet, StateMachine, StopFlag
from gdl._simulation import BreadthFirst, NestedAdaptation

from ..common.errors import UserError
from ..common.pipe_worker import PipeWorker, WorkerDiedError, wait_for_workers
from ..common.processes import limit_memory, machine_memory_mb
from ..common.terminal_text import amount
from ..game.roles import is_chance
from . import MEMORY_MB
from .breadth_first import TURN, StateSpace, breadth_first, state_space
from .circuit import FALSE_VALUE, Circuit, KnownGoal, Report, UnservedError, after, circuit_of, goal_after
from .move_groups import MoveGroups, move_groups
from .planner import (
    FALSE,
    MAX_RULES,
    TRUE,
    Formulas,
    Solver,
    evaluate,
    first_values,
    gate_literal,
    highest_goals,
    plan,
)

# Beam search through the states of a game: a limited number of states of each depth is expanded.
#
# Beams of width w use the orders of `csrc/simulation/breadth_first.hpp` in turn: random, by the goal that the state
# would give if the game ended there, by the most and by the fewest legal moves. Then 2w follows, and so on, up to the
# memory limit. At first, states that differ only in the clock are the same. A beam that left out no state has expanded
# all states of this kind; then the clock is included, and after another such beam the search stops. A beam proves
# nothing.

# The width of the first beams.
_WIDTH = 256


def beam(sheet: RuleSheet, before: Sequence[str], memory_mb: int, report: Report) -> None:
    """Search for lines with wider and wider beams.

    The search ends when the best possible goal is reached or all states were expanded. Otherwise it does not end.
    """
    space = state_space(sheet, before, memory_mb)
    best = -1
    for mask in dict.fromkeys([space.but_the_clock, space.everything]):
        best = _widen(space, mask, report, best)
        if best >= space.target:
            return


def _widen(space: StateSpace, mask: bytes, report: Report, best: int) -> int:
    """Search with wider and wider beams through the states that differ in a mask; return the best goal."""
    search = space.search(mask)
    width, seed, fits = _WIDTH, 0, True
    while True:
        for order in range(BreadthFirst.ORDERS):
            seed += 1
            search.begin(width, order, seed)
            status = BreadthFirst.GOES_ON
            while status == BreadthFirst.GOES_ON:
                status = search.run(TURN, StopFlag())
                best = _report_better(space, search, report, best, f"width {width:,}, order {order}")
            if status == BreadthFirst.FOUND_TARGET or (status == BreadthFirst.SAW_ALL and not search.has_left_out):
                return best
            fits = fits and status != BreadthFirst.OUT_OF_MEMORY
        if fits:
            width *= 2


def _report_better(space: StateSpace, search: BreadthFirst, report: Report, best: int, progress: str) -> int:
    """Report a line that is better than the best so far; return the best goal."""
    if search.best is None or search.best <= best:
        return best
    report(KnownGoal(search.best, space.line(search), space.target, progress))
    return search.best


# Solve games in which the order of moves hardly matters, with a fixed order: sudoku, queens, hidato, nonogram.
#
# The moves are partitioned into groups of which at most one move can be made (`move_groups`). The groups are put in an
# order, and the game becomes one pass through them: layer g makes a move of group g, or no move, which keeps the state.
#
#     x(g+1) = next(x(g), m)  if a move m of group g is made,  x(g)  otherwise;
#     m may be made if x(g) is not terminal and m is legal in x(g);
#     wanted: terminal(x) and exactly goal v, after the last layer.
#
# Only the fluents that a group changes need new rules. So the program is small, while a program over time has thousands
# of choices for every step. Every answer is a line of legal moves; if there is no answer, lines in other orders may
# exist. Repeatable moves come last, one layer for each.

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


Task: TypeAlias = Callable[[Report], None]


@dataclass(frozen=True, slots=True)
class Way:
    """A way of solving."""

    name: str  # the name in reports
    task: Task  # searches for lines, reports each, and returns when no more can be found; must be picklable


@dataclass(frozen=True, slots=True)
class SolverMessage:
    """A message of a way."""

    way: str  # the name of the way
    finding: KnownGoal | None  # the line that the way found; None if the way has ended
    reason: str = ""  # the reason of the end; empty if nothing more can be found
    cpu_s: float = 0.0  # CPU-seconds that the worker has used so far


class Portfolio:
    """Run ways until each has ended or the portfolio is closed."""

    def __init__(self, ways: Sequence[Way], memory_mb: int) -> None:
        self._workers: dict[PipeWorker, str] = {}
        try:
            for way in ways:
                self._workers[PipeWorker(_run, way, memory_mb)] = way.name
        except BaseException:
            self.close()
            raise

    @property
    def running(self) -> bool:
        """Whether any way has not ended."""
        return bool(self._workers)

    def news(self, seconds: float) -> Iterator[SolverMessage]:
        """Wait until a way reports something, at most this number of seconds and an hour; yield the reports."""
        for worker in wait_for_workers(self._workers, seconds):
            try:
                message = worker.receive()
            except WorkerDiedError as died:
                message = SolverMessage(self._workers[worker], None, f"its process ended early: {died}")
            if message.finding is None:
                del self._workers[worker]
                worker.stop()
            yield message

    def close(self) -> None:
        """Stop all ways."""
        for worker in self._workers:
            worker.stop()
        self._workers.clear()

    def __enter__(self) -> Portfolio:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _run(pipe: Connection, way: Way, memory_mb: int) -> None:
    """Run a way; send what it finds and why it ends."""
    limit_memory(memory_mb)

    def report(finding: KnownGoal) -> None:
        pipe.send(SolverMessage(way.name, finding, "", time.process_time()))

    reason = ""
    try:
        way.task(report)
    except UnservedError as error:
        reason = str(error)
    except MemoryError:
        reason = f"more than {memory_mb:,} MB would be needed"
    except ImportError as error:  # an imported library may not fit into the memory
        reason = f"a library cannot be loaded with {memory_mb:,} MB: {' '.join(str(error).split())}"
    except RuntimeError as error:  # raised by clingo
        reason = str(error) or type(error).__name__
    pipe.send(SolverMessage(way.name, None, reason, time.process_time()))


# Bytes for each move and lane: its weight, the exponential of the weight, and lists of legal moves.
_MOVE_BYTES = 16


def nested(sheet: RuleSheet, before: Sequence[str], memory_mb: int, report: Report) -> None:
    """Search for lines until the best possible goal is reached, or without end."""
    space = state_space(sheet, before, memory_mb)
    simulator = space.machine.simulator()
    moves = len(space.machine.move_names(0))
    if simulator.lanes * moves * _MOVE_BYTES > memory_mb << 20:
        raise UnservedError(f"policies for {moves:,} moves take more than {memory_mb:,} MB")
    search = NestedAdaptation(simulator, space.start, space.target, 1)
    best = -1
    ended = False
    while not ended:
        ended = search.run(TURN, StopFlag())
        if search.best is not None and search.best > best:
            best = search.best
            report(KnownGoal(best, space.line(search), space.target, amount(search.lines, "line")))


PLANNER, FIXED_ORDER, BREADTH_FIRST, BEAM = "planner", "fixed order", "breadth-first search", "beam search"
NESTED = "nested search"
WAYS = 5


@dataclass(slots=True)
class SolverReport:
    """The state of one solver."""

    goal: int | None = None  # the goal of its best line; None if it has no line
    seconds: float | None = None  # the time at which it found this line
    cpu_s: float = 0.0  # the CPU-seconds of its process at its last message
    reason: str = ""  # cause of its end; empty while it runs, and after a complete search
    ended: bool = False  # True if it has ended
    progress: str = ""  # the progress of its search, in words

    def __str__(self) -> str:
        """Describe the state in one line."""
        words = [f"{self.cpu_s:.1f} CPU-seconds"]
        if self.goal is not None and self.seconds is not None:
            words.insert(0, f"goal {self.goal} after {self.seconds:.1f} s")
        if self.progress:
            words.append(self.progress)
        if self.ended:
            words.append(f"ended: {self.reason}" if self.reason else "search complete")
        return ", ".join(words)


@dataclass(slots=True)
class Solution:
    """The best line so far, checked on the machine."""

    ceiling: int  # an upper bound of the goal of all lines
    goal: int = 0  # the goal of the line; 0 if there is none
    moves: tuple[str, ...] | None = None  # the line; None if none is known
    way: str = ""  # the name of the solver that found the line
    seconds: float = 0.0  # the time at which it was found
    ways: dict[str, SolverReport] = field(default_factory=dict)  # the state of each solver

    @property
    def proven(self) -> bool:
        """True if no line is better."""
        return self.goal >= self.ceiling


def require_puzzle(name: str, sheet: RuleSheet) -> None:
    """Refuse a game that does not have exactly one role."""
    roles = sheet.roles()
    if any(map(is_chance, roles)):
        raise UserError(f"{name}: the game has chance ({', '.join(roles)}); only games of one role can be solved")
    if len(roles) != 1:
        raise UserError(
            f"{name}: the game has {len(roles)} roles ({', '.join(roles)}); only games of one role can be solved"
        )


def _require_end(circuit: Circuit) -> None:
    if max(goal for goal, _ in circuit.goals) == 0:
        raise UnservedError("no line ends with a goal above 0: its rules, simplified, have none")
    if circuit.terminal == FALSE_VALUE:
        raise UnservedError("the game has no end: no state is terminal")


class Solving:
    """Run the solvers, and keep the best line that is valid on the machine."""

    def __init__(self, machine: StateMachine, before: Sequence[str] = (), memory_mb: int = MEMORY_MB) -> None:
        if not isinstance(machine, NetworkMachine):
            raise UnservedError("the rules are too large for a network")
        self._circuit = circuit_of(machine)
        _require_end(self._circuit)
        self._machine = machine
        self._memory_mb = min(memory_mb, machine_memory_mb())
        self._begin(tuple(before))

    def restart(self, before: Sequence[str]) -> None:
        """Stop all solvers, and start them again after other moves; earlier results are discarded."""
        self.close()
        self._begin(tuple(before))

    def _begin(self, before: tuple[str, ...]) -> None:
        sheet, memory_mb = self._machine.sheet, self._memory_mb
        circuit = self._circuit.beginning_with(after(self._machine, before)) if before else self._circuit
        ways = [
            Way(PLANNER, partial(plan, circuit)),
            Way(FIXED_ORDER, partial(in_fixed_order, circuit)),
            Way(BREADTH_FIRST, partial(breadth_first, sheet, before, memory_mb)),
            Way(BEAM, partial(beam, sheet, before, memory_mb)),
            Way(NESTED, partial(nested, sheet, before, memory_mb)),
        ]
        self._before = before
        self._started = time.monotonic()
        self.solution = Solution(circuit.goals[-1][0], ways={way.name: SolverReport() for way in ways})
        self._portfolio = Portfolio(ways, memory_mb)

    @property
    def running(self) -> bool:
        """True if a solver is running."""
        return self._portfolio.running

    def look(self, seconds: float) -> bool:
        """Wait up to this number of seconds for messages of the solvers; return True if the best line has improved."""
        improved = False
        for news in self._portfolio.news(seconds):
            improved |= self._take(news)
        return improved

    def close(self) -> None:
        """Stop all solvers."""
        self._portfolio.close()

    def _take(self, news: SolverMessage) -> bool:
        report = self.solution.ways[news.way]
        report.cpu_s = news.cpu_s or report.cpu_s
        if news.finding is None:
            report.ended, report.reason = True, news.reason
            return False
        finding = replace(news.finding, moves=(*self._before, *news.finding.moves))
        report.progress = finding.progress
        self.solution.ceiling = min(self.solution.ceiling, finding.ceiling)
        return self._keep(news.way, finding, report)

    def _keep(self, way: str, finding: KnownGoal, report: SolverReport) -> bool:
        if report.goal is not None and finding.goal <= report.goal:
            return False
        goal = goal_after(self._machine, finding.moves)
        if goal is None:
            return False  # no line yet
        if goal < finding.goal:
            raise AssertionError(f"the line of the {way} ends with {goal}, not {finding.goal}")
        report.goal, report.seconds = goal, time.monotonic() - self._started
        if self.solution.moves is not None and goal <= self.solution.goal:
            return False
        self.solution.goal, self.solution.moves, self.solution.way = goal, finding.moves, way
        self.solution.seconds = report.seconds
        return True


def solve(
    machine: StateMachine,
    seconds: float,
    *,
    all_ways: bool = False,
    memory_mb: int = MEMORY_MB,
    begun: Callable[[Solution], None] = lambda solution: None,
) -> Solution:
    """Search for the best line."""
    solving = Solving(machine, memory_mb=memory_mb)
    begun(solving.solution)
    until = time.monotonic() + seconds
    try:
        while solving.running and (all_ways or not solving.solution.proven):
            left = until - time.monotonic()
            if left <= 0:
                break
            solving.look(left)
    finally:
        solving.close()
    return solving.solution

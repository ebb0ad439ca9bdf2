"""The reference interpreter of rule sheets: slow and direct; all faster machines are compared with it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import cast

from ..language.errors import GdlError, GdlSyntaxError
from ..language.goals import computes_goals, goal_in_range, is_odd, may_have_odd_goals
from ..language.parse import parse_term
from ..language.percepts import hides_information
from ..language.playable import require_playable, with_bound_roles
from ..language.rule_sheet import RuleSheet
from ..language.terms import variables
from .evaluation_plan import Pattern, compile_term, print_ground
from .machine import MachineState, StateMachine
from .per_thread import PerThread
from .rule_evaluation import Evaluation, StoppedError

# One goal takes four Python frames (on the heap), so rules may be some thousands of goals deep.
_FRAMES = 40_000


class _Interpreter:
    """The data of one thread.

    Attributes:
        evaluation: the rules, and the sentences derived for the state.
        state: the current state of `true`.
    """

    __slots__ = ("evaluation", "state")

    def __init__(self, sheet: RuleSheet) -> None:
        self.evaluation = Evaluation(sheet)
        self.state: frozenset[Pattern] = frozenset()


class ReferenceMachine(StateMachine):
    """Interpret a rule sheet directly.

    Any thread may call all methods at any time: each thread has its own tables.

    >>> from gdl.language.parse import parse_sheet
    >>> machine = ReferenceMachine(parse_sheet('''
    ...     (role walker) (init (at 0)) (succ 0 1) (succ 1 2)
    ...     (<= (legal walker (go ?y)) (true (at ?x)) (succ ?x ?y))
    ...     (<= (next (at ?y)) (does walker (go ?y)))
    ...     (<= terminal (true (at 2)))
    ...     (<= (goal walker 100) (true (at 2)))'''))
    >>> state = machine.next(machine.initial(), ["(go 1)"])
    >>> machine.fluents(state), machine.legal(state, "walker"), machine.terminal(state)
    (['(at 1)'], ['(go 2)'], False)

    Raises:
        GdlRuleError: the rules do not describe a game, or the head of a rule has an unbound variable. Also raised by
            every query whose rules negate themselves or recurse without end.
    """

    kind = "reference"

    def __init__(self, sheet: RuleSheet) -> None:
        if sys.getrecursionlimit() < _FRAMES:
            sys.setrecursionlimit(_FRAMES)
        require_playable(sheet)
        self._sheet = with_bound_roles(sheet)
        self._interpreters: PerThread[_Interpreter] = PerThread()
        self.roles = sheet.roles()
        self._initial = frozenset(self._ask(self._here(), "init"))

    @property
    def hides_information(self) -> bool:
        return hides_information(self._sheet)

    def initial(self) -> MachineState:
        return self._initial

    def legal(self, state: MachineState, role: str) -> list[str]:
        evaluation = self._enter(state)
        return sorted(print_ground(move) for move in self._ask(evaluation, "legal", self._role(role)))

    def is_legal(self, state: MachineState, role: str, move: str) -> bool:
        return bool(self._enter(state).query(("legal", self._role(role), self._read(move))))

    def some_legal(self, state: MachineState, role: str) -> tuple[list[str], bool]:
        answers, are_all = self._enter(state).some(("legal", self._role(role), 0))
        return sorted(print_ground(answer[-1]) for answer in answers), are_all

    def legal_unless(self, state: MachineState, role: str, stop: Callable[[], bool]) -> list[str] | None:
        evaluation = self._enter(state)
        with evaluation.stopped_by(stop):
            try:
                return sorted(print_ground(move) for move in self._ask(evaluation, "legal", self._role(role)))
            except StoppedError:
                return None

    def next(self, state: MachineState, moves: Sequence[str]) -> MachineState:
        return frozenset(self._ask(self._enter_with_moves(state, moves), "next"))

    def percepts(self, state: MachineState, moves: Sequence[str], role: str) -> list[str]:
        evaluation = self._enter_with_moves(state, moves)
        return sorted(map(print_ground, self._ask(evaluation, "sees", self._role(role))))

    def terminal(self, state: MachineState) -> bool:
        return bool(self._enter(state).query(("terminal",)))

    def goals(self, state: MachineState, role: str) -> list[int]:
        values = set(map(goal_in_range, self.goals_as_written(state, role)))
        return sorted(value for value in values if value is not None)

    def goals_as_written(self, state: MachineState, role: str) -> list[str]:
        """List the goal values that hold for a role as written in the rules, also invalid values."""
        evaluation = self._enter(state)
        return sorted(print_ground(value) for value in self._ask(evaluation, "goal", self._role(role)))

    def fluents(self, state: MachineState) -> list[str]:
        return sorted(map(print_ground, cast("frozenset[Pattern]", state)))

    def state(self, fluents: Iterable[str]) -> MachineState:
        return frozenset(map(self._read, fluents))

    def _here(self) -> Evaluation:
        """Return the evaluation of this thread."""
        return self._interpreter().evaluation

    def _interpreter(self) -> _Interpreter:
        return self._interpreters.get(lambda: _Interpreter(self._sheet))

    def _enter(self, state: MachineState) -> Evaluation:
        """Set the state of `true`; tables stay valid if the state is the same as before."""
        interpreter = self._interpreter()
        if state != interpreter.state:
            interpreter.state = cast("frozenset[Pattern]", state)
            interpreter.evaluation.set_state(interpreter.state)
        return interpreter.evaluation

    def _enter_with_moves(self, state: MachineState, moves: Sequence[str]) -> Evaluation:
        """Set the state of `true` and the moves of `does`."""
        if len(moves) != len(self.roles):
            raise ValueError(f"a joint move has {len(self.roles)} moves, not {len(moves)}")
        evaluation = self._enter(state)
        evaluation.set_moves([("does", role, self._read(move)) for role, move in zip(self.roles, moves, strict=True)])
        return evaluation

    def _ask(self, evaluation: Evaluation, name: str, *known: Pattern) -> list[Pattern]:
        """List the last arguments with which a relation holds, given the arguments before it."""
        return [answer[-1] for answer in evaluation.query((name, *known, 0))]

    def _role(self, role: str) -> Pattern:
        if role not in self.roles:
            raise ValueError(f"no role is called {role}; the roles are {', '.join(self.roles)}")
        return role

    def _read(self, text: str) -> Pattern:
        try:
            term = parse_term(text, self._sheet.spellings)
        except GdlSyntaxError as error:
            raise ValueError(f"{text!r} is not a term: {error.message}") from None
        if any(True for _ in variables(term)):
            raise ValueError(f"{text!r} contains a variable; moves and fluents contain no variables")
        return compile_term(term, {})


# ---- odd goal values


@dataclass(frozen=True, slots=True)
class OddGoal:
    """A goal value of a role that is not a whole number from 0 to 100, as written in the rules."""

    role: str
    value: str

    def __str__(self) -> str:
        counted = goal_in_range(self.value)
        if counted is None:
            return f"the goal value {self.value} of {self.role} is not a whole number and does not count"
        return f"the goal value {self.value} of {self.role} is beyond 0 to 100 and counts as {counted}"


class OddGoals:
    """Find the odd goal values in states of one game."""

    def __init__(self, sheet: RuleSheet) -> None:
        self._sheet = sheet
        self._may_be_odd = may_have_odd_goals(sheet)
        self._computed = computes_goals(sheet)
        self._reference: ReferenceMachine | None = None

    def of(self, machine: StateMachine, state: MachineState) -> list[OddGoal]:
        """Return the odd goal values that hold in a state."""
        # If a computed value is a word, the role has no goal in the machine.
        may_be_word = self._computed and not all(machine.goals(state, role) for role in machine.roles)
        if not (self._may_be_odd or may_be_word):
            return []
        try:
            self._reference = self._reference or ReferenceMachine(self._sheet)
            here = self._reference.state(machine.fluents(state))
            written = [(role, self._reference.goals_as_written(here, role)) for role in self._reference.roles]
        except GdlError:  # the reference interpreter has limits that other machines do not have
            return []
        return [OddGoal(role, value) for role, values in written for value in values if is_odd(value)]

"""Goal values that are not whole numbers from 0 to 100, in states that a game has reached."""

from __future__ import annotations

from dataclasses import dataclass

from ..language.errors import GdlError
from ..language.goals import computes_goals, goal_in_range, is_odd, may_have_odd_goals
from ..language.rule_sheet import RuleSheet
from .machine import MachineState, StateMachine
from .reference import ReferenceMachine


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
    """Find the odd goal values in states of one game.

    >>> from gdl.language.parse import parse_sheet
    >>> sheet = parse_sheet("(role r) (init (score 250)) (<= (goal r ?n) (true (score ?n)))")
    >>> machine = ReferenceMachine(sheet)
    >>> print(*OddGoals(sheet).of(machine, machine.initial()))
    the goal value 250 of r is beyond 0 to 100 and counts as 100
    """

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

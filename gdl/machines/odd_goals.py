"""Goal values beyond 0..100 that a game has really reached."""

from __future__ import annotations

from dataclasses import dataclass

from ..language.errors import GdlError
from ..language.goals import goal_in_range, is_beyond_range, may_have_odd_goals
from ..language.rules import RuleSheet
from .machine import State, StateMachine
from .reference import ReferenceMachine


@dataclass(frozen=True, slots=True)
class OddGoal:
    """A goal value beyond 0..100 of a role, as the rules write it."""

    role: str
    value: str

    def __str__(self) -> str:
        counted = goal_in_range(self.value)
        return f"the goal value {self.value} of {self.role} is beyond 0 to 100 and counts as {counted}"


def odd_goals(sheet: RuleSheet, machine: StateMachine, state: State) -> list[OddGoal]:
    """Return the goal values beyond 0..100 that hold in a state.

    Args:
        sheet: the rules of the game.
        machine: any machine of the game.
        state: a state of this machine.

    >>> from gdl.language.parse import parse_sheet
    >>> sheet = parse_sheet("(role r) (init (score 250)) (<= (goal r ?n) (true (score ?n)))")
    >>> machine = ReferenceMachine(sheet)
    >>> print(*odd_goals(sheet, machine, machine.initial()))
    the goal value 250 of r is beyond 0 to 100 and counts as 100
    """
    if not may_have_odd_goals(sheet):
        return []
    try:
        reference = ReferenceMachine(sheet)
        here = reference.state(machine.fluents(state))
        values = [(role, value) for role in reference.roles for value in reference.goals_as_written(here, role)]
    except GdlError:  # the reference interpreter has limits that other machines do not have
        return []
    return [OddGoal(role, value) for role, value in values if is_beyond_range(value)]

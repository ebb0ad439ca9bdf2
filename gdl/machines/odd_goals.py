"""Goal values beyond 0..100 that a game has really reached."""

from __future__ import annotations

from ..language.errors import GdlError
from ..language.goals import goal_in_range, is_beyond_range, names_numbers_beyond_goals
from ..language.rules import RuleSheet
from .machine import State, StateMachine
from .reference import ReferenceMachine


def odd_goals(sheet: RuleSheet, machine: StateMachine, state: State) -> list[str]:
    """Return a line for each role that has a goal value beyond 0..100 in a state, as the rules write it.

    Args:
        sheet: the rules of the game.
        machine: any machine of the game.
        state: a state of this machine.

    >>> from gdl.language.parse import parse_sheet
    >>> sheet = parse_sheet("(role r) (init (score 250)) (<= (goal r ?n) (true (score ?n)))")
    >>> machine = ReferenceMachine(sheet)
    >>> odd_goals(sheet, machine, machine.initial())
    ['the goal value 250 of r is beyond 0 to 100 and counts as 100']
    """
    if not names_numbers_beyond_goals(sheet):
        return []
    try:
        reference = ReferenceMachine(sheet)
        here = reference.state(machine.fluents(state))
        values = [(role, value) for role in reference.roles for value in reference.goals_as_written(here, role)]
    except GdlError:  # the reference interpreter has limits that other machines do not have
        return []
    return [
        f"the goal value {value} of {role} is beyond 0 to 100 and counts as {goal_in_range(value)}"
        for role, value in values
        if is_beyond_range(value)
    ]

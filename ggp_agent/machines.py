"""The state machine that players and managers run on."""

from __future__ import annotations

from gdl import GdlRuleError, NetworkMachine, RuleSheet, StateMachine
from gdl.reference import ReferenceMachine


def load_machine(sheet: RuleSheet) -> StateMachine:
    """Build the fastest machine there is for a sheet: a gate network, or else the reference interpreter.

    Raises:
        GdlError: the rules describe no game that can be played.
    """
    try:
        return NetworkMachine(sheet)
    except GdlRuleError:
        return ReferenceMachine(sheet)

"""The state machine that players and managers run on."""

from __future__ import annotations

from gdl import RuleSheet
from gdl.machine import StateMachine
from gdl.reference import ReferenceMachine


def load_machine(sheet: RuleSheet) -> StateMachine:
    """Build the fastest machine there is for a sheet.

    Raises:
        GdlError: the rules describe no game that can be played.
    """
    return ReferenceMachine(sheet)

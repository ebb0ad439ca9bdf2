"""The state machine that players, managers and commands run on."""

from __future__ import annotations

from gdl import GdlLimitError, NetworkMachine, ReasonerMachine, ReferenceMachine, RuleSheet, StateMachine, StopFlag


def load_machine(sheet: RuleSheet, kind: str = "any", *, stop: StopFlag | None = None) -> StateMachine:
    """Build a machine for a sheet: by default the fastest there is.

    Args:
        sheet: the rules.
        kind: `network`, `reasoner`, `reference`, or `any`: the network, or the reasoner where the rules are too
            large for a network.
        stop: set it from another thread to give up compiling early.

    Raises:
        GdlError: the rules describe no game that can be played, or none that the machine asked for can play.
    """
    if kind == "reference":
        return ReferenceMachine(sheet)
    if kind == "reasoner":
        return ReasonerMachine(sheet)
    try:
        return NetworkMachine(sheet, stop=stop)
    except GdlLimitError:
        if kind == "network":
            raise
        return ReasonerMachine(sheet)

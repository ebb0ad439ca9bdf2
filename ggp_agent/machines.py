"""The state machine that players, managers and commands run on."""

from __future__ import annotations

from gdl import CompilerLimits, ReferenceMachine, RuleSheet, StateMachine, StopFlag, climb

# A network that comes late serves the turns to come: compiling is given so much time, whatever the start clock; in s.
LEAST_SECONDS = 10.0


def load_machine(
    sheet: RuleSheet, kind: str = "any", *, stop: StopFlag | None = None, seconds: float | None = None
) -> StateMachine:
    """Build a machine for a sheet: by default the fastest there is.

    Args:
        sheet: the rules.
        kind: `network`, `reference`, or `any`: the network, or the reference interpreter where the rules
            are too large for a network.
        stop: set it from another thread to give up compiling early.
        seconds: how long to try to compile at most; as long as commands do by default.

    Raises:
        GdlError: the rules describe no game that can be played, or none that the machine asked for can play.
    """
    if kind == "reference":
        return ReferenceMachine(sheet)
    limits = CompilerLimits() if seconds is None else CompilerLimits(seconds=seconds)
    return climb(sheet, limits=limits, stop=stop, last=None if kind == "network" else ReferenceMachine).machine

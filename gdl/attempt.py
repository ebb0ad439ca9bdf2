"""What is kept of one attempt to compile a sheet."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Self

from . import _core
from .compiler_process import Compilation, CompilerLimits, Outcome

# A run that had less of the processor than this part of its time says more of the machine than of the sheet.
_BUSY = 0.8
# With so much more time a run that had too little of it is worth trying again.
_MORE_TIME = 1.25


@dataclass(frozen=True, slots=True)
class Attempt:
    """Tell how one rung of the ladder went.

    Attributes:
        rung: its name.
        outcome: how it ended.
        reason: why there is no network, in one line; empty where there is one.
        cpu_s: CPU-seconds of the compiler's process.
        peak_mb: largest resident memory of that process, in units of 2^20 bytes.
        limits: what the process was allowed.
        ground_rules: the size of the ground program, 0 where there is no network.
        gates: the size of the network, 0 where there is none.
    """

    rung: str
    outcome: Outcome
    reason: str
    cpu_s: float
    peak_mb: float
    limits: CompilerLimits
    ground_rules: int = 0
    gates: int = 0

    @classmethod
    def of(cls, rung: str, compilation: Compilation, limits: CompilerLimits, network: _core.Network | None) -> Self:
        """Describe a run of the compiler."""
        return cls(
            rung=rung,
            outcome=compilation.outcome,
            reason=compilation.reason,
            cpu_s=compilation.cpu_s,
            peak_mb=compilation.peak_mb,
            limits=limits,
            ground_rules=network.ground_rules if network is not None else 0,
            gates=network.gates if network is not None else 0,
        )

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> Self:
        """Read what `to_json` has written; TypeError, KeyError or ValueError where it is something else."""
        values = {**content, "outcome": Outcome(content["outcome"]), "limits": CompilerLimits(**content["limits"])}
        return cls(**values)

    def to_json(self) -> dict[str, Any]:
        """Write down all fields, for JSON."""
        return {**dataclasses.asdict(self), "outcome": self.outcome.value}

    @property
    def settled(self) -> bool:
        """Whether the same attempt would end in the same way another time."""
        if self.outcome is Outcome.TIME:
            return self.cpu_s >= _BUSY * self.limits.seconds
        return self.outcome in (Outcome.NETWORK, Outcome.SIZE, Outcome.MEMORY)

    def fails_within(self, limits: CompilerLimits) -> bool:
        """Tell whether the attempt failed and would fail with other limits too."""
        match self.outcome:
            case Outcome.SIZE:
                return limits.max_rules <= self.limits.max_rules
            case Outcome.MEMORY:
                return limits.memory_mb <= self.limits.memory_mb
            case Outcome.TIME:
                return self.settled and limits.seconds <= _MORE_TIME * self.limits.seconds
        return False

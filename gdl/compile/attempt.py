"""The stored result of one attempt to compile a sheet."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Self

from .._network import Network
from ..json_text import read_typed
from .compiler_process import Compilation, CompilerLimits, Outcome

# A run that got less than this part of its time on a processor is not evidence about the sheet.
_BUSY = 0.8
# A run that ended for lack of time is repeated if this factor more time is available.
_MORE_TIME = 1.25


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt to compile with one strategy, and its result."""

    strategy: str  # the name of the strategy
    outcome: Outcome  # the kind of result
    reason: str  # the cause of a missing network, in one line; empty if there is a network
    cpu_s: float  # CPU-seconds of the compiler's process
    peak_mb: float  # largest resident memory of that process, in units of 2^20 bytes
    limits: CompilerLimits  # the limits of the process
    ground_rules: int = 0  # the number of ground rules, 0 if there is no network
    gates: int = 0  # the number of gates of the network, 0 if there is no network

    @classmethod
    def of(cls, strategy: str, compilation: Compilation, limits: CompilerLimits, network: Network | None) -> Self:
        """Describe a run of the compiler."""
        return cls(
            strategy=strategy,
            outcome=compilation.outcome,
            reason=compilation.reason,
            cpu_s=compilation.cpu_s,
            peak_mb=compilation.peak_mb,
            limits=limits,
            ground_rules=network.ground_rules if network is not None else 0,
            gates=network.gates if network is not None else 0,
        )

    @classmethod
    def from_json(cls, content: object) -> Self:
        """Read the result of `to_json`."""
        found: Self = read_typed(cls, content)
        if found.to_json() != content or min(found.cpu_s, found.peak_mb, found.limits.seconds) < 0:
            raise ValueError("an attempt has other fields, or a negative number")
        return found

    def to_json(self) -> dict[str, Any]:
        """Return all fields for JSON."""
        return {**dataclasses.asdict(self), "outcome": self.outcome.value}

    @property
    def settled(self) -> bool:
        """Whether a repetition of the attempt would have the same result."""
        if self.outcome is Outcome.TIME:
            return self.cpu_s >= _BUSY * self.limits.seconds
        return self.outcome in (Outcome.NETWORK, Outcome.SIZE, Outcome.MEMORY)

    def fails_within(self, limits: CompilerLimits) -> bool:
        """Return whether the attempt failed and would fail with other limits too."""
        match self.outcome:
            case Outcome.SIZE:
                return limits.max_rules <= self.limits.max_rules
            case Outcome.MEMORY:
                return limits.memory_mb <= self.limits.memory_mb
            case Outcome.TIME:
                return self.settled and limits.seconds <= _MORE_TIME * self.limits.seconds
        return False

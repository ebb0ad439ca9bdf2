"""The state machine of a native game, in the notation of its players."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

from gdl import GdlError, LaneSimulator, MachineState, NumberedMachine, RuleSheet, StopFlag
from gdl._simulator import LaneArrays
from gdl.machines.lane_widths import LANE_WIDTHS, fixed_lanes
from gdl.machines.network import KERNEL_VARIABLE

from ... import _games
from .native_game import NativeGame
from .registry import native_game

ISAS = ("portable", "avx2", "avx512")
# Play-outs in more lanes were not clearly faster.
DEFAULT_LANES = 128


class NativeMachine(NumberedMachine):
    """Play a native game; moves are in its own notation such as `a2-b3`, states are packed `bytes`.

    Its sheet and its fluents are the sheet and the fluents of the reference sheet (see `NativeGame.sheet`).

    >>> machine = NativeMachine(native_game("breakthrough_6x6"))
    >>> machine.legal(machine.initial(), "white")[:3], machine.legal(machine.initial(), "black")
    (['a2-a3', 'a2-b3', 'b2-a3'], ['noop'])
    """

    kind = "module"
    # Lanes share hardly any work, and fewer simulations at a time use newer results. 32 and 128 were within 10 % of
    # the speed of 64.
    in_flight = 64

    def __init__(self, module: NativeGame, sheet: RuleSheet | None = None) -> None:
        self.module = module
        super().__init__(sheet or module.sheet())

    def __reduce__(self) -> tuple[Callable[..., NativeMachine], tuple[str, RuleSheet]]:
        return _unpickled, (self.module.name, self.sheet)

    def simulator(self, lanes: int | None = None, isa: str | None = None) -> LaneSimulator:
        if lanes is None:
            lanes = fixed_lanes() or DEFAULT_LANES
        if lanes not in LANE_WIDTHS:
            raise ValueError(f"lanes are 64, 128, 256 or 512, not {lanes}")
        return self.module.simulator(lanes, isa=usable_isa(isa))

    def lane_arrays(self, n: int, threads: int = 1, chance: int = -1) -> LaneArrays:
        lanes = fixed_lanes() or (64 if n <= 64 else DEFAULT_LANES)
        return self.module.core.lane_arrays(n, lanes, usable_isa(), threads)

    @property
    def native(self) -> str:
        return self.module.name

    def known_fluents(self) -> list[str]:
        return self.module.known_fluents()

    def _game_id(self) -> str:
        return self.module.name

    @property
    def fluent_names(self) -> tuple[str, ...]:
        return self.module.fluent_names

    @property
    def constant_fluents(self) -> tuple[str, ...]:
        return ()

    def move_names(self, role: int) -> tuple[str, ...]:
        return self.module.move_names[role]

    def move_name(self, role: int, number: int) -> str:
        return self.module.core.move_text(role, number)

    def move_number(self, role: int, move: str) -> int:
        number = self.module.core.read_move(role, move.lower())
        if number < 0:
            raise ValueError(f"{self.roles[role]} has no move {move} in this game")
        return number

    def spelled(self, move: str) -> str:
        for role in range(len(self.roles)):
            number = self.module.core.read_move(role, move.lower())
            if number >= 0:
                return self.module.core.move_text(role, number)
        return super().spelled(move)

    def fluents(self, state: MachineState) -> list[str]:
        assert isinstance(state, bytes)
        return sorted(self.module.sheet_fluents(state))

    def state(self, fluents: Iterable[str]) -> bytes:
        return self.module.state_of(self.spelled(fluent) for fluent in fluents)

    def perft(self, start: bytes, depth: int, stop: StopFlag) -> list[tuple[int, int]]:
        """Count the sequences of 1 to `depth` moves from a state: (leaves, terminals) of each length."""
        return self.module.core.perft(start, depth, stop)


def usable_isa(requested: str | None = None) -> str:
    """Return the requested instruction set, or the widest one that this machine has if it does not have this one."""
    wanted = requested or os.environ.get(KERNEL_VARIABLE) or ISAS[-1]
    if wanted not in ISAS:
        message = f"{wanted} is not a kernel; the kernels are portable, avx2 and avx512"
        raise ValueError(message) if requested else GdlError(message, source=KERNEL_VARIABLE)
    return min(wanted, _games.best_isa(), key=ISAS.index)


def _unpickled(name: str, sheet: RuleSheet) -> NativeMachine:
    return NativeMachine(native_game(name), sheet)

"""Ground program to gate network to state machine."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from dataclasses import dataclass

from . import _core
from ._core import LaneSimulator, StopFlag
from .compiled import CompiledMachine
from .errors import GdlLimitError, GdlRuleError
from .ground import ground
from .machine import State
from .rules import RuleSheet
from .stratification import negations_in_recursion

# One value in one vector register: the width at which play-outs were fastest wherever it was measured.
DEFAULT_LANES = {"avx512": 512, "avx2": 256, "portable": 128}


# The instruction set of the kernel where none is asked for: one of DEFAULT_LANES.
KERNEL_VARIABLE = "GGP_AGENT_KERNEL"


@dataclass(frozen=True, slots=True)
class NetworkPass:
    """Say how many gates a pass of compilation left, and the CPU-seconds that it took."""

    name: str
    gates: int
    cpu_s: float


@dataclass(frozen=True, slots=True)
class NetworkSize:
    """Say how large the stages of compilation are; times are CPU-seconds of the calling thread."""

    rules: int
    ground_rules: int
    ground_atoms: int
    raw_gates: int
    gates: int
    depth: int
    loop_variables: int
    fluents: int
    moves: int
    ground_cpu_s: float
    network_cpu_s: float
    passes: tuple[NetworkPass, ...]


class NetworkMachine(CompiledMachine):
    """Answer by evaluating the gate network of a game; states are packed `bytes`.

    >>> from gdl import parse_sheet
    >>> machine = NetworkMachine(parse_sheet('''
    ...     (role robot) (init (at 1)) (succ 1 2) (succ 2 3)
    ...     (<= (legal robot (go ?y)) (true (at ?x)) (succ ?x ?y)) (legal robot stay)
    ...     (<= (next (at ?y)) (does robot (go ?y))) (<= (next (at ?x)) (true (at ?x)) (does robot stay))
    ...     (<= terminal (true (at 3))) (<= (goal robot 100) terminal) (<= (goal robot 0) (not terminal))'''))
    >>> machine.legal(machine.initial(), "robot")
    ['(go 2)', 'stay']
    >>> machine.fluents(machine.next(machine.initial(), ["(go 2)"]))
    ['(at 2)']
    """

    kind = "network"

    def __init__(self, sheet: RuleSheet, *, stop: StopFlag | None = None) -> None:
        """Compile a sheet.

        Args:
            sheet: the rules.
            stop: set it from another thread to give up grounding early.

        Raises:
            GdlRuleError: the rules describe no game that can be compiled; the message says why.
            GdlLimitError: compiling was stopped or went beyond a limit.
        """
        started = time.thread_time()
        ground_program = ground(sheet, stop=stop)
        grounded = time.thread_time()
        try:
            self._network = _core.Network(ground_program)
        except OverflowError as error:
            raise GdlLimitError(str(error), source=sheet.source) from None
        except ValueError as error:
            raise GdlRuleError(str(error), source=sheet.source) from None
        except RuntimeError as error:  # the rules are not stratified
            raise _own_negation(sheet, str(error)) from None
        self.size = NetworkSize(
            rules=len(sheet.rules),
            ground_rules=ground_program.rules,
            ground_atoms=ground_program.atoms,
            raw_gates=self._network.raw_gates,
            gates=self._network.gates,
            depth=self._network.depth,
            loop_variables=self._network.loops,
            fluents=len(self._network.fluents),
            moves=sum(map(len, self._network.moves)),
            ground_cpu_s=grounded - started,
            network_cpu_s=time.thread_time() - grounded,
            passes=tuple(NetworkPass(*done) for done in self._network.passes),
        )
        self._move_numbers = [{move: n for n, move in enumerate(moves)} for moves in self._network.moves]
        self._fluent_numbers = {fluent: number for number, fluent in enumerate(self._network.fluents)}
        super().__init__(sheet)

    def simulator(self, lanes: int | None = None, isa: str | None = None) -> LaneSimulator:
        isa = isa or _preferred_isa()
        lanes = lanes or DEFAULT_LANES[isa]
        simulator = self._network.simulator(lanes, isa)
        if simulator is None:
            raise ValueError(f"no kernel for {lanes} lanes on {isa} here; lanes are 64, 128, 256 or 512")
        return simulator

    @property
    def fluent_names(self) -> tuple[str, ...]:
        """The fluents that have a place in the state, in its order."""
        return self._network.fluents

    @property
    def constant_fluents(self) -> tuple[str, ...]:
        """The fluents that hold in every reachable state."""
        return self._network.always

    def move_names(self, role: int) -> tuple[str, ...]:
        """Return all moves of a role (by its number) that can ever be legal; a move's index is its number."""
        return self._network.moves[role]

    def move_name(self, role: int, number: int) -> str:
        return self._network.moves[role][number]

    def move_number(self, role: int, move: str) -> int:
        number = self._move_numbers[role].get(move)
        if number is None:
            number = self._move_numbers[role].get(self._canonical(move))
        if number is None:
            raise ValueError(f"{self.roles[role]} has no move {move} in this game")
        return number

    def fluents(self, state: State) -> list[str]:
        assert isinstance(state, bytes)
        bits = int.from_bytes(state, "little")
        names = self._network.fluents
        return sorted([name for number, name in enumerate(names) if bits >> number & 1] + list(self._network.always))

    def state(self, fluents: Iterable[str]) -> bytes:
        """Pack the state in which exactly these fluents hold.

        The network is simplified by what holds in every state that legal play from the initial state reaches: about
        any other state, such as one with two pieces on a field, its answers may differ from the rules'.

        Raises:
            ValueError: a fluent holds in no reachable state, or one that holds in all of them is missing.
        """
        bits = 0
        constant = set(self._network.always)
        for fluent in fluents:
            name = fluent if fluent in self._fluent_numbers else self._canonical(fluent)
            if name in self._fluent_numbers:
                bits |= 1 << self._fluent_numbers[name]
            elif name in self._network.always:
                constant.discard(name)
            else:
                raise ValueError(f"the fluent {fluent} holds in no reachable state of this game")
        if constant:
            raise ValueError(f"the fluent {min(constant)} holds in every reachable state of this game; it is missing")
        return bits.to_bytes(len(self.initial()), "little")


def _preferred_isa() -> str:
    """Return the instruction set that the environment asks for, or else the widest here."""
    wanted = os.environ.get(KERNEL_VARIABLE)
    if not wanted:
        return _core.best_isa()
    here = [isa for isa in sorted(DEFAULT_LANES, reverse=True) if _core.has_kernel(isa)]
    if wanted not in here:
        known = "is no kernel" if wanted not in DEFAULT_LANES else "is not available on this machine"
        raise ValueError(f"{KERNEL_VARIABLE}: {wanted} {known}; the kernels here are {', '.join(here)}")
    return wanted


def _own_negation(sheet: RuleSheet, message: str) -> GdlRuleError:
    """Name the rule that is the likeliest to make something depend on its own negation."""
    for rule, literal in negations_in_recursion(sheet):
        message = f"the rules are not stratified: {rule.head} depends on its own negation through (not {literal})"
        return GdlRuleError(message, source=sheet.source, position=literal.position)
    return GdlRuleError(message, source=sheet.source)

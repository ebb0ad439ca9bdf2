"""Rules to compiled network to state machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Self

from .. import _network
from .._simulator import LaneArrays, LaneSimulator, StopFlag
from ..compile.asp import AspProgram
from ..compile.compiler_process import DEFAULT_LIMITS, Compilation, CompilerLimits, Outcome, compile_program
from ..compile.ground import to_asp
from ..compile.structure import Structure, structure_of
from ..language.errors import GdlError, GdlRuleError
from ..language.playable import negations_in_recursion
from ..language.rule_sheet import RuleSheet
from .machine import MachineState
from .numbered import NumberedMachine

# One value in one vector register: the width at which play-outs were fastest wherever it was measured.
DEFAULT_LANES = {"avx512": 512, "avx2": 256, "portable": 128}


# The instruction set of the kernel where none is asked for: one of DEFAULT_LANES.
KERNEL_VARIABLE = "GGP_AGENT_KERNEL"


@dataclass(frozen=True, slots=True)
class Pass:
    """A pass over the network: the gates that it left, and the CPU-seconds that it took."""

    name: str
    gates: int
    cpu_s: float


@dataclass(frozen=True, slots=True)
class MachineCode:
    """The machine code of a network for a kernel: its bytes, and the values that it keeps in memory."""

    isa: str
    lanes: int
    bytes: int
    values: int


@dataclass(frozen=True, slots=True)
class NetworkSize:
    """The sizes of the stages of compilation, and the CPU-seconds they took when the network was compiled."""

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
    passes: tuple[Pass, ...]


def compile_network(
    sheet: RuleSheet,
    structure: Structure,
    translate: Callable[[RuleSheet], AspProgram],
    limits: CompilerLimits,
    *,
    stop: StopFlag | None = None,
) -> Compilation:
    """Compile the canonical form of a sheet in a process of its own.

    Args:
        sheet: the rules as they were given, for messages.
        structure: their structure, which is compiled.
        translate: makes the program for clingo.
        limits: of the process.
        stop: set it from another thread to end it.

    Raises:
        GdlRuleError: the rules describe no game that can be compiled; the message says why.
    """

    def compiled(rules: RuleSheet) -> Compilation:
        return compile_program(translate(rules), rules.roles(), limits, stop=stop)

    try:
        compilation = compiled(structure.sheet)
    except GdlRuleError:
        compiled(sheet)  # raises the same, in the words of the sheet
        raise
    if compilation.outcome is Outcome.NEGATION:
        raise _own_negation(sheet, compilation.reason)
    if compilation.outcome is Outcome.RULES:
        again = compiled(sheet)  # its reason is in the words of the sheet
        raise (again if again.outcome is Outcome.RULES else compilation).error(sheet.source)
    return compilation


class NetworkMachine(NumberedMachine):
    """Answer by evaluating the gate network of a game; states are packed `bytes`.

    The network is simplified by what holds in play: its answers are those of the rules in all states that legal moves
    lead to from the initial one.

    >>> from gdl import parse_sheet
    >>> machine = NetworkMachine(parse_sheet('''
    ...     (role robot) (init (at 1)) (succ 1 2) (succ 2 3)
    ...     (<= (legal robot (go ?y)) (true (at ?x)) (succ ?x ?y)) (legal robot stay)
    ...     (<= (next (at ?y)) (does robot (go ?y))) (<= (next (at ?x)) (true (at ?x)) (does robot stay))
    ...     (<= terminal (true (at 3))) (<= (goal robot 100) terminal) (<= (goal robot 0) (not terminal))'''))
    >>> sorted(machine.legal(machine.initial(), "robot"))
    ['(go 2)', 'stay']
    >>> machine.fluents(machine.next(machine.initial(), ["(go 2)"]))
    ['(at 2)']

    Args:
        sheet: the rules.
        limits: of the process that compiles them.
        stop: set it from another thread to give up compiling early.

    Raises:
        GdlRuleError: the rules describe no game that can be compiled; the message says why.
        GdlLimitError: compiling was stopped or went beyond a limit.
    """

    kind = "network"

    def __init__(
        self, sheet: RuleSheet, *, limits: CompilerLimits = DEFAULT_LIMITS, stop: StopFlag | None = None
    ) -> None:
        structure = structure_of(sheet)
        compilation = compile_network(sheet, structure, to_asp, limits, stop=stop)
        if compilation.outcome is not Outcome.NETWORK:
            raise compilation.error(sheet.source)
        self._adopt(sheet, structure, _network.Network(compilation.network))

    @classmethod
    def from_compiled(cls, sheet: RuleSheet, structure: Structure, network: _network.Network) -> Self:
        """Make the machine of a network that was compiled from the structure of a sheet.

        Raises:
            RuntimeError: the network is of another structure.
        """
        machine = cls.__new__(cls)
        machine._adopt(sheet, structure, network)
        return machine

    def _adopt(self, sheet: RuleSheet, structure: Structure, network: _network.Network) -> None:
        self._network = network
        try:
            self._fluents = tuple(structure.respell(network.fluents))
            self._constant = tuple(structure.respell(network.always))
            self._moves = [tuple(structure.respell(moves)) for moves in network.moves]
        except KeyError as error:
            raise RuntimeError(f"the network is of another sheet: it has a symbol {error}") from None
        if len(self._moves) != len(sheet.roles()):
            raise RuntimeError("the network is of another sheet: it has other roles")
        self.size = NetworkSize(
            rules=len(sheet.rules),
            ground_rules=network.ground_rules,
            ground_atoms=network.ground_atoms,
            raw_gates=network.raw_gates,
            gates=network.gates,
            depth=network.depth,
            loop_variables=network.loop_variables,
            fluents=len(self._fluents),
            moves=sum(map(len, self._moves)),
            ground_cpu_s=network.ground_cpu_s,
            network_cpu_s=network.network_cpu_s,
            passes=tuple([Pass(*report) for report in network.passes]),
        )
        self._move_numbers = [{move: n for n, move in enumerate(moves)} for moves in self._moves]
        self._fluent_numbers = {fluent: number for number, fluent in enumerate(self._fluents)}
        super().__init__(sheet)

    def simulator(self, lanes: int | None = None, isa: str | None = None) -> LaneSimulator:
        isa = isa or _preferred_isa()
        lanes = lanes or DEFAULT_LANES.get(isa, 64)
        simulator = self._network.simulator(lanes, isa)
        if simulator is None:
            raise ValueError(f"no kernel for {lanes} lanes on {isa} here; lanes are 64, 128, 256 or 512")
        for name, added in self._added.items():
            simulator.add_evaluation(name, added.fluents, added.weights, added.bias)
        return simulator

    def machine_code(self) -> MachineCode | None:
        """Tell of the machine code that simulators run by default; None where the gates are interpreted."""
        isa = _preferred_isa()
        lanes = DEFAULT_LANES[isa]
        code = self._network.machine_code(lanes, isa)
        return code and MachineCode(isa, lanes, *code)

    def lane_arrays(self, n: int, threads: int = 1, chance: int = -1) -> LaneArrays:
        isa = _preferred_isa()
        widest = DEFAULT_LANES.get(isa, 64)
        width = next((each for each in (64, 128, 256, 512) if n <= each <= widest), widest)
        arrays = self._network.lane_arrays(n, width, isa, threads, chance)
        assert arrays is not None
        return arrays

    @property
    def fluent_names(self) -> tuple[str, ...]:
        """The fluents that have a place in the state, in its order."""
        return self._fluents

    @property
    def constant_fluents(self) -> tuple[str, ...]:
        return self._constant

    @property
    def network(self) -> _network.Network:
        """The compiled network, its names in canonical spelling."""
        return self._network

    def move_names(self, role: int) -> tuple[str, ...]:
        """Return all moves of a role (by its number) that can ever be legal; a move's index is its number."""
        return self._moves[role]

    def move_name(self, role: int, number: int) -> str:
        return self._moves[role][number]

    def move_number(self, role: int, move: str) -> int:
        number = self._move_numbers[role].get(move)
        if number is None:
            number = self._move_numbers[role].get(self._canonical(move))
        if number is None:
            raise ValueError(f"{self.roles[role]} has no move {move} in this game")
        return number

    def fluents(self, state: MachineState) -> list[str]:
        assert isinstance(state, bytes)
        bits = int.from_bytes(state, "little")
        names = self._fluents
        return sorted([name for number, name in enumerate(names) if bits >> number & 1] + list(self._constant))

    def state(self, fluents: Iterable[str]) -> bytes:
        bits = 0
        constant = set(self._constant)
        for fluent in fluents:
            name = fluent if fluent in self._fluent_numbers else self._canonical(fluent)
            if name in self._fluent_numbers:
                bits |= 1 << self._fluent_numbers[name]
            elif name in self._constant:
                constant.discard(name)
            else:
                raise ValueError(f"the fluent {fluent} holds in no reachable state of this game")
        if constant:
            raise ValueError(f"the fluent {min(constant)} holds in every reachable state of this game; it is missing")
        return bits.to_bytes(len(self.initial()), "little")


def _preferred_isa() -> str:
    """Return the instruction set that the environment asks for, or else the widest here.

    Raises:
        GdlError: it asks for one that there is not.
    """
    wanted = os.environ.get(KERNEL_VARIABLE)
    if not wanted:
        return _network.best_isa()
    here = [isa for isa in sorted(DEFAULT_LANES, reverse=True) if _network.has_kernel(isa)]
    if wanted not in here:
        known = "is no kernel" if wanted not in DEFAULT_LANES else "is not available on this machine"
        raise GdlError(f"{wanted} {known}; the kernels here are {', '.join(here)}", source=KERNEL_VARIABLE)
    return wanted


def _own_negation(sheet: RuleSheet, message: str) -> GdlRuleError:
    """Name the rule that is the likeliest to make something depend on its own negation."""
    for rule, literal in negations_in_recursion(sheet):
        message = f"the rules are not stratified: {rule.head} depends on its own negation through (not {literal})"
        return GdlRuleError(message, source=sheet.source, position=literal.position)
    return GdlRuleError(message, source=sheet.source)

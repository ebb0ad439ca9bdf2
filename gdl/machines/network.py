"""A state machine that evaluates a network compiled from the rules."""

from __future__ import annotations

import hashlib
import os
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Self

from .. import _network
from .._simulator import LaneArrays, LaneSimulator, StopFlag
from ..compile.compiler_process import DEFAULT_LIMITS, NO_LIMIT, Compilation, CompilerLimits, Outcome, compile_program
from ..compile.ground import AspProgram, to_asp
from ..compile.structure import Structure, structure_of
from ..language.errors import GdlError, GdlRuleError
from ..language.playable import negations_in_recursion
from ..language.rule_sheet import RuleSheet
from ..language.terms import is_chance
from .compiled import LANE_WIDTHS, CompiledMachine, fixed_lanes
from .machine import MachineState


class NumberedMachine(CompiledMachine):
    """A machine that also provides many states as arrays."""

    @property
    def numbering(self) -> str:
        hashed = hashlib.sha256()
        parts = [self.kind, self._game_id(), str(self.sheet), *self.fluent_names, *self.constant_fluents]
        for role in range(len(self.roles)):
            parts += [self.roles[role], *self._numbered_moves(role)]
        for part in parts:
            hashed.update(part.encode() + b"\0")
        hashed.update(self.initial())
        return hashed.hexdigest()

    def _game_id(self) -> str:
        """Return what distinguishes the game beside its rules: empty unless a derived class knows more."""
        return ""

    def _numbered_moves(self, role: int) -> tuple[str, ...]:
        """Return texts that identify the moves of a role (given by its number) in `numbering`."""
        return self.move_names(role)

    @property
    @abstractmethod
    def fluent_names(self) -> tuple[str, ...]:
        """The fluents that hold in some states only, as KIF; the index of a fluent is its number."""

    @property
    @abstractmethod
    def constant_fluents(self) -> tuple[str, ...]:
        """The fluents that hold in every reachable state."""

    def known_fluents(self) -> list[str]:
        return [*self.fluent_names, *self.constant_fluents]

    @abstractmethod
    def move_names(self, role: int) -> tuple[str, ...]:
        """Return the moves of a role (given by its number), by their numbers; an unused number has an empty text."""

    def percept_names(self, role: int) -> tuple[str, ...]:
        """Return all terms that a role (given by its number) may perceive; the index of a percept is its number.

        A native game has none.
        """
        return ()

    @abstractmethod
    def lane_arrays(self, n: int, threads: int = 1, chance: int = -1) -> LaneArrays:
        """Return n states of this game as arrays over lanes, on the best kernel here.

        Args:
            n: the number of states.
            threads: the number of threads that share them.
            chance: the number of the chance role, -1 without a chance role.

        Raises:
            ValueError: n or threads is less than 1.
        """


# One value fills one vector register: the fastest width for play-outs in all measurements.
DEFAULT_LANES = {"avx512": 512, "avx2": 256, "portable": 128}


# Environment variable with the default instruction set, one of DEFAULT_LANES.
KERNEL_VARIABLE = "GGP_AGENT_KERNEL"


@dataclass(frozen=True, slots=True)
class Pass:
    """A pass over the network: the gates after it, and its CPU-seconds."""

    name: str
    gates: int
    cpu_s: float


@dataclass(frozen=True, slots=True)
class MachineCode:
    """The machine code of a network for a kernel: its bytes, and the number of values that it keeps in memory."""

    isa: str
    lanes: int
    bytes: int
    values: int


@dataclass(frozen=True, slots=True)
class NetworkSize:
    """The sizes of the stages of compilation, and their CPU-seconds when the network was compiled."""

    rules: int
    ground_rules: int
    ground_atoms: int
    raw_gates: int
    gates: int
    depth: int
    loop_variables: int
    phases: tuple[int, ...]
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
    max_gates: int = NO_LIMIT,
    stop: StopFlag | None = None,
) -> Compilation:
    """Compile the canonical form of a sheet in a child process.

    Raises:
        GdlRuleError: the rules do not describe a game that can be compiled; the message contains the cause.
    """

    def compiled(rules: RuleSheet) -> Compilation:
        return compile_program(translate(rules), rules.roles(), limits, max_gates=max_gates, stop=stop)

    try:
        compilation = compiled(structure.sheet)
    except GdlRuleError:
        compiled(sheet)  # raises the same error, with the symbols of the given sheet
        raise
    if compilation.outcome is Outcome.NEGATION:
        raise _own_negation(sheet, compilation.reason)
    if compilation.outcome is Outcome.RULES:
        again = compiled(sheet)  # the reason contains the symbols of the given sheet
        raise (again if again.outcome is Outcome.RULES else compilation).error(sheet.source)
    return compilation


class NetworkMachine(NumberedMachine):
    """A machine that evaluates the gate network of a game; states are packed `bytes`.

    The network is simplified by facts about reachable states: its answers are correct in all states that legal moves
    reach from the initial state.

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
            limits: the limits of the process that compiles the rules.
            stop: a flag that another thread may set to stop compiling early.

    Raises:
        GdlRuleError: the rules do not describe a game that can be compiled; the message contains the cause.
        GdlLimitError: compiling was stopped or exceeded a limit.
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
        """Create the machine from a network that was compiled from the structure of a sheet.

        Raises:
            RuntimeError: the network belongs to another structure.
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
            self._percepts = [tuple(structure.respell(percepts)) for percepts in network.percepts]
        except KeyError as error:
            raise RuntimeError(f"the network belongs to another sheet: it has a symbol {error}") from None
        if len(self._moves) != len(sheet.roles()):
            raise RuntimeError("the network belongs to another sheet: it has other roles")
        self.size = NetworkSize(
            rules=len(sheet.rules),
            ground_rules=network.ground_rules,
            ground_atoms=network.ground_atoms,
            raw_gates=network.raw_gates,
            gates=network.gates,
            depth=network.depth,
            loop_variables=network.loop_variables,
            phases=network.phases,
            fluents=len(self._fluents),
            moves=sum(map(len, self._moves)),
            ground_cpu_s=network.ground_cpu_s,
            network_cpu_s=network.network_cpu_s,
            passes=tuple([Pass(*report) for report in network.passes]),
        )
        self._move_numbers = [{move: n for n, move in enumerate(moves)} for moves in self._moves]
        self._percept_numbers = [{percept: n for n, percept in enumerate(percepts)} for percepts in self._percepts]
        self._fluent_numbers = {fluent: number for number, fluent in enumerate(self._fluents)}
        super().__init__(sheet)

    def simulator(self, lanes: int | None = None, isa: str | None = None) -> LaneSimulator:
        isa = isa or _preferred_isa()
        lanes = lanes or fixed_lanes() or DEFAULT_LANES.get(isa, 64)
        simulator = self._network.simulator(lanes, isa)
        if simulator is None:
            raise ValueError(f"no kernel for {lanes} lanes on {isa} here; lanes are 64, 128, 256 or 512")
        for name, added in self._added.items():
            simulator.add_evaluation(name, added.fluents, added.weights, added.bias)
        for wrap in self._layers.values():
            simulator = wrap(simulator)
        return simulator

    def machine_code(self) -> MachineCode | None:
        """Return the machine code that simulators run by default; None if the gates are interpreted."""
        isa = _preferred_isa()
        lanes = fixed_lanes() or DEFAULT_LANES[isa]
        code = self._network.machine_code(lanes, isa)
        return code and MachineCode(isa, lanes, *code)

    def lane_arrays(self, n: int, threads: int = 1, chance: int = -1) -> LaneArrays:
        isa = _preferred_isa()
        widest = DEFAULT_LANES.get(isa, 64)
        width = fixed_lanes() or next((each for each in LANE_WIDTHS if n <= each <= widest), widest)
        arrays = self._network.lane_arrays(n, width, isa, threads, chance)
        assert arrays is not None
        return arrays

    @property
    def fluent_names(self) -> tuple[str, ...]:
        """The fluents stored in a state, in this order."""
        return self._fluents

    @property
    def constant_fluents(self) -> tuple[str, ...]:
        return self._constant

    @property
    def network(self) -> _network.Network:
        """The compiled network; its names are canonical symbols."""
        return self._network

    def move_names(self, role: int) -> tuple[str, ...]:
        """Return all moves of a role (given by its number) that may be legal; the index of a move is its number."""
        return self._moves[role]

    @property
    def hides_information(self) -> bool:
        return super().hides_information and not all(
            self._shows_moves(seer, mover)
            for seer, role in enumerate(self.roles)
            for mover in range(len(self.roles))
            if seer != mover and not is_chance(role)  # chance needs no information
        )

    def _shows_moves(self, seer: int, mover: int) -> bool:
        """Return whether gates prove that a role knows all moves of another role from its percepts.

        That is so if the gate of a percept is the move itself, for all moves but one.
        """
        first = self._network.first_move + sum(map(len, self._moves[:mover]))
        moves = range(first, first + len(self._moves[mover]))
        return len(set(moves).difference(self._network.percept_values()[seer])) <= 1

    def percept_names(self, role: int) -> tuple[str, ...]:
        return self._percepts[role]

    def percept_number(self, role: int, percept: str) -> int:
        number = self._percept_numbers[role].get(self._canonical(percept))
        return super().percept_number(role, percept) if number is None else number

    def _percept_names(self, role: int, numbers: Sequence[int]) -> list[str]:
        return [self._percepts[role][number] for number in numbers]

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
    """Return the instruction set from the environment, or else the widest of this computer."""
    wanted = os.environ.get(KERNEL_VARIABLE)
    if not wanted:
        return _network.best_isa()
    here = [isa for isa in sorted(DEFAULT_LANES, reverse=True) if _network.has_kernel(isa)]
    if wanted not in here:
        known = "is not a kernel" if wanted not in DEFAULT_LANES else "is not available on this machine"
        raise GdlError(f"{wanted} {known}; the kernels here are {', '.join(here)}", source=KERNEL_VARIABLE)
    return wanted


def _own_negation(sheet: RuleSheet, message: str) -> GdlRuleError:
    """Return an error that names the most likely rule with a sentence that depends on its own negation."""
    for rule, literal in negations_in_recursion(sheet):
        message = f"the rules are not stratified: {rule.head} depends on its own negation through (not {literal})"
        return GdlRuleError(message, source=sheet.source, position=literal.position)
    return GdlRuleError(message, source=sheet.source)


# ---- a network as text


_STAGES = {
    "legal": "legality and termination",
    "ahead": "look-ahead, used in some play-outs",
    "goal": "goals, computed if a state is terminal",
    "next": "the next state, after every role has chosen its move",
    "sees": "percepts, computed on request",
}


def listing(machine: NetworkMachine) -> Iterator[str]:
    """Yield the lines of a listing: the gates of each stage in the order of evaluation, and the results."""
    names = _names(machine)
    legal, terminal, goals, following = machine.network.outputs()
    for stage, title in _STAGES.items():
        if stage == "sees" and not any(machine.network.percepts):
            continue
        yield title
        for value, is_or, plain, complemented in machine.network.gates_of(stage):
            inputs = [names[number] for number in plain] + [f"~{names[number]}" for number in complemented]
            yield f"  {names[value]} = {(' | ' if is_or else ' & ').join(inputs)}"
        if stage == "legal":
            for number, role in enumerate(machine.roles):
                for move, value in zip(machine.move_names(number), legal[number], strict=True):
                    yield f"  legal {role} {move} = {names[value]}"
            yield f"  terminal = {names[terminal]}"
        elif stage == "ahead":
            for number, place, kept, wins in machine.network.outlook():
                name = f"{machine.roles[number]} {machine.move_names(number)[place]}"
                if kept is not None:
                    yield f"  kept {name} = {names[kept]}"
                if wins is not None:
                    yield f"  wins {name} = {names[wins]}"
        elif stage == "goal":
            for role, values in zip(machine.roles, goals, strict=True):
                for goal, value in values:
                    yield f"  goal {role} {goal} = {names[value]}"
        elif stage == "sees":
            for number, perceived in enumerate(machine.network.percept_values()):
                for percept, gate in zip(machine.percept_names(number), perceived, strict=True):
                    yield f"  sees {machine.roles[number]} {percept} = {names[gate]}"
        else:
            for fluent, value, is_complemented in following:
                yield f"  next {machine.fluent_names[fluent]} = {'~' if is_complemented else ''}{names[value]}"


def _names(machine: NetworkMachine) -> list[str]:
    """Return the names of all values in the order of their numbers."""
    size = machine.size
    names = ["0", "1", "looks_ahead", *machine.fluent_names]
    for number, role in enumerate(machine.roles):
        names += [f"(does {role} {move})" for move in machine.move_names(number)]
    names += [f"l{number}" for number in range(size.loop_variables)]
    return names + [f"g{number}" for number in range(size.gates)]

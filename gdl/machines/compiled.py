"""Machines whose states advance in lanes, for bulk play-outs and search."""

from __future__ import annotations

import os
import threading
import weakref
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, TypeAlias

from .._simulator import EvaluationLanes, LaneSimulator
from ..language.errors import GdlError
from ..language.parse import parse_term
from ..language.percepts import hides_information
from ..language.rule_sheet import RuleSheet
from ..language.terms import to_kif
from .machine import MachineState, StateMachine
from .per_thread import PerThread

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


@dataclass(frozen=True, slots=True, eq=False)
class FluentWeights:
    """The weights of one game, for `CompiledMachine.add_evaluation`, written by a user or found by learning.

    The value of a state for a role is tanh(bias + sum of the weights of all fluents that hold, for this role), so
    -1 .. 1; see `csrc/base/fluent_weights.hpp`.
    """

    # Indices of the fluents that have a weight, ascending, shape (n,); the names of all fluents are
    # `NetworkMachine.fluent_names`.
    fluents: npt.NDArray[np.uint32]
    weights: npt.NDArray[np.float32]  # the weight of each of these fluents for each role, finite, shape (n, roles)
    # The constant for each role, finite, shape (roles,); includes fluents that hold in every state.
    bias: npt.NDArray[np.float32]

    @classmethod
    def of(cls, weights: npt.ArrayLike, bias: npt.ArrayLike | None = None) -> Self:
        """Create weights from a matrix with a row for every fluent of the state; rows of zeros are left out.

        >>> FluentWeights.of([[0.5, -0.5], [0, 0], [-1, 1]]).fluents
        array([0, 2], dtype=uint32)
        """
        import numpy as np  # the import takes longer than loading a game, and few games have weights

        matrix = np.asarray(weights, np.float32)
        places = np.flatnonzero(matrix.any(axis=1))
        begin = np.zeros(matrix.shape[1]) if bias is None else bias
        return cls(
            places.astype(np.uint32),
            np.ascontiguousarray(matrix[places]),
            np.ascontiguousarray(begin, np.float32),
        )


LANE_WIDTHS = (64, 128, 256, 512)

# Environment variable with the number of lanes of every simulator whose caller requests no number.
LANES_VARIABLE = "GGP_AGENT_LANES"


def fixed_lanes() -> int | None:
    """Return the number of lanes from the environment; None if the fastest number is used."""
    wanted = os.environ.get(LANES_VARIABLE)
    if not wanted:
        return None
    if wanted not in map(str, LANE_WIDTHS):
        raise GdlError(f"{wanted} is not a number of lanes; use 64, 128, 256 or 512", source=LANES_VARIABLE)
    return int(wanted)


# Adds something to a simulator, by a simulator that plays on a clone of it.
Layer: TypeAlias = Callable[[LaneSimulator], LaneSimulator]


class CompiledMachine(StateMachine):
    """A machine that evaluates single states in lane 0 of a simulator, and creates simulators for bulk work.

    States are packed `bytes`. Moves of a role are numbered from 0, in the same way in all states.

    Any thread may call all methods at any time: each thread evaluates states in a lane of its own. Only one thread at
    a time may use a simulator that `simulator` returns.

    Attributes:
        sheet: the rules.
        defers_goals: True if the reasoner evaluates goals, one state at a time.
        in_flight: the default number of simulations that a search has in flight; None for the number of lanes, which is
            right if all lanes together cost as much as one.
    """

    sheet: RuleSheet
    defers_goals = False
    in_flight: int | None = None

    def __init__(self, sheet: RuleSheet) -> None:
        self.sheet = sheet
        self.roles = sheet.roles()
        self._role_numbers = {role: number for number, role in enumerate(self.roles)}
        self._added: dict[str, FluentWeights] = {}
        self._layers: dict[str, Layer] = {}
        self._adding = threading.Lock()
        self._use_lanes(PerThread())
        self._initial = self._lanes.mine().initial

    def __copy__(self) -> Self:
        """Return the machine itself, which any number of users may share."""
        return self

    def __deepcopy__(self, _: object) -> Self:
        return self

    def another(self) -> Self:
        """Return a machine of the same game that shares what is immutable, with its own evaluations."""
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        made._adding = threading.Lock()
        made._use_lanes(PerThread())
        return made

    @abstractmethod
    def simulator(self, lanes: int | None = None, isa: str | None = None) -> LaneSimulator:
        """Return a new simulator of this game, for search or bulk play-outs.

        Args:
            lanes: the number of states that advance together: 64, 128, 256 or 512; None for the best number for the
                game.
            isa: the instruction set; None for the best of this computer.

        Raises:
            ValueError: this computer has no kernel for the lanes or the instruction set.
        """

    @property
    def numbering(self) -> str | None:
        """A digest of rules and numbers; machines of one digest share packed states and moves.

        None if numbers depend on the states evaluated before, so that no other machine shares them.
        """
        return None

    @property
    def hides_information(self) -> bool:
        return hides_information(self.sheet)

    @property
    def evaluations(self) -> tuple[str, ...]:
        """The names of the evaluations of its simulators."""
        return self._lanes.mine().evaluations

    @property
    def added_evaluations(self) -> dict[str, FluentWeights]:
        """The evaluations that `add_evaluation` has added, by name."""
        return self._added

    def add_evaluation(self, name: str, weights: FluentWeights) -> None:
        """Add an evaluation to all simulators that are made from now on, or replace the evaluation of this name.

        Raises:
            ValueError: the weights belong to another game, or the states of this game do not consist of fluents.
        """
        with self._adding:
            lane = self._new_lane()
            lane.add_evaluation(name, weights.fluents, weights.weights, weights.bias)
            # Both are replaced instead of changed, because other threads may read them.
            self._added = {**self._added, name: weights}
            lanes: PerThread[LaneSimulator] = PerThread()
            lanes.put(lane)
            self._use_lanes(lanes)

    def add_layer(self, name: str, layer: Layer) -> None:
        """Add an evaluation that a function adds to simulators of a network, or replace the evaluation of this name.

        Args:
            name: the name of the evaluation.
            layer: returns a simulator with the evaluation that plays on a clone of its argument. It may raise
                ValueError if the evaluation belongs to another game.
        """
        with self._adding:
            before = self._layers
            self._layers = {**before, name: layer}
            try:
                lane = self._new_lane()
            except ValueError:
                self._layers = before
                raise
            lanes: PerThread[LaneSimulator] = PerThread()
            lanes.put(lane)
            self._use_lanes(lanes)

    def values(self, state: MachineState, name: str) -> list[float]:
        """Return the value of a non-terminal state for each role by an evaluation, -1..1.

        Raises:
            ValueError: there is no evaluation of that name.
        """
        return self._evaluate(state).values(name)

    @abstractmethod
    def move_name(self, role: int, number: int) -> str:
        """Return a move of a role as KIF; both are given by their numbers."""

    @abstractmethod
    def move_number(self, role: int, move: str) -> int:
        """Return the number of a move of a role; any spelling that reads as the same term is accepted.

        Raises:
            ValueError: the role has no such move in any reachable state.
        """

    def percept_number(self, role: int, percept: str) -> int:
        """Return the number of a percept of a role; any spelling that reads as the same term is accepted.

        The reasoner, which does not know the percepts of a game in advance, numbers every term.

        Raises:
            ValueError: no rule produces the percept for this role.
        """
        raise ValueError(f"no rule produces the percept {percept} for {self.roles[role]}")

    def spelled(self, move: str) -> str:
        """Return a move, written by a user, in the spelling of this machine; the move need not be legal anywhere.

        Raises:
            GdlError: the text is not a term.
        """
        return to_kif(parse_term(move, self.sheet.spellings))

    def printed(self, role: int, move: str) -> str:
        """Return a legal move of a role as a person reads it; a native game has a shorter notation, such as `b2-b3`."""
        return move

    def initial(self) -> bytes:
        return self._initial

    def legal(self, state: MachineState, role: str) -> list[str]:
        number = self._role_number(role)
        return [self.move_name(number, move) for move in self.legal_numbers(state, number)]

    def legal_numbers(self, state: MachineState, role: int) -> list[int]:
        """Return the numbers of the legal moves of a role, ascending; the role is given by its number."""
        return self._evaluate(state).legal(role)

    def is_legal(self, state: MachineState, role: str, move: str) -> bool:
        number = self._role_number(role)
        try:
            wanted = self.move_number(number, move)
        except ValueError:
            return False
        return wanted in self.legal_numbers(state, number)

    def next(self, state: MachineState, moves: Sequence[str]) -> bytes:
        return self.next_by_numbers(state, self._numbers_of(moves))

    def percepts(self, state: MachineState, moves: Sequence[str], role: str) -> list[str]:
        return self.percepts_by_numbers(state, self._numbers_of(moves))[self._role_number(role)]

    def next_by_numbers(self, state: MachineState, moves: Sequence[int]) -> bytes:
        """Return the state after a joint move, given by the number of a legal move for each role."""
        return self._evaluate(state).step(moves)

    def percepts_by_numbers(self, state: MachineState, moves: Sequence[int]) -> list[list[str]]:
        """Return the sorted percepts of each role for a joint move, given by the number of each role's move."""
        found = self._evaluate(state).percepts(moves)
        return [sorted(self._percept_names(role, numbers)) for role, numbers in enumerate(found)]

    def terminal(self, state: MachineState) -> bool:
        return self._evaluate(state).terminal()

    def goals(self, state: MachineState, role: str) -> list[int]:
        return self._evaluate(state).goals(self._role_number(role))

    def _percept_names(self, role: int, numbers: Sequence[int]) -> list[str]:
        """Return percepts of a role as KIF, all given by their numbers. A native game has none."""
        return []

    def _numbers_of(self, moves: Sequence[str]) -> list[int]:
        """Return the numbers of the moves of a joint move."""
        if len(moves) != len(self.roles):
            raise ValueError(f"a joint move has {len(self.roles)} moves, not {len(moves)}")
        return [self.move_number(role, move) for role, move in enumerate(moves)]

    def _role_number(self, role: str) -> int:
        if role not in self._role_numbers:
            raise ValueError(f"no role is called {role}; the roles are {', '.join(self.roles)}")
        return self._role_numbers[role]

    def _canonical(self, text: str) -> str:
        """Return a term in the spelling of the sheet; raise ValueError if the text is not a term."""
        try:
            return self.spelled(text)
        except GdlError as error:
            raise ValueError(f"{text!r} is not a term: {error.message}") from None

    def _use_lanes(self, lanes: PerThread[LaneSimulator]) -> None:
        """Use these lanes to evaluate single states."""
        # A weak reference, so that the machine and its simulators are freed without the garbage collector.
        self._lanes = EvaluationLanes(lanes, weakref.WeakMethod(self._new_lane))
        # Returns the simulator of the calling thread with a state evaluated in lane 0.
        self._evaluate = self._lanes.evaluated

    def _new_lane(self) -> LaneSimulator:
        return self.simulator(64)

"""A hand-coded game: moves and positions in the notation of its players, and in that of its reference sheet."""

from __future__ import annotations

import difflib
import weakref
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from gdl import RuleSheet, StopFlag, parse_sheet
from gdl._simulator import EvaluationLanes, LaneSimulator
from gdl.machines.per_thread import PerThread
from kif_games import rules

from .. import _games
from ..errors import UserError

# Legal moves that an error names.
_NAMED = 3


@dataclass(frozen=True, slots=True)
class PlayoutStatistics:
    """Figures of play-outs from the initial state.

    Attributes:
        playouts: their number.
        mean_length, deviation: of the lengths in moves; the standard deviation is that of one play-out.
        longest: of the lengths.
        mean_branching: legal moves in a position, over all positions met.
        mean_goals: 0..100, by role.
        mean_quality: of the terminal positions, 0..1.
    """

    playouts: int
    mean_length: float
    deviation: float
    longest: int
    mean_branching: float
    mean_goals: tuple[float, float]
    mean_quality: float


class GameModule(ABC):
    """Play one hand-coded game.

    States are packed `bytes`, those of its simulators. Every role has a move in every turn; that of the role whose turn
    it is not is `noop`. A class derived from this one says how the game looks, and what its moves are in the reference
    sheet: the rule sheet of the catalogue with the same game. Any thread may call all methods at any time.

    Attributes:
        core: the game itself.
        name: what follows `fast:` on the command line.
        roles: as in the reference sheet.
        reference_sheet: the name of its rule sheet in the catalogue; empty where it has none.
        one_to_one: whether every turn is one move in the reference sheet, too.
    """

    one_to_one = True

    def __init__(self, core: _games.Module) -> None:
        self.core = core
        self.name = core.name
        self.roles = core.roles
        self.reference_sheet = core.reference_sheet
        self.initial = core.initial
        self._lanes = EvaluationLanes(PerThread(), weakref.WeakMethod(self._new_lane))

    # ---- what a game has of its own

    @abstractmethod
    def picture(self, state: bytes) -> str:
        """Draw a position as SVG."""

    @abstractmethod
    def sheet_moves(self, role: str, move: str) -> tuple[str, ...]:
        """Return the moves of the reference sheet, as KIF, that make up a move, one after the other.

        Args:
            role: who moves.
            move: as the module prints it, not `noop`.
        """

    def known_fluents(self) -> list[str]:
        """List the fluents of the reference sheet that are known to hold in some state, enough to draw its board."""
        return sorted(self.sheet_fluents(self.initial))

    def cell_names_by_sheet(self) -> dict[tuple[str, ...], str]:
        """Return what cells are called in moves, by their coordinates in the sheet; empty where both are the same."""
        return {}

    def sheet_turns(self, role: str, move: str) -> list[tuple[str, ...]]:
        """Return every way to make up a move in the reference sheet, where several come to the same."""
        return [self.sheet_moves(role, move)]

    @abstractmethod
    def turn(self, role: str, moves: Sequence[str]) -> str:
        """Return the move that a whole turn in the reference sheet makes.

        Raises:
            ValueError: these are no moves of a turn.
        """

    @abstractmethod
    def list_fluents(self) -> list[str]:
        """List what the facts that the core numbers are called in the reference sheet, by number."""

    @abstractmethod
    def state_of(self, fluents: Iterable[str]) -> bytes:
        """Return the state in which these fluents hold in the reference sheet; the opposite of `sheet_fluents`.

        Raises:
            ValueError: there is no such state.
        """

    # ---- what all have

    def sheet(self) -> RuleSheet:
        """Return the reference sheet; where there is none, one that names the roles alone."""
        if not self.reference_sheet:
            return parse_sheet("\n".join(f"(role {role})" for role in self.roles), source=f"fast:{self.name}")
        return parse_sheet(rules(self.reference_sheet), source=self.reference_sheet)

    @cached_property
    def fluent_names(self) -> tuple[str, ...]:
        """The fluents of the reference sheet, as KIF, in an order of their own; some may hold in no state."""
        return tuple(self.list_fluents())

    @cached_property
    def move_names(self) -> tuple[tuple[str, ...], ...]:
        """The moves of each role by number, as printed; empty where a number stands for no move."""
        core = self.core
        return tuple(tuple(core.move_text(role, n) for n in range(core.moves[role])) for role in range(len(self.roles)))

    def sheet_fluents(self, state: bytes) -> frozenset[str]:
        """Return the fluents that hold in the reference sheet."""
        names = self.fluent_names
        return frozenset([names[number] for number in self.core.holding(state)])

    def simulator(self, lanes: int, *, isa: str) -> LaneSimulator:
        """Return a new simulator of 64, 128, 256 or 512 lanes, with an instruction set of this processor."""
        return self.core.simulator(lanes, isa)

    def mover(self, state: bytes) -> str:
        """Return the role whose turn it is."""
        return self.roles[self.core.mover(state)]

    def is_over(self, state: bytes) -> bool:
        """Tell whether the state is terminal."""
        return self._lanes.evaluated(state).terminal()

    def goals(self, state: bytes) -> tuple[int, ...]:
        """Return the goals of all roles in a terminal state."""
        lane = self._lanes.evaluated(state)
        return tuple(lane.goals(role)[0] for role in range(len(self.roles)))

    def legal(self, state: bytes) -> dict[str, int]:
        """Return the legal moves of the role whose turn it is, as printed in this position, with their numbers."""
        lane = self._lanes.evaluated(state)
        if lane.terminal():
            return {}
        return {self.core.move_in(state, number): number for number in lane.legal(self.core.mover(state))}

    def read_move(self, state: bytes, text: str) -> int:
        """Return the number of a legal move.

        Raises:
            UserError: it is none; the message names the legal moves that look most like it.
        """
        legal = self.legal(state)
        if text in legal:
            return legal[text]
        number = self.core.read_move(self.core.mover(state), text)
        if number in legal.values():
            return number
        if not legal:
            raise UserError(f"{text} cannot be played: the game is over")
        what = "is no move of this game" if number < 0 else "is not legal here"
        near = sorted(difflib.get_close_matches(text, legal, n=_NAMED, cutoff=0))
        raise UserError(f"{text} {what}; {self.mover(state)} has {', '.join(near)}{', ..' * (len(legal) > _NAMED)}")

    def play(self, state: bytes, text: str) -> bytes:
        """Return the state after a move.

        Raises:
            UserError: it is not legal; see `read_move`.
        """
        number = self.read_move(state, text)
        joint = [self.core.moves[role] - 1 for role in range(len(self.roles))]
        joint[self.core.mover(state)] = number
        return self._lanes.evaluated(state).step(joint)

    def _new_lane(self) -> LaneSimulator:
        return self.core.simulator(64, "portable")

    def board(self, state: bytes) -> str:
        """Print a position."""
        return self.core.board(state)

    def read_board(self, text: str, *, source: str = "the position") -> bytes:
        """Return the state that a text shows, in the form that `board` prints.

        Raises:
            UserError: it is no position, or one that cannot arise; one line that begins with source.
        """
        try:
            return self.core.read_board(text)
        except ValueError as error:
            raise UserError(f"{source}: {error}") from None

    def evaluate(self, state: bytes, name: str) -> float:
        """Return the value of an evaluation function for the first role, -1..1.

        Raises:
            ValueError: the game has none of that name.
        """
        if name not in self.core.evaluations:
            raise ValueError(f"{self.name} has no evaluation {name}; it has {', '.join(self.core.evaluations)}")
        return self.core.evaluation(state, self.core.evaluations.index(name))

    def playouts(
        self, count: int, *, seed: int = 1, policy: str = "uniform", stop: StopFlag | None = None
    ) -> PlayoutStatistics:
        """Play from the initial state, with the policy `uniform` or `game`; see `csrc/search/game_playout.hpp`.

        Raises:
            ValueError: there is no such policy, or the count is not positive.
        """
        if policy not in ("uniform", "game"):
            raise ValueError(f"no play-out policy is called {policy}; there are uniform and game")
        if count < 1:
            raise ValueError(f"the number of play-outs must be at least 1, not {count}")
        found, plies, squares, longest, choices, goals, quality = self.core.playouts(
            count, seed, policy == "game", stop or StopFlag()
        )
        mean = plies / found
        return PlayoutStatistics(
            playouts=found,
            mean_length=mean,
            deviation=max(0.0, squares / found - mean * mean) ** 0.5,
            longest=longest,
            mean_branching=choices / plies,
            mean_goals=(goals[0] / found, goals[1] / found),
            mean_quality=quality / found,
        )

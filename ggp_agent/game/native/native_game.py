"""A native game: moves and states in its own notation, and in the notation of its reference sheet."""

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

from ... import _games
from ...common.errors import UserError

# Maximal number of legal moves in an error message.
_NAMED = 3


@dataclass(frozen=True, slots=True)
class PlayoutStatistics:
    """Statistics of play-outs from the initial state."""

    # The number of play-outs. mean_length, deviation: mean and standard deviation of the length of a play-out, in
    # moves.
    playouts: int
    mean_length: float
    deviation: float
    longest: int  # the largest length
    mean_branching: float  # the mean number of legal moves, over all visited states
    mean_goals: tuple[float, float]  # the mean goal of each role, 0..100
    mean_quality: float  # the mean quality of the terminal states, 0..1


class NativeGame(ABC):
    """One native game.

    States are packed `bytes`, as in its simulators. Every role has a move in every turn; a waiting role has the move
    `noop`. A derived class draws the game and translates its moves to and from the reference sheet, the rule sheet of
    the same game in the catalogue. All methods are safe to call from any thread at any time.

    Attributes:
        core: the game in C++.
        name: the name after `fast:` on the command line.
        roles: the roles, as in the reference sheet.
        reference_sheet: the name of its rule sheet in the catalogue; empty if there is none.
        one_to_one: True if every turn is one move in the reference sheet, too.
    """

    one_to_one = True

    def __init__(self, core: _games.Module) -> None:
        self.core = core
        self.name = core.name
        self.roles = core.roles
        self.reference_sheet = core.reference_sheet
        self.initial = core.initial
        self._lanes = EvaluationLanes(PerThread(), weakref.WeakMethod(self._new_lane))

    # ---- defined by each game

    @property
    def added_rules(self) -> str:
        """The rules that this project added to the usual ones, such as limits and draws, in words; may be empty."""
        return ""

    @property
    def move_limit(self) -> int:
        """The number of moves after which every game ends; 0 without such a rule."""
        return 0

    @abstractmethod
    def sheet_moves(self, role: str, move: str) -> tuple[str, ...]:
        """Return the moves of the reference sheet, as KIF, that together are one move of the native game.

        Args:
            role: the role that moves.
            move: the move in the notation of the native game, not `noop`.
        """

    def known_fluents(self) -> list[str]:
        """List fluents of the reference sheet that may become true, enough to draw its board."""
        return sorted(self.sheet_fluents(self.initial))

    def cell_names_by_sheet(self) -> dict[tuple[str, ...], str]:
        """Return the names of cells in moves, by their coordinates in the sheet; empty if both are the same."""
        return {}

    def sheet_turns(self, role: str, move: str) -> list[tuple[str, ...]]:
        """Return all sequences of moves in the reference sheet that are equivalent to a move."""
        return [self.sheet_moves(role, move)]

    @abstractmethod
    def turn(self, role: str, moves: Sequence[str]) -> str:
        """Return the move that corresponds to a whole turn in the reference sheet.

        Raises:
            ValueError: the moves are not a turn.
        """

    @abstractmethod
    def list_fluents(self) -> list[str]:
        """List the fluents of the reference sheet, in the order of their numbers in the core."""

    @abstractmethod
    def state_of(self, fluents: Iterable[str]) -> bytes:
        """Return the state with these true fluents in the reference sheet; the inverse of `sheet_fluents`.

        Raises:
            ValueError: there is no such state.
        """

    @property
    def has_terms(self) -> bool:
        """True if its moves are named by the moves of the reference sheet; False if in its own notation only."""
        return self.one_to_one and bool(self.reference_sheet)

    # ---- the same for all games

    def sheet(self) -> RuleSheet:
        """Return the reference sheet; if there is none, a sheet with only the roles."""
        if not self.reference_sheet:
            return parse_sheet("\n".join(f"(role {role})" for role in self.roles), source=f"fast:{self.name}")
        return parse_sheet(rules(self.reference_sheet), source=self.reference_sheet)

    @cached_property
    def fluent_names(self) -> tuple[str, ...]:
        """The fluents of the reference sheet, as KIF, by number; some may be false in all states."""
        return tuple(self.list_fluents())

    @cached_property
    def move_names(self) -> tuple[tuple[str, ...], ...]:
        """The moves of each role by number; an empty text is a number without a move."""
        core = self.core
        return tuple(tuple(core.move_text(role, n) for n in range(core.moves[role])) for role in range(len(self.roles)))

    def sheet_fluents(self, state: bytes) -> frozenset[str]:
        """Return the true fluents of the reference sheet."""
        names = self.fluent_names
        return frozenset([names[number] for number in self.core.holding(state)])

    def simulator(self, lanes: int, *, isa: str) -> LaneSimulator:
        """Return a new simulator of 64, 128, 256 or 512 lanes, with an instruction set of this processor."""
        return self.core.simulator(lanes, isa)

    def mover(self, state: bytes) -> str:
        """Return the role whose turn it is."""
        return self.roles[self.core.mover(state)]

    def is_over(self, state: bytes) -> bool:
        """Return True if the state is terminal."""
        return self._lanes.evaluated(state).terminal()

    def goals(self, state: bytes) -> tuple[int, ...]:
        """Return the goals of all roles in a terminal state."""
        lane = self._lanes.evaluated(state)
        return tuple(lane.goals(role)[0] for role in range(len(self.roles)))

    def legal(self, state: bytes) -> dict[str, int]:
        """Return the legal moves of the role to move, as printed in this state, with their numbers."""
        lane = self._lanes.evaluated(state)
        if lane.terminal():
            return {}
        return {self.core.move_in(state, number): number for number in lane.legal(self.core.mover(state))}

    def read_move(self, state: bytes, text: str) -> int:
        """Return the number of a legal move.

        Raises:
            UserError: the text is not a legal move; the message names the most similar legal moves.
        """
        legal = self.legal(state)
        if text in legal:
            return legal[text]
        number = self.core.read_move(self.core.mover(state), text)
        if number in legal.values():
            return number
        if not legal:
            raise UserError(f"{text} cannot be played: the game is over")
        what = "is not a move of this game" if number < 0 else "is not legal here"
        near = sorted(difflib.get_close_matches(text, legal, n=_NAMED, cutoff=0))
        raise UserError(f"{text} {what}; {self.mover(state)} has {', '.join(near)}{', ..' * (len(legal) > _NAMED)}")

    def play(self, state: bytes, text: str) -> bytes:
        """Return the state after a move.

        Raises:
            UserError: the move is not legal; see `read_move`.
        """
        number = self.read_move(state, text)
        joint = [self.core.moves[role] - 1 for role in range(len(self.roles))]
        joint[self.core.mover(state)] = number
        return self._lanes.evaluated(state).step(joint)

    def _new_lane(self) -> LaneSimulator:
        return self.core.simulator(64, "portable")

    def board(self, state: bytes) -> str:
        """Return a state as text."""
        return self.core.board(state)

    def read_board(self, text: str, *, source: str = "the position") -> bytes:
        """Return the state of a text in the format of `board`.

        Raises:
            UserError: the text is not a valid state; the message begins with `source`.
        """
        try:
            return self.core.read_board(text)
        except ValueError as error:
            raise UserError(f"{source}: {error}") from None

    def evaluate(self, state: bytes, name: str) -> float:
        """Return the value of an evaluation function for the first role, -1..1.

        Raises:
            ValueError: the game has no evaluation with this name.
        """
        if name not in self.core.evaluations:
            raise ValueError(f"{self.name} has no evaluation {name}; evaluations: {', '.join(self.core.evaluations)}")
        return self.core.evaluation(state, self.core.evaluations.index(name))

    def playouts(
        self, count: int, *, seed: int = 1, policy: str = "uniform", stop: StopFlag | None = None
    ) -> PlayoutStatistics:
        """Run play-outs from the initial state, with the policy `uniform` or `game` (`game_playout.hpp`).

        Raises:
            ValueError: there is no such policy, or the count is not positive.
        """
        if policy not in ("uniform", "game"):
            raise ValueError(f"no play-out policy is called {policy}; policies: uniform, game")
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

"""What the players of a game with hidden information have observed, for OpenSpiel, and states that agree with it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..common.errors import UserError
from .openspiel_turns import Joint, Turns

# The number of histories from which `HistorySampler` draws one.
_HISTORIES = 16
# The largest number of joint moves that are evaluated in one state, and by one `HistorySampler`.
_MOST_JOINT_MOVES, _MOST_EVALUATED = 5_000, 500_000


@dataclass(frozen=True, slots=True)
class Played:
    """The turns of a game so far."""

    moves: tuple[Joint, ...] = ()  # the joint move of each turn
    percepts: tuple[tuple[tuple[str, ...], ...], ...] = ()  # the percepts of each role in each turn

    def with_turn(self, joint: Joint, percepts: list[list[str]]) -> Played:
        """Return these turns and one more."""
        return Played((*self.moves, joint), (*self.percepts, tuple(map(tuple, percepts))))

    def observed(self, role: int) -> list[tuple[int, tuple[str, ...]]]:
        """Return the own move and the percepts of a role in each turn."""
        return [(joint[role], percepts[role]) for joint, percepts in zip(self.moves, self.percepts, strict=True)]

    def __deepcopy__(self, _: Any) -> Self:
        return self


def observed_text(turns: Turns, played: Played, role: int, chosen: int | None, latest: int | None = None) -> str:
    """Return what a role has observed: its name, and for each turn its move and the list of its percepts."""
    parts = [turns.machine.roles[role]]
    observed = played.observed(role)
    for move, percepts in observed[len(observed) - latest if latest is not None else 0 :]:
        parts.append(f"{turns.machine.move_name(role, move)} ({' '.join(percepts)})")
    if chosen is not None:
        parts.append(turns.machine.move_name(role, chosen))
    return " ".join(parts)


class PerceptObserver:
    """Observe what one player observes: the own move and the percepts of the last turn, or of all turns as text."""

    def __init__(self, turns: Turns, params: dict[str, Any] | None, *, perfect_recall: bool) -> None:
        if params:
            raise UserError(f"observers of gdl have no parameters; give {', '.join(params)} to the game")
        self._turns = turns
        self._perfect_recall = perfect_recall
        moves, percepts = (0, 0) if perfect_recall else turns.observed_parts
        # The observation: float32, one dimension: a 1 for the own move in the last turn, then a 1 for each percept.
        # Empty with perfect recall, for which there is only the text.
        self.tensor = np.zeros(moves + percepts, np.float32)
        # The same data as `move` and `percepts`.
        self.dict = {} if perfect_recall else {"move": self.tensor[:moves], "percepts": self.tensor[moves:]}

    def set_from(self, state: Any, player: int) -> None:
        """Write the observation of a player in a state."""
        self.tensor.fill(0)
        role = self._turns.players[player]
        if self._perfect_recall or not state.played.moves:
            return
        move, percepts = state.played.observed(role)[-1]
        self.dict["move"][move] = 1
        for percept in percepts:
            self.dict["percepts"][self._turns.percept_numbers[role][percept]] = 1

    def string_from(self, state: Any, player: int) -> str:
        """Return the observation of a player in a state as text."""
        role = self._turns.players[player]
        return observed_text(
            self._turns, state.played, role, state.chosen(role), latest=None if self._perfect_recall else 1
        )


class TurnObserver:
    """Observe what all players know in a game with hidden information: the number of turns."""

    def __init__(self) -> None:
        self.tensor = np.zeros(1, np.float32)  # the number of turns: float32, one element
        self.dict = {"turns": self.tensor}  # the same, as `turns`

    def set_from(self, state: Any, player: int) -> None:
        """Write the number of turns."""
        self.tensor[0] = len(state.played.moves)

    def string_from(self, state: Any, player: int) -> str:
        """Return the number of turns as text."""
        return f"turn {len(state.played.moves)}"


@dataclass(slots=True)
class _AgreeingMoves:
    """The joint moves in a state that agree with the next turn of a role."""

    successors: list[tuple[Joint, bytes]]  # untried joint moves, with the states after them, in random order
    share: float  # the part of all joint moves with the own move that agrees, above 0


class HistorySampler:
    """Draw histories that a role cannot distinguish from the one that was played.

    Histories are found by depth-first search in random order (HyperPlay; Schofield, Cerexhe and Thielscher, AAAI 2012).
    A step is drawn among the c consistent ones of all n joint moves, so a history has the weight prod c / n. One of
    several histories is drawn by weight: approximately the posterior if chance and the other roles choose uniformly.
    """

    def __init__(
        self, turns: Turns, played: Played, role: int, legal: tuple[int, ...], draw: Callable[[], float]
    ) -> None:
        self._turns = turns
        self._observed = played.observed(role)
        self._role = role
        self._legal = legal
        self._draw = draw
        self._evaluated = 0
        self._known: dict[tuple[int, bytes], tuple[list[tuple[Joint, bytes]], float]] = {}

    def history(self) -> list[Joint]:
        """Return the joint moves of a history."""
        found = [self._search() for _ in range(_HISTORIES)]
        weights = [math.exp(weight - max(weight for _, weight in found)) for _, weight in found]
        chosen = self._draw() * sum(weights)
        for (moves, _), weight in zip(found, weights, strict=True):
            chosen -= weight
            if chosen < 0:
                return moves
        return found[-1][0]

    def _search(self) -> tuple[list[Joint], float]:
        """Return the joint moves of a history and the logarithm of its weight."""
        if not self._observed:
            return [], 0.0
        moves: list[Joint] = []
        steps = [self._step(0, self._turns.machine.initial())]
        while steps:
            if not steps[-1].successors:
                steps.pop()
                if moves:
                    moves.pop()
                continue
            joint, state = steps[-1].successors.pop()
            if len(steps) < len(self._observed):
                moves.append(joint)
                steps.append(self._step(len(steps), state))
                continue
            turn = self._turns.turn(state)
            if self._role in turn.acting and turn.legal[self._role] == self._legal:
                return [*moves, joint], sum(math.log(step.share) for step in steps)
        raise UserError(f"no history agrees with the percepts of {self._turns.machine.roles[self._role]}")

    def _step(self, number: int, state: bytes) -> _AgreeingMoves:
        """Return the consistent joint moves of a turn in a state, in random order."""
        if (number, state) not in self._known:
            self._known[number, state] = self._consistent(number, state)
        successors, share = self._known[number, state]
        return _AgreeingMoves(self._shuffled(successors), share)

    def _consistent(self, number: int, state: bytes) -> tuple[list[tuple[Joint, bytes]], float]:
        turns, (own, percepts) = self._turns, self._observed[number]
        turn = turns.turn(state)
        if turn.over or own not in turn.legal[self._role]:
            return [], 1.0
        choices = [moves if role != self._role else (own,) for role, moves in enumerate(turn.legal)]
        if math.prod(map(len, choices)) > _MOST_JOINT_MOVES:
            joints = [
                tuple(moves[int(self._draw() * len(moves))] for moves in choices) for _ in range(_MOST_JOINT_MOVES)
            ]
        else:
            joints = list(itertools.product(*choices))
        self._evaluated += len(joints)
        if self._evaluated > _MOST_EVALUATED:
            raise UserError(
                f"no history that agrees with the percepts of {turns.machine.roles[self._role]} was found in "
                f"{_MOST_EVALUATED:,} turns"
            )
        found = [
            (joint, turns.machine.next_by_numbers(state, joint))
            for joint in joints
            if tuple(turns.machine.percepts_by_numbers(state, joint)[self._role]) == percepts
        ]
        return found, max(len(found), 1) / len(joints)

    def _shuffled(self, successors: list[tuple[Joint, bytes]]) -> list[tuple[Joint, bytes]]:
        keyed = [(self._draw(), number) for number in range(len(successors))]
        return [successors[number] for _, number in sorted(keyed)]

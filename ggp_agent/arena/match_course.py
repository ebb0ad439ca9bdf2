"""The course of one match of a comparison: its turns, the moves of chance, and its end."""

from __future__ import annotations

from abc import ABC, abstractmethod

from gdl import CompiledMachine, LaneSimulator

from ..game.turn_words import after_turns
from .match_plan import MatchPlan
from .match_result import MatchResult

# The largest number of turns: games without an end must not block a comparison.
MOST_TURNS = 20_000


class MatchCourse(ABC):
    """Play one match, with moves as numbers.

    `next_role` returns a role that has a choice, or None after the end. Search for it, and pass the result to `decide`,
    which the derived class defines.

    Args:
        plan: the plan of the match.
        machine: the machine of the game.
        referee: a simulator, which matches may share; it is free between calls.
    """

    def __init__(self, plan: MatchPlan, machine: CompiledMachine, referee: LaneSimulator) -> None:
        self.plan = plan
        self._machine = machine
        self._referee = referee
        self._roles = range(len(machine.roles))
        self._chance = plan.stream("chance")
        self._moves: list[tuple[int, ...]] = []
        self._opening = 0
        self._simulations = [0] * len(machine.roles)
        self._cpu_seconds = [0.0] * len(machine.roles)
        self._goals: tuple[int | None, ...] = (None,) * len(machine.roles)
        self._over = False
        self._error = ""
        self._legal: list[list[int]] = []
        self._chosen: dict[int, int] = {}

    @property
    def turns(self) -> int:
        """The number of joint moves so far."""
        return len(self._moves)

    def next_role(self) -> int | None:
        """Play forced moves and moves of chance; return the next role to search for, None when the match is over."""
        while not self._over:
            for role in self._roles:
                if role in self._chosen:
                    continue
                if self._decides(role):
                    return role
                self._chosen[role] = self._without_search(role)
            self._play(tuple(self._chosen[role] for role in self._roles))
        return None

    def result(self) -> MatchResult:
        """Return the result of the match."""
        name = self._machine.move_name
        return MatchResult(
            plan=self.plan,
            turns=self.turns,
            moves=tuple(tuple(name(role, move) for role, move in enumerate(joint)) for joint in self._moves),
            opening=self._opening,
            goals=self._goals,
            simulations=tuple(self._simulations),
            cpu_seconds=tuple(self._cpu_seconds),
            error=self._error,
        )

    @abstractmethod
    def _decides(self, role: int) -> bool:
        """Return whether a role needs a search for its next move."""

    def _without_search(self, role: int) -> int:
        """Return the move of a role that needs no search."""
        legal = self._legal[role]
        return legal[self._chance.randrange(len(legal))] if len(legal) > 1 else legal[0]

    @abstractmethod
    def _advance(self, joint: tuple[int, ...]) -> bytes:
        """Report a joint move to the searches; return the next state."""

    def _play(self, joint: tuple[int, ...]) -> None:
        state = self._advance(joint)
        self._moves.append(joint)
        self._chosen.clear()
        self._look(state)

    def _look(self, state: bytes) -> None:
        """Read the legal moves or the goals of a state."""
        referee = self._referee
        referee.evaluate(state)
        if referee.terminal():
            self._over = True
            values = [referee.goals(role) for role in self._roles]
            self._goals = tuple(max(value, default=None) for value in values)
            without = [role for role in self._roles if self._goals[role] is None and self.plan.seats[role] is not None]
            if without:
                self._give_up(f"{self._machine.roles[without[0]]} has no goal value")
            return
        self._legal = [referee.legal(role) for role in self._roles]
        if not all(self._legal):
            self._give_up(f"{self._machine.roles[self._legal.index([])]} has no legal move")
        elif len(self._moves) >= MOST_TURNS:
            self._give_up("no end")

    def _give_up(self, reason: str) -> None:
        self._over = True
        self._error = f"{reason} {after_turns(len(self._moves))}"

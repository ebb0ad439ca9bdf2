"""One match of a comparison: the state of play, what each role has to decide, and what came of it."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gdl import CompiledMachine, LaneSimulator

from .. import _search
from ..mcts.search_result import RootStatistics
from .match_plan import MatchPlan

# Turns after which a match is given up: rules without an end must not keep a comparison from ending.
MOST_TURNS = 20_000
# Openings drawn before it is said that games are too short for them.
_MOST_OPENINGS = 1000


@dataclass(frozen=True, slots=True)
class MatchResult:
    """Hold what happened in one match.

    Attributes:
        plan: how it was set up.
        turns: joint moves that were made.
        opening: how many of them were drawn, the first ones.
        goals: of each role, None where the rules give none.
        simulations: of each role in all its moves.
        cpu_seconds: of each role, processor time of its searches; 0 side by side, where it cannot be told apart.
        error: why the match does not count; empty where it does.
        moves: the joint moves, as KIF in role order; none where they were not kept.
    """

    plan: MatchPlan
    turns: int
    opening: int
    goals: tuple[int | None, ...]
    simulations: tuple[int, ...]
    cpu_seconds: tuple[float, ...]
    error: str
    moves: tuple[tuple[str, ...], ...] = ()

    def mean_goal(self, contestant: int) -> float:
        """Return the mean goal, 0..100, of the roles of a contestant."""
        goals = [goal for goal, seat in zip(self.goals, self.plan.seats, strict=True) if seat == contestant]
        return sum(goal or 0 for goal in goals) / len(goals)


class ArenaMatch:
    """Play one match, in numbers of moves.

    Ask `next_role` for a role that has a choice, search with `searchers[role]` and `decide`, until there is none.

    Args:
        plan: who sits where.
        machine: of the game.
        referee: a simulator that is free between calls; matches may share it.
        searchers: of each role but chance, new.
        first: the state in which it begins.
        opening: joint moves to begin with.
    """

    def __init__(
        self,
        plan: MatchPlan,
        machine: CompiledMachine,
        referee: LaneSimulator,
        searchers: Mapping[int, _search.Searcher],
        first: bytes,
        opening: Sequence[tuple[int, ...]],
    ) -> None:
        self.plan = plan
        self.searchers = searchers
        self._machine = machine
        self._referee = referee
        self._roles = range(len(machine.roles))
        self._chance = plan.stream("chance")
        self._moves: list[tuple[int, ...]] = []
        self._opening = len(opening)
        self._simulations = [0] * len(machine.roles)
        self._cpu_seconds = [0.0] * len(machine.roles)
        self._goals: tuple[int | None, ...] = (None,) * len(machine.roles)
        self._over = False
        self._error = ""
        self._legal: list[list[int]] = []
        self._chosen: dict[int, int] = {}
        if first != referee.initial:
            for searcher in searchers.values():
                searcher.set_root(first)
        self._look(first)
        for joint in opening:
            self._play(joint)

    @property
    def turns(self) -> int:
        """The number of joint moves so far."""
        return len(self._moves)

    def next_role(self) -> int | None:
        """Return the role whose search is due, after what is forced or up to chance; None when the match is over."""
        while not self._over:
            for role in self._roles:
                if role in self._chosen:
                    continue
                legal = self._legal[role]
                if len(legal) > 1 and role in self.searchers:
                    return role
                self._chosen[role] = legal[self._chance.randrange(len(legal))] if len(legal) > 1 else legal[0]
            self._play(tuple(self._chosen[role] for role in self._roles))
        return None

    def decide(self, role: int, found: RootStatistics, cpu_seconds: float = 0.0) -> None:
        """Choose the best move that the search of a role has found."""
        self._chosen[role] = int(found.roles[role].moves["move"][0])
        self._simulations[role] += found.simulations
        self._cpu_seconds[role] += cpu_seconds

    def result(self) -> MatchResult:
        """Return what happened."""
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

    def _play(self, joint: tuple[int, ...]) -> None:
        state = b""
        for searcher in self.searchers.values():
            searcher.advance(joint)
            state = searcher.root_state
        self._moves.append(joint)
        self._chosen.clear()
        self._look(state)

    def _look(self, state: bytes) -> None:
        """Read what the rules say about a state."""
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
        self._error = f"{reason} after {len(self._moves)} turns"


def random_opening(referee: LaneSimulator, first: bytes, plies: int, draw: random.Random) -> list[tuple[int, ...]]:
    """Draw joint moves to begin with in a state, uniformly among those that do not end the game.

    Raises:
        ValueError: there are hardly any, or none.
    """
    for _ in range(_MOST_OPENINGS):
        state = first
        opening: list[tuple[int, ...]] = []
        while True:
            referee.evaluate(state)
            if referee.terminal():
                break
            if len(opening) == plies:
                return opening
            legal = [referee.legal(role) for role in range(referee.roles)]
            if not all(legal):
                break
            opening.append(tuple(draw.choice(moves) for moves in legal))
            state = referee.step(opening[-1])
    raise ValueError(f"an opening of {plies} plies ends the game; take fewer")

"""One match of a comparison: its state, the decisions of its roles, and its result."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gdl import CompiledMachine, LaneSimulator

from .. import _search
from ..game.turn_words import after_turns
from ..mcts.search_result import RootStatistics
from ..protocol.messages import Thoughts
from .adjudication import NEVER, AdjudicationRules, Adjudicator
from .match_plan import MatchPlan

# The largest number of turns: games without an end must not block a comparison.
MOST_TURNS = 20_000
# The number of random openings to try before they are reported as too long for the game.
_MOST_OPENINGS = 1000


@dataclass(frozen=True, slots=True)
class MatchResult:
    """The result of one match.

    Attributes:
        plan: the plan of the match.
        turns: number of joint moves.
        opening: number of random joint moves at the beginning.
        goals: goal of each role; None if the rules define none.
        simulations: number of simulations of each role in all its moves.
        cpu_seconds: processor time of the searches of each role; 0 if matches are played side by side.
        error: the reason why the match does not count; empty if it counts.
        moves: the joint moves, as KIF in role order; empty if they were not kept.
        adjudicated: whether the searches agreed on the goals before the terminal state.
    """

    plan: MatchPlan
    turns: int
    opening: int
    goals: tuple[int | None, ...]
    simulations: tuple[int, ...]
    cpu_seconds: tuple[float, ...]
    error: str
    moves: tuple[tuple[str, ...], ...] = ()
    adjudicated: bool = False

    def mean_goal(self, contestant: int) -> float:
        """Return the mean goal, 0..100, of the roles of a contestant."""
        goals = [goal for goal, seat in zip(self.goals, self.plan.seats, strict=True) if seat == contestant]
        return sum(goal or 0 for goal in goals) / len(goals)


class ArenaMatch:
    """Play one match, with moves as numbers.

    Call `next_role` for a role that has a choice, search with `searchers[role]` and call `decide`, until there is none.

    Args:
        plan: the plan of the match.
        machine: the machine of the game.
        referee: a simulator, which matches may share; it is free between calls.
        searchers: a new searcher for each role except chance.
        first: the state in which the match begins.
        opening: the first joint moves.
        adjudication: the conditions under which the match ends before its terminal state.
    """

    def __init__(
        self,
        plan: MatchPlan,
        machine: CompiledMachine,
        referee: LaneSimulator,
        searchers: Mapping[int, _search.Searcher],
        first: bytes,
        opening: Sequence[tuple[int, ...]],
        adjudication: AdjudicationRules = NEVER,
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
        self._adjudicator = Adjudicator(adjudication, tuple(searchers), len(machine.roles))
        self._thoughts: dict[int, Thoughts] = {}
        self._adjudicated = False
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
        """Play forced moves and moves of chance; return the next role to search for, None when the match is over."""
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
        """Choose the best move of a search for its role."""
        own = found.roles[role]
        low, high = own.bounds
        expected = low if low == high else min(max(50 * (float(own.moves["mean"][0]) + 1), 0.0), 100.0)
        self._thoughts[role] = Thoughts("", expected, found.simulations, proven=own.bounds)
        self._chosen[role] = int(own.moves["move"][0])
        self._simulations[role] += found.simulations
        self._cpu_seconds[role] += cpu_seconds

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
            adjudicated=self._adjudicated,
        )

    def _play(self, joint: tuple[int, ...]) -> None:
        state = b""
        for searcher in self.searchers.values():
            searcher.advance(joint)
            state = searcher.root_state
        self._moves.append(joint)
        self._chosen.clear()
        self._look(state)
        result = self._adjudicator.decide(len(self._moves), self._thoughts)
        self._thoughts.clear()
        if result is not None and not self._over:
            self._over, self._adjudicated = True, True
            self._goals = result.goals

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


def random_opening(referee: LaneSimulator, first: bytes, plies: int, draw: random.Random) -> list[tuple[int, ...]]:
    """Draw the first joint moves, uniformly among the joint moves that do not end the game.

    Raises:
        ValueError: the game has no such openings, or almost none.
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
    raise ValueError(f"an opening of {plies} plies ends the game; choose a smaller number")

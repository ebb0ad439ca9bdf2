"""The result of one match of a comparison, and random openings."""

from __future__ import annotations

import random
from dataclasses import dataclass

from gdl import LaneSimulator

from ..protocol.text_turn import TextAnswers
from .match_plan import MatchPlan

# The number of random openings to try before they are reported as too long for the game.
_MOST_OPENINGS = 1000


@dataclass(frozen=True, slots=True)
class MatchResult:
    """The result of one match."""

    plan: MatchPlan  # the plan of the match
    turns: int  # number of joint moves
    opening: int  # number of random joint moves at the beginning
    goals: tuple[int | None, ...]  # goal of each role; None if the rules define none
    simulations: tuple[int, ...]  # number of simulations of each role in all its moves
    # Processor time of the searches of each role; 0 if matches are played side by side. Text players have 0.
    cpu_seconds: tuple[float, ...]
    error: str  # the reason why the match does not count; empty if it counts
    moves: tuple[tuple[str, ...], ...] = ()  # the joint moves, as KIF in role order; empty if they were not kept
    adjudicated: bool = False  # whether the searches agreed on the goals before the terminal state
    # The percepts of each joint move, a tuple for each role; empty if the game does not hide information, or if they
    # were not kept.
    percepts: tuple[tuple[tuple[str, ...], ...], ...] = ()
    # Counts of the answers of each role, None for roles without a text player; empty without text players.
    answers: tuple[TextAnswers | None, ...] = ()

    def mean_goal(self, contestant: int) -> float:
        """Return the mean goal, 0..100, of the roles of a contestant."""
        goals = [goal for goal, seat in zip(self.goals, self.plan.seats, strict=True) if seat == contestant]
        return sum(goal or 0 for goal in goals) / len(goals)

    def answers_of(self, contestant: int) -> TextAnswers:
        """Return the counts of the answers of a contestant."""
        seats = zip(self.plan.seats, self.answers, strict=False)
        return sum((each for seat, each in seats if seat == contestant and each is not None), TextAnswers())


def random_opening(referee: LaneSimulator, first: bytes, plies: int, draw: random.Random) -> list[tuple[int, ...]]:
    """Draw the first joint moves, uniformly among the joint moves that do not end the game."""
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

"""The result of one match of a comparison, and the file of results."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from ..common.errors import UserError
from ..protocol.text_turns import TextAnswers
from .match_plan import MatchPlan


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


# ---- results in a file


class RecordFile:
    """Write matches to a new file as they end.

    Each line is written in one call before the next match is awaited, so the file has whole lines even if the program
    is killed.
    """

    def __init__(self, path: Path, game: str, roles: Sequence[str], contestants: Sequence[str]) -> None:
        self._game = game
        self._roles = list(roles)
        self._names = list(contestants)
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL, 0o644)
        except FileExistsError:
            raise UserError(f"{path}: the file exists already; name a new file for the record") from None

    def write(self, match: MatchResult) -> None:
        """Write one match."""
        line = json.dumps(self.document(match), ensure_ascii=False, separators=(",", ":")) + "\n"
        data = line.encode()
        while data:
            data = data[os.write(self._handle, data) :]

    def document(self, match: MatchResult) -> dict[str, Any]:
        """Return the object of one match; seats are names of contestants, None for chance."""
        plan = match.plan
        return {
            "game": self._game,
            "match": plan.number,
            "round": plan.round,
            "seed": plan.seed,
            "roles": self._roles,
            "seats": [None if seat is None else self._names[seat] for seat in plan.seats],
            "opening": match.opening,
            "turns": match.turns,
            "goals": match.goals,
            "simulations": match.simulations,
            "cpu_seconds": [round(seconds, 6) for seconds in match.cpu_seconds],
            "error": match.error,
            "adjudicated": match.adjudicated,
            "moves": match.moves,
            **({"percepts": match.percepts} if match.percepts else {}),
            **({"answers": [each and asdict(each) for each in match.answers]} if match.answers else {}),
        }

    def __enter__(self) -> RecordFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        os.close(self._handle)

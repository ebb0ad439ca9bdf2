"""A text player in a comparison: a program that reads requests and writes moves."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

from gdl import CompiledMachine
from gdl.language.percepts import percept_rules

from ..game.game import Game
from ..game.turn_requests import TurnRequests
from ..game.wording import Wording
from ..mcts.limits import Limits
from ..protocol.clocks import MAX_CLOCK, Deadline
from ..protocol.text_command import TextCommand
from ..protocol.text_process import TextProcess
from ..protocol.text_turns import TextAnswers, request_move
from .role_players import Observation, RoleChoice, RolePlayer

# The default time of an answer in milliseconds, if simulations limit the search of the other side.
ANSWER_MILLISECONDS = 10_000.0
# Additional time in seconds for the first answer of a match, in which the program starts.
START_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class TextContestant:
    """A text player with the time of each answer.

    >>> TextContestant("a", TextCommand(("./player.sh",)), -1.0)
    Traceback (most recent call last):
    ...
    ValueError: the time of an answer must be above 0 and at most 86400000 milliseconds, not -1
    """

    name: str  # name in results
    command: TextCommand  # command of the program, which is started for each match
    # Wall-clock time of each answer, above 0; the first answer of a match has `START_SECONDS` more.
    milliseconds: float = ANSWER_MILLISECONDS

    def __post_init__(self) -> None:
        longest = MAX_CLOCK * 1000
        if not (math.isfinite(self.milliseconds) and 0 < self.milliseconds <= longest):
            raise ValueError(
                f"the time of an answer must be above 0 and at most {longest:.0f} milliseconds, "
                f"not {self.milliseconds:g}"
            )

    @property
    def simulations(self) -> None:
        """None, because simulations do not limit a text player."""
        return None

    def document(self) -> dict[str, Any]:
        """Return the values that determine the moves, as JSON types."""
        return {"command": str(self.command), "simulations": None, "milliseconds": self.milliseconds}


class ProgramPlayer(RolePlayer):
    """Play one role with a program that answers requests; it starts with the first request.

    In a game with percepts, the requests contain only the moves and percepts of the role, otherwise the state.
    """

    def __init__(self, machine: CompiledMachine, role: int, contestant: TextContestant, game: Game | None) -> None:
        self.answers: TextAnswers = TextAnswers()
        self._machine = machine
        self._role = role
        self._contestant = contestant
        self._wording = Wording(machine.sheet)
        self._process = TextProcess(contestant.command.words)
        self._has_percepts = bool(percept_rules(machine.sheet))
        name, guide = ("", None) if game is None else (game.name, game.guide)
        contestant.command.require_state(name or "the game", is_hidden=self._has_percepts)
        self._requests = TurnRequests(
            machine,
            role,
            self._wording,
            contestant.command,
            game=name,
            guide=guide,
            has_percepts=self._has_percepts,
        )
        self._state = machine.initial()
        self._history: list[tuple[str, ...]] = []
        self._percepts: list[tuple[str, ...]] = []

    def search(self, limits: Limits) -> RoleChoice:
        assert limits.seconds is not None
        legal = self._machine.legal(self._state, self._machine.roles[self._role])
        fluents = () if self._has_percepts else tuple(self._machine.fluents(self._state))
        start = 0.0 if self.answers.requests else START_SECONDS
        reply, retried, repaired = request_move(
            self._process,
            self._requests.request(legal, self._history, self._percepts, fluents),
            end=Deadline(start + limits.seconds),
            read=partial(self._wording.read_move, legal=legal),
        )
        self.answers = self.answers.with_turn(reply.error, reply.detail, retried, repaired)
        return RoleChoice("" if reply.error else self._wording.decode(reply.text))

    def observe(self, turn: Observation) -> None:
        machine, state, joint = self._machine, self._state, turn.joint
        assert joint is not None
        moves = tuple(machine.move_name(role, move) for role, move in enumerate(joint))
        if self._has_percepts:
            self._percepts.append(tuple(machine.percepts_by_numbers(state, joint)[self._role]))
        self._history.append(moves)
        self._state = machine.next_by_numbers(state, joint)

    def close(self) -> None:
        self._process.close()

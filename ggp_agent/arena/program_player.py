"""Text players: programs that read requests and write moves; their requests, and such a player in a comparison."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from gdl.language.percepts import percept_rules

from ..game.drawing.board import Board
from ..game.game import State
from ..game.wording import Wording
from ..mcts.limits import Limits
from ..protocol.clocks import MAX_CLOCK, Deadline
from ..protocol.text_command import FACTS, TEXT, TextCommand
from ..protocol.text_process import TextProcess
from ..protocol.text_turns import TextAnswers, TurnRequest, request_move
from .role_players import Observation, RoleChoice, RolePlayer


class TurnRequests:
    """What the text player of a role may know in each turn, in the names of the player."""

    def __init__(
        self,
        start: State,
        role: int,
        wording: Wording,
        command: TextCommand,
        *,
        game: str,  # the name of the game; empty if the names are scrambled
    ) -> None:
        self.has_percepts = bool(percept_rules(start.game.sheet))  # whether the role sees its percepts, not the state
        self._start = start
        self._role = role
        self._wording = wording
        self._command = command
        self._game = game
        self._rules = wording.lines()
        self._board: Board | None = None

    def request(
        self,
        legal: Iterable[str],
        moves: Sequence[Sequence[str]],
        percepts: Iterable[Iterable[str]],
        fluents: Sequence[str],
    ) -> TurnRequest:
        """Return the request of a turn: legal moves of the role, joint moves so far, percepts of the role, state."""
        rename, roles = self._wording.rename, self._start.roles
        joints = [[joint[self._role]] for joint in moves] if self.has_percepts else moves
        return TurnRequest(
            game=self._game,
            role=rename(roles[self._role]),
            roles=tuple(map(rename, roles)),
            rules=self._rules,
            turn=len(moves) + 1,
            legal=tuple(sorted(map(rename, legal))),
            state=None if self.has_percepts else tuple(sorted(map(rename, fluents))),
            history=tuple(tuple(map(rename, joint)) for joint in joints),
            percepts=tuple(tuple(map(rename, seen)) for seen in percepts) if self.has_percepts else None,
            command=self._command,
            board="" if self._command.board == FACTS else self._text(fluents),
        )

    def _text(self, fluents: Sequence[str]) -> str:
        """Return the text of a state as a board or as JSON."""
        machine = self._start.machine
        state = machine.state(fluents)
        if self._command.board == TEXT:
            if self._board is None:
                self._board = Board(machine, self._start.game.guide)
            drawn = str(self._board.draw(state))
            return f"{drawn}\n{self._board.legend}" if self._board.legend else drawn
        goals = {role: machine.goal(state, role) for role in machine.roles}
        return json.dumps({"roles": machine.roles, "fluents": machine.fluents(state), "goals": goals})


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

    def __init__(self, start: State, role: int, contestant: TextContestant) -> None:
        self.answers: TextAnswers = TextAnswers()
        self._role = role
        self._wording = Wording(start.game.sheet)
        self._process = TextProcess(contestant.command.words)
        self._requests = TurnRequests(start, role, self._wording, contestant.command, game=start.game.name)
        contestant.command.require_state(start.game.name, is_hidden=self._requests.has_percepts)
        self._state = start
        self._history: list[tuple[str, ...]] = []
        self._percepts: list[tuple[str, ...]] = []

    def search(self, limits: Limits) -> RoleChoice:
        assert limits.seconds is not None
        legal = self._state.legal_moves(self._state.roles[self._role])
        fluents = () if self._requests.has_percepts else self._state.fluents
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
        assert turn.joint is not None
        moves = tuple(map(self._state.machine.move_name, range(len(turn.joint)), turn.joint))
        self._state = self._state.play(*moves)
        self._history.append(moves)
        self._percepts.append(self._state.percepts(self._state.roles[self._role]))

    def close(self) -> None:
        self._process.close()

"""The requests to the text player of a role, with the state as a board, as JSON or as facts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from gdl import MachineState, StateMachine
from kif_games import Guide

from ..protocol.text_command import FACTS, TEXT, TextCommand
from ..protocol.text_turns import TurnRequest
from .drawing.board import Board
from .wording import Wording


class TurnRequests:
    """What the text player of a role may know in each turn, in the names of the player."""

    def __init__(
        self,
        machine: StateMachine,
        role: int,
        wording: Wording,
        command: TextCommand,
        *,
        game: str,  # the name of the game; empty if the names are scrambled
        guide: Guide | None = None,
        has_percepts: bool = False,  # whether the role sees its percepts, and not the state
    ) -> None:
        self._machine = machine
        self._role = role
        self._wording = wording
        self._command = command
        self._game = game
        self._guide = guide
        self._has_percepts = has_percepts
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
        rename, roles = self._wording.rename, self._machine.roles
        joints = [[joint[self._role]] for joint in moves] if self._has_percepts else moves
        return TurnRequest(
            game=self._game,
            role=rename(roles[self._role]),
            roles=tuple(map(rename, roles)),
            rules=self._rules,
            turn=len(moves) + 1,
            legal=tuple(sorted(map(rename, legal))),
            state=None if self._has_percepts else tuple(sorted(map(rename, fluents))),
            history=tuple(tuple(map(rename, joint)) for joint in joints),
            percepts=tuple(tuple(map(rename, seen)) for seen in percepts) if self._has_percepts else None,
            command=self._command,
            board="" if self._command.board == FACTS else self._text(self._machine.state(fluents)),
        )

    def _text(self, state: MachineState) -> str:
        """Return the text of a state as a board or as JSON."""
        machine = self._machine
        if self._command.board == TEXT:
            if self._board is None:
                self._board = Board(machine, self._guide)
            drawn = str(self._board.draw(state))
            return f"{drawn}\n{self._board.legend}" if self._board.legend else drawn
        goals = {role: machine.goal(state, role) for role in machine.roles}
        return json.dumps({"roles": machine.roles, "fluents": machine.fluents(state), "goals": goals})

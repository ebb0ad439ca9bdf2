"""The states of a game in prompts for language models: a board as text, or JSON."""

from __future__ import annotations

import json

from gdl import CompiledMachine, MachineState, StateMachine
from kif_games import Guide

from ...common.errors import UserError
from ...protocol.text_command import JSON, TEXT
from .board import Board, board_of


class StateTexts:
    """Describe the states of a machine."""

    def __init__(self, machine: StateMachine, guide: Guide | None = None) -> None:
        self._machine = machine
        self._guide = guide
        self._board: Board | None = None

    def text(self, form: str, state: MachineState) -> str:
        """Return the text of a state; empty for the form `facts`, with which prompts list the fluents.

        >>> from ggp_agent import load_game
        >>> machine = load_game("tic_tac_toe").machine()
        >>> print(StateTexts(machine).text("text", machine.initial()))
        3 . . .   turn x
        2 . . .
        1 . . .
          1 2 3
        >>> print(StateTexts(machine).text("json", machine.initial())[:50])
        {"roles": ["x", "o"], "fluents": ["(turn x)"], "go
        """
        machine = self._machine
        if form == TEXT:
            if self._board is None:
                if not isinstance(machine, CompiledMachine):
                    raise UserError("board=text needs a game that can be compiled; use board=json or board=facts")
                self._board = board_of(machine, self._guide)
            drawn = str(self._board.draw(state, None))
            return f"{drawn}\n{self._board.legend}" if self._board.legend else drawn
        if form == JSON:
            goals = {role: machine.goal(state, role) for role in machine.roles}
            return json.dumps({"roles": machine.roles, "fluents": machine.fluents(state), "goals": goals})
        return ""

"""The current position of a game as JSON for the page."""

from __future__ import annotations

from gdl import MachineState

from ...game.drawing.decisive_cells import decisive_cells
from ...game.drawing.game_drawing import GameDrawing
from ...protocol.clocks import MAX_TURNS
from ...records.played_turns import PlayedTurn
from ...records.result_words import result_words
from ...records.titles import title_of
from ..terminal.game_in_play import GameInPlay
from .worker_messages import Document

# The move of a role that only waits.
_WAITING = "noop"


class PositionView:
    """Describe the position of a game: picture, legal moves with their cells, all turns, and the result."""

    def __init__(self, game: GameInPlay, drawing: GameDrawing, name: str, rules: list[Document]) -> None:
        self._game = game
        self._drawing = drawing
        self._name = name
        self._rules = rules
        self._decisive: tuple[MachineState, list[str]] | None = None
        self._history: list[tuple[PlayedTurn, dict[str, str]]] = []

    def document(self, *, waiting: list[str], thinking: list[str], resigned: str) -> Document:
        """Return the position."""
        game, turns = self._game, self._game.turns
        before = game.state_at(len(turns) - 1) if turns else None
        picture = self._drawing.picture(game.state, before, turns[-1].moves if turns else ())
        over = bool(resigned) or game.is_over()
        return {
            "game": self._name,
            "title": title_of(self._name),
            "turn": len(turns),
            "roles": list(game.machine.roles),
            "players": game.players,
            "svg": picture.svg,
            "facts": [group.document() for group in picture.facts],
            "waiting": waiting,
            "thinking": thinking,
            "legal": {role: self._moves(role) for role in waiting},
            "over": over,
            "outcome": self._outcome(resigned) if over else "",
            "decisive": self._decisive_cells() if over and not resigned else [],
            "goals": {role: game.machine.goal(game.state, role) for role in game.machine.roles}
            if over and not resigned and not game.is_stopped
            else {},
            "history": self._turns(),
            "rules": self._rules,
        }

    def _moves(self, role: str) -> list[Document]:
        return [
            {"move": move, "cells": self._drawing.cells_of(role, move), "column": self._drawing.column_of(move)}
            for move in self._game.legal()[role]
        ]

    def _outcome(self, resigned: str) -> str:
        game = self._game
        if resigned:
            return f"{resigned} has resigned"
        if game.is_stopped:
            return f"the game is stopped by the turn limit of {MAX_TURNS:,} turns"
        text = result_words({role: game.machine.goal(game.state, role) for role in game.machine.roles})
        stuck = [role for role, moves in game.legal().items() if not moves]
        if game.machine.terminal(game.state):
            return text
        return f"{' and '.join(stuck)} cannot move, which ends the game: {text}"

    def _decisive_cells(self) -> list[str]:
        """Return the cells on which the win depends; computed once per state."""
        state = self._game.state
        if self._decisive is None or self._decisive[0] != state:
            self._decisive = state, decisive_cells(self._game.machine, self._drawing.cells_of_fluent, state)
        return self._decisive[1]

    def _turns(self) -> list[dict[str, str]]:
        """Return the moves of each turn, of the roles that had a choice; earlier turns are cached.

        In a turn without a choice, the moves of roles that only wait are left out.
        """
        game = self._game
        del self._history[len(game.turns) :]
        while self._history and self._history[-1][0] is not game.turns[len(self._history) - 1]:
            self._history.pop()
        for number in range(len(self._history), len(game.turns)):
            turn, state = game.turns[number], game.state_at(number)
            moves = dict(zip(game.machine.roles, turn.moves, strict=True))
            chosen = {role: move for role, move in moves.items() if len(game.machine.legal(state, role)) > 1}
            active = {role: move for role, move in moves.items() if move != _WAITING}
            self._history.append((turn, chosen or active or moves))
        return [moves for _, moves in self._history]

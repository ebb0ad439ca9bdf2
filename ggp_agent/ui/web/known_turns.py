"""What one role knew after each turn of a recorded match with hidden information."""

from __future__ import annotations

from threading import Lock

from gdl import GdlError

from ...common.errors import UserError
from ...game.drawing.game_drawing import GameDrawing
from ...game.load import load_game
from ...hidden.role_belief import Belief
from ...records.match_record import MatchRecord
from .known_state import known_state
from .worker_messages import Document


class KnownTurns:
    """Follow the belief of a role through a record; safe to use from several threads."""

    def __init__(self, record: MatchRecord, word: str, role: str) -> None:
        game = load_game(word)
        machine = game.machine()
        self._record = record
        self._belief = Belief(game, role, machine=machine)
        self._role = machine.roles.index(role)
        self._drawing = GameDrawing(machine, game.guide, game.appearance)
        self._lock = Lock()
        self._turns: list[Document | None] = [known_state(self._belief, self._drawing, None)]

    def turn(self, number: int) -> Document | None:
        """Return what the role knew after a number of turns; None if no state that explains its percepts was found."""
        with self._lock:
            while len(self._turns) <= number:
                self._observe(len(self._turns) - 1)
            return self._turns[number]

    def _observe(self, turn: int) -> None:
        record = self._record
        move, percepts = record.moves[turn][self._role], record.percepts[turn][self._role]
        try:
            last = record.completed and turn + 1 == len(record.moves)
            self._belief.observe(move, percepts, terminal=last)
            known = None if self._belief.is_empty else known_state(self._belief, self._drawing, move)
        except (ValueError, GdlError) as error:
            raise UserError(f"turn {turn + 1} does not follow the rules: {error}") from None
        self._turns.append(known)

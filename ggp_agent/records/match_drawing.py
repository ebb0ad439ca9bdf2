"""A recorded match as pictures, one for each turn: what the page, exported files and lists of records show."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import lru_cache
from typing import Any

from gdl import GdlError, RuleSheet

from ..common.errors import UserError
from ..game.drawing.board import known_fluents
from ..game.drawing.svg_board import Picture, SvgBoard
from ..game.load import load_game
from .match_record import MatchRecord
from .record_list import role_names
from .record_rules import is_of_another_manager, playing_word, rules_of
from .record_terms import respelled
from .values import Values, losses

# Games whose fluents are remembered.
_REMEMBERED = 16


class MatchDrawing:
    """Draw the turns of a match.

    Where its rules are unknown, the board is recognised in the states that were recorded.

    Args:
        record: of the match.
        rules: names them, as GAME does on the command line; None for those of the catalogue.
        values: what roles could expect, as `values_of` returns it.

    Attributes:
        roles: their names; numbers if neither the record nor known rules name them.
        word: what the game is played by here; empty where its rules are not in the catalogue.

    Raises:
        UserError, GdlError: `rules` name none, or others than those of the record.
    """

    def __init__(self, record: MatchRecord, rules: str | None = None, values: Sequence[Values] = ()) -> None:
        self._values = values
        self.word = ""
        sheet = guide = None
        possible: tuple[str, ...] = ()
        with contextlib.suppress(*(() if rules is not None else (UserError, GdlError))):
            game = rules_of(record, rules)
            sheet, guide = game.sheet, game.guide
            if rules is None:
                self.word = playing_word(game.name)
            if is_of_another_manager(record):
                record = _in_words_of(record, sheet)
            possible = _known_fluents(self.word or str(rules))
        self._record = record
        self.roles = role_names(record.document())
        known = dict.fromkeys((*(fluent for state in record.states for fluent in state), *possible))
        self._board = SvgBoard.of(self.roles, known, record.states[0] if record.states else [], guide, sheet)

    @property
    def last(self) -> int:
        """The number of the last turn that has a picture; -1 where no state is recorded."""
        return len(self._record.states) - 1

    @property
    def has_board(self) -> bool:
        """Whether there is a board, and not facts alone."""
        return bool(self._board.cell_names)

    def picture(self, turn: int) -> Picture:
        """Draw the position after so many turns, with the move that led to it.

        Raises:
            UserError: there is no such turn.
        """
        states, moves = self._record.states, self._record.moves
        if not 0 <= turn < len(states):
            raise UserError(f"there is no turn {turn}; this match has 0 to {self.last}")
        made = zip(self.roles, moves[turn - 1], strict=False) if turn else ()
        touched = [cell for role, move in made for cell in self._board.cells_of(move, role)]
        return self._board.picture(states[turn], states[turn - 1] if turn else None, touched)

    def document(self) -> dict[str, Any]:
        """Return what is told of the match as a whole, for JSON."""
        record = self._record
        return {
            "match": record.match_id,
            "game": record.game,
            "roles": list(self.roles),
            "players": list(record.players),
            "goals": record.scores,
            "turns": max(0, self.last),
            "moves": record.moves,
            "times": record.move_times,
            "errors": record.errors,
            "completed": record.completed,
            "aborted": record.aborted,
            "turnLimit": record.is_stopped_at_turn_limit,
            "word": self.word,
            "values": list(self._values),
            "losses": [asdict(loss) for loss in losses(self._values, record.moves)],
        }


def _in_words_of(record: MatchRecord, sheet: RuleSheet) -> MatchRecord:
    """Return a record in the case of its rule sheet, so that moves name the cells of the board, and with its roles."""

    def respelled_all(terms: Sequence[str]) -> list[str]:
        return [respelled(term, sheet.spellings) for term in terms]

    roles = tuple(respelled_all(record.roles))
    if not roles and len(sheet.roles()) == len(role_names(record.document())):
        roles = sheet.roles()
    return replace(
        record,
        roles=roles,
        states=list(map(respelled_all, record.states)),
        moves=list(map(respelled_all, record.moves)),
    )


@lru_cache(maxsize=_REMEMBERED)
def _known_fluents(word: str) -> tuple[str, ...]:
    """Return the fluents that may hold in a game; a file that is changed meanwhile is not read again."""
    return tuple(known_fluents(load_game(word).machine()))

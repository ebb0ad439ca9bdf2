"""Positions that a person sets up: from fluents as text, and by the choices of each cell.

A position is a set of fluents. Its text is KIF, one fluent after the other, with or without `true`; or JSON, a list of
fluents or the dictionary of `State.to_dict`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from urllib.parse import quote

from gdl.json_text import parse_json

from ...common.errors import UserError
from ...game.drawing.game_drawing import GameDrawing
from ...game.game import State
from ...game.load import load_game
from ...protocol.message_text import MessageTextError, split
from .game_process import Document

# Maximal size of the text of a position in characters, and of the fluents that the page offers.
_MAX_TEXT = 100_000
_MAX_CHOICES = 20_000


def fluents_of(text: str) -> list[str]:
    """Return the fluents of a text.

    >>> fluents_of("(true (cell 1 1 x)) (control o) passed ; the turn of o")
    ['(cell 1 1 x)', '(control o)', 'passed']
    >>> fluents_of('["(control o)"]'), fluents_of('{"fluents": ["passed"]}')
    (['(control o)'], ['passed'])
    """
    if len(text) > _MAX_TEXT:
        raise UserError(f"the position has {len(text):,} characters; at most {_MAX_TEXT:,} are allowed")
    if not text.lstrip().startswith(("[", "{")):
        try:
            items = list(split(text))
            parts = [(item, item.items()) for item in items]
        except MessageTextError as error:
            raise UserError(f"the position is not a list of fluents: {error}") from None
        return [str(inner[1] if len(inner) == 2 and str(inner[0]) == "true" else item) for item, inner in parts]
    try:
        found = parse_json(text.encode())
    except (ValueError, RecursionError):
        raise UserError("the position is not valid JSON") from None
    fluents = found.get("fluents") if isinstance(found, dict) else found
    if not isinstance(fluents, list) or not all(isinstance(each, str) for each in fluents):
        raise UserError("the JSON of a position is a list of fluents, or an object with the list 'fluents'")
    return fluents


def position_address(word: str, fluents: Sequence[str]) -> str:
    """Return the address of a position on the page, as `positionAddress` of position_view.js does.

    >>> position_address("tic_tac_toe", ["(control x)"])
    '#/set/tic_tac_toe/%28control%20x%29'
    """
    return f"#/set/{quote(word, safe='')}/{quote(' '.join(fluents), safe='')}"


def state_of(start: State, fluents: Sequence[str]) -> State:
    """Return the state in which these fluents are true; `start` is any state of the game."""
    try:
        packed = start.machine.state(fluents)
    except ValueError as error:
        raise UserError(f"this is no position of {start.game.word}: {error}") from None
    assert isinstance(packed, bytes)
    return State(start.game, start.machine, packed)


def obstacle(state: State) -> str:
    """Return why a position cannot be played; empty if it can."""
    stuck = [] if state.is_terminal else [role for role, moves in state.legal_moves().items() if not moves]
    return f"no legal move in this position: {', '.join(stuck)}" if stuck else ""


@dataclass(frozen=True)
class PositionGame:
    """A game whose positions the page sets up."""

    start: State
    drawing: GameDrawing

    @cached_property
    def choices(self) -> Document:
        """The fluents of each cell, and all other fluents by their relation."""
        known = sorted({*self.start.machine.known_fluents(), *self.start.fluents})
        if len(known) > _MAX_CHOICES:
            raise UserError(f"{self.start.game.word} has {len(known):,} fluents, too many to choose from")
        cells: dict[str, list[str]] = {}
        others: dict[str, list[str]] = {}
        for fluent in known:
            named = self.drawing.cells_of_fluent(fluent)
            group = cells.setdefault(named[0], []) if len(named) == 1 else others.setdefault(_relation(fluent), [])
            group.append(fluent)
        return {"cells": cells, "others": others}

    def document(self, fluents: Sequence[str]) -> Document:
        """Return the picture of a position, its fluents, the number of moves, and why it cannot be played."""
        state = state_of(self.start, fluents)
        return {
            **self.drawing.picture(state.packed).document(),
            "roles": list(state.roles),
            "fluents": state.fluents,
            "initial": self.start.fluents,
            "legal": {role: len(moves) for role, moves in state.legal_moves().items()},
            "over": state.is_terminal,
            "problem": obstacle(state),
            **self.choices,
        }


def _relation(fluent: str) -> str:
    return fluent.strip("()").split()[0]


@lru_cache(maxsize=4)
def game_of(word: str) -> PositionGame:
    """Return a game of the catalogue; raise UserError for games with hidden information."""
    start = load_game(word).initial_state()
    if start.machine.hides_information:
        raise UserError(f"{word} hides information: its positions cannot be set up")
    return PositionGame(start, GameDrawing(start.machine, start.game.guide, start.game.appearance))


def position_document(word: str, text: str | None) -> Document:
    """Return a position of a game of the catalogue, given as text; the initial position without a text."""
    game = game_of(word)
    return game.document(game.start.fluents if text is None else fluents_of(text))

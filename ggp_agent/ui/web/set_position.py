"""Positions that a person sets up: from fluents as text, and by the choices of each cell.

A position is a set of fluents. Its text is KIF, one fluent after the other, with or without `true`; or JSON, a list of
fluents or the dictionary of `State.to_dict`.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock

from gdl.json_text import parse_json

from ...common.errors import UserError
from ...game.drawing.game_drawing import GameDrawing
from ...game.game import Game, State
from ...game.load import load_game
from .game_process import Document

# Maximal size of the text of a position in characters, and of the fluents that the page offers.
_MAX_TEXT = 100_000
_MAX_CHOICES = 20_000
# Characters of a fluent in a message.
_ECHO = 60
_TOKEN = re.compile(r"[()]|[^\s()]+")


def fluents_of(text: str) -> list[str]:
    """Return the fluents of a text.

    >>> fluents_of("(true (cell 1 1 x)) (control o) passed")
    ['(cell 1 1 x)', '(control o)', 'passed']
    >>> fluents_of('["(control o)"]'), fluents_of('{"fluents": ["passed"]}')
    (['(control o)'], ['passed'])
    """
    if len(text) > _MAX_TEXT:
        raise UserError(f"the position has {len(text):,} characters; at most {_MAX_TEXT:,} are allowed")
    if not text.lstrip().startswith(("[", "{")):
        return _fluents_of_kif(text)
    try:
        found = parse_json(text.encode())
    except (ValueError, RecursionError):
        raise UserError("the position is not valid JSON") from None
    fluents = found.get("fluents") if isinstance(found, dict) else found
    if not isinstance(fluents, list) or not all(isinstance(each, str) for each in fluents):
        raise UserError("the JSON of a position is a list of fluents, or an object with the list 'fluents'")
    return fluents


def _fluents_of_kif(text: str) -> list[str]:
    fluents: list[str] = []
    words: list[str] = []
    depth = 0
    for token in _TOKEN.findall(text):
        depth += (token == "(") - (token == ")")
        if depth < 0:
            raise UserError("the position has a ')' without its '('")
        words.append(token)
        if depth == 0:
            fluents.append(_fluent(words))
            words = []
    if depth:
        raise UserError("the position has a '(' without its ')'")
    return fluents


def _fluent(words: Sequence[str]) -> str:
    """Return one fluent, without `true` around it."""
    if words[:2] == ["(", "true"] and len(words) > 3:
        words = words[2:-1]
    return re.sub(r"(?<=\() | (?=\))", "", " ".join(words))


def state_of(game: Game, fluents: Sequence[str]) -> State:
    """Return the state in which these fluents are true."""
    start = game.initial_state()
    known = {*start.machine.known_fluents(), *start.fluents}
    unknown = [fluent for fluent in fluents if fluent not in known]
    if unknown:
        raise UserError(f"{game.word} has no fluent {unknown[0][:_ECHO]}")
    try:
        packed = start.machine.state(fluents)
    except (ValueError, UserError) as error:
        raise UserError(f"this is no position of {game.word}: {error}") from None
    assert isinstance(packed, bytes)
    state = State(game, start.machine, packed)
    if not state.is_terminal and (stuck := [role for role, moves in state.legal_moves().items() if not moves]):
        raise UserError(f"{' and '.join(stuck)} has no legal move in this position")
    return state


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
        """Return the picture of a position, its fluents, the moves of each role, and why it cannot be played."""
        problem, legal, over = "", {}, False
        try:
            state = state_of(self.start.game, fluents)
            legal = {role: len(moves) for role, moves in state.legal_moves().items()}
            over = state.is_terminal
        except UserError as error:
            problem = str(error)
            if problem.startswith(f"{self.start.game.word} has no fluent"):
                raise
        picture = self.drawing.picture_of_possible(dict.fromkeys(fluents, 1.0))
        return {
            **picture.document(),
            "title": self.start.game.word,
            "roles": list(self.start.roles),
            "fluents": sorted(fluents),
            "initial": self.start.fluents,
            "legal": legal,
            "over": over,
            "problem": problem,
            **self.choices,
        }


def _relation(fluent: str) -> str:
    return fluent.strip("()").split()[0]


class PositionGames:
    """The latest games whose positions were set up; safe to use from several threads."""

    _KEPT = 4

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: OrderedDict[str, PositionGame] = OrderedDict()

    def document(self, word: str, text: str | None) -> Document:
        """Return a position of a game of the catalogue, given as text; the initial position without a text."""
        with self._lock:
            found = self._kept.pop(word, None)
            if found is None:
                start = load_game(word).initial_state()
                if start.machine.hides_information:
                    raise UserError(f"{word} hides information: its positions cannot be set up")
                found = PositionGame(start, GameDrawing(start.machine, start.game.guide, start.game.appearance))
            self._kept[word] = found
            while len(self._kept) > self._KEPT:
                self._kept.popitem(last=False)
            return found.document(found.start.fluents if text is None else fluents_of(text))

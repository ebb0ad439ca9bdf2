"""The rules of a game for the page: goal, moves, end, and how moves are chosen there.

The guide of the catalogue describes moves as its rule sheet spells them. A native game has other moves, so the examples
of the guide are left out there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gdl import CompiledMachine
from kif_games import Guide

from ...game.drawing.game_drawing import GameDrawing
from ...game.game import Game
from .game_process import Document

# Maximal number of moves in an example.
_MOVES = 4
# A move in parentheses after a comma, and a sentence, or the end of one, that explains such a move.
_EXAMPLE_WORDS = re.compile(r",\s*`\([^`]*\)`( from \S+ to \w+)?")
_EXAMPLE_CLAUSE = re.compile(r":\s*`\([^`]*\)`[^.]*\.")
_EXAMPLE_SENTENCE = re.compile(r" ?`\([^`]*\)`[^.]*\.")
_QUOTED_MOVE = re.compile(r"`\(([^`()]*)\)`")


def page_rules(game: Game, machine: CompiledMachine, drawing: GameDrawing, guide: Guide | None) -> list[Document]:
    """Return title and text of each part of the rules."""
    state = machine.initial()
    legal = {role: machine.legal(state, role) for role in machine.roles}
    role = max(legal, key=lambda each: len(legal[each]))
    parts = []
    if guide is None:
        first = "; ".join(f"{role}: {_some(moves)}" for role, moves in legal.items() if len(moves) > 1)
        parts = [("First moves", first)]
    else:
        moves = _without_examples(guide.moves) if game.module is not None else guide.moves
        parts = [("Goal", guide.goal), ("Moves", moves), ("End", guide.end)]
    parts.append(("Choosing a move", _choosing(role, legal[role], drawing)))
    return [{"title": title, "text": _plain(text)} for title, text in parts if text]


def _choosing(role: str, moves: Sequence[str], drawing: GameDrawing) -> str:
    """Describe how a move is chosen on the page."""
    if not moves:
        return ""
    numbers = [len(drawing.cells_of(role, move)) for move in moves]
    example = _plain_move(moves[0])
    if max(numbers) > 1:
        first = "Click a piece, then the cell it moves to"
    elif max(numbers) == 1:
        first = "Click a cell"
    elif any(drawing.column_of(move) for move in moves):
        first = "Click a column"
    else:
        return f"Choose a move in the list of moves, such as {example}."
    return f"{first}; or choose a move in the list of moves, such as {example}."


def _without_examples(text: str) -> str:
    """Return a text without its explanations of moves of the rule sheet.

    >>> _without_examples("Move a piece. `(move 2 2 3 3)` goes from column 2, row 2 to column 3, row 3.")
    'Move a piece.'
    >>> _without_examples("In turn, mark an empty square: `(mark 2 3)` is column 2, row 3. No move is `noop`.")
    'In turn, mark an empty square. No move is `noop`.'
    >>> _without_examples("Take all seeds from a house, `(sow 3)`, and sow them.")
    'Take all seeds from a house, and sow them.'
    """
    return _EXAMPLE_SENTENCE.sub("", _EXAMPLE_CLAUSE.sub(".", _EXAMPLE_WORDS.sub("", text))).strip()


def _plain(text: str) -> str:
    """Return a text without backquotes and without the parentheses of moves.

    >>> _plain("Slide a tile: `(slide 2 1)`, or `stay`.")
    'Slide a tile: slide 2 1, or stay.'
    """
    return _QUOTED_MOVE.sub(r"\1", text).replace("`", "")


def _plain_move(move: str) -> str:
    return " ".join(move.replace("(", " ").replace(")", " ").split())


def _some(moves: Sequence[str]) -> str:
    shown = ", ".join(map(_plain_move, moves[:_MOVES]))
    return f"{len(moves)} moves: {shown}" + (", .." if len(moves) > _MOVES else "")

"""The puzzles of the page: positions of games of the catalogue in which exactly one move wins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from ...common.errors import UserError
from ...records.record_puzzles import Puzzle
from ...records.titles import title_of
from .folders import UnknownFileError
from .game_process import Document
from .position import move_document, opening
from .requests import require_listed
from .set_position import game_of, state_of


def puzzle_document(puzzles: Sequence[Puzzle], number: int) -> Document:
    """Return a puzzle by its number, from 1: its position, the moves of its role, and the position after the solution.

    A number without a puzzle, and a puzzle whose move is not legal in its position, raise UserError.
    """
    if not puzzles:
        return {"count": 0}
    if not 1 <= number <= len(puzzles):
        raise UnknownFileError(f"there is no puzzle {number}; the page has puzzles 1 to {len(puzzles):,}")
    puzzle = puzzles[number - 1]
    require_listed(puzzle.game)
    game = game_of(puzzle.game)
    state, drawing = state_of(game.start, puzzle.fluents), game.drawing
    legal = state.legal_moves()
    if state.choosing != (puzzle.role,) or puzzle.move not in legal[puzzle.role]:
        raise UserError(f"puzzle {number}: {puzzle.role} cannot choose {puzzle.move} in its position")
    joint = [puzzle.move if role == puzzle.role else moves[0] for role, moves in legal.items()]
    return {
        **drawing.picture(state.packed).document(),
        **asdict(puzzle),
        "number": number,
        "count": len(puzzles),
        "title": title_of(puzzle.game),
        "opening": opening(game.start, drawing),
        "legal": [move_document(drawing, puzzle.role, move) for move in legal[puzzle.role]],
        "verdicts": {drawing.printed(puzzle.role, each): puzzle.verdict(each) for each in legal[puzzle.role]},
        "solution": drawing.printed(puzzle.role, puzzle.move),
        "solved": drawing.picture(state.play(*joint).packed, state.packed, joint).document(),
    }

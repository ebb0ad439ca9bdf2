"""A position behind the root of a search: its picture, and what the tree knows of it."""

from __future__ import annotations

from gdl import MachineState

from ...common.errors import UserError
from ...game.drawing.game_drawing import GameDrawing
from ...mcts.searcher import Searcher
from ..terminal.game_in_play import GameInPlay
from .thoughts import thoughts_of
from .worker_messages import Document

# Turns from the root on.
_DEEPEST = 64


def node_document(game: GameInPlay, searcher: Searcher, drawing: GameDrawing, path: object) -> Document:
    """Return the position behind some joint moves from the present one, and what the tree knows there.

    Args:
        game: in play; its position is the root of the search.
        searcher: not running.
        drawing: of the game.
        path: a list of moves by role; a role with a single legal move need not be named.

    Raises:
        UserError: the path is none of this game.
    """
    machine = game.machine
    before: MachineState | None = game.state_at(len(game.turns) - 1) if game.turns else None
    state = game.state
    joint: tuple[str, ...] = game.turns[-1].moves if game.turns else ()
    joints = []
    for step in _steps(path):
        if machine.terminal(state):
            raise UserError("the game is over before the last of these moves")
        joint = _joint(step, {role: machine.legal(state, role) for role in machine.roles})
        joints.append(joint)
        before, state = state, machine.next(state, joint)
    picture = drawing.picture(state, before, joint)
    over = machine.terminal(state)
    return {
        "moves": [list(each) for each in joints],
        "svg": picture.svg,
        "facts": [group.document() for group in picture.facts],
        "goals": {role: machine.goal(state, role) for role in machine.roles} if over else {},
        "node": None if over else thoughts_of(searcher.statistics_behind(joints), drawing),
    }


def _steps(path: object) -> list[dict[str, str]]:
    if not isinstance(path, list) or len(path) > _DEEPEST or not all(isinstance(step, dict) for step in path):
        raise UserError(f"'path' is a list of moves by role, of {_DEEPEST} turns at most")
    return path


def _joint(step: dict[str, str], legal: dict[str, list[str]]) -> tuple[str, ...]:
    """Return the joint move of a step.

    Raises:
        UserError: a move is missing or not legal.
    """
    for role, moves in legal.items():
        named = step.get(role)
        if named not in moves and (named is not None or len(moves) != 1):
            raise UserError(f"{named or 'nothing'} is no legal move of {role} there")
    return tuple(step.get(role, moves[0]) for role, moves in legal.items())

"""A position in the tree of a search: its picture, and the statistics of its node."""

from __future__ import annotations

from gdl import MachineState

from ...common.errors import UserError
from ...game.drawing.game_drawing import GameDrawing
from ...mcts.searcher import Searcher
from ..terminal.game_in_play import GameInPlay
from .thoughts import thoughts_of
from .worker_messages import Document

# Maximal number of turns after the root.
_DEEPEST = 64


def node_document(game: GameInPlay, searcher: Searcher, drawing: GameDrawing, path: object) -> Document:
    """Return the position after some joint moves from the current position, and the statistics of its node."""
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
        "node": None if over else thoughts_of(searcher.statistics_behind(joints), drawing, state),
    }


def _steps(path: object) -> list[dict[str, str]]:
    if not isinstance(path, list) or len(path) > _DEEPEST or not all(isinstance(step, dict) for step in path):
        raise UserError(f"'path' must be a list of at most {_DEEPEST} objects with the moves by role")
    return path


def _joint(step: dict[str, str], legal: dict[str, list[str]]) -> tuple[str, ...]:
    """Return the joint move of one turn."""
    for role, moves in legal.items():
        named = step.get(role)
        if named not in moves and (named is not None or len(moves) != 1):
            raise UserError(f"{named or 'nothing'} is not a legal move of {role} there")
    return tuple(step.get(role, moves[0]) for role, moves in legal.items())

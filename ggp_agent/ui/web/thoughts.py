"""The results of a search as JSON for the page."""

from __future__ import annotations

from collections.abc import Sequence

from gdl import MachineState

from ...game.drawing.game_drawing import GameDrawing
from ...mcts.search_display import choosing_roles
from ...mcts.search_result import SearchResult
from .worker_messages import Document

# Maximal number of points of a course.
_MOST_POINTS = 100
# Maximal number of moves of a role, best first.
_MOST = 40


def thoughts_of(found: SearchResult, drawing: GameDrawing, state: MachineState) -> Document:
    """Return the candidates of all roles with a choice, with their cells, and the expected line.

    The share of a move is its part of the visits, 0..1; its probability, 0..1, is that of a learned network, or null.
    Values are mean goals, 0..100, or proven goals.
    """
    roles = {}
    for role in choosing_roles(found):
        visits = sum(move.visits for move in found.moves[role]) or 1
        roles[role] = {
            "value": found.expected[role],
            "bounds": list(found.bounds[role]),
            "count": len(found.moves[role]),
            "moves": [
                {
                    "move": move.move,
                    "cells": drawing.target_of(role, move.move, state),
                    "visits": move.visits,
                    "share": move.visits / visits,
                    "value": move.expected if move.visits or move.bounds[0] == move.bounds[1] else None,
                    "bounds": list(move.bounds),
                    "reply": move.reply,
                    "probability": move.probability,
                }
                for move in found.moves[role][:_MOST]
            ],
        }
    return {
        "roles": roles,
        "expected": found.expected,
        "simulations": found.simulations,
        "seconds": found.seconds,
        "nodes": found.nodes,
        "line": [_step(found, joint, drawing) for joint in found.principal_variation],
    }


def _step(found: SearchResult, joint: Sequence[str], drawing: GameDrawing) -> Document:
    """Return a joint move of the expected line: the move of each role, and the cells of each move."""
    moves = dict(zip(found.moves, joint, strict=True))
    return {"moves": moves, "cells": {role: drawing.cells_of(role, move) for role, move in moves.items()}}


class ValueCourse:
    """The values of a position as a function of the visits of its root.

    At most about a hundred points are kept: beyond that, every other point is removed, and the distance of new points
    is doubled.
    """

    def __init__(self) -> None:
        self._turn = -1
        self._points: list[tuple[int, dict[str, float]]] = []
        self._apart = 0.0

    def add(self, turn: int, found: SearchResult) -> Document:
        """Add the current result for the position of a turn; return the points: visits, and values by role."""
        if turn != self._turn or (self._points and found.visits < self._points[-1][0]):
            self._turn, self._points, self._apart = turn, [], 0.0
        point = found.visits, found.expected
        if self._points and found.visits < self._points[-1][0] + self._apart:
            return self._document([*self._points, point])
        self._points.append(point)
        if len(self._points) > _MOST_POINTS:
            del self._points[-2::-2]
            self._apart = 2 * (self._points[-1][0] - self._points[0][0]) / _MOST_POINTS
        return self._document(self._points)

    @staticmethod
    def _document(points: Sequence[tuple[int, dict[str, float]]]) -> Document:
        values = {role: [each[role] for _, each in points] for role in points[-1][1]}
        return {"visits": [visits for visits, _ in points], "values": values}

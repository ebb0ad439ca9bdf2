"""What a search knows, as the page is told of it."""

from __future__ import annotations

from ..drawing.game_drawing import GameDrawing
from ..search.display import choosing_roles
from ..search.statistics import Statistics
from .order import Document

# Moves of a role that are told, best first.
_MOST = 40


def thoughts_of(found: Statistics, drawing: GameDrawing) -> Document:
    """Return the candidates of the roles that have a choice, with the cells they touch, and the line that is expected.

    The share of a move is that of the visits of its role, 0..1; values are mean goals, 0..100.
    """
    roles = {}
    for role in choosing_roles(found):
        visits = sum(move.visits for move in found.moves[role]) or 1
        roles[role] = {
            "value": found.values[role],
            "count": len(found.moves[role]),
            "moves": [
                {
                    "move": move.move,
                    "cells": drawing.cells_of(role, move.move) or drawing.column_of(move.move)[:1],
                    "visits": move.visits,
                    "share": move.visits / visits,
                    "value": move.value if move.visits else None,
                    "bounds": list(move.bounds),
                }
                for move in found.moves[role][:_MOST]
            ],
        }
    return {
        "roles": roles,
        "simulations": found.simulations,
        "seconds": found.seconds,
        "nodes": found.nodes,
        "line": [list(joint) for joint in found.principal_variation],
    }

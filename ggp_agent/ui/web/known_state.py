"""What a role knows in a game with hidden information, as JSON for the page."""

from __future__ import annotations

from ...game.drawing.game_drawing import GameDrawing
from ...hidden.fluent_probabilities import fluent_probabilities
from ...hidden.role_belief import Belief
from .worker_messages import Document

# Maximal number of listed states. They are listed only if each has at most this number of fluents that differ.
_MOST_STATES, _MOST_FLUENTS = 6, 8


def known_state(belief: Belief, drawing: GameDrawing, move: str | None) -> Document:
    """Return the picture of what a role knows, and the most probable states."""
    states = belief.states()
    probabilities = fluent_probabilities(states)
    picture = drawing.picture_of_possible(probabilities, belief.role, move)
    differing = [
        ([fluent for fluent in state.fluents if probabilities[fluent] < 1], probability)
        for state, probability in states[:_MOST_STATES]
    ]
    is_short = len(states) > 1 and all(len(fluents) <= _MOST_FLUENTS for fluents, _ in differing)
    return {
        "svg": picture.svg,
        "facts": [group.document() for group in picture.facts],
        "count": len(states),
        "complete": belief.is_complete,
        "probable": [{"fluents": own, "probability": share} for own, share in differing] if is_short else [],
    }

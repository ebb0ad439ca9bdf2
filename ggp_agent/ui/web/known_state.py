"""What a role knows in a game with hidden information, as JSON for the page."""

from __future__ import annotations

from ...game.drawing.game_drawing import GameDrawing
from ...hidden.fluent_probabilities import fluent_probabilities
from ...hidden.role_belief import Belief
from .worker_messages import Document

# Maximal number of listed states, and of fluents of each.
_MOST_STATES, _MOST_FLUENTS = 6, 12


def known_state(belief: Belief, drawing: GameDrawing, move: str | None) -> Document:
    """Return the picture of what a role knows, and the most probable states.

    Args:
        belief: the belief of the role.
        drawing: the drawing of the game.
        move: the latest move of the role, whose cells are marked; None before the first turn.

    Returns:
        `svg` and `facts` as for a position, without what the role does not know; `count`, the number of possible
        states; `complete`, whether these are all possible states, and not a sample; `probable`, the most probable
        states by the fluents that do not hold in all states, with their probability, 0..1.
    """
    states = belief.states()
    probabilities = fluent_probabilities(states)
    picture = drawing.picture_of_possible(probabilities, belief.role, move)
    probable = []
    if len(states) > 1:
        for state, probability in states[:_MOST_STATES]:
            own = [fluent for fluent in state.fluents if probabilities[fluent] < 1]
            more = [f"and {len(own) - _MOST_FLUENTS} more"] if len(own) > _MOST_FLUENTS else []
            probable.append({"fluents": own[:_MOST_FLUENTS] + more, "probability": probability})
    return {
        "svg": picture.svg,
        "facts": [group.document() for group in picture.facts],
        "count": len(states),
        "complete": belief.is_complete,
        "probable": probable,
    }

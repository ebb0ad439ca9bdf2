"""The probability of each fluent in the possible states of a role.

>>> from ggp_agent.game.load import load_game
>>> from ggp_agent.hidden.role_belief import Belief
>>> belief = Belief(load_game("monty_hall"), "candidate")
>>> belief.observe("(choose 1)", [])
()
>>> {fluent: round(share, 2) for fluent, share in fluent_probabilities(belief.states()).items()}
{'(car 1)': 0.33, '(car 2)': 0.33, '(car 3)': 0.33, '(chosen 1)': 1.0, '(turn 2)': 1.0}
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable

from ..game.game import State


def fluent_probabilities(states: Iterable[tuple[State, float]]) -> dict[str, float]:
    """Return the probability that each fluent holds, in the order of the fluents, without fluents that never hold."""
    found: defaultdict[str, float] = defaultdict(float)
    for state, probability in states:
        for fluent in state.fluents:
            found[fluent] += probability
    return {fluent: 1.0 if math.isclose(share, 1) else share for fluent, share in sorted(found.items())}

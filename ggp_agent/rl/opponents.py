"""Who plays the roles that nobody learns: at random, by the agent, or by a function of the user."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TypeAlias

from ..common.errors import UserError
from ..game.game import State
from ..mcts.config import SearchConfig

# Chooses a legal move of a role, as KIF, in a position in which it has several.
Opponent: TypeAlias = Callable[[State, str], str]

# Simulations a move of the opponent that is called "agent".
SIMULATIONS = 1000


def random_player(seed: int | None = None) -> Opponent:
    """Return an opponent that draws its moves evenly; the word "random" does the same in the lanes, much faster."""
    rng = random.Random(seed)
    return lambda state, role: rng.choice(state.legal_moves(role))


def agent(
    *, simulations: int | None = None, seconds: float | None = None, config: SearchConfig | None = None
) -> Opponent:
    """Return an opponent that searches each position anew.

    Args:
        simulations, seconds: of each move, as `State.search` takes them.
        config: of the search.

    Raises:
        ValueError: no limit is given.
    """
    if simulations is None and seconds is None:
        raise ValueError("no limit of the search is given: simulations=..., seconds=..., or both")

    def choose(state: State, role: str) -> str:
        found = state.search(simulations=simulations, seconds=seconds, config=config)
        return found.moves[role][0].move

    return choose


def opponent_of(word: str | Opponent) -> Opponent | None:
    """Return the opponent that a word stands for, None for random moves, which the lanes draw.

    Raises:
        UserError: the word stands for none.
    """
    if callable(word):
        return word
    if word == "random":
        return None
    if word == "agent":
        return agent(simulations=SIMULATIONS)
    raise UserError(f"no opponent is called {word!r}; there are random and agent, or give a function of (state, role)")

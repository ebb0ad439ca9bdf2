"""Players of the roles that do not learn: random, the agent, or a function of the user."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from ..common.errors import UserError
from ..game.game import State
from ..mcts.config import SearchConfig
from ..mcts.configurations import as_configuration

# A function that returns a legal move of a role, as KIF, in a state in which the role has a choice.
Opponent: TypeAlias = Callable[[State, str], str]

# Simulations per move of the opponent "agent".
SIMULATIONS = 1000


class _RandomPlayer:
    """Play random legal moves; a copy has the same random numbers, and its own."""

    def __init__(self, seed: int | None) -> None:
        self._rng = random.Random(seed)

    def __call__(self, state: State, role: str) -> str:
        return self._rng.choice(state.legal_moves(role))


@dataclass(frozen=True)
class _SearchingPlayer:
    """Search each state with a new tree."""

    simulations: int | None
    seconds: float | None
    config: SearchConfig

    def __call__(self, state: State, role: str) -> str:
        found = state.search(simulations=self.simulations, seconds=self.seconds, config=self.config)
        return found.moves[role][0].move


def random_player(seed: int | None = None) -> Opponent:
    """Return an opponent with uniformly random moves; the word "random" has the same effect and is much faster."""
    return _RandomPlayer(seed)


def agent(
    *, simulations: int | None = None, seconds: float | None = None, config: SearchConfig | str | None = None
) -> Opponent:
    """Return an opponent that searches each state with a new tree.

    Args:
        simulations, seconds: the limits of each search, as for `State.search`.
        config: the configuration of the search, or a text such as "selection.exploration=0.7"; the default if None.

    Raises:
        ValueError: no limit is given.
    """
    if simulations is None and seconds is None:
        raise ValueError("no limit of the search is given: simulations=..., seconds=..., or both")
    return _SearchingPlayer(simulations, seconds, as_configuration(config))


def opponent_of(word: str | Opponent) -> Opponent | None:
    """Return the opponent with this name; None for random moves, which the lanes draw.

    Raises:
        UserError: there is no such opponent.
    """
    if callable(word):
        return word
    if word == "random":
        return None
    if word == "agent":
        return agent(simulations=SIMULATIONS)
    raise UserError(f"no opponent is called {word!r}; use random, agent, or a function of (state, role)")

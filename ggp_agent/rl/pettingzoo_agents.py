"""The basis of the two PettingZoo interfaces: agents for roles, their spaces, one game."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from ..common.errors import UserError
from ..game.game import Game
from ..game.lane_arrays import Bytes, Moves
from ..game.lanes import Lanes
from ..game.roles import roles_to_play
from .observations import PERCEPTS, Observer, observation_kind
from .refused_games import require_playable_game
from .rendering import Renderer
from .role_observations import RoleObservations, RoleObserver
from .vector_env import with_mask


def reset_needed(method: str) -> AssertionError:
    """Return the error that PettingZoo's own environments raise if a method is called before the first `reset`."""
    return AssertionError(f"reset() needs to be called before {method}.")


class PettingZooAgents:
    """The roles of one game as PettingZoo agents, `player_0`, `player_1`, ...; chance is not an agent."""

    def __init__(
        self, game: Game | str | Path, observation: str | None, mask_in_observation: bool, render_mode: str | None
    ) -> None:
        self.lanes = Lanes(game, 1)  # the game, in one lane
        roles = roles_to_play(self.lanes.roles)
        if not roles:
            raise UserError(f"{self.lanes.game.word} has no role for players")
        require_playable_game(self.lanes, allow_simultaneous=True)
        self.renderer = Renderer(self.lanes, render_mode)  # the pictures of the game
        self.names = [f"player_{number}" for number in range(len(roles))]  # the names of the agents
        self.role_of = dict(zip(self.names, roles, strict=True))  # the role of each agent
        # The number of this role in the rules.
        self.number_of = {name: self.lanes.roles.index(role) for name, role in self.role_of.items()}
        self.name_of = {number: name for name, number in self.number_of.items()}
        kind = observation_kind(self.lanes, observation)
        # The observations of the roles; None unless the game hides information.
        self.observations = RoleObservations(self.lanes, roles) if kind == PERCEPTS else None
        # The observer of each agent; all agents share one unless the game hides information.
        self.observers: dict[str, Observer | RoleObserver] = (
            dict.fromkeys(self.names, Observer(self.lanes, kind))
            if self.observations is None
            else {name: RoleObserver(self.observations, role) for name, role in self.role_of.items()}
        )
        self.with_mask = mask_in_observation
        self.state_space = spaces.Box(0, 1, (len(self.lanes.fluent_names),), np.uint8)  # the space of `state`
        actions = {name: len(self.lanes.move_names(role)) for name, role in self.role_of.items()}
        self.action_spaces: dict[str, spaces.Space[Any]] = {
            name: spaces.Discrete(count) for name, count in actions.items()
        }
        self.observation_spaces: dict[str, spaces.Space[Any]] = {
            name: with_mask(self.observers[name].shape, count, mask_in_observation) for name, count in actions.items()
        }

    def reset(self) -> None:
        """Begin a game."""
        self.lanes.reset()
        if self.observations is not None:
            self.observations.clear()

    def step(self, joint: Moves) -> None:
        """Play a turn: the numbers of the moves of all roles, int32, [roles, 1]; -1 for moves to draw."""
        if self.observations is None:
            self.lanes.step(joint)
        else:
            self.observations.step(joint)

    def state(self) -> Bytes:
        """Return a 1 for each true fluent, observable or not: a new array, uint8, [fluents]."""
        return self.lanes.fluents[:, 0].copy()

    def mask(self, agent: str) -> npt.NDArray[np.int8]:
        """Return the legal actions of an agent: a new array, int8, [actions]."""
        return self.lanes.legal(self.role_of[agent])[:, 0].astype(np.int8)

    def rewards(self) -> dict[str, float]:
        """Return the reward of each agent; 0 before the end."""
        if not self.lanes.terminal[0]:
            return dict.fromkeys(self.number_of, 0.0)
        worth = [(max(goal, 0) - 50) / 50 for goal in self.lanes.goals[:, 0].tolist()]
        return {name: worth[number] for name, number in self.number_of.items()}

    def lost_by(self, losers: Collection[str]) -> dict[str, float]:
        """Return the rewards of a game that agents lost by illegal actions: -1 for these agents, 0 for the others."""
        return {name: -1.0 if name in losers else 0.0 for name in self.names}

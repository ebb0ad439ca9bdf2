"""The basis of the two PettingZoo environments: agents for roles, their spaces, one game."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from ..common.errors import UserError
from ..common.one_at_a_time import OneAtATime
from ..game.game import Game
from ..game.lane_arrays import Moves
from ..game.lanes import Lanes
from ..game.roles import roles_to_play
from .arguments import ENVIRONMENT_IN_USE, Copied, require_illegal, require_max_turns, require_playable_game
from .observations import PERCEPTS, Observer, RoleObserver, observation_kind, observed_step, with_mask
from .rendering import RENDER_FPS, RENDER_MODES, Renderer


class PettingZooAgents(Copied, ABC):
    """The roles of one game as PettingZoo agents, `player_0`, `player_1`, ...; chance is not an agent."""

    def __init__(
        self,
        game: Game | str | Path,
        *,
        observation: str | None = None,
        mask_in_observation: bool = True,
        illegal: str = "error",
        max_turns: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self._lanes = Lanes(game, 1)  # the game, in one lane
        self.game = self._lanes.game
        roles = roles_to_play(self._lanes.roles)
        if not roles:
            raise UserError(f"{self.game.word} has no role for players")
        require_playable_game(self._lanes, allow_simultaneous=True)
        self.metadata: dict[str, Any] = {
            "name": f"{self.game.name}_v0",
            "render_modes": list(RENDER_MODES),
            "render_fps": RENDER_FPS,
        }
        self.render_mode = render_mode
        self._renderer = Renderer(self._lanes, render_mode)
        self.possible_agents = [f"player_{number}" for number in range(len(roles))]
        self.role_of = dict(zip(self.possible_agents, roles, strict=True))  # the role of each agent
        # The number of this role in the rules.
        self._number_of = {name: self._lanes.roles.index(role) for name, role in self.role_of.items()}
        self._name_of = {number: name for name, number in self._number_of.items()}
        kind = observation_kind(self._lanes, observation)
        # The observers of the roles of a game that hides information; empty for other games.
        self._percepts = [RoleObserver(self._lanes, role) for role in roles] if kind == PERCEPTS else []
        # The observer of each agent; all agents share one unless the game hides information.
        self._observers: dict[str, Observer] = (
            dict(zip(self.possible_agents, self._percepts, strict=True))
            if self._percepts
            else dict.fromkeys(self.possible_agents, Observer(self._lanes, kind))
        )
        self._sees_fluents = kind == "fluents"
        self._with_mask = mask_in_observation
        self.state_space = spaces.Box(0, 1, (len(self._lanes.fluent_names),), np.uint8)  # the space of `state`
        actions = {name: len(self._lanes.move_names(role)) for name, role in self.role_of.items()}
        self.action_spaces: dict[str, spaces.Space[Any]] = {
            name: spaces.Discrete(count) for name, count in actions.items()
        }
        self.observation_spaces: dict[str, spaces.Space[Any]] = {
            name: with_mask(self._observers[name].shape, count, mask_in_observation) for name, count in actions.items()
        }
        self._max_turns = require_max_turns(max_turns)
        self._loses = require_illegal(illegal)
        self._turns = 0
        self._is_reset = False
        self._use = OneAtATime(ENVIRONMENT_IN_USE)
        self._set_up()

    @abstractmethod
    def _set_up(self) -> None:
        """Set the attributes that only one of the two interfaces has."""

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the observation space of an agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the action space of an agent."""
        return self.action_spaces[agent]

    def state(self) -> Any:
        """Return the whole state, for a learner with a central critic: uint8, 0 or 1, [fluents].

        The entries have the order of `Lanes(env.game, 1).fluent_names`. Agents may not observe all of them.

        Raises:
            AssertionError: the environment was not reset.
        """
        self._require_reset("state")
        return self._lanes.fluents[:, 0].copy()

    def render(self) -> Any:
        """Return the board as text, or as an array: uint8, [height, width, 3]; None without a mode.

        Raises:
            AssertionError: the environment was not reset.
        """
        self._require_reset("render")
        return self._renderer.render()

    def close(self) -> None:
        """Do nothing: no resources are held."""

    # ---- implementation

    def _require_reset(self, method: str) -> None:
        """Raise the error of PettingZoo's own environments if a method is called before the first `reset`."""
        if not self._is_reset:
            raise AssertionError(f"reset() needs to be called before {method}.")

    def _begin_game(self, seed: int | None) -> None:
        """Begin a game; without a seed, the system seeds the random numbers of the first game."""
        if seed is not None or not self._is_reset:
            self._lanes.seed(int(np.random.SeedSequence().generate_state(1)[0]) if seed is None else seed)
            self._is_reset = True
        self._lanes.reset()
        for observer in self._percepts:
            observer.clear()
        self._turns = 0
        self.agents = list(self.possible_agents)

    def _play_turn(self, joint: Moves) -> None:
        """Play a turn: the numbers of the moves of all roles, int32, [roles, 1]; -1 for moves to draw."""
        observed_step(self._lanes, self._percepts, joint)

    def _mask(self, agent: str) -> npt.NDArray[np.int8]:
        """Return the legal actions of an agent: a new array, int8, [actions]."""
        return self._lanes.legal(self.role_of[agent])[:, 0].astype(np.int8)

    def _goal_rewards(self) -> dict[str, float]:
        """Return the reward of each agent; 0 before the end."""
        if not self._lanes.terminal[0]:
            return dict.fromkeys(self._number_of, 0.0)
        worth = [(max(goal, 0) - 50) / 50 for goal in self._lanes.goals[:, 0].tolist()]
        return {name: worth[number] for name, number in self._number_of.items()}

    def _rewards_of_loss(self, losers: Collection[str]) -> dict[str, float]:
        """Return the rewards of a game that agents lost by illegal actions: -1 for these agents, 0 for the others."""
        return {name: -1.0 if name in losers else 0.0 for name in self.possible_agents}

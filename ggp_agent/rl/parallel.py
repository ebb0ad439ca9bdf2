"""A game as a PettingZoo `ParallelEnv`: all agents act in every turn.

>>> from ggp_agent.rl import GameParallelEnv
>>> env = GameParallelEnv("battle")
>>> observations, infos = env.reset(seed=1)
>>> while env.agents:
...     actions = {agent: int(info["action_mask"].argmax()) for agent, info in infos.items()}
...     observations, rewards, terminations, truncations, infos = env.step(actions)
>>> sorted(rewards) == env.possible_agents
True

The mask of an agent without a choice has exactly one action, such as `noop`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, SupportsInt

import numpy as np
from gymnasium import spaces
from pettingzoo import ParallelEnv

from ..common.errors import require_type
from ..common.one_at_a_time import OneAtATime
from ..game.game import Game
from ..game.lane_arrays import DRAW
from .arguments import ENVIRONMENT_IN_USE, Copied, as_action, require_illegal, require_max_turns
from .pettingzoo_agents import PettingZooAgents, reset_needed
from .rendering import RENDER_FPS, RENDER_MODES


class GameParallelEnv(Copied, ParallelEnv[str, Any, Any]):
    """Play all roles of a game, one turn at a time.

    Agents, observations, rewards and arguments are as in `GameAECEnv`; the mask of every agent is in its observation
    and its info.

    Raises:
        UserError: there is no such game or observation, or its state machine does not number moves.
        ValueError: another argument is invalid.
    """

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
        self._seats = PettingZooAgents(game, observation, mask_in_observation, render_mode)
        self._lanes = self._seats.lanes
        self.game = self._lanes.game
        self.metadata = {
            "name": f"{self.game.name}_v0",
            "render_modes": list(RENDER_MODES),
            "render_fps": RENDER_FPS,
        }
        self.render_mode = render_mode
        self.possible_agents = list(self._seats.names)
        self.agents: list[str] = []
        self.role_of = dict(self._seats.role_of)
        self.action_spaces = self._seats.action_spaces
        self.observation_spaces = self._seats.observation_spaces
        self.state_space = self._seats.state_space
        self._loses = require_illegal(illegal)
        self._max_turns = require_max_turns(max_turns)
        self._turns = 0
        self._is_seeded = False
        self._use = OneAtATime(ENVIRONMENT_IN_USE)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the observation space of an agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the action space of an agent."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Start a game; a seed also sets the random numbers of chance.

        Raises:
            RuntimeError: another thread is using the environment.
        """
        with self._use:
            if seed is not None or not self._is_seeded:
                self._lanes.seed(int(np.random.SeedSequence().generate_state(1)[0]) if seed is None else seed)
                self._is_seeded = True
            self._seats.reset()
            self._turns = 0
            self.agents = list(self.possible_agents)
            return self._seen()

    def step(
        self, actions: Mapping[str, SupportsInt]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Play a turn.

        Args:
            actions: the action of every agent.

        Raises:
            IllegalMoveError: an action is not legal and `illegal` is "error"; the message names the legal ones.
            ArgumentTypeError: the actions are not a dictionary.
            ValueError: an agent has no action, an action is not a number, or the game is over.
            AssertionError: the environment was not reset.
            RuntimeError: another thread is using the environment.
        """
        with self._use:
            return self._step(actions)

    def _step(
        self, actions: Mapping[str, SupportsInt]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        if not self._is_seeded:
            raise reset_needed("step")
        if not self.agents:
            raise ValueError("the game is over: call reset() to start another game")
        require_type(actions, Mapping, "actions", "a dictionary with the action of every agent")
        legal = {agent: self._seats.mask(agent) for agent in self.agents}
        losers: list[str] = []
        joint = np.full((len(self._lanes.roles), 1), DRAW, np.int32)
        for agent in self.agents:
            if agent not in actions:
                raise ValueError(f"{agent} has no action: every agent acts in every turn")
            number, action = self._seats.number_of[agent], as_action(actions[agent], agent)
            if 0 <= action < len(legal[agent]) and legal[agent][action]:
                joint[number] = action
            elif self._loses:
                losers.append(agent)
            else:
                raise self._lanes.wrong_move(0, number, action)
        if not losers:
            self._seats.step(joint)
        self._turns += 1
        over = bool(losers) or bool(self._lanes.terminal[0])
        given_up = not over and self._turns == self._max_turns
        observations, infos = self._seen()
        if self._loses:
            for agent, info in infos.items():
                info["illegal"] = agent in losers
        rewards = self._seats.lost_by(losers) if losers else self._seats.rewards()
        terminations = dict.fromkeys(self.agents, over)
        truncations = dict.fromkeys(self.agents, given_up)
        if over or given_up:
            self.agents = []
        return observations, rewards, terminations, truncations, infos

    def render(self) -> Any:
        """Return the board as text, or as an array: uint8, [height, width, 3]; None without a mode.

        Raises:
            AssertionError: the environment was not reset.
        """
        if not self._is_seeded:
            raise reset_needed("render")
        return self._seats.renderer.render()

    def close(self) -> None:
        """Do nothing: no resources are held."""

    def state(self) -> Any:
        """Return the whole state, for a learner with a central critic: uint8, 0 or 1, [fluents].

        The entries have the order of `Lanes(env.game, 1).fluent_names`. Agents may not observe all of them.

        Raises:
            AssertionError: the environment was not reset.
        """
        if not self._is_seeded:
            raise reset_needed("state")
        return self._seats.state()

    def _seen(self) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        seen = {agent: self._seats.observers[agent].observe_first() for agent in self.agents}
        masks = {agent: self._seats.mask(agent) for agent in self.agents}
        infos: dict[str, dict[str, Any]] = {agent: {"action_mask": mask} for agent, mask in masks.items()}
        if not self._seats.with_mask:
            return seen, infos
        return {agent: {"observation": seen[agent], "action_mask": mask} for agent, mask in masks.items()}, infos

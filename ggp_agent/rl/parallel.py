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
from typing import Any, SupportsInt

import numpy as np
from pettingzoo import ParallelEnv

from ..common.errors import require_type
from ..game.lane_arrays import DRAW
from .arguments import as_action
from .pettingzoo_agents import PettingZooAgents


class GameParallelEnv(PettingZooAgents, ParallelEnv[str, Any, Any]):
    """Play all roles of a game, one turn at a time.

    Agents, observations, rewards and arguments are as in `GameAECEnv`; the mask of every agent is in its observation
    and its info.

    Raises:
        UserError: there is no such game or observation, or its state machine does not number moves.
        ValueError: another argument is invalid.
    """

    def _set_up(self) -> None:
        self.agents: list[str] = []

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Start a game; a seed also sets the random numbers of chance.

        Raises:
            RuntimeError: another thread is using the environment.
        """
        with self._use:
            self._begin_game(seed)
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
        self._require_reset("step")
        if not self.agents:
            raise ValueError("the game is over: call reset() to start another game")
        require_type(actions, Mapping, "actions", "a dictionary with the action of every agent")
        legal = {agent: self._mask(agent) for agent in self.agents}
        losers: list[str] = []
        joint = np.full((len(self._lanes.roles), 1), DRAW, np.int32)
        for agent in self.agents:
            if agent not in actions:
                raise ValueError(f"{agent} has no action: every agent acts in every turn")
            number, action = self._number_of[agent], as_action(actions[agent], agent)
            if 0 <= action < len(legal[agent]) and legal[agent][action]:
                joint[number] = action
            elif self._loses:
                losers.append(agent)
            else:
                raise self._lanes.wrong_move(0, number, action)
        if not losers:
            self._play_turn(joint)
        self._turns += 1
        over = bool(losers) or bool(self._lanes.terminal[0])
        given_up = not over and self._turns == self._max_turns
        observations, infos = self._seen()
        if self._loses:
            for agent, info in infos.items():
                info["illegal"] = agent in losers
        rewards = self._rewards_of_loss(losers) if losers else self._goal_rewards()
        terminations = dict.fromkeys(self.agents, over)
        truncations = dict.fromkeys(self.agents, given_up)
        if over or given_up:
            self.agents = []
        return observations, rewards, terminations, truncations, infos

    def _seen(self) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        seen = {agent: self._observers[agent].observe_first() for agent in self.agents}
        masks = {agent: self._mask(agent) for agent in self.agents}
        infos: dict[str, dict[str, Any]] = {agent: {"action_mask": mask} for agent, mask in masks.items()}
        if not self._with_mask:
            return seen, infos
        return {agent: {"observation": seen[agent], "action_mask": mask} for agent, mask in masks.items()}, infos

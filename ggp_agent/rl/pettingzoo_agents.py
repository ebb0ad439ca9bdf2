"""The two PettingZoo environments: agents for all roles, which act one after the other or at once.

>>> from ggp_agent.rl import GameAECEnv
>>> env = GameAECEnv("tic_tac_toe")
>>> env.reset(seed=1)
>>> for agent in env.agent_iter():
...     observation, reward, terminated, truncated, info = env.last()
...     over = terminated or truncated
...     env.step(None if over else int(observation["action_mask"].argmax()))
>>> env.rewards
{}

In each turn the roles that have a choice act, in the order of the rules; if no role has a choice, the first role makes
its only move. If several roles have a choice, the turn is played when the last of them has acted, and they do not see
each other's actions before.

In a `GameParallelEnv` all agents act in every turn.

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

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsInt

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from pettingzoo import AECEnv, ParallelEnv

from ..common.errors import UserError, require_type
from ..common.one_at_a_time import OneAtATime
from ..game.game import Game
from ..game.lanes import DRAW, Lanes, Moves
from ..game.roles import roles_to_play
from .arguments import (
    ENVIRONMENT_IN_USE,
    Copied,
    as_action,
    require_illegal,
    require_max_turns,
    require_playable_game,
    stuck_role,
)
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


# The attributes that refer to the memory of the lanes: copies and pickles set them again.
_CONNECTED = frozenset({"_alone", "_mask_of", "_no_moves", "_play", "_see"})

_SET_BY_RESET = ("agents", "agent_selection", "infos", "num_agents", "rewards", "terminations", "truncations")


class GameAECEnv(PettingZooAgents, AECEnv[str, Any, Any]):
    """Play all roles of a game, one action at a time.

    Agents have the names `player_0`, `player_1`, ... in the order of the roles; `role_of` has their roles. Chance is
    played automatically. The reward at the end is (goal - 50) / 50, before it 0. An observation is a dictionary of
    `observation` and `action_mask`, or only the first; the info of the agent to act has the mask, too. All returned
    arrays belong to the caller. Copies and pickles continue the game with the same random numbers.

    Args:
        game: a game, or a word that `load_game` accepts.
        observation: "fluents" or "planes"; "percepts" in games with hidden information. None for "fluents" or
            "percepts".
        mask_in_observation: True for observations as dictionaries.
        illegal: the effect of an illegal action: "error" raises an error; "lose" ends the game with reward -1 for the
            agent and 0 for the others.
        max_turns: the number of turns after which a game is truncated.
        render_mode: "ansi", "rgb_array" (needs the extra `gif`) or None.

    Raises:
        UserError: there is no such game or observation, or its state machine does not number moves.
        ValueError: another argument is invalid.
    """

    def _set_up(self) -> None:
        self.metadata["is_parallelizable"] = False
        self._waiting: list[str] = []
        self._joint = np.full((len(self._lanes.roles), 1), DRAW, np.int32)
        self._connect()

    def _connect(self) -> None:
        """Set what refers to the memory of the lanes, and what follows from it."""
        # The functions of `observe`: if possible, a copy of the array that `play_one` updates.
        row = self._lanes.fluents.reshape(-1)
        self._see = {
            name: row.copy if self._sees_fluents else observer.observe_first
            for name, observer in self._observers.items()
        }
        self._mask_of = {
            number: self._lanes.movers_legal[: len(self._lanes.move_names(self.role_of[name])), 0].view(np.int8)
            for number, name in self._name_of.items()
        }
        self._no_moves = {name: np.zeros_like(self._mask_of[number]) for number, name in self._name_of.items()}
        self._play = self._play_observed if self._percepts else self._lanes.play_one
        # For `step`: the next agent and its mask, by the bit of the only role with a choice.
        masks = {name: self._mask_of[number].copy for number, name in self._name_of.items()}
        self._alone = {1 << number: (name, masks[name]) for number, name in self._name_of.items()}
        if self._max_turns is not None:  # the fast path does not count turns
            self._alone.clear()

    def __getstate__(self) -> dict[str, Any]:
        """Return all attributes but the ones that `_connect` sets."""
        return {name: value for name, value in self.__dict__.items() if name not in _CONNECTED}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lanes.write_one()
        self._connect()

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Explain that attributes of a game are set by `reset`, as PettingZoo's own environments do."""
            if name in _SET_BY_RESET:
                raise AttributeError(f"{name} cannot be accessed before reset")
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game; a seed also sets the random numbers of chance.

        Raises:
            RuntimeError: another thread is using the environment.
        """
        with self._use:
            self._reset(seed)

    def _reset(self, seed: int | None) -> None:
        self._begin_game(seed)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]
        self._skip_agent_selection: str | None = None  # type: ignore[assignment]
        self._begin_turn(self._lanes.write_one())

    def observe(self, agent: str) -> Any:
        """Return the observation of an agent.

        Raises:
            AssertionError: the environment was not reset.
        """
        if not self._is_reset:
            self._require_reset("observe")  # raises the error
        seen = self._see[agent]()
        if not self._with_mask:
            return seen
        info = self.infos[agent]
        mask = info["action_mask"] if "action_mask" in info else self._mask(agent)
        return {"observation": seen, "action_mask": mask}

    def step(self, action: Any) -> None:
        """Play an action of the current agent.

        Raises:
            IllegalMoveError: the action is not legal and `illegal` is "error"; the message names the legal ones.
            ValueError: the action is not an integer, or not None after the end.
            AssertionError: the environment was not reset.
            RuntimeError: another thread is using the environment.
        """
        token = self._use.token
        try:
            token.pop()
        except IndexError:
            raise RuntimeError(ENVIRONMENT_IN_USE) from None
        try:
            if not self._is_reset:
                self._require_reset("step")  # raises the error
            agent = self.agent_selection
            if self.terminations[agent] or self.truncations[agent]:
                self._was_dead_step(action)
                return
            if action is None:
                raise ValueError(f"{agent} has to act: give the number of a move, not None")
            try:
                number = int(action)
            except (TypeError, ValueError, OverflowError):
                number = as_action(action, agent)  # raises the error
            if self._waiting:
                self._collect(agent, number)
                return
            try:
                choosers = self._play(number)
            except OverflowError:
                choosers = (0, self._number_of[agent], number, False)
            if choosers not in self._alone:
                if isinstance(choosers, tuple):
                    self._refuse(agent, *choosers)
                else:
                    self._end_turn(choosers)
                return
            # The same as _end_turn() and _begin_turn() in most turns, but faster.
            infos = self.infos
            infos[agent] = {}
            agent, copied_mask = self._alone[choosers]
            self.agent_selection = agent
            infos[agent] = {"action_mask": copied_mask()}
        finally:
            token.append(True)

    # ---- implementation

    def _begin_turn(self, choosers: int) -> None:
        """Select the first agent that has a choice."""
        if choosers & (choosers - 1):
            self._waiting = [name for name, number in self._number_of.items() if choosers >> number & 1]
            self._joint.fill(DRAW)
            self._select(self._waiting[0], self._mask(self._waiting[0]))
        else:
            number = choosers.bit_length() - 1 if choosers else min(self._name_of)
            mask = self._mask_of[number].copy()
            if not choosers and not mask.any():
                raise stuck_role(self.game.word, self._lanes.roles[number], self._turns)
            self._select(self._name_of[number], mask)

    def _play_observed(self, action: int) -> int | tuple[int, int, int, bool]:
        """Do the same as `Lanes.play_one`, and collect what the roles observe."""
        number = self._number_of[self.agent_selection]
        mask = self._mask_of[number]
        if not (0 <= action < len(mask) and mask[action]):
            return 0, number, action, False
        joint = np.full((len(self._lanes.roles), 1), DRAW, np.int32)
        joint[number] = action
        self._play_turn(joint)
        return self._lanes.write_one()

    def _select(self, agent: str, mask: Any) -> None:
        self.infos[self.agent_selection] = {}
        self.agent_selection = agent
        self.infos[agent] = {"action_mask": mask}

    def _collect(self, agent: str, action: int) -> None:
        """Store an action of a turn in which several agents act; play the turn after the last one."""
        number = self._number_of[agent]
        mask = self.infos[agent]["action_mask"]
        if not (0 <= action < len(mask) and mask[action]):
            self._refuse(agent, 0, number, action, False)
            return
        self._joint[number] = action
        del self._waiting[0]
        if self._waiting:
            self._select(self._waiting[0], self._mask(self._waiting[0]))
        else:
            self._play_turn(self._joint)
            self._end_turn(self._lanes.write_one())

    def _refuse(self, agent: str, lane: int, role: int, action: int, at_once: bool) -> None:
        """Raise the error for an illegal action of an agent, or end the game that it loses by the action."""
        if not self._loses:
            raise self._lanes.wrong_move(lane, role, action, at_once)
        self._waiting = []
        self._end(self.terminations, self._no_moves)
        self.infos[agent]["illegal"] = True
        self.rewards = self._rewards_of_loss([agent])
        self._cumulative_rewards = dict(self.rewards)

    def _end_turn(self, choosers: int) -> None:
        self._turns += 1
        if choosers < 0:
            self._end(self.terminations, self._no_moves)
            # All rewards before the end are 0, so there is no sum to update.
            self.rewards = self._goal_rewards()
            self._cumulative_rewards = dict(self.rewards)
        elif self._turns == self._max_turns:
            self._end(self.truncations, {agent: self._mask(agent) for agent in self.agents})
        else:
            self._begin_turn(choosers)

    def _end(self, which: dict[str, bool], masks: dict[str, Any]) -> None:
        for agent in self.agents:
            which[agent] = True
            self.infos[agent] = {"action_mask": masks[agent].copy()}
            if self._loses:
                self.infos[agent]["illegal"] = False
        self.agent_selection = self.agents[0]


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

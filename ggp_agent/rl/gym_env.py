"""One game as a Gymnasium environment: a game of one role, or one role against opponents.

>>> from ggp_agent.rl import GameEnv
>>> env = GameEnv("eight_puzzle", max_turns=60)
>>> observation, info = env.reset(seed=1)
>>> int(observation["action_mask"].sum()) == len(info["legal"])
True
>>> observation, reward, terminated, truncated, info = env.step(env.action_of(info["legal"][0]))
>>> reward, terminated, truncated
(0.0, False, False)
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, SupportsInt

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from ..common.errors import UserError
from ..common.one_at_a_time import OneAtATime
from ..game.game import Game
from ..game.roles import roles_to_play
from .arguments import ENVIRONMENT_IN_USE, Copied, require_options, require_reset
from .episodes import Episodes
from .observations import with_mask
from .opponents import Opponent
from .rendering import RENDER_FPS, RENDER_MODES, Renderer
from .vector_env import GameVectorEnv


class GameEnv(Copied, gymnasium.Env[Any, Any]):
    """Play one role of a game.

    A step continues until the role has a choice again. The reward at the end is (goal - 50) / 50, before it 0. An
    observation is a dictionary of `observation` and `action_mask`, or only the first; `info` has `action_mask`, int8, 0
    or 1, and `legal`, the legal moves as KIF. `render()` returns the board as text or as an image. Copies and pickles
    continue the game with the same random numbers.

    Args:
        game, opponent, observation, mask_in_observation, illegal, max_turns: the arguments of `GameVectorEnv`, without
            packed observations.
        role: the role of the learner; optional in a game of one role.
        render_mode: "ansi", "rgb_array" (needs the extra `gif`) or None.

    Raises:
        UserError: there is no such game, role, opponent or observation, no role of several was given, or its state
            machine does not number moves.
        ValueError: another argument is invalid.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}  # noqa: RUF012 - Gymnasium's own declaration

    def __init__(
        self,
        game: Game | str | Path,
        *,
        role: str | None = None,
        opponent: str | Opponent = "random",
        observation: str | None = None,
        mask_in_observation: bool = True,
        illegal: str = "error",
        max_turns: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        self._episodes = Episodes(
            game, 1, observation=observation, role=role, opponent=opponent, illegal=illegal, max_turns=max_turns
        )
        self.lanes = self._episodes.lanes
        if self._episodes.role is None:
            several = ", ".join(roles_to_play(self.lanes.roles))
            raise UserError(
                f"{self.lanes.game.word} has several roles: give role=... (one of {several}), or learn all roles with "
                "GameAECEnv or GameVectorEnv"
            )
        self.game = self.lanes.game
        self.role = self._episodes.role
        self._use = OneAtATime(ENVIRONMENT_IN_USE)
        self._observer = self._episodes.observer
        self.render_mode = render_mode
        self._renderer = Renderer(self.lanes, render_mode)
        self._with_mask = mask_in_observation
        self.observation_names = self._observer.names
        self.action_names = self.lanes.move_names(self.role)
        self._numbers = {name: number for number, name in enumerate(self.action_names)}
        self.action_space = spaces.Discrete(self._episodes.actions)
        self.observation_space = with_mask(self._observer.shape, self._episodes.actions, mask_in_observation)

    def action_of(self, move: str) -> int:
        """Return the action of a move given as KIF.

        Raises:
            ValueError: the role has no such move.
        """
        return self._numbers.get(move) or self.lanes.machine.move_number(self.lanes.roles.index(self.role), move)

    def action_masks(self) -> npt.NDArray[np.int8]:
        """Return the legal actions: a new array, int8, 0 or 1, [actions]."""
        return self._episodes.legal[:, 0].view(np.int8).copy()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start a game; a seed also sets the random numbers, which are seeded by the system at first.

        Raises:
            ValueError: an option is given; there are none.
            RuntimeError: another thread is using the environment.
        """
        with self._use:
            require_options(options)
            is_first = self._np_random is None
            super().reset(seed=seed)
            if seed is not None:
                self._episodes.seed(seed)
            elif is_first:
                self._episodes.seed(int(self.np_random.integers(2**62)))
            self._episodes.reset()
            return self._observation()

    def step(self, action: SupportsInt) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Make a move, and continue to the next choice.

        Raises:
            IllegalMoveError: the action is not legal; the message names the legal ones.
            ValueError: the action is not an integer, or the game is over.
            ResetNeeded: the environment was not reset.
            RuntimeError: another thread is using the environment.
        """
        with self._use:
            episodes = self._episodes
            require_reset(episodes.is_reset, "step")
            if episodes.ended[0]:
                raise ValueError("the game is over: call reset() to start another game")
            given = np.asarray(action)
            if given.size != 1 or given.dtype.kind not in "iu":
                raise ValueError(f"an action is the number of a move, an integer, not {action!r}")
            episodes.step(given.reshape(1))
            ended = bool(episodes.terminated[0]), bool(episodes.truncated[0])
            seen, info = self._observation()
            if episodes.illegal is not None:
                info["illegal"] = bool(episodes.illegal[0])
            return seen, float(episodes.rewards[0]), *ended, info

    def render(self) -> Any:
        """Return the board as text, or as an array: uint8, [height, width, 3]; None without a mode.

        Raises:
            ResetNeeded: the environment was not reset.
        """
        require_reset(self._episodes.is_reset, "render")
        return self._renderer.render()

    def _observation(self) -> tuple[Any, dict[str, Any]]:
        """Return observation and info."""
        mask = self.action_masks()
        seen = self._observer.observe_first()
        info = {"action_mask": mask, "legal": [self.action_names[number] for number in np.flatnonzero(mask)]}
        return {"observation": seen, "action_mask": mask} if self._with_mask else seen, info


# The id for gymnasium.make and make_vec is "ggp_agent.rl.gym_env:ggp_agent/Game-v0".
gymnasium.register(
    "ggp_agent/Game-v0", f"{__name__}:GameEnv", vector_entry_point=f"{GameVectorEnv.__module__}:GameVectorEnv"
)

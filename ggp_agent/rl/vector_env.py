"""Many games at once as a Gymnasium `VectorEnv`, with one lane per game.

>>> from ggp_agent.rl import GameVectorEnv
>>> env = GameVectorEnv("tic_tac_toe", 64)
>>> observations, info = env.reset(seed=1)
>>> observations["observation"].shape, observations["action_mask"].shape
((64, 20), (64, 10))
>>> ends = 0
>>> for _ in range(20):
...     observations, rewards, terminations, truncations, info = env.step(env.sample_actions())
...     ends += int(terminations.sum())
>>> ends > 64
True
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from ..common.errors import UserError, require_integer
from ..common.one_at_a_time import OneAtATime
from ..game.game import Game
from ..game.lane_arrays import Floats, Moves
from .arguments import ENVIRONMENT_IN_USE, Copied, require_options, require_reset
from .episodes import Episodes
from .observations import KINDS, PERCEPTS, Bools, with_mask
from .opponents import Opponent
from .rendering import RENDER_FPS, RENDER_MODES, Renderer

Array = npt.NDArray[Any]

PACKED = "packed"


class GameVectorEnv(Copied, VectorEnv[Any, Any, Any]):
    """Step many games at once.

    The learner takes one role, and opponents play the other roles. If no role is given and the game has several, the
    learner plays against itself: each step is a turn, the learner acts for the role that has a choice
    (`info["mover"]`), and gets the reward of this role. Otherwise each game behaves as in `GameEnv`.

    An observation is a dictionary of `observation` and `action_mask`, or only the first. `info["action_mask"]` is int8,
    [num_envs, actions]; `info["rewards"]` are the rewards of all roles at the end, float64, [num_envs, roles]. Packed
    observations are the fluents as bits of words, uint64 [fluents, words]; game i is bit i % 64 of word i // 64; then
    only `action_masks()` returns masks. All returned arrays belong to the caller.

    Args:
        game: a game, or a word that `load_game` accepts.
        num_envs: the number of games.
        role: the role of the learner.
        opponent: the player of the other roles: "random", "agent", or a function of a state and a role.
        observation: "fluents", "planes" or "packed"; "percepts" in games with hidden information. None for "fluents" or
            "percepts".
        mask_in_observation: True for observations as dictionaries.
        illegal: the effect of an illegal action: "error" raises an error, "lose" ends the game with reward -1.
        max_turns: the number of turns after which a game is truncated.
        autoreset_mode: the time at which a finished game is reset: with the next step, in the same step (its last
            observation is then in `info["final_obs"]`), or by `reset(options={"reset_mask": ...})`.
        threads: the number of threads; one is fastest up to some thousand games.
        render_mode: "ansi", "rgb_array" (needs the extra `gif`) or None.

    Raises:
        UserError: there is no such game, role, opponent or observation, or its state machine does not number moves.
        ValueError: another argument is invalid.
    """

    def __init__(
        self,
        game: Game | str | Path,
        num_envs: int = 1,
        *,
        role: str | None = None,
        opponent: str | Opponent = "random",
        observation: str | None = None,
        mask_in_observation: bool = True,
        illegal: str = "error",
        max_turns: int | None = None,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        threads: int = 1,
        render_mode: str | None = None,
    ) -> None:
        kinds = (*KINDS, PERCEPTS, PACKED)
        if observation is not None and observation not in kinds:
            raise UserError(f"no observation is called {observation!r}; kinds: {', '.join(kinds[:-1])} and {kinds[-1]}")
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {
            "render_modes": list(RENDER_MODES),
            "render_fps": RENDER_FPS,
            "autoreset_mode": self.autoreset_mode,
        }
        num_envs = require_integer(num_envs, "num_envs", "the number of games")
        self.num_envs = num_envs
        self._is_packed = observation == PACKED
        self._episodes = Episodes(
            game,
            num_envs,
            observation="fluents" if self._is_packed else observation,
            role=role,
            opponent=opponent,
            illegal=illegal,
            max_turns=max_turns,
            threads=threads,
        )
        self.lanes = self._episodes.lanes
        self.game = self.lanes.game
        self.role = self._episodes.role
        self.render_mode = render_mode
        self._renderer = Renderer(self.lanes, render_mode)
        self._with_mask = mask_in_observation and not self._is_packed
        self._observer = self._episodes.observer
        self._all = np.ones(num_envs, np.bool_)
        self._use = OneAtATime(ENVIRONMENT_IN_USE)
        self.observation_names = self._observer.names
        self.single_action_space = spaces.Discrete(self._episodes.actions)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.single_observation_space = with_mask(self._observer.shape, self._episodes.actions, self._with_mask)
        if self._is_packed:
            shape = self.lanes.fluent_words.shape
            self.observation_space: spaces.Space[Any] = spaces.Box(0, 2**64 - 1, shape, np.uint64)
        else:
            self.observation_space = batch_space(self.single_observation_space, num_envs)

    def action_masks(self) -> npt.NDArray[np.int8]:
        """Return the legal actions: a new array, int8, 0 or 1, [num_envs, actions]; all 0 if the game is over."""
        return self._episodes.legal.copy().T.view(np.int8)

    def sample_actions(self) -> Moves:
        """Draw legal actions uniformly: a new array, int32, [num_envs]; -1 if the game is over."""
        if self._episodes.role is None:
            return self.lanes.sample_movers()
        drawn: Moves = self.lanes.sample()[self.lanes.roles.index(self._episodes.role)]
        return drawn

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start new games.

        Args:
            seed: the seed of the random numbers: game i gets seed + i, or the i-th of several seeds. None keeps the
                current random numbers, which are seeded by the system at first.
            options: `reset_mask`, bool, [num_envs]: the games to reset; all games by default.

        Raises:
            ValueError: an option is unknown, the mask has a wrong shape or type, or the number of seeds is wrong.
            RuntimeError: another thread is using the environment.
        """
        with self._use:
            return self._reset(seed, options)

    def _reset(self, seed: int | Sequence[int] | None, options: dict[str, Any] | None) -> tuple[Any, dict[str, Any]]:
        chosen = require_options(options, ("reset_mask",)).get("reset_mask")
        super().reset(seed=seed if isinstance(seed, int | None) else None)
        mask = None if chosen is None else self._require_mask(chosen)
        self._seed(seed)
        self._episodes.reset(mask)
        return self._observations()

    def step(self, actions: npt.ArrayLike) -> tuple[Any, Floats, Bools, Bools, dict[str, Any]]:
        """Act in all games.

        Args:
            actions: the actions: integers, [num_envs]; values of finished games are ignored.

        Returns:
            Observations, rewards (float64), terminations, truncations (bool, [num_envs]) and infos.

        Raises:
            IllegalMoveError: an action is not legal; then nothing is played.
            ValueError: the actions have a wrong shape or type.
            ResetNeeded: the environment was not reset.
            RuntimeError: another thread is using the environment.
        """
        with self._use:
            return self._step(actions)

    def _step(self, actions: npt.ArrayLike) -> tuple[Any, Floats, Bools, Bools, dict[str, Any]]:
        episodes = self._episodes
        require_reset(episodes.is_reset, "step")
        ended = episodes.ended
        fresh = ended if self.autoreset_mode is AutoresetMode.NEXT_STEP and ended.any() else None
        episodes.step(actions, fresh)
        rewards, terminated, truncated = episodes.rewards, episodes.terminated, episodes.truncated
        ended = terminated | truncated
        if self.autoreset_mode is AutoresetMode.SAME_STEP and ended.any():
            info = {"rewards": episodes.worth, **self._final(ended)}
            episodes.reset(ended)
            seen, rest = self._observations()
            return seen, rewards, terminated, truncated, {**rest, **info}
        seen, rest = self._observations()
        return seen, rewards, terminated, truncated, rest

    def render(self) -> tuple[Any, ...] | None:
        """Return the board of each game as text, or as an array: uint8, [height, width, 3]; None without a mode.

        Raises:
            ResetNeeded: the environment was not reset.
        """
        require_reset(self._episodes.is_reset, "render")
        if self.render_mode is None:
            return None
        return tuple(self._renderer.render(lane) for lane in range(self.num_envs))

    # ---- implementation

    def _require_mask(self, mask: Any) -> Bools:
        given = np.asarray(mask)
        shape = (self.num_envs,)
        expected = f"reset_mask is bool of shape {shape}, true somewhere"
        if given.shape != shape:
            raise ValueError(f"{expected}; this one has shape {given.shape}, not {shape}")
        if given.dtype != np.bool_:
            raise ValueError(f"{expected}; this one is {given.dtype}, not bool")
        if not given.any():
            raise ValueError(f"{expected}; this one is False everywhere")
        return given

    def _seed(self, seed: int | Sequence[int] | None) -> None:
        if seed is not None:
            self._episodes.seed(seed)
        elif self._np_random is None:
            self._episodes.seed(int(self.np_random.integers(2**62)))

    def _observations(self) -> tuple[Any, dict[str, Any]]:
        """Return observations and infos."""
        info: dict[str, Any] = {"rewards": self._episodes.worth, "_rewards": self._all}
        if (illegal := self._episodes.illegal) is not None:
            info |= {"illegal": illegal.copy(), "_illegal": self._all}
        if self._episodes.role is None:
            info |= {"mover": self.lanes.mover.copy(), "_mover": self._all}
        if self._is_packed:
            words = self.lanes.fluent_words
            return words if words.flags.writeable else words.copy(), info
        info |= {"action_mask": self.action_masks(), "_action_mask": self._all}
        seen = self._observer.observe()
        return {"observation": seen, "action_mask": info["action_mask"]} if self._with_mask else seen, info

    def _final(self, ended: Bools) -> dict[str, Any]:
        """Return the infos about games that are reset in the step in which they end."""
        seen, _ = self._observations()
        last, info = np.full(self.num_envs, None, object), np.full(self.num_envs, None, object)
        rewards, illegal = self._episodes.worth, self._episodes.illegal
        for lane in np.flatnonzero(ended):
            if self._with_mask:
                last[lane] = {key: value[lane].copy() for key, value in seen.items()}
            elif not self._is_packed:
                last[lane] = seen[lane].copy()
            info[lane] = {"rewards": rewards[lane]}
            if illegal is not None:
                info[lane]["illegal"] = bool(illegal[lane])
        if self._is_packed:
            return {"final_obs": seen, "_final_obs": ended, "final_info": info, "_final_info": ended}
        return {"final_obs": last, "_final_obs": ended, "final_info": info, "_final_info": ended}

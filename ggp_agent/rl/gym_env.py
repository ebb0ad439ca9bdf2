"""One game as a Gymnasium environment: a game of one role, or one role against opponents.

>>> from ggp_agent.rl import GameEnv
>>> env = GameEnv("eight_puzzle", max_turns=60)
>>> observation, info = env.reset(seed=1)
>>> int(observation["action_mask"].sum()) == len(info["legal"])
True
>>> observation, reward, terminated, truncated, info = env.step(env.action_of(info["legal"][0]))
>>> reward, terminated, truncated
(0.0, False, False)

Many games at once, with one lane per game:

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
from typing import Any, SupportsInt

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from ..common.errors import UserError, require_integer
from ..common.one_at_a_time import OneAtATime
from ..game.game import Game
from ..game.lanes import Floats, Moves
from ..game.roles import roles_to_play
from .arguments import ENVIRONMENT_IN_USE, Copied, require_options, require_reset
from .episodes import Episodes, Opponent
from .observations import KINDS, PERCEPTS, Bools, with_mask
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

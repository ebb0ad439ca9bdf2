"""The vector environment: each game is what a single environment plays, in all three ways to begin anew."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from quick import few
from small_games import CARDS, GUESSING

from ggp_agent.rl import GameEnv, GameVectorEnv, agent
from ggp_agent.rl.gym_env import PACKED

CASES = (
    ("tic_tac_toe", {"role": "o"}),
    ("tic_tac_toe", {"role": "x", "opponent": agent(simulations=10), "max_turns": 5}),
    ("connect_four", {"role": "red", "observation": "planes"}),
    ("battle", {"role": "north", "max_turns": 6}),
    ("eight_puzzle", {"max_turns": 9, "illegal": "lose"}),
    ("breakthrough_6x6", {"role": "black", "observation": "planes"}),
    ("hex", {"role": "red"}),
    ("merrills", {"role": "white"}),
    ("orchard", {"role": "green", "max_turns": 12}),
    ("three_hunters", {"role": "green", "max_turns": 12}),
    ("lights_out", {"max_turns": 5}),
    (CARDS, {"role": "watcher"}),
    (GUESSING, {"role": "p3"}),
)
N = 5


class Singles:
    """Single environments in step with a vector of them, by the same way to begin anew."""

    def __init__(self, word: str, options: dict[str, Any], mode: AutoresetMode) -> None:
        self.mode = mode
        self.envs = [GameEnv(word, **options) for _ in range(N)]
        self.ended = [False] * N
        self.last = [env.reset(seed=10 + lane) for lane, env in enumerate(self.envs)]

    def step(self, actions: np.ndarray) -> list[tuple[Any, ...]]:  # type: ignore[type-arg]
        """Act, and return for each lane: observation, reward, terminated, truncated, mask, last observation."""
        told: list[tuple[Any, ...]] = []
        for lane, (env, action) in enumerate(zip(self.envs, actions, strict=True)):
            final = None
            if self.ended[lane] and self.mode is AutoresetMode.NEXT_STEP:
                seen, info = env.reset()
                reward, terminated, truncated = 0.0, False, False
            elif self.ended[lane] and self.mode is AutoresetMode.DISABLED:
                told.append(())
                continue
            else:
                seen, reward, terminated, truncated, info = env.step(action)
            self.ended[lane] = terminated or truncated
            if self.ended[lane] and self.mode is AutoresetMode.SAME_STEP:
                final = seen
                seen, info = env.reset()
                self.ended[lane] = False
            told.append((seen, reward, terminated, truncated, info["action_mask"], final))
        return told


def same(one: Any, other: Any) -> bool:
    return one.keys() == other.keys() and all((one[key] == other[key]).all() for key in one)


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize(
    "word, options", few(CASES, 10), ids=[f"{word[:9]}-{'-'.join(options)}" for word, options in CASES]
)
def test_each_game_is_a_single_environment(word: str, options: dict[str, Any], mode: AutoresetMode) -> None:
    rng = np.random.default_rng(1)
    vector, singles = GameVectorEnv(word, N, autoreset_mode=mode, **options), Singles(word, options, mode)
    assert vector.metadata["autoreset_mode"] is mode
    seen, info = vector.reset(seed=10)
    assert vector.observation_space.contains(seen)
    for _ in range(30):
        masks = info["action_mask"]
        actions = np.array([rng.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in masks])
        if options.get("illegal") and rng.random() < 0.2:
            actions[2] = 0
        was_over = np.array(singles.ended)
        seen, rewards, terminations, truncations, info = vector.step(actions)
        assert rewards.dtype == np.float64 and terminations.dtype == truncations.dtype == np.bool_
        for lane, told in enumerate(singles.step(actions)):
            if not told:
                assert rewards[lane] == 0 and (terminations[lane] or truncations[lane])
                continue
            one, reward, terminated, truncated, mask, final = told
            assert same({key: value[lane] for key, value in seen.items()}, one)
            assert (rewards[lane], terminations[lane], truncations[lane]) == (reward, terminated, truncated)
            assert (info["action_mask"][lane] == mask).all()
            if final is not None:
                assert info["_final_obs"][lane] and same(info["final_obs"][lane], final)
        if mode is AutoresetMode.DISABLED and (over := np.array(singles.ended)).all():
            seen, info = vector.reset(options={"reset_mask": over})
            for env in singles.envs:
                env.reset()
            singles.ended = [False] * N
        assert mode is not AutoresetMode.NEXT_STEP or not (was_over & (rewards != 0)).any()


def test_some_games_begin_anew_when_asked() -> None:
    env = GameVectorEnv("tic_tac_toe", 4, autoreset_mode="Disabled")
    first, _ = env.reset(seed=1)
    seen, *_ = env.step(env.sample_actions())
    mask = np.array([True, False, False, True])
    again, _ = env.reset(options={"reset_mask": mask})
    expected = np.where(mask[:, None], first["observation"], seen["observation"])
    assert (again["observation"] == expected).all()
    for wrong in (mask[:2], mask.astype(int), np.zeros(4, bool)):
        with pytest.raises(ValueError, match=r"reset_mask is bool of shape \(4,\)"):
            env.reset(options={"reset_mask": wrong})


def test_a_learner_may_play_itself() -> None:
    env = GameVectorEnv("tic_tac_toe", 50)
    seen, info = env.reset(seed=1)
    assert env.observation_space.contains(seen) and env.single_action_space.n == 10
    ends = 0
    for _ in range(30):
        mover, over = info["mover"], env._episodes.ended
        actions = env.sample_actions()
        assert (info["action_mask"][np.flatnonzero(~over), actions[~over]] == 1).all()
        seen, rewards, terminations, _, info = env.step(actions)
        for lane in np.flatnonzero(terminations):
            ends += 1
            assert rewards[lane] == info["rewards"][lane, mover[lane]] >= 0  # who moves last does not lose
            assert info["rewards"][lane].sum() == 0
        assert (rewards[~terminations] == 0).all() and (info["mover"][over] == 0).all()
    assert ends > 50


@pytest.mark.parametrize("n", [64, 600])
def test_packed_observations_are_the_bits(n: int) -> None:
    packed, plain = GameVectorEnv("connect_four", n, observation=PACKED), GameVectorEnv("connect_four", n)
    words, seen = packed.reset(seed=3)[0], plain.reset(seed=3)[0]
    for _ in range(10):
        assert packed.observation_space.contains(words)
        bits = np.unpackbits(words.view(np.uint8), axis=1, bitorder="little")[:, :n]
        assert (seen["observation"] == bits.T).all()
        assert (packed.action_masks() == seen["action_mask"]).all()
        before, actions = words.copy(), packed.sample_actions()
        assert (actions == plain.sample_actions()).all()
        (now, *_), (seen, *_) = packed.step(actions), plain.step(actions)
        assert (words == before).all()  # what was handed out stays
        words = now


def test_seeds_make_games_the_same() -> None:
    def play(env: GameVectorEnv, seed: Any) -> list[bytes]:
        env.reset(seed=seed)
        return [env.step(env.sample_actions())[0]["observation"].tobytes() for _ in range(12)]

    env = GameVectorEnv("connect_four", 20, role="yellow")
    first = play(env, 4)
    assert play(env, 4) == first == play(GameVectorEnv("connect_four", 20, role="yellow"), range(4, 24))
    assert play(env, None) != first
    assert play(GameVectorEnv("connect_four", 20, role="yellow"), None) != first

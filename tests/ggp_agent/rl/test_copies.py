"""Copies and pickles of environments and lanes: they continue like the original, and independently of it."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from small_games import CARDS

import ggp_agent as ggp
from ggp_agent.rl import GameAECEnv, GameEnv, GameParallelEnv, GameVectorEnv, random_player


def trace_of_env(env: Any, steps: int) -> list[Any]:
    """Take the first legal action, or on every third step the last one, and return all that is seen."""
    seen: list[Any] = []
    for step in range(steps):
        legal = np.flatnonzero(env.action_masks())
        observation, reward, terminated, truncated, _ = env.step(legal[-(step % 3 == 2)])
        seen += [observation["observation"].tolist(), reward, terminated]
        if terminated or truncated:
            env.reset()
    return seen


def trace_of_vector(env: Any, steps: int) -> list[Any]:
    seen: list[Any] = []
    for _ in range(steps):
        observation, rewards, terminated, _, _ = env.step(env.sample_actions())
        seen += [observation["observation"].tolist(), rewards.tolist(), terminated.tolist()]
    return seen


def trace_of_aec(env: Any, steps: int) -> list[Any]:
    seen: list[Any] = []
    for step in range(steps):
        observation, reward, terminated, truncated, info = env.last()
        seen += [env.agent_selection, observation["observation"].tolist(), reward, terminated]
        if terminated or truncated:
            env.reset()
            continue
        legal = np.flatnonzero(info["action_mask"])
        env.step(int(legal[-(step % 3 == 2)]))
    return seen


def trace_of_parallel(env: Any, steps: int) -> list[Any]:
    seen: list[Any] = []
    for _ in range(steps):
        if not env.agents:
            env.reset()
        masks = {agent: env._mask(agent) for agent in env.agents}
        actions = {agent: int(np.flatnonzero(mask)[-1]) for agent, mask in masks.items()}
        observations, rewards, ended, _, _ = env.step(actions)
        seen += [{agent: each["observation"].tolist() for agent, each in observations.items()}, rewards, ended]
    return seen


def trace_of_lanes(lanes: ggp.Lanes, steps: int) -> list[Any]:
    seen: list[Any] = []
    for _ in range(steps):
        lanes.step_random()
        seen += [lanes.fluents.tolist(), lanes.goals.tolist(), lanes.legal(lanes.roles[0]).sum().item()]
        lanes.reset(lanes.terminal)
    return seen


def env_of(make: Callable[[], Any]) -> Any:
    env = make()
    env.reset(seed=5)
    return env


CASES: dict[str, tuple[Callable[[], Any], Callable[[Any, int], list[Any]]]] = {
    "env": (lambda: env_of(lambda: GameEnv("tic_tac_toe", role="o", opponent="random")), trace_of_env),
    "env player": (
        lambda: env_of(lambda: GameEnv("tic_tac_toe", role="x", opponent=random_player(3))),
        trace_of_env,
    ),
    "vector": (lambda: env_of(lambda: GameVectorEnv("tic_tac_toe", 70)), trace_of_vector),
    "vector role": (lambda: env_of(lambda: GameVectorEnv("tic_tac_toe", 3, role="x")), trace_of_vector),
    "aec": (lambda: env_of(lambda: GameAECEnv("tic_tac_toe")), trace_of_aec),
    "aec at once": (lambda: env_of(lambda: GameAECEnv("battle", max_turns=9)), trace_of_aec),
    "aec chance": (lambda: env_of(lambda: GameAECEnv(ggp.load_game(CARDS))), trace_of_aec),
    "parallel": (lambda: env_of(lambda: GameParallelEnv(ggp.load_game(CARDS))), trace_of_parallel),
    "lanes": (lambda: ggp.Lanes("tic_tac_toe", 600, seed=2), trace_of_lanes),
    "native lanes": (lambda: ggp.Lanes("fast:breakthrough_6x6", 130, seed=2), trace_of_lanes),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("how", [copy.copy, copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))])
def test_a_copy_continues_identically_and_independently(case: str, how: Callable[[Any], Any]) -> None:
    make, trace = CASES[case]
    original = make()
    trace(original, 4)
    made = how(original)
    others = how(original)
    expected = trace(original, 12)
    assert trace(made, 12) == expected
    trace(original, 5)  # the second copy must not notice this
    assert trace(others, 12) == expected


def _traces_in_child(data: bytes, results: Any) -> None:
    results.send([CASES[case][1](made, 8) for case, made in pickle.loads(data).items()])


def test_pickles_continue_in_another_process() -> None:
    originals = {case: CASES[case][0]() for case in ("env", "aec", "vector", "parallel", "native lanes")}
    for case, original in originals.items():
        CASES[case][1](original, 3)
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    child = context.Process(target=_traces_in_child, args=(pickle.dumps(originals), theirs))
    child.start()
    assert ours.poll(60)
    assert ours.recv() == [CASES[case][1](original, 8) for case, original in originals.items()]
    child.join()


def test_a_pickle_of_other_numbers_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    data = pickle.dumps(ggp.Lanes("tic_tac_toe", 2))
    monkeypatch.setattr("gdl.machines.network.NumberedMachine.numbering", "of another version")
    with pytest.raises(ggp.UserError, match="tic_tac_toe was made by another version"):
        pickle.loads(data)

"""Hand-coded games as arrays: every lane is the single machine of the same game, step by step."""

from __future__ import annotations

import numpy as np
import pytest
from positions_in_lanes import assert_agrees
from quick import few

import ggp_agent as ggp
from ggp_agent.game.lanes import DRAW, Lanes
from ggp_agent.game.native.native_machine import NativeMachine
from ggp_agent.game.native.registry import native_games
from ggp_agent.rl import GameAECEnv, GameEnv, GameVectorEnv

# Lanes of the first simulator of two, and of the second.
WATCHED = (0, 63, 127, 128, 129)
N = 130


@pytest.mark.parametrize("name", few(native_games(), 8))
def test_lanes_play_as_the_module_does(name: str) -> None:
    lanes = ggp.Lanes(f"fast:{name}", N, seed=3)
    machine = lanes.machine
    assert isinstance(machine, NativeMachine)
    states = dict.fromkeys(WATCHED, lanes.state(0))
    for turn in range(2000):
        if turn % 4 == 3:  # what is drawn is what sample() would have told
            twin = Lanes(lanes.game, N)
            twin.load(lanes.store())
            moves = lanes.sample()
            twin.step(moves)
            lanes.load(twin.store())
        else:
            moves = lanes.sample()
            lanes.step(moves)
        assert (moves[0] == DRAW).tolist() == (moves[1] == DRAW).tolist()
        for lane, state in states.items():
            if not state.is_terminal:
                packed = machine.next_by_numbers(state.packed, moves[:, lane].tolist())
                states[lane] = ggp.State(lanes.game, machine, packed)
                assert lanes.store()[lane].tobytes() == packed
                if turn < 3 or turn % 40 == 0 or machine.terminal(packed):
                    assert_agrees(lanes, lane, states[lane])
        if all(state.is_terminal for state in states.values()):
            return
        if turn == 60 and name.startswith(("amazons", "go_19")):  # states are large, or moves many
            return
    raise AssertionError("games go on for ever")


@pytest.mark.parametrize("name", few(native_games(), 8))
def test_draws_are_those_of_the_seed(name: str) -> None:
    few = name in ("amazons", "amazons_8x8", "go_19x19")
    wide = Lanes(f"fast:{name}", N, seed=5, threads=2)
    narrow = {lane: Lanes(f"fast:{name}", 1, seed=5 + lane) for lane in WATCHED[1:4]}
    other = Lanes(f"fast:{name}", N, seed=6)
    for turn in range(8 if few else 40):
        moves = wide.sample() if turn % 3 == 2 else np.full((2, N), DRAW)
        wide.step(moves)
        other.step_random()
        for lane, one in narrow.items():
            one.step_random()
            assert one.state(0) == wide.state(lane)
    assert (wide.store() != other.store()).any()


@pytest.mark.parametrize("name", few(native_games(), 8))
def test_fluents_are_what_the_board_shows(name: str) -> None:
    module = native_games()[name]
    lanes = Lanes(f"fast:{name}", 2, seed=1)
    names = lanes.fluent_names
    assert len(set(names)) == len(names) == len(lanes.fluents)
    for _ in range(30):
        lanes.step_random(fresh=lanes.terminal)
        held = [names[number] for number in np.flatnonzero(lanes.fluents[:, 0])]
        if lanes.terminal[0]:
            continue
        shown = [line for line in module.board(lanes.state(0).packed).splitlines() if not line.startswith("passes")]
        assert module.board(module.state_of(held)).splitlines() == shown


@pytest.mark.parametrize("word", ["fast:breakthrough_6x6", "fast:kalah", "fast:atari_go"])
def test_environments_take_hand_coded_games(word: str) -> None:
    env = GameVectorEnv(word, 140)
    observed, _ = env.reset(seed=1)
    assert observed["observation"].shape == (140, len(env.lanes.fluent_names))
    ends = 0
    for _ in range(80):
        _, rewards, terminated, _, info = env.step(env.sample_actions())
        assert (np.abs(rewards[terminated]) <= 1).all() and (info["action_mask"].sum(axis=1) >= 1)[~terminated].all()
        ends += int(terminated.sum())
    assert ends > 100
    learner = GameEnv(word, role=env.lanes.roles[0])
    observed, info = learner.reset(seed=1)
    over = False
    while not over:
        _, reward, over, _, info = learner.step(int(np.flatnonzero(info["action_mask"])[0] if not over else 0))
    assert reward in (-1, 0, 1)
    turns = GameAECEnv(word)
    turns.reset(seed=1)
    for _ in turns.agent_iter():
        _, _, terminated, truncated, info = turns.last()
        turns.step(None if terminated or truncated else int(np.flatnonzero(info["action_mask"])[-1]))


def test_planes_of_a_hand_coded_game_are_those_of_its_sheet() -> None:
    planes = []
    for word in ("fast:breakthrough", "breakthrough"):
        env = GameVectorEnv(word, 1, observation="planes")
        seen = env.reset(seed=1)[0]["observation"][0]
        planes.append(dict(zip(env.observation_names, seen, strict=True)))
    for name in ("piece white", "piece black", "white has a choice", "black has a choice"):
        assert (planes[0][name] == planes[1][name]).all()
    assert planes[0]["piece white"].sum() == 16

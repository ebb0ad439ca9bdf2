"""Environments of games with hidden information: a role observes its own choices and percepts, and nothing else."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test, seed_test
from test_environments import quietly

import ggp_agent as ggp
from gdl import NetworkMachine
from ggp_agent.game.lanes import Lanes
from ggp_agent.rl import GameAECEnv, GameEnv, GameParallelEnv, GameVectorEnv

# Chance, simultaneous moves, and roles that may try a move that turns out to be taken.
GAMES = ("kuhn_poker", "blind_tic_tac_toe", "blind_breakthrough", "battleships", "monty_hall")


@pytest.mark.parametrize("word", GAMES)
def test_lanes_have_the_percepts_of_the_latest_step(word: str) -> None:
    lanes = Lanes(word, 70, seed=2)
    machine, rng = lanes.machine, np.random.default_rng(1)
    perceived = 0
    for _ in range(40):
        states, joint, over = lanes.store(), lanes.sample(), lanes.terminal.copy()
        held = rng.random(70) < 0.2
        fresh = ~held & (rng.random(70) < 0.1)
        lanes.step(joint, held=held, fresh=fresh)
        plays = ~(held | fresh | over)
        for number, role in enumerate(lanes.roles):
            found, names = lanes.percepts.of(role), lanes.percepts.names(role)
            assert found.shape == (len(names), 70) and not found[:, ~plays].any()
            for lane in np.flatnonzero(plays):
                wanted = machine.percepts_by_numbers(states[lane].tobytes(), joint[:, lane].tolist())[number]
                assert sorted(names[each] for each in np.flatnonzero(found[:, lane])) == wanted
                perceived += len(wanted)
    assert perceived > 0


@pytest.mark.parametrize("word", GAMES)
def test_pettingzoo_accepts_them(word: str) -> None:
    quietly(api_test, GameAECEnv(word, max_turns=100), num_cycles=200)
    quietly(seed_test, lambda: GameAECEnv(word, max_turns=100), num_cycles=50)
    quietly(parallel_api_test, GameParallelEnv(word, max_turns=100), num_cycles=200)


@pytest.mark.parametrize("word", ["kuhn_poker", "battleships"])
def test_gymnasium_accepts_them(word: str) -> None:
    role = GameAECEnv(word).role_of["player_1"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(GameEnv(word, role=role, illegal="lose"), skip_render_check=True)


def _observed(env: GameAECEnv, agent: str) -> set[str]:
    role = env.role_of[agent]
    machine = env.game.machine()
    assert isinstance(machine, NetworkMachine)
    number = machine.roles.index(role)
    moves = [f"(does {role} {move})" for move in machine.move_names(number)]
    names = [*moves, *machine.percept_names(number)]
    row = env.observe(agent)["observation"]
    assert row.shape == (len(names),) and row.dtype == np.uint8
    return {name for name, value in zip(names, row, strict=True) if value}


def test_an_agent_observes_its_latest_choice_and_the_percepts_since_then() -> None:
    env = GameAECEnv("blind_tic_tac_toe")
    env.reset(seed=3)
    state = env.game.initial_state()
    rng = np.random.default_rng(3)
    known: dict[str, set[str]] = {agent: set() for agent in env.agents}
    turns = 0
    while not state.is_terminal:
        chosen = {}
        for agent in env.agents:
            if len(state.legal_moves(env.role_of[agent])) > 1:
                assert env.agent_selection == agent and _observed(env, agent) == known[agent]
                mask = env.observe(agent)["action_mask"]
                action = int(rng.choice(np.flatnonzero(mask)))
                move = env.game.machine().move_names(state.roles.index(env.role_of[agent]))[action]
                chosen[env.role_of[agent]] = move
                known[agent] = {f"(does {env.role_of[agent]} {move})"}
                env.step(action)
        joint = [chosen.get(role) or state.legal_moves(role)[0] for role in state.roles]
        state = state.play(*joint)
        turns += 1
        for agent in known:
            known[agent] |= set(state.percepts(env.role_of[agent]))
    assert turns > 4 and all(env.terminations.values())
    assert all(_observed(env, agent) == known[agent] for agent in known)


def test_agents_see_their_own_card_only() -> None:
    seen = set()
    for seed in range(40):
        env = GameAECEnv("kuhn_poker")
        env.reset(seed=seed)
        while env.observe(env.agent_selection)["action_mask"].sum() == 1:
            env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
        seen.add(tuple(sorted(_observed(env, env.agent_selection))))
    # Three cards: with the cards of the other player there would be six.
    assert len(seen) == 3


@pytest.mark.parametrize(("word", "role"), [("kuhn_poker", "second"), ("blind_breakthrough", "black")])
def test_one_game_and_many_games_have_equal_observations(word: str, role: str) -> None:
    many = GameVectorEnv(word, 5, role=role, autoreset_mode="Disabled")
    single = [GameEnv(word, role=role) for _ in range(5)]
    seen, _ = many.reset(seed=11)
    alone = [env.reset(seed=11 + number)[0] for number, env in enumerate(single)]
    ended = np.zeros(5, np.bool_)
    rng = np.random.default_rng(2)
    while not ended.all():
        for lane in np.flatnonzero(~ended):
            assert np.array_equal(seen["observation"][lane], alone[lane]["observation"])
            assert np.array_equal(seen["action_mask"][lane], alone[lane]["action_mask"])
        actions = [int(rng.choice(np.flatnonzero(mask))) if mask.any() else 0 for mask in seen["action_mask"]]
        seen, rewards, terminated, *_ = many.step(np.array(actions))
        for lane in np.flatnonzero(~ended):
            alone[lane], reward, over, *_ = single[lane].step(actions[lane])
            assert (reward, over) == (rewards[lane], terminated[lane])
        ended |= terminated


def test_a_learner_finds_out_that_switching_wins() -> None:
    env = GameVectorEnv("monty_hall", 64, role="candidate")
    names = env.lanes.move_names("candidate")
    means: dict[str, list[float]] = {"stay": [], "switch": []}
    env.reset(seed=1)
    for _ in range(60):
        actions = env.sample_actions()
        _, rewards, terminated, *_ = env.step(actions)
        for lane in np.flatnonzero(terminated):
            means[names[actions[lane]]].append(float(rewards[lane]))
    assert min(map(len, means.values())) > 200
    assert np.mean(means["switch"]) > np.mean(means["stay"]) + 0.3


@pytest.mark.parametrize("make", [copy.copy, copy.deepcopy])
def test_copies_keep_what_was_observed(make: Any) -> None:
    env = GameAECEnv("blind_breakthrough")
    env.reset(seed=1)
    for _ in range(6):
        env.step(int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[-1]))
    other = make(env)
    for _ in range(4):
        agent = env.agent_selection
        mine, copied = env.observe(agent), other.observe(agent)
        assert other.agent_selection == agent and mine["observation"].any()
        assert np.array_equal(mine["observation"], copied["observation"])
        action = int(np.flatnonzero(mine["action_mask"])[0])
        env.step(action)
        assert np.array_equal(copied["observation"], other.observe(agent)["observation"])
        other.step(action)


def test_an_illegal_action_changes_nothing() -> None:
    env = GameAECEnv("kuhn_poker")
    env.reset(seed=1)
    agent = env.agent_selection
    before, illegal = env.observe(agent), int(np.flatnonzero(env.observe(agent)["action_mask"] == 0)[0])
    with pytest.raises(ggp.IllegalMoveError):
        env.step(illegal)
    with pytest.raises(ggp.IllegalMoveError):
        env.step(10**6)
    after = env.observe(agent)
    assert env.agent_selection == agent and np.array_equal(before["observation"], after["observation"])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: GameAECEnv("kuhn_poker", observation="fluents"), "players observe 'percepts', not 'fluents'"),
        (lambda: GameEnv("kuhn_poker", role="first", observation="planes"), "players observe 'percepts'"),
        (lambda: GameVectorEnv("kuhn_poker", 2, role="first", observation="packed"), "players observe 'percepts'"),
        (lambda: GameVectorEnv("kuhn_poker", 2), "give role=... to learn one role, or use GameAECEnv"),
        (lambda: GameEnv("kuhn_poker", role="first", opponent="agent"), "'agent' cannot play it"),
        (lambda: GameAECEnv("tic_tac_toe", observation="percepts"), "tic_tac_toe does not hide information"),
        (lambda: GameEnv("eight_puzzle", observation="percepts"), "does not hide information"),
    ],
)
def test_observations_that_do_not_fit_are_refused(make: Any, message: str) -> None:
    with pytest.raises(ggp.UserError, match=message):
        make()

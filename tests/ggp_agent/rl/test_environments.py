"""Environments of one game: PettingZoo's and Gymnasium's own tests, and what single positions say."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test
from pettingzoo.test.state_test import state_test
from quick import few
from small_games import CARDS, COUNTING, GUESSING

import ggp_agent as ggp
from ggp_agent.rl import GameAECEnv, GameEnv, GameParallelEnv, GameVectorEnv, agent, random_player
from ggp_agent.rl.episodes import Episodes

# One, two, three and six players, at once and in turn, with chance, with draws, and some that may go on for ever.
GAMES = {
    **{
        name: name
        for name in (
            "tic_tac_toe",
            "connect_four",
            "breakthrough_6x6",
            "hex",
            "merrills",
            "skirmish",
            "battle",
            "orchard",
            "three_hunters",
            "eight_puzzle",
            "lights_out",
        )
    },
    "counting": COUNTING,
    "cards": CARDS,
    "guessing": GUESSING,
}

# What PettingZoo's tests warn of: observations with a mask inside, games whose roles have other moves or percepts, and
# agents that have observed nothing yet.
WARNINGS = (
    "Observation space for each agent probably should be",
    "Observation is not a NumPy array",
    "Agents have different observation space sizes",
    "Observations are different shapes",
    "Observation numpy array is all zeros",
)


def quietly(test: Callable[..., None], *arguments: Any, **options: Any) -> None:
    """Run a test of PettingZoo's; any other warning is an error."""
    with warnings.catch_warnings():
        for message in WARNINGS:
            warnings.filterwarnings("ignore", message)
        test(*arguments, **options)


@pytest.mark.parametrize("word", few(GAMES.values(), 4), ids=GAMES)
def test_aec_passes_the_tests_of_pettingzoo(word: str) -> None:
    quietly(api_test, GameAECEnv(word, max_turns=100), num_cycles=200)
    quietly(seed_test, lambda: GameAECEnv(word, max_turns=100), num_cycles=50)


@pytest.mark.parametrize("options", [{"mask_in_observation": False}, {"observation": "planes"}])
def test_aec_passes_with_other_observations(options: dict[str, Any]) -> None:
    quietly(api_test, GameAECEnv("connect_four", **options), num_cycles=50)


@pytest.mark.parametrize("word", GAMES.values(), ids=GAMES)
def test_parallel_passes_the_tests_of_pettingzoo(word: str) -> None:
    quietly(parallel_api_test, GameParallelEnv(word, max_turns=100), num_cycles=200)


ONE_LEARNER = {
    "eight_puzzle": None,
    "lights_out": None,
    "tic_tac_toe": "o",
    "battle": "north",
    "three_hunters": "red",
    CARDS: "watcher",
    GUESSING: "p4",
}


@pytest.mark.parametrize("word, role", ONE_LEARNER.items(), ids=range(len(ONE_LEARNER)))
def test_single_passes_the_test_of_gymnasium(word: str, role: str | None) -> None:
    # Its actions are drawn without a mask.
    name = "ggp_agent.rl.gym_env:ggp_agent/Game-v0"
    env = gymnasium.make(name, game=word, role=role, illegal="lose", max_turns=50, render_mode="ansi")
    check_env(env.unwrapped)
    env.close()
    vector = gymnasium.make_vec(name, 3, "vector_entry_point", game=word, role=role)
    assert isinstance(vector, GameVectorEnv) and vector.reset(seed=1)[0]["action_mask"].any(axis=1).all()


@pytest.mark.parametrize("word", ["tic_tac_toe", "battle"])
def test_both_interfaces_play_what_the_rules_say(word: str) -> None:
    rng = np.random.default_rng(1)
    aec, parallel = GameAECEnv(word, render_mode="ansi"), GameParallelEnv(word)
    aec.reset(seed=1)
    _, infos = parallel.reset(seed=1)
    state = ggp.load_game(word).initial_state()
    while not state.is_terminal:
        assert aec.render() == str(state)
        actions = {name: int(rng.choice(np.flatnonzero(info["action_mask"]))) for name, info in infos.items()}
        names = {name: parallel._lanes.move_names(parallel.role_of[name]) for name in actions}
        for name, info in infos.items():
            legal = {names[name][action] for action in np.flatnonzero(info["action_mask"])}
            assert legal == set(state.legal_moves(parallel.role_of[name]))
        for role in state.choosing or state.roles[:1]:
            name = aec.agent_selection
            assert aec.role_of[name] == role and not aec.terminations[name]
            assert (aec.infos[name]["action_mask"] == infos[name]["action_mask"]).all()
            assert (aec.observe(name)["action_mask"] == infos[name]["action_mask"]).all()
            aec.step(actions[name])
        _, rewards, terminations, _, infos = parallel.step(actions)
        state = state.play(*(names[name][actions[name]] for name in parallel.possible_agents))
        assert set(terminations.values()) == {state.is_terminal} == set(aec.terminations.values())
    worth = [(goal - 50) / 50 for goal in state.goals.values() if goal is not None]
    assert rewards == aec.rewards == dict(zip(parallel.possible_agents, worth, strict=True))
    assert not aec.last()[0]["action_mask"].any()


@pytest.mark.parametrize("word", ["connect_four", "battle", "kuhn_poker"])
def test_states_of_pettingzoo_have_all_fluents(word: str) -> None:
    together = GameParallelEnv(word, illegal="lose")
    quietly(state_test, GameAECEnv(word, illegal="lose"), together)
    _, infos = together.reset(seed=3)
    together.step({agent: int(info["action_mask"].argmax()) for agent, info in infos.items()})
    lanes = together._lanes
    named = {name for name, value in zip(lanes.fluent_names, together.state(), strict=True) if value}
    assert named == set(lanes.state(0).fluents) & set(lanes.fluent_names)
    with pytest.raises(AssertionError, match="before state"):
        GameAECEnv(word).state()


def test_planes_show_the_board() -> None:
    env = GameEnv("connect_four", role="red", observation="planes", opponent=lambda state, role: "(drop 3)")
    env.reset(seed=1)
    observation, *_ = env.step(env.action_of("(drop 5)"))
    planes = dict(zip(env.observation_names, observation["observation"], strict=True))
    assert observation["observation"].shape == (len(planes), 6, 7)
    red, yellow = (next(plane for name, plane in planes.items() if name.endswith(end)) for end in (" red", " yellow"))
    assert np.argwhere(red).tolist() == [[0, 4]] and np.argwhere(yellow).tolist() == [[0, 2]]
    assert planes["red has a choice"].all() and not planes["yellow has a choice"].any()
    with pytest.raises(ggp.UserError, match="three_hunters has no board in the form of a grid, which planes need"):
        GameEnv("three_hunters", role=ggp.load_game("three_hunters").roles[0], observation="planes")


@pytest.mark.parametrize("opponent", ["random", agent(simulations=20), random_player(1)])
def test_the_others_play(opponent: Any) -> None:
    env = GameEnv("connect_four", role="yellow", opponent=opponent)
    observation, info = env.reset(seed=1)
    pieces = 1
    while True:
        held = observation["observation"].astype(bool)
        names = [name for name, holds in zip(env.observation_names, held, strict=True) if holds]
        assert sum(name.startswith("(disc") for name in names) == pieces
        assert info["legal"] == [env.action_names[action] for action in np.flatnonzero(observation["action_mask"])]
        observation, reward, terminated, truncated, info = env.step(env.action_of(info["legal"][0]))
        pieces += 2
        if terminated:
            break
        assert reward == 0.0 and not truncated
    assert reward in (-1.0, 0.0, 1.0)
    with pytest.raises(ValueError, match="the game is over"):
        env.step(0)


def test_the_agent_wins_against_a_bad_player() -> None:
    env = GameEnv("tic_tac_toe", role="o", opponent="agent")
    rewards = []
    for seed in range(3):
        _, info = env.reset(seed=seed)
        over = False
        while not over:
            _, reward, over, _, info = env.step(env.action_of(sorted(info["legal"])[0]))
        rewards.append(reward)
    assert rewards == [-1.0] * 3


def test_a_learner_without_a_choice_sees_the_game() -> None:
    env, vector = GameEnv(CARDS, role="watcher"), GameVectorEnv(CARDS, 200, role="watcher")
    _, info = env.reset(seed=1)
    assert info["legal"] == ["noop"]
    _, reward, terminated, truncated, _ = env.step(0)
    assert reward in (-1.0, 1.0) and terminated and not truncated
    vector.reset(seed=1)
    for turn in range(4):  # each second step begins anew
        _, rewards, terminations, _, _ = vector.step(np.zeros(200, int))
        assert terminations.all() == (turn % 2 == 0) and set(rewards) == ({-1.0, 1.0} if turn % 2 == 0 else {0.0})


def test_a_game_may_be_given_up() -> None:
    env = GameEnv("eight_puzzle", max_turns=7)
    env.reset(seed=1)
    for turn in range(1, 8):
        _, reward, terminated, truncated, _ = env.step(int(env.action_masks().argmax()))
        assert (reward, terminated, truncated) == (0.0, False, turn == 7)


def test_wrong_actions_are_named() -> None:
    single = GameEnv("tic_tac_toe", role="x")
    aec, parallel = GameAECEnv("tic_tac_toe"), GameParallelEnv("tic_tac_toe")
    vector = GameVectorEnv("tic_tac_toe", 3)
    for env in (single, aec, parallel, vector):
        env.reset(seed=1)
    noop = single.action_of("noop")
    assert noop == 9 or single.action_names[noop] == "noop"
    for wrong, named in (
        (noop, f"{noop} noop"),
        (-1, "-1, which is not the number"),
        (1000, "1000, which is not the number"),
    ):
        complaint = rf"lane \d: x cannot play {named}.*; legal moves: \d+ \(mark"
        for act in (
            lambda wrong=wrong: single.step(wrong),
            lambda wrong=wrong: aec.step(wrong),
            lambda wrong=wrong: parallel.step({"player_0": wrong, "player_1": 0}),
            lambda wrong=wrong: vector.step([1, wrong, 1]),
        ):
            with pytest.raises(ggp.IllegalMoveError, match=complaint):
                act()
    battle = GameAECEnv("battle")
    battle.reset(seed=1)
    with pytest.raises(ggp.IllegalMoveError, match="cannot play 1000"):
        battle.step(1000)
    with pytest.raises(ValueError, match="player_1 has no action"):
        parallel.step({"player_0": 0})
    with pytest.raises(ValueError, match="give the number of a move, not None"):
        aec.step(None)
    with pytest.raises(ValueError, match=r"actions must be integers of shape \(3,\), not float64 of \(3,\)"):
        vector.step(np.zeros(3))
    lenient = GameEnv("tic_tac_toe", role="x", illegal="lose")
    lenient.reset(seed=1)
    assert lenient.step(0)[4]["illegal"] is False
    *_, info = lost = lenient.step(1000)
    assert lost[1:3] == (-1.0, True) and info["illegal"] is True
    lenient.reset()
    assert lenient.step(0)[4]["illegal"] is False
    strict = GameEnv("tic_tac_toe", role="x")
    strict.reset()
    assert "illegal" not in strict.step(0)[4]


@pytest.mark.parametrize("mode", list(gymnasium.vector.AutoresetMode))
def test_infos_of_many_games_tell_illegal_actions(mode: gymnasium.vector.AutoresetMode) -> None:
    env = GameVectorEnv("tic_tac_toe", 3, role="x", illegal="lose", autoreset_mode=mode)
    env.reset(seed=1)
    actions = env.sample_actions()
    actions[1] = 1000
    *_, terminated, _, info = env.step(actions)
    assert terminated.tolist() == [False, True, False] and info["_illegal"].all()
    if mode is gymnasium.vector.AutoresetMode.SAME_STEP:
        assert info["final_info"][1]["illegal"] is True and not info["illegal"].any()
    else:
        assert info["illegal"].tolist() == [False, True, False]
        env.reset(options={"reset_mask": terminated})
        assert not env.step(env.sample_actions())[4]["illegal"].any()


def test_wrong_arguments_are_told_in_one_line() -> None:
    for make, error, complaint in (
        (lambda: GameEnv("connect_four"), ggp.UserError, "several roles: give role=... .*one of red, yellow"),
        (
            lambda: GameEnv("connect_four", role="blue"),
            ggp.UserError,
            "has no role blue; roles of a learner: red, yellow",
        ),
        (lambda: GameEnv("eight_puzzle", opponent="me"), ggp.UserError, "no opponent is called 'me'"),
        (lambda: GameAECEnv("connect_four", observation="x"), ggp.UserError, "no observation is called 'x'"),
        (lambda: GameVectorEnv("connect_four", observation="x"), ggp.UserError, "fluents, planes, percepts and packed"),
        (lambda: GameAECEnv("connect_four", render_mode="x"), ValueError, "render_mode must be 'ansi' or None"),
        (lambda: GameAECEnv("connect_four", max_turns=0), ValueError, "max_turns must be at least 1"),
        (lambda: Episodes("eight_puzzle", 1, illegal="x"), ValueError, "illegal must be 'error' or 'lose'"),
        (lambda: agent(), ValueError, "no limit of the search is given"),
    ):
        with pytest.raises(error, match=complaint):
            make()


def test_a_missing_extra_is_named() -> None:
    program = """
import sys
sys.modules["gymnasium"] = None
import ggp_agent as ggp
try:
    from ggp_agent.rl import GameEnv
except ggp.UserError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, check=True)
    assert "GameEnv needs the package gymnasium; install it with pip install gymnasium pettingzoo" in done.stdout


def test_an_illegal_action_loses_in_pettingzoo_if_asked() -> None:
    parallel_seed_test(lambda: GameParallelEnv("tic_tac_toe", illegal="lose"), 40)
    for action in (0, -1, 10**12):
        env = GameAECEnv("tic_tac_toe", illegal="lose")
        env.reset(seed=1)
        env.step(0)
        env.step(action)
        assert env.rewards == {"player_0": 0.0, "player_1": -1.0}
        assert all(env.terminations.values())
        last = {}
        for player in env.agent_iter(4):
            last[player] = env.last()[1]
            assert env.infos[player]["illegal"] is (player == "player_1")
            env.step(None)
        assert last == {"player_0": 0.0, "player_1": -1.0}
        assert env.agents == []
    at_once = GameAECEnv("battle", illegal="lose")
    at_once.reset(seed=1)
    at_once.step(int(at_once.last()[4]["action_mask"].argmax()))
    at_once.step(10**6)
    assert sorted(at_once.rewards.values())[0] == -1.0
    assert sum(at_once.rewards.values()) == -1.0
    parallel = GameParallelEnv("battle", illegal="lose")
    parallel.reset(seed=1)
    _, rewards, ended, _, infos = parallel.step(dict.fromkeys(parallel.agents, 10**6))
    assert all(info["illegal"] for info in infos.values())
    assert set(rewards.values()) == {-1.0}
    assert all(ended.values())
    assert parallel.agents == []
    with pytest.raises(ggp.IllegalMoveError, match="is not the number of a move"):
        started_env().step(10**12)
    with pytest.raises(ValueError, match="player_0 has to act: give the number of a move, not 'x'"):
        started_env().step("x")


def started_env() -> GameAECEnv:
    env = GameAECEnv("tic_tac_toe")
    env.reset(seed=1)
    return env


STUCK = """(role a) (role b) (init (s 0)) (succ 0 1) (succ 1 2) (succ 2 3)
    (<= (legal a go) (true (s 0))) (<= (legal b go) (true (s ?n)) (succ ?n ?m))
    (<= (next (s ?m)) (true (s ?n)) (succ ?n ?m)) (<= terminal (true (s 3)))
    (<= (goal ?r 100) (role ?r) (true (s 3))) (<= (goal ?r 0) (role ?r) (not (true (s 3))))"""
OVER = """(role a) (init done) (<= (legal a noop) (true go)) (<= (next go) (true go)) (<= terminal (true done))
    (goal a 70)"""


@pytest.mark.parametrize("make", [GameAECEnv, GameParallelEnv, GameVectorEnv, lambda game: GameEnv(game, role="a")])
def test_games_that_cannot_be_played_are_refused_at_once(make: Callable[[Any], Any]) -> None:
    with pytest.raises(ggp.UserError, match="the game is over before it begins"):
        make(ggp.load_game(OVER))
    with pytest.raises(ggp.UserError, match="a has no legal move after 1 turn, yet the game is not over"):
        make(ggp.load_game(STUCK))


def test_moves_at_once_need_a_role() -> None:
    with pytest.raises(
        ggp.UserError, match=r"move at once; give role=\.\.\. to learn one role, or use GameParallelEnv"
    ):
        GameVectorEnv("battle", 4)
    assert GameVectorEnv("battle", 4, role=ggp.load_game("battle").roles[0]).reset(seed=1)


def test_unknown_reset_options_are_named() -> None:
    with pytest.raises(ValueError, match="reset has no option 'mask'; it has none"):
        GameEnv("eight_puzzle").reset(options={"mask": 1})
    env = GameVectorEnv("tic_tac_toe", 4, autoreset_mode="Disabled")
    with pytest.raises(ValueError, match="reset has no option 'mask'; the options are reset_mask"):
        env.reset(options={"mask": np.ones(4, bool)})
    with pytest.raises(ValueError, match=r"shape \(3,\), not \(4,\)"):
        env.reset(options={"reset_mask": np.ones(3, bool)})


def test_environments_need_a_reset_first() -> None:
    for single in (GameEnv("tic_tac_toe", role="x", render_mode="ansi"), GameVectorEnv("tic_tac_toe", 2)):
        with pytest.raises(gymnasium.error.ResetNeeded, match=r"call reset\(\) before step\(\)"):
            single.step(np.zeros(2, int))
        with pytest.raises(gymnasium.error.ResetNeeded, match=r"call reset\(\) before render\(\)"):
            single.render()
    aec, parallel = GameAECEnv("tic_tac_toe"), GameParallelEnv("tic_tac_toe")
    for method, call in (
        ("step", lambda: aec.step(0)),
        ("observe", lambda: aec.observe("player_0")),
        ("render", aec.render),
        ("step", lambda: parallel.step({"player_0": 0, "player_1": 0})),
        ("render", parallel.render),
    ):
        with pytest.raises(AssertionError, match=rf"reset\(\) needs to be called before {method}"):
            call()
    with pytest.raises(AttributeError, match="agent_selection cannot be accessed before reset"):
        aec.last()
    with pytest.raises(AttributeError, match="'GameAECEnv' object has no attribute 'agent_selected'"):
        _ = aec.agent_selected

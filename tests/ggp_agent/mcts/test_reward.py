"""Bonuses on rewards (Pepels et al., ECAI 2014) against numpy, on recorded sequences of simulations."""

from __future__ import annotations

import math
from random import Random

import numpy as np
import pytest

from gdl import NetworkMachine, parse_sheet
from ggp_agent import _search
from ggp_agent.game.native.native_machine import NativeMachine
from ggp_agent.game.native.registry import native_game
from ggp_agent.mcts.config import BonusConfig, RewardConfig, SearchConfig
from ggp_agent.mcts.limits import Limits
from ggp_agent.mcts.search_result import Ending, rewards
from ggp_agent.mcts.searcher import Searcher
from kif_games import rules


def recorded(count: int, seed: int) -> list[Ending]:
    """Make up simulations in which wins of the second role take longer, with draws among them."""
    draw = Random(seed)
    endings = []
    for _ in range(count):
        goals = draw.choice([(100, 0), (0, 100), (50, 50)])
        length = draw.randrange(20, 60) + (15 if goals == (0, 100) else 0)
        tree = draw.randrange(1, 8)
        endings.append(Ending(goals, tree, length - tree, draw.random()))
    return endings


def expected(config: RewardConfig, endings: list[Ending]) -> list[tuple[float, float]]:
    """Work out the rewards by Eqs. 2 to 10, with whole lists in place of running sums."""
    result = []
    for number, ending in enumerate(endings):
        r = ending.goals[0] / 50 - 1
        by_number = config.warm_up_simulations
        altered = number >= by_number if by_number else number / len(endings) >= config.warm_up_share
        bonus = 0.0
        if r != 0 and altered:
            before = [other for other in endings[:number] if other.goals != (50, 50)]
            won = [other for other in before if other.goals == ending.goals]
            for chosen, sign in ((config.relative_bonus, -1), (config.qualitative_bonus, 1)):

                def y(other: Ending, sign: int = sign) -> float:
                    return other.quality if sign > 0 else other.tree_plies + other.playout_plies

                if not chosen.enabled or len(won) < 2:
                    continue
                values = np.array([y(other) for other in won])
                offset = sign * (y(ending) - values.mean()) / values.std(ddof=1)
                a = chosen.a
                if chosen.online_a:
                    every = np.array([y(other) for other in before])
                    marked = np.array([y(other) if other.goals[0] == 100 else 0.0 for other in before])
                    covariance = np.cov(marked, every, ddof=1)
                    a = abs(covariance[0, 1] / covariance[1, 1])
                bonus += a * (-1 + 2 / (1 + math.exp(-chosen.k * offset)))
                if config.combine == "either":
                    break  # the draft of the paper: else the Qualitative Bonus
        result.append((r + np.sign(r) * bonus, -r - np.sign(r) * bonus))
    return result


@pytest.mark.parametrize(
    "config",
    [
        RewardConfig(relative_bonus=BonusConfig(enabled=True)),
        RewardConfig(relative_bonus=BonusConfig(enabled=True, k=8, online_a=True), warm_up_share=0.3),
        RewardConfig(qualitative_bonus=BonusConfig(enabled=True, a=0.5, k=1.6), warm_up_share=0),
        RewardConfig(
            relative_bonus=BonusConfig(enabled=True, online_a=True),
            qualitative_bonus=BonusConfig(enabled=True, online_a=True),
        ),
        RewardConfig(
            combine="either",
            warm_up_simulations=100,
            relative_bonus=BonusConfig(enabled=True),
            qualitative_bonus=BonusConfig(enabled=True),
        ),
    ],
)
def test_bonuses_equal_those_of_numpy(config: RewardConfig) -> None:
    endings = recorded(400, seed=3)
    np.testing.assert_allclose(rewards(config, endings), expected(config, endings), rtol=0, atol=1e-9)


def test_nothing_is_altered_while_the_statistics_warm_up() -> None:
    endings = recorded(200, seed=4)
    plain = rewards(RewardConfig(), endings)
    by_number = rewards(RewardConfig(warm_up_simulations=50, relative_bonus=BonusConfig(enabled=True)), endings)
    assert by_number[:50] == plain[:50]
    assert by_number[50:] != plain[50:]


def test_quality_in_place_of_the_goal() -> None:
    config = RewardConfig(source="quality")
    endings = [Ending((100, 0), 1, 1, 0.75), Ending((0, 100), 1, 1, 0.25), Ending((50, 50), 1, 1, 1.0)]
    assert rewards(config, endings) == [[0.75, -0.75], [-0.25, 0.25], [0.0, 0.0]]


def test_searches_with_bonus_are_repeatable_and_differ_from_those_without() -> None:
    machine = NetworkMachine(parse_sheet(rules("breakthrough_6x6")))
    hashes = []
    for reward in (RewardConfig(), *[RewardConfig(relative_bonus=BonusConfig(enabled=True))] * 2):
        searcher = Searcher(machine, SearchConfig(in_flight=4, reward=reward))
        searcher.run(simulations=2000)
        hashes.append(searcher.tree_hash())
    assert hashes[0] != hashes[1] == hashes[2]


def learned_with(policy: str, more: str) -> tuple[bytes, bytes, list[float]]:
    """Return states, visits and winners of a tree in which only what play-outs learn has an effect.

    The exploration is so strong that rewards do not count. The winners are those of the states with one visit.
    """
    text = f"""
        in_flight = 4
        solver.enabled = false
        selection.exploration = 1e9
        playout.policy = "{policy}"
        playout.decisive = false
        playout.forest.epsilon = 1
        tree.transpositions_from = 0
    """
    config = SearchConfig.from_toml(text + more)
    tree = _search.Searcher(NativeMachine(native_game("breakthrough_6x6")).simulator(64), config)
    tree.run(Limits(simulations=700))
    states, rewards, visits = tree.known_nodes(1)
    winners = np.sign(np.frombuffer(rewards, np.float32)[::2])
    return states, visits, winners[np.frombuffer(visits, np.uint32) == 1].tolist()


@pytest.mark.parametrize("policy", ["mast", "nst", "rank", "bhrf", "game-mast"])
def test_play_outs_learn_goals_whatever_the_reward(policy: str) -> None:
    plain = learned_with(policy, "")
    bonus = "reward.warm_up_share = 0\n[reward.relative_bonus]\nenabled = true\na = 0.9\n"
    rewards = 'playout.learns = "reward"\n'
    assert learned_with(policy, bonus) == plain
    assert learned_with(policy, rewards) == plain  # the reward is the goal
    assert learned_with(policy, rewards + bonus) != plain
    quality = 'reward.source = "quality"\n'
    assert learned_with(policy, quality)[:2] == plain[:2]

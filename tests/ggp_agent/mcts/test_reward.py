"""Bonuses on rewards (Pepels et al., ECAI 2014) against numpy, on recorded sequences of simulations."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
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


def recorded(count: int, seed: int, quality_of_ply: float = 0) -> list[Ending]:
    """Make up simulations in which wins of the second role take longer, with draws among them.

    The quality is random, or `quality_of_ply` times the length. A negative factor adds noise.
    """
    draw = Random(seed)
    endings = []
    for _ in range(count):
        goals = draw.choice([(100, 0), (0, 100), (50, 50)])
        length = draw.randrange(20, 60) + (15 if goals == (0, 100) else 0)
        tree = draw.randrange(1, 8)
        quality = draw.random()
        if quality_of_ply:
            quality = quality_of_ply * length + (0.3 * quality + 0.7 if quality_of_ply < 0 else 0)
        endings.append(Ending(goals, tree, length - tree, quality))
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
            parts = []
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
                parts.append((a, -1 + 2 / (1 + math.exp(-chosen.k * offset))))
                if config.combine == "either":
                    break  # the draft of the paper: else the Qualitative Bonus
            sizes = [a for a, _ in parts]
            if config.joint_a and len(parts) == 2:
                lengths = [-(other.tree_plies + other.playout_plies) for other in before]
                matrix = np.corrcoef(lengths, [other.quality for other in before])
                if np.linalg.det(matrix) >= 1e-9:
                    sizes = np.abs(np.linalg.solve(matrix, sizes)).tolist()
            bonus = sum(a * b for a, (_, b) in zip(sizes, parts, strict=True))
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


WEIGHTS = "scale 60\nwhite 10 (piece white ?column ?row)\nblack 10 (piece black ?column ?row)\n"

BOTH_ESTIMATED = RewardConfig(
    relative_bonus=BonusConfig(enabled=True, online_a=True), qualitative_bonus=BonusConfig(enabled=True, online_a=True)
)


def test_sizes_of_both_bonuses_follow_from_their_covariance() -> None:
    joint = replace(BOTH_ESTIMATED, joint_a=True)
    endings = recorded(400, seed=5, quality_of_ply=-0.008)  # short simulations have a higher quality
    found = rewards(joint, endings)
    np.testing.assert_allclose(found, expected(joint, endings), rtol=0, atol=1e-9)
    assert np.abs(np.subtract(found, rewards(BOTH_ESTIMATED, endings))).max() > 0.1
    # The matrix is singular: the sizes are separate.
    endings = recorded(400, seed=6, quality_of_ply=1 / 128)
    assert rewards(joint, endings) == rewards(BOTH_ESTIMATED, endings)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "reward.relative_bonus = { enabled = true, online_a = true }",
        "reward.relative_bonus = { enabled = true, online_a = true }\nreward.qualitative_bonus.enabled = true",
        "reward.relative_bonus = { enabled = true, online_a = true }\nreward.combine = 'either'\n"
        "reward.qualitative_bonus = { enabled = true, online_a = true }",
    ],
)
def test_joint_sizes_need_both_estimates(text: str) -> None:
    config = SearchConfig.from_toml(f"reward.joint_a = true\n{text}")
    with pytest.raises(
        ValueError, match=r"^reward\.joint_a needs both bonuses with online_a, and reward\.combine sum$"
    ):
        Searcher(NativeMachine(native_game("breakthrough_6x6")), config)


def test_simulations_that_an_evaluation_ends_get_the_qualitative_bonus() -> None:
    machine = NativeMachine(native_game("breakthrough_6x6"))
    cut = "evaluation.name = 'pieces'\nplayout.early_termination = { plies = 8, threshold = 0.05, every = 4 }\n"
    hashes = []
    for bonus in ("", "reward.qualitative_bonus.enabled = true", "reward.relative_bonus.enabled = true"):
        searcher = Searcher(machine, SearchConfig.from_toml(f"in_flight = 4\nreward.warm_up_share = 0\n{cut}{bonus}"))
        searcher.run(simulations=500)
        hashes.append(searcher.tree_hash())
    assert hashes[1] != hashes[0]
    assert hashes[2] == hashes[0]  # no simulation reaches the end of the game, and no length counts


def test_an_evaluation_by_fluents_is_the_quality_of_rule_sheets(tmp_path: Path) -> None:
    machine = NetworkMachine(parse_sheet(rules("breakthrough_6x6")))
    bonus = "in_flight = 4\nreward.warm_up_share = 0\nreward.qualitative_bonus.enabled = true\n"
    with pytest.raises(ValueError, match="needs an evaluation by fluents"):
        Searcher(machine, SearchConfig.from_toml(bonus))
    weights = tmp_path / "weights.toml"
    weights.write_text(WEIGHTS)
    file = f"evaluation.file = '{weights}'\n"
    hashes = []
    for text in ("in_flight = 4\n" + file, bonus + file, bonus + file):
        searcher = Searcher(machine, SearchConfig.from_toml(text))
        searcher.run(simulations=1000)
        hashes.append(searcher.tree_hash())
    assert hashes[0] != hashes[1] == hashes[2]
    with pytest.raises(ValueError, match=r"^reward.source quality is for native games"):
        Searcher(machine, SearchConfig.from_toml(f"reward.source = 'quality'\n{file}"))


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

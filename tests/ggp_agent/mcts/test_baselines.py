"""The keys with which a search is like the programs of papers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gdl import NetworkMachine, parse_sheet
from ggp_agent.experiments.study_file import Study, bundled
from ggp_agent.game.native.native_machine import NativeMachine
from ggp_agent.game.native.registry import native_game
from ggp_agent.mcts.config import SearchConfig
from ggp_agent.mcts.searcher import Searcher
from kif_games import rules


def searcher(game: str, text: str) -> Searcher:
    return Searcher(NativeMachine(native_game(game)), SearchConfig.from_toml("in_flight = 4\n" + text))


def tree_hash(game: str, text: str) -> int:
    made = searcher(game, 'playout.policy = "game-mast"\n' + text)
    made.run(simulations=400)
    return made.tree_hash()


def test_mast_may_choose_among_the_moves_of_one_amazon() -> None:
    one = 'playout.mast_moves = "policy"'
    assert tree_hash("amazons_6x6", one) != tree_hash("amazons_6x6", "")
    with pytest.raises(
        ValueError, match="mast_moves policy is for Amazons; the policy of this game draws from all moves"
    ):
        tree_hash("breakthrough_6x6", one)
    with pytest.raises(ValueError, match="mast_moves policy needs"):
        searcher("amazons_6x6", one)


@pytest.mark.parametrize("key", ["reward.source = 'quality'", "reward.qualitative_bonus.enabled = true"])
def test_rewards_by_quality_need_a_quality_of_a_win(key: str) -> None:
    searcher("breakthrough_6x6", key)
    machine = NetworkMachine(parse_sheet(rules("tic_tac_toe"), source="tic_tac_toe"))
    with pytest.raises(ValueError, match=r"^reward\..*(source quality|enabled) is for native games"):
        Searcher(machine, SearchConfig.from_toml(key))


@pytest.mark.slow
def test_all_configurations_of_studies_of_native_games_act() -> None:
    made = set()
    for name in bundled():
        for cell in Study.load(name).cells:
            if not cell.game.startswith("fast:"):
                continue
            for config in (cell.tested.config, cell.opponent.config):
                if (cell.game, config) not in made:
                    Searcher(NativeMachine(native_game(cell.game.removeprefix("fast:"))), replace(config, memory_mb=1))
                    made.add((cell.game, config))
    assert len(made) > 100


def test_a_turn_begins_with_an_empty_tree() -> None:
    for reuse in (True, False):
        made = searcher("breakthrough_6x6", f"tree.reuse = {str(reuse).lower()}")
        found = made.run(simulations=500)
        made.advance([role_moves[0].move for role_moves in found.moves.values()])
        assert (made.run(simulations=300).visits == 300) is not reuse

"""The keys with which a search is like the programs of papers."""

from __future__ import annotations

from ggp_agent.game.native.native_machine import NativeMachine
from ggp_agent.game.native.registry import native_game
from ggp_agent.mcts.config import SearchConfig
from ggp_agent.mcts.searcher import Searcher


def searcher(game: str, text: str) -> Searcher:
    return Searcher(NativeMachine(native_game(game)), SearchConfig.from_toml("in_flight = 4\n" + text))


def tree_hash(game: str, text: str) -> int:
    made = searcher(game, 'playout.policy = "game-mast"\n' + text)
    made.run(simulations=400)
    return made.tree_hash()


def test_mast_may_choose_among_the_moves_of_one_amazon() -> None:
    one = 'playout.mast_moves = "policy"'
    assert tree_hash("amazons_6x6", one) != tree_hash("amazons_6x6", "")
    # The policies of other games draw from all legal moves at once.
    assert tree_hash("breakthrough_6x6", one) == tree_hash("breakthrough_6x6", "")


def test_a_turn_begins_with_an_empty_tree() -> None:
    for reuse in (True, False):
        made = searcher("breakthrough_6x6", f"tree.reuse = {str(reuse).lower()}")
        found = made.run(simulations=500)
        made.advance([role_moves[0].move for role_moves in found.moves.values()])
        assert (made.run(simulations=300).visits == 300) is not reuse

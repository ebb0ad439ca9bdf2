"""Evaluations in the search of native games, and the message if there are none."""

from __future__ import annotations

import pytest

from gdl import NetworkMachine, parse_sheet
from ggp_agent.game.native.native_machine import NativeMachine
from ggp_agent.game.native.registry import native_game
from ggp_agent.mcts.config import SearchConfig
from ggp_agent.mcts.searcher import Searcher
from kif_games import rules

# White can capture c4 from b3, and black cannot recapture.
FREE_PIECE = "bb..bb\n......\n..b...\n.w....\n......\nww..ww\nwhite to move"
PIECES = 'in_flight = 1\n[evaluation]\nname = "pieces"\n'


def searcher(text: str, game: str = "breakthrough_6x6") -> Searcher:
    return Searcher(NativeMachine(native_game(game)), SearchConfig.from_toml(text))


def test_weight_0_is_the_search_without_evaluation() -> None:
    plain = searcher("in_flight = 1")
    named = searcher(PIECES + "[selection.implicit_minimax]\nalpha = 0.0")
    mixed = searcher(PIECES + "[selection.implicit_minimax]\nalpha = 0.4")
    for each in (plain, named, mixed):
        each.run(simulations=1500)
    assert plain.tree_hash() == named.tree_hash() != mixed.tree_hash()


def test_every_term_gives_another_tree() -> None:
    trees = []
    for term in ("minimax", "constant", "progressive") * 2:
        made = searcher(PIECES + f'[selection.implicit_minimax]\nalpha = 0.5\nterm = "{term}"')
        made.run(simulations=500)
        trees.append(made.tree_hash())
    assert trees[:3] == trees[3:] and len(set(trees)) == 3


def test_a_high_weight_takes_the_free_piece() -> None:
    made = searcher(PIECES + "[selection.implicit_minimax]\nalpha = 0.9")
    made.set_root(native_game("breakthrough_6x6").read_board(FREE_PIECE))
    assert made.run(simulations=400).moves["white"][0].move == "(move 2 3 3 4)"


def test_priors_act_on_moves_that_were_not_tried() -> None:
    made = searcher(PIECES + "[selection]\nexploration = 0.01\n[selection.priors]\nvisits = 1000")
    # No move besides the capture has to be tried first.
    made.set_root(native_game("breakthrough_6x6").read_board(FREE_PIECE))
    visits = {move.move: move.visits for move in made.run(simulations=400).moves["white"]}
    assert visits.pop("(move 2 3 3 4)") > 300
    assert 0 in visits.values()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('[evaluation]\nname = "best"', "evaluation.name is best, but this game has only pieces"),
        (
            "[selection.implicit_minimax]\nalpha = 0.4",
            "selection.implicit_minimax needs an evaluation; name one of the game by evaluation.name, "
            "or a file of weights by evaluation.file",
        ),
        ("[selection.priors]\nvisits = 5", "selection.priors needs an evaluation; .*"),
        (
            '[selection.priors]\nsource = "game"',
            "selection.priors.source game is for native games with priors of moves; this game has none",
        ),
        (
            "[selection.priors]\nlocality = false",
            "selection.priors.locality false needs selection.priors.source game",
        ),
        ("[playout.early_termination]\nplies = 20", "playout.early_termination needs an evaluation; .*"),
        ('[playout]\npolicy = "evaluation"', "playout.policy evaluation needs an evaluation; .*"),
        (
            PIECES + "[selection.implicit_minimax]\nalpha = 0.4\n[selection.grave]\nenabled = true",
            "selection.grave excludes selection.implicit_minimax",
        ),
    ],
)
def test_wrong_evaluations_are_refused(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=f"^{complaint}$"):
        searcher(text)


def test_a_sheet_has_no_evaluation() -> None:
    machine = NetworkMachine(parse_sheet(rules("tic_tac_toe")))
    with pytest.raises(ValueError, match=r"^evaluation.name is pieces, but this game has no evaluation$"):
        Searcher(machine, SearchConfig.from_toml(PIECES))

"""Random play-out search: the paper's example, positions that it misjudges, and its limit."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest

from gdl import MachineState, NetworkMachine, parse_sheet
from ggp_agent.cli import main
from ggp_agent.common.errors import UserError
from ggp_agent.experiments.random_playouts import best_moves, exact_scores, sampled_scores
from ggp_agent.game.move_list import read_moves
from kif_games import rules

# After these moves o has four moves, with the scores of Figure 3 in its order; the second is the one that draws.
FIGURE_3 = "(mark 1 1) (mark 1 3) (mark 2 2) (mark 3 3) (mark 2 3)"

# Positions with the property that the paper states of those in Figure 5: the move with the highest expected score is
# not the right one, of which there is one alone and minimax over two plies finds it.
LIKE_FIGURE_5 = [
    ("(mark 1 1) (mark 1 3) (mark 3 2)", "(mark 3 3)", "(mark 2 2)"),
    ("(mark 1 2) (mark 1 1) (mark 2 2)", "(mark 3 2)", "(mark 3 1)"),
    ("(mark 1 2) (mark 1 1) (mark 2 3)", "(mark 3 1)", "(mark 2 2)"),
]


@cache
def machine() -> NetworkMachine:
    return NetworkMachine(parse_sheet(rules("tic_tac_toe"), source="tic_tac_toe"))


def after(line: str) -> MachineState:
    state: MachineState = machine().initial()
    for joint in read_moves(machine(), line):
        state = machine().next(state, joint)
    return state


def test_the_worked_example() -> None:
    ((role, scores),) = exact_scores(machine(), after(FIGURE_3)).items()
    assert role == "o"
    assert list(scores.values()) == [Fraction(-2, 3), Fraction(-1, 3), Fraction(-2, 3), Fraction(-1, 3)]  # Eqs. 4, 5
    second, fourth = list(scores)[1], list(scores)[3]
    assert best_moves(scores) == [second, fourth]
    # Only one of them is right; depth 2 finds it (Figure 6b).
    assert best_moves(exact_scores(machine(), after(FIGURE_3), depth=2)["o"]) == [second]
    whole = exact_scores(machine(), after(FIGURE_3), depth=9)["o"]
    assert [int(whole[move]) for move in scores] == [-1, 0, -1, -1]


@pytest.mark.parametrize(("line", "right", "chosen"), LIKE_FIGURE_5)
def test_positions_that_random_play_outs_misjudge(line: str, right: str, chosen: str) -> None:
    state = after(line)
    assert best_moves(exact_scores(machine(), state)["o"]) == [chosen]
    assert best_moves(exact_scores(machine(), state, depth=2)["o"]) == [right]
    whole = exact_scores(machine(), state, depth=9)["o"]
    assert best_moves(whole) == [right] and whole[right] > whole[chosen]


@pytest.mark.parametrize("depth", [1, 2])
def test_averages_approach_the_expected_scores(depth: int) -> None:
    state = after(FIGURE_3)
    exact = exact_scores(machine(), state, depth=depth)["o"]
    averages = list(sampled_scores(machine(), state, 2000, depth=depth, seed=3, every=500))
    assert [each.playouts for each in averages] == [500, 1000, 1500, 2000]
    assert list(averages[-1].scores) == list(exact)
    for move, score in averages[-1].scores.items():
        assert score == pytest.approx(float(exact[move]), abs=0.15)
    again = list(sampled_scores(machine(), state, 2000, depth=depth, seed=3, every=2000))
    assert again == averages[-1:]


def test_large_positions_and_positions_without_a_choice_are_refused() -> None:
    with pytest.raises(UserError, match="this position is too large: more than 50 states"):
        exact_scores(machine(), machine().initial(), most_states=50)
    forced = after("(mark 1 1) (mark 1 2) (mark 1 3) (mark 2 2) (mark 2 1) (mark 2 3) (mark 3 2) (mark 3 1)")
    with pytest.raises(UserError, match="needs one role that has a choice, not 0"):
        next(sampled_scores(machine(), forced, 5))


def test_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    chart = tmp_path / "figure.svg"
    words = ["search", "tic_tac_toe", "--moves", FIGURE_3, "--exact-playouts", "1", "--chart", str(chart)]
    assert main([*words, "--simulations", "200"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[1] for line in lines] == ["-1/3", "-1/3", "-2/3", "-2/3"]
    assert sum(line.endswith("best") for line in lines) == 2
    assert "expected score" in chart.read_text()
    assert main(["search", "tic_tac_toe", "--moves", FIGURE_3, "--exact-playouts", "2", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert sorted(move["exact"] for move in told["moves"]) == ["-1", "-1", "-1", "-1/2"]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["tic_tac_toe", "--chart", "a.svg"], "--chart needs --simulations N without --seconds"),
        (["tic_tac_toe", "--exact-playouts", "3", "--chart", "a.svg"], "depth 1 and 2, not 3"),
        (["tic_tac_toe", "--exact-playouts", "1", "--chart", "a.txt"], "a chart must have the suffix"),
        (["tic_tac_toe", "--exact-playouts", "0"], "'0' is not a whole number above 0"),
    ],
)
def test_errors_are_one_line(words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code: int | str | None = main(["search", *words])
    except SystemExit as error:
        code = error.code
    assert code == 2
    assert complaint in capsys.readouterr().err

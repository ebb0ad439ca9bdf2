"""The course of a search, and its chart."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ggp_agent.cli import main
from ggp_agent.experiments.search_course import search_with_course
from ggp_agent.game.load import load_game
from ggp_agent.mcts.config import SearchConfig
from ggp_agent.mcts.searcher import Searcher


def test_a_course_has_the_visits_of_every_point() -> None:
    machine = load_game("connect_four").machine()
    searcher = Searcher(machine, SearchConfig(seed=3))
    course = search_with_course(searcher, 1_000, None)
    found = searcher.statistics()
    assert course.simulations == found.visits == 1_000 and course.seconds > 0
    assert [(each.move, each.visits[-1]) for each in course.moves] == [
        (move.move, move.visits) for move in sorted(found.moves["red"], key=lambda move: (-move.visits, move.move))
    ]
    for number, simulations in enumerate(course.moves[0].simulations):
        assert sum(each.visits[number] for each in course.moves) == simulations
    assert len(course.moves[0].simulations) == 200


def test_a_proof_ends_the_course() -> None:
    machine = load_game("tic_tac_toe").machine()
    searcher = Searcher(machine, SearchConfig())
    state = machine.initial()
    for joint in (("(mark 1 1)", "noop"), ("noop", "(mark 2 1)"), ("(mark 1 2)", "noop"), ("noop", "(mark 2 2)")):
        state = machine.next(state, joint)
    searcher.set_root(state)
    course = search_with_course(searcher, 100_000, None)
    assert course.simulations < 100_000


@pytest.mark.parametrize("game", ["connect_four", "battle"])
def test_search_draws_the_course(game: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chart = tmp_path / "moves.svg"
    assert main(["search", game, "--simulations", "300", "--chart", str(chart), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["simulations"] == 300
    text = chart.read_text()
    assert found["best"] in text and "mean goal" in text and "visits" in text


def test_a_chart_needs_a_number_of_simulations(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["--seconds", "1"], ["--seconds", "1", "--simulations", "100"]):
        assert main(["search", "tic_tac_toe", "--chart", "a.svg", *words]) == 2
        assert "--chart needs --simulations N without --seconds" in capsys.readouterr().err

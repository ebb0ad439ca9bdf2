"""Test positions: their properties, detection by the improved algorithm, studies that resume and report."""

from __future__ import annotations

import importlib
import itertools
import random
import sqlite3
from functools import cache
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from gdl import CompiledMachine
from ggp_agent import _search
from ggp_agent.arena.positions import KINDS, PositionFinder, SuddenPosition
from ggp_agent.arena.scores import wilson_interval
from ggp_agent.cli import main
from ggp_agent.common.errors import UserError
from ggp_agent.experiments.report import StudyReport
from ggp_agent.experiments.study_file import Study
from ggp_agent.experiments.study_store import StudyStore
from ggp_agent.game.load import load_game
from ggp_agent.mcts.config import SearchConfig
from ggp_agent.mcts.searcher import Searcher

ROOT = Path(__file__).parents[3]

STUDY = """
games = ["fast:gomoku_5x5"]
positions = ["death-2", "win-3"]
simulations = [50, 400]
games_per_cell = 6
base = "in_flight=1"
variants.plain = "solver.enabled=false"
variants.improved = "sudden_death.strategy=triggered"
"""


@cache
def machine(word: str) -> CompiledMachine:
    return load_game(word).machine()


def find(word: str, kind: str, number: int) -> SuddenPosition:
    return PositionFinder(machine(word)).find(kind, random.Random(f"{kind} {number}"))


def outcome(game: CompiledMachine, state: bytes, mover: int, plies: int) -> int:
    """Return 1 if the mover at the root can win within the given plies, -1 if it loses, else 0; by plain search."""
    lane = game.simulator(64)
    lane.evaluate(state)
    if lane.terminal():
        goal = lane.goals(mover)[0]
        return (goal > 50) - (goal < 50)
    if plies == 0:
        return 0
    moves = [lane.legal(role) for role in range(2)]
    chooser = 0 if len(moves[0]) > 1 else 1
    values = []
    for move in moves[chooser]:
        lane.evaluate(state)
        joint = [moves[0][0], moves[1][0]]
        joint[chooser] = move
        value = outcome(game, lane.step(joint), mover, plies - 1)
        if value == (1 if chooser == mover else -1):
            return value
        values.append(value)
    return max(values) if chooser == mover else min(values)


@pytest.mark.parametrize("kind", KINDS)
def test_positions_have_their_property(kind: str) -> None:
    """Compare the positions with plain search: right moves win in time, or do not lose; other moves do not."""
    word, level = kind.split("-")
    for number in range(2):
        game, found = machine("fast:gomoku_5x5"), find("fast:gomoku_5x5", kind, number)
        assert found == find("fast:gomoku_5x5", kind, number)
        assert 0 < 2 * len(found.right) <= found.moves
        lane = game.simulator(64)
        lane.evaluate(found.state)
        moves = [lane.legal(role) for role in range(2)]
        assert len(moves[found.mover]) == found.moves
        for move in moves[found.mover]:
            lane.evaluate(found.state)
            joint = [moves[0][0], moves[1][0]]
            joint[found.mover] = move
            value = outcome(game, lane.step(joint), found.mover, int(level) - 1)
            assert (value == 1 if word == "win" else value != -1) == (move in found.right)


@pytest.mark.parametrize("strategy", ["always", "triggered"])
@pytest.mark.parametrize("word", ["fast:gomoku_7x7", "gomoku_5x5"])
def test_the_improved_algorithm_detects_all_when_triggered(word: str, strategy: str) -> None:
    """Find a right move in every position of levels 1 to 4, by a native game and by a rule sheet."""
    config = SearchConfig.from_toml(f"solver.enabled = false\nin_flight = 1\n[sudden_death]\nstrategy = '{strategy}'")
    searcher = Searcher(machine(word), config)
    for kind in KINDS:
        for number in range(4 if word.startswith("fast:") else 1):
            found = find(word, kind, number)
            searcher.set_root(found.state)
            statistics = searcher.run(simulations=3000)
            role = machine(word).roles[found.mover]
            right = {machine(word).move_name(found.mover, move) for move in found.right}
            assert statistics.moves[role][0].move in right


def test_an_unfinished_minimax_does_not_change_the_move() -> None:
    config = SearchConfig.from_toml("in_flight = 8\n[sudden_death]\nstrategy = 'always'\nplies = 40\ntime_share = 0.2")
    searcher = Searcher(machine("fast:gomoku_11x11"), config)
    found = searcher.run(cpu_seconds=0.2)
    assert found.simulations > 0 and found.seconds < 30
    assert found.moves["black"][0].visits > 0


@pytest.mark.parametrize("strategy", ["always", "triggered", "midway", "final"])
def test_the_tree_is_the_same_on_every_kernel(strategy: str) -> None:
    config = SearchConfig.from_toml(f"in_flight = 16\nsudden_death.strategy = '{strategy}'")
    position = find("gomoku_5x5", "death-2", 0)
    hashes = set()
    for isa in ("portable", None):
        searcher = Searcher(machine("gomoku_5x5"), config, isa=isa)
        searcher.set_root(position.state)
        searcher.run(simulations=300)
        hashes.add(searcher.tree_hash())
    assert len(hashes) == 1


def test_games_of_one_role_have_no_sudden_death() -> None:
    config = SearchConfig.from_toml("sudden_death.strategy = 'always'")
    with pytest.raises(ValueError, match=r"sudden_death.strategy needs a game of two roles; this one has 1"):
        Searcher(machine("lights_out"), config)
    with pytest.raises(UserError, match="lights_out: sudden wins and deaths need two roles, not 1"):
        PositionFinder(machine("lights_out"))


def test_the_minimax_from_python() -> None:
    game = machine("gomoku_5x5")
    minimax = _search.LevelMinimax(game.simulator())
    state = game.initial()
    assert isinstance(state, bytes)
    assert [(bounds, level) for _, bounds, level in minimax.run(state, 2, every_move=True)] == [((0, 100), 0)] * 25
    assert minimax.states == 25 + 25 * 24


# ---- studies


def rows(path: str) -> Any:
    with sqlite3.connect(path) as db:
        return db.execute("SELECT cell, pair, seat, goals, simulations FROM games ORDER BY cell, pair, seat").fetchall()


@pytest.mark.slow
def test_a_study_of_positions_runs_resumes_and_reports(
    in_empty_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("mine.toml").write_text(STUDY)
    assert main(["experiment", "run", "mine.toml", "--jobs", "1", "--games", "2"]) == 0
    before = rows("experiments/mine.sqlite")
    assert len(before) == 8 * 2
    assert main(["experiment", "run", "mine.toml", "--jobs", "2"]) == 0
    assert len(rows("experiments/mine.sqlite")) == 8 * 6 and set(before) < set(rows("experiments/mine.sqlite"))
    capsys.readouterr()
    assert main(["experiment", "report", "mine.toml", "--out", "page"]) == 0
    page = Path("page/mine.md").read_text()
    assert "| fast:gomoku_5x5, death-2 |" in page and "opponent" not in page
    assert "48 of 48 positions" in page and "minimax of 0.5 ms" in page
    assert {file.name for file in Path("page").iterdir()} >= {"mine-detection.svg", "mine-times.png", "mine.csv"}
    assert main(["experiment", "show", "mine.toml"]) == 0
    shown = capsys.readouterr().out
    assert "fast:gomoku_5x5/win-3/improved/400: 6 positions" in shown and "opponent" not in shown


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('"win-3"', '"win-2"', "positions, entry 2: must be win-1, death-2, win-3 or death-4"),
        ('base = "in_flight=1"', "opening_plies = 2", "positions have no opponent, opening_plies or adjudication"),
    ],
)
def test_errors_in_a_study_of_positions(old: str, new: str, complaint: str) -> None:
    with pytest.raises(UserError, match=complaint) as caught:
        Study.from_toml(STUDY.replace(old, new), "mine")
    assert "\n" not in str(caught.value)


def test_a_cluster_refuses_studies_of_positions(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["experiment", "run", "sudden_death", "--ray", "auto"]) == 2
    assert "positions are judged only on this machine" in capsys.readouterr().err


def test_the_chance_of_a_mark_is_that_of_all_continuations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "tools")
    tool = importlib.import_module("predict_marks")
    game = machine("fast:gomoku_5x5")
    for number in range(3):
        _, found = tool.position(PositionFinder(game), "death-4", number)
        stones = tool.stones_of(found, 5)
        for move in sorted(set(range(25)) - {one for joint in found.line for one in joint})[:4]:
            joint = [25, 25]
            joint[found.mover] = move
            after = game.next_by_numbers(found.state, tuple(joint))
            for plies in (2, 4):
                assert stones.loss_within(divmod(move, 5), plies) == pytest.approx(
                    _chance_of_loss(game, after, found.mover, plies - 1)
                )


def _chance_of_loss(game: CompiledMachine, state: Any, role: int, plies: int) -> float:
    """Return the probability that uniformly random play loses for a role within some plies, by trying all moves."""
    if game.terminal(state):
        return float((game.goal(state, game.roles[role]) or 0) < 50)
    if plies == 0:
        return 0.0
    joints = list(itertools.product(*(game.legal_numbers(state, each) for each in range(2))))
    return mean(_chance_of_loss(game, game.next_by_numbers(state, joint), role, plies - 1) for joint in joints)


def test_intervals_of_positions_are_those_of_independent_positions(in_empty_folder: Path) -> None:
    Path("mine.toml").write_text(STUDY)
    assert main(["experiment", "run", "mine.toml", "--store", "mine.sqlite", "--jobs", "1"]) == 0
    study = Study.load("mine.toml")
    with StudyStore(Path("mine.sqlite")) as store:
        report = StudyReport.of(study, store)
    for entry in report.table:
        low, high = wilson_interval(entry.score.share, 6)
        assert entry.interval == pytest.approx((100 * low, 100 * high))

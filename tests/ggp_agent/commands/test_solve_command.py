"""`ggp-agent solve`: lines, proofs, mistakes, limits, and that no process is left behind."""

from __future__ import annotations

import json
import multiprocessing
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli_process import interrupted
from exploding_sheets import JOIN
from small_games import CARDS, NIM
from small_puzzles import ENDLESS, HARD, SUDOKU

from gdl import ReferenceMachine, RuleSheet, StateMachine, choose_machine, parse_sheet
from gdl.compile.cache import FOLDER_VARIABLE, OFF, Cache
from gdl.compile.compiler_process import CompilerLimits
from ggp_agent.cli import main
from ggp_agent.puzzles.circuit import goal_after


@pytest.fixture
def sudoku(tmp_path: Path) -> str:
    path = tmp_path / "sudoku.kif"
    path.write_text(SUDOKU)
    return str(path)


def test_json_holds_a_line_that_the_rules_confirm(sudoku: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", sudoku, "--json"]) == 0
    shown = capsys.readouterr()
    found: dict[str, Any] = json.loads(shown.out)
    assert shown.err == "" and (found["game"], found["goal"], found["proven"]) == ("sudoku", 100, True)
    assert found["ceiling"] == 100 and not found["interrupted"]
    assert goal_after(ReferenceMachine(parse_sheet(SUDOKU)), found["moves"]) == 100
    ways = {way["way"]: way for way in found["ways"]}
    assert set(ways) == {"planner", "fixed order", "breadth-first search", "beam search", "nested search"}
    assert ways[found["way"]]["goal"] == 100


def test_all_ways_are_told_of(sudoku: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", sudoku, "--all-ways"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("sudoku: goal 100, proven best; 12 moves, found by the ")
    text = " ".join(lines)
    for way in ("planner", "fixed order", "breadth-first search", "beam search"):
        assert f"{way}: goal 100 after " in text


def test_a_line_that_cannot_be_bettered_is_said_to_be_best(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # Both switches on are worth 100, but one puts out the other.
    (tmp_path / "lamps.kif").write_text(
        "(role r) (lamp a) (lamp b) (<= (legal r (light ?x)) (lamp ?x)) (<= (next (on ?x)) (does r (light ?x)))"
        "(init (step 0)) (after 0 1) (after 1 2) (<= (next (step ?n)) (true (step ?m)) (after ?m ?n))"
        "(<= terminal (true (step 2))) (<= (goal r 100) (true (on a)) (true (on b)))"
        "(<= (goal r 60) (true (on b)) (not (true (on a)))) (<= (goal r 10) (true (on a)) (not (true (on b))))"
    )
    assert main(["solve", str(tmp_path / "lamps.kif"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["goal"], found["proven"], found["ceiling"]) == (60, True, 60) and found["moves"][1] == "(light b)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (CARDS, "the game has chance (watcher, random)"),
        (NIM, "the game has 2 roles (first, second); only games of one role can be solved"),
        (ENDLESS, "the game has no end: no state is terminal"),
        ("(role r) (legal r end) (<= (next over) (does r end)) (<= terminal (true over)) (goal r 0)", "no line ends"),
    ],
    ids=["chance", "two roles", "endless", "no goal"],
)
def test_what_is_no_puzzle_is_refused(refusal: Callable[..., str], text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "game.kif").write_text(text)
    assert message in refusal("solve", str(tmp_path / "game.kif"))


def test_rules_that_are_too_large_are_refused(
    sudoku: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(sheet: RuleSheet, kind: str, **_: object) -> StateMachine:
        return choose_machine(sheet, limits=CompilerLimits(max_rules=10), cache=Cache(None), last=None).machine

    monkeypatch.setattr("ggp_agent.commands.solve.load_machine", load)
    assert main(["solve", sudoku]) == 2
    shown = capsys.readouterr()
    assert shown.out == "" and shown.err.count("\n") == 1
    assert "sudoku: the rules are too large for a network: " in shown.err


def test_compiling_keeps_the_time_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "game.kif").write_text(JOIN)
    assert main(["solve", str(tmp_path / "game.kif"), "--seconds", "1", "--no-cache"]) == 2
    assert os.environ[FOLDER_VARIABLE] != OFF  # the cache is off for that command alone
    assert "compiling the rules takes longer than --seconds 1\n" in capsys.readouterr().err


def test_time_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "hard.kif").write_text(HARD)
    assert main(["solve", str(tmp_path / "hard.kif"), "--seconds", "0.3"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("hard: no line with a goal above 0 was found in ") and "at most 100" in shown
    assert multiprocessing.active_children() == []


def test_ctrl_c_ends_all_ways(tmp_path: Path) -> None:
    (tmp_path / "hard.kif").write_text(HARD)
    status, out, err = interrupted("solve", str(tmp_path / "hard.kif"), "--seconds", "300")
    assert status == 130 and "Traceback" not in err and out.startswith("hard: no line with a goal above 0")

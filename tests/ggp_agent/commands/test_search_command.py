"""`ggp-agent search`: positions, what is printed, mistakes, and Ctrl-C."""

from __future__ import annotations

import json
import multiprocessing
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cli_process import interrupted
from small_games import COUNTING
from small_puzzles import ENDLESS, HARD, SUDOKU

from gdl import NetworkMachine, ReferenceMachine, parse_sheet
from ggp_agent.cli import main
from ggp_agent.common.errors import UserError
from ggp_agent.game.move_list import read_moves
from ggp_agent.mcts.config import SearchConfig
from ggp_agent.mcts.searcher import Searcher
from ggp_agent.puzzles import solution
from ggp_agent.puzzles.circuit import goal_after
from ggp_agent.puzzles.solution import Portfolio
from kif_games import rules

# Two take a stone or pass; who is asked to take from an empty heap has lost. The last stone has to be taken.
FORCED = """
    (role left) (role right) (init (heap 3)) (init (control left))
    (succ 0 1) (succ 1 2) (succ 2 3) (other left right) (other right left)
    (<= (legal ?r take) (true (control ?r)))
    (<= (legal ?r noop) (true (control ?r)) (true (heap ?n)) (succ ?m ?n) (succ ?k ?m))
    (<= (legal ?r noop) (role ?r) (not (true (control ?r))))
    (<= (next (heap ?m)) (does ?r take) (true (heap ?n)) (succ ?m ?n))
    (<= (next (heap ?n)) (true (control ?r)) (does ?r noop) (true (heap ?n)))
    (<= (next (control ?q)) (true (control ?r)) (other ?r ?q))
    (<= terminal (true (heap 0)))
    (<= (goal ?r 100) (true (control ?r))) (<= (goal ?r 0) (role ?r) (not (true (control ?r))))
"""


def test_json_holds_what_is_known(document: Callable[..., Any], tmp_path: Path) -> None:
    config = tmp_path / "unsolved.toml"
    config.write_text("playout.decisive = false\n[solver]\nenabled = false\n")
    arguments = ["tic_tac_toe", "--moves", "(mark 1 1) (mark 3 3)", "--simulations", "3000", "--seed", "7"]
    found = document("search", *arguments, "--in-flight", "8", "--config", str(config))
    assert (found["game"], found["roles"], found["simulations"]) == ("tic_tac_toe", ["x", "o"], 3000)
    assert found["line"] == [["(mark 1 1)", "noop"], ["noop", "(mark 3 3)"]]
    assert sum(move["visits"] for move in found["moves"]) == 3000
    assert {move["role"] for move in found["moves"]} == {"x"} and len(found["moves"]) == 7
    assert found["best"] == found["moves"][0]["move"] == found["best_joint"][0] == found["principal_variation"][0][0]
    for move in found["moves"]:
        low, high = move["bounds"]
        assert 0 <= low <= high <= 100 and 0 <= move["value"] <= 100
    assert found["simulations_per_cpu_s"] > 100 and found["nodes"] > 100 and 3 <= found["depth"] <= 7
    machine = NetworkMachine(parse_sheet(rules("tic_tac_toe")))
    searcher = Searcher(machine, replace(SearchConfig.load(config), seed=7, in_flight=8))
    state = machine.initial()
    for joint in found["line"]:
        state = machine.next(state, joint)
    searcher.set_root(state)
    searcher.run(simulations=3000)
    assert found["tree_hash"] == f"{searcher.tree_hash():016x}"


def test_proofs_end_a_search(document: Callable[..., Any], capsys: pytest.CaptureFixture[str]) -> None:
    line = "(mark 1 1) (mark 2 1) (mark 1 2) (mark 2 2)"
    found = document("search", "tic_tac_toe", "--moves", line)
    assert found["moves"][0]["move"] == "(mark 1 3)" and found["moves"][0]["bounds"] == [100, 100]
    assert 1 <= found["simulations"] < 3000
    assert main(["search", "tic_tac_toe", "--moves", line]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert rows[2].split()[:3] == ["(mark", "1", "3)"] and rows[2].split()[-1] == "100"


def test_table_for_people(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    config = tmp_path / "mine.toml"
    config.write_text("[selection]\nexploration = 0.5\n[solver]\nenabled = false\n")
    line = "(mark 1 1) (mark 2 1) (mark 1 2) (mark 2 2)"
    arguments = ["--moves", line, "--simulations", "2000", "--config", str(config)]
    assert main(["search", "tic_tac_toe", *arguments]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith("tic_tac_toe after 4 turns; expected goals: x ")
    assert out[1].split() == ["x", "visits", "share", "value", "proven"]
    assert out[2].startswith("(mark 1 3)") and out[2].split()[6] == "100.0"
    assert any(line.startswith("best line: (mark 1 3)") for line in out)
    assert "2,000 simulations in " in out[-1] and ", tree " in out[-1]


def test_proven_goals_are_printed(document: Callable[..., Any], capsys: pytest.CaptureFixture[str]) -> None:
    # o has to stop x at 1 3 and loses all the same: x has two lines then.
    line = "(mark 1 1) (mark 1 2) (mark 2 2) (mark 3 3) (mark 3 1)"
    found = document("search", "tic_tac_toe", "--moves", line)
    assert found["bounds"] == {"x": [100, 100], "o": [0, 0]}
    assert {tuple(move["bounds"]) for move in found["moves"]} == {(0, 0)} and len(found["moves"]) == 4
    assert main(["search", "tic_tac_toe", "--moves", line]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "tic_tac_toe after 5 turns; expected goals: x 100 (proven), o 0 (proven)"
    assert [row.split()[-1] for row in out[2:6]] == ["0"] * 4


def test_every_choosing_role_has_a_table(
    document: Callable[..., Any], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "counting.kif"
    path.write_text(COUNTING)
    found = document("search", str(path), "--moves", "wait (wave 0) (wave 1) wait", "--simulations", "100")
    assert found["line"] == [["wait", "(Wave 0)"], ["(Wave 1)", "wait"]]
    assert [move["role"] for move in found["moves"]] == ["left", "left", "right", "right"]
    assert main(["search", str(path), "--simulations", "100"]) == 0
    heads = [line.split()[0] for line in capsys.readouterr().out.splitlines() if " visits " in line]
    assert heads == ["left", "right"]


def test_game_that_is_over(document: Callable[..., Any], capsys: pytest.CaptureFixture[str]) -> None:
    line = "(mark 1 1) (mark 2 1) (mark 1 2) (mark 2 2) (mark 1 3)"
    found = document("search", "tic_tac_toe", "--moves", line)
    assert (found["terminal"], found["moves"], found["best"], found["simulations"]) == (True, [], None, 0)
    assert found["values"] == {"x": 100.0, "o": 0.0}
    assert main(["search", "tic_tac_toe", "--moves", line]) == 0
    assert capsys.readouterr().out == "tic_tac_toe after 5 turns: the game is over, goals: x 100, o 0\n"


@pytest.mark.parametrize(
    ("text", "turns"),
    [
        ("", []),
        ("take take", [("take", "noop"), ("noop", "take")]),
        # Two joint moves as well; moves of one role alone come first.
        ("take noop noop take", [("take", "noop"), ("noop", "noop"), ("noop", "noop"), ("noop", "take")]),
        # The last stone is taken by force, whether that is said alone or as a joint move.
        ("take take take", [("take", "noop"), ("noop", "take"), ("take", "noop")]),
        ("take take take noop", [("take", "noop"), ("noop", "take"), ("take", "noop")]),
    ],
)
def test_lines_of_moves(text: str, turns: list[tuple[str, ...]]) -> None:
    machine = NetworkMachine(parse_sheet(FORCED))
    assert read_moves(machine, text) == turns


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("(drop 4) (drop 9)", r"move 2, (drop 9), is not legal in turn 2: yellow has "),
        ("(drop 4) noop noop (drop 9)", r"move 4, (drop 9), is not legal in turn 2: yellow has "),
        ("drop", "move 1, drop, is not legal in turn 1: red has "),
        ("(drop 4", "cannot be read: "),
        ("(drop 1) (drop 2) " * 4 + "(drop 3)", "move 8, (drop 2), comes after the end of the game in turn 7"),
    ],
)
def test_wrong_moves_are_named(text: str, complaint: str) -> None:
    machine = NetworkMachine(parse_sheet(rules("connect_four")))
    with pytest.raises(UserError) as caught:
        read_moves(machine, text)
    assert complaint in str(caught.value)


def test_turn_of_several_needs_all_moves() -> None:
    machine = NetworkMachine(parse_sheet(COUNTING))
    with pytest.raises(UserError, match=r"^turn 2 lacks the move of right: a turn has one move for each of left"):
        read_moves(machine, "wait wait wait")
    with pytest.raises(UserError, match=r"^move 4, \(Wave 0\), is not legal in turn 2: right has \(Wave 1\), wait$"):
        read_moves(machine, "wait wait wait (wave 0)")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["nogame"], "no game is called 'nogame'"),
        (["tic_tac_toe", "--moves", "(mark 1 4)"], "move 1, (mark 1 4), is not legal in turn 1"),
        (["tic_tac_toe", "--simulations", "0"], "'0' is not a whole number above 0"),
        (["tic_tac_toe", "--seconds", "-1"], "'-1' is not a number of seconds above 0"),
        (["tic_tac_toe", "--seed", "-1"], "seed must be 0 .. 18446744073709551615, not -1"),
        (["tic_tac_toe", "--tree-nodes", "5"], "--tree-nodes: no effect, because --tree is not given; leave it out"),
        (["tic_tac_toe", "--plan-seconds", "5"], "--plan-seconds: no effect, because tic_tac_toe has 2 roles"),
        (["tic_tac_toe", "--exact-playouts", "1", "--seconds", "5"], "--seconds: no effect, because --exact-playouts"),
        (["tic_tac_toe", "--exact-playouts", "1", "--tree", "t"], "--tree: no effect, because --exact-playouts"),
        (["tic_tac_toe", "--exact-playouts", "1", "--seed", "5"], "--seed: no effect, because --exact-playouts"),
        (["tic_tac_toe", "--config", "reward.source=quality"], "tic_tac_toe: reward.source quality is for native"),
        (["tic_tac_toe", "--config", "broken.toml"], "broken.toml: unknown key exploration; known are"),
    ],
)
def test_a_mistake_is_reported_in_one_line(
    refusal: Callable[..., str], in_empty_folder: Path, arguments: list[str], complaint: str
) -> None:
    Path("broken.toml").write_text("exploration = 1\n")
    assert complaint in refusal("search", *arguments)


# Reports the first simulation: until the search has begun, Ctrl-C ends the command without a word.
REPORTING = """
import sys, threading, time
from ggp_agent.cli import main
from ggp_agent.mcts.searcher import Searcher

def report(searcher):
    while not searcher.statistics().simulations:
        time.sleep(0.01)
    print("begun", flush=True)

def run(self, *arguments, run=Searcher.run, **named):
    threading.Thread(target=report, args=(self,), daemon=True).start()
    return run(self, *arguments, **named)

Searcher.run = run
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.slow
def test_interrupt_prints_what_is_known(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", REPORTING, "search", "connect_four", "--seconds", "600", "--json"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None and process.stdout.readline() == "begun\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130 and err == ""
    found = json.loads(out)
    assert found["interrupted"] is True and found["simulations"] > 0 and found["best"].startswith("(drop ")


def one_role(text: str, folder: Path) -> str:
    path = folder / "puzzle.kif"
    path.write_text(text)
    return str(path)


def test_a_plan_is_printed_and_its_first_move_is_best(
    document: Callable[..., Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [one_role(SUDOKU, tmp_path), "--simulations", "50", "--seed", "3", "--in-flight", "4"]
    alone = document("search", *arguments, "--plan-seconds", "0")
    assert alone["plan"] is None
    found = document("search", *arguments, "--plan-seconds", "100")
    plan = found["plan"]
    assert (plan["goal"], plan["proven"], plan["ceiling"], plan["followed"]) == (100, True, 100, True)
    assert goal_after(ReferenceMachine(parse_sheet(SUDOKU)), plan["moves"]) == 100
    assert found["best"] == plan["moves"][0] and found["best_joint"] == plan["moves"][:1]
    for key in ("tree_hash", "simulations", "moves", "principal_variation"):
        assert found[key] == alone[key]
    assert multiprocessing.active_children() == []

    moves = " ".join(plan["moves"][:2])
    assert main(["search", *arguments, "--moves", moves, "--plan-seconds", "100"]) == 0
    shown = capsys.readouterr().out
    assert "plan: goal 100, proven best; a match follows it; 10 moves, found by the " in shown
    assert "line of the plan: (write " in shown


def test_the_line_of_the_tree_is_a_plan_too(
    document: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Without solvers, which may be first.
    monkeypatch.setattr(solution, "Portfolio", lambda ways, memory_mb: Portfolio([], memory_mb))
    puzzle = """
        (role r) (init (at 0)) (after 0 1) (after 1 2) (after 2 3)
        (<= (legal r (go ?d)) (way ?d)) (way left) (way right)
        (<= (next (at ?y)) (true (at ?x)) (after ?x ?y))
        (<= (next lost) (does r (go left))) (<= (next lost) (true lost))
        (<= terminal (true (at 3))) (<= (goal r 80) (not (true lost))) (<= (goal r 30) (true lost))"""
    found = document("search", one_role(puzzle, tmp_path), "--simulations", "500", "--plan-seconds", "0.001")
    assert found["plan"]["goal"] == 80 and found["plan"]["moves"] == ["(go right)"] * 3
    assert found["plan"]["proven"] and found["plan"]["way"] == "tree search"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ENDLESS, "no plan was searched for: the game has no end: no state is terminal"),
        (HARD, "plan: no line with a goal above 0 was found; the goal is at most 100"),
        ("(role r) (legal r end) (<= (next over) (does r end)) (<= terminal (true over)) (goal r 0)", "no line ends"),
    ],
    ids=["endless", "hard", "no goal"],
)
def test_where_there_is_no_plan_the_tree_is_searched(
    document: Callable[..., Any], text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "short.toml"
    path.write_text("playout.limit = 50\n")
    arguments = [one_role(text, tmp_path), "--simulations", "20", "--plan-seconds", "0.5", "--config", str(path)]
    assert main(["search", *arguments]) == 0
    shown = capsys.readouterr()
    assert message in shown.out and shown.err == ""
    found = document("search", *arguments)
    assert found["plan"]["moves"] is None and not found["plan"]["followed"] and found["moves"]
    assert multiprocessing.active_children() == []


def test_ctrl_c_ends_the_ways_too(tmp_path: Path) -> None:
    words = ("search", one_role(HARD, tmp_path), "--simulations", "10", "--plan-seconds", "300")
    status, out, err = interrupted(*words)
    assert status == 130 and "Traceback" not in out + err


def test_the_processor_clock_may_stand_still() -> None:
    # With a limit of processor time, the kernel moves the clock of a process in steps of some milliseconds.
    command = 'ulimit -t 1000; exec "$0" -m ggp_agent search tic_tac_toe --simulations 1 --json'
    for _ in range(3):
        done = subprocess.run(["bash", "-c", command, sys.executable], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["simulations"] == 1

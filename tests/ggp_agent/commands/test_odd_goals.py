"""Commands on sheets with several goals, none, or goals that are no numbers from 0 to 100, and with unsafe heads."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from quick import few

from gdl import load_machine, parse_sheet
from ggp_agent.cli import main
from ggp_agent.puzzles.circuit import KnownGoal, circuit_of
from ggp_agent.puzzles.planner import plan
from ggp_agent.puzzles.solution import in_fixed_order
from ggp_agent.records.match_record import MatchRecord
from ggp_agent.records.record_list import summary_of

# The goals are cumulative: at height 3 all of them hold.
TOWER = """
(role p) (init (height 0)) (init (step 1)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
(<= (legal p put) (true (step ?s))) (<= (legal p rest) (true (step ?s)))
(<= (next (height ?m)) (does p put) (true (height ?n)) (succ ?n ?m))
(<= (next (height ?n)) (does p rest) (true (height ?n)))
(<= (next (step ?t)) (true (step ?s)) (succ ?s ?t))
(<= (atleast ?n) (true (height ?n))) (<= (atleast ?n) (succ ?n ?m) (atleast ?m))
(<= terminal (true (step 4)))
(<= (goal p 100) (atleast 3)) (<= (goal p 60) (atleast 2)) (<= (goal p 30) (atleast 1)) (<= (goal p 0) (atleast 0))
"""

# Each switch is turned once; at the end both goals hold.
SWITCHES = """
(role p) (switch 1) (switch 2) (<= (legal p (turn ?i)) (switch ?i) (not (true (on ?i))))
(<= (next (on ?i)) (does p (turn ?i))) (<= (next (on ?i)) (true (on ?i)))
(<= terminal (true (on 1)) (true (on 2))) (goal p 20) (<= (goal p 70) (true (on 2)))
"""

# One move, after which the goal is a word or a number beyond the range.
ONE = "(role p) (init (s 0)) (legal p a) (legal p b) (<= (next (s ?m)) (does p ?m)) (<= terminal (not (true (s 0))))"
BEYOND = f"{ONE} (<= (goal p 150) (true (s a))) (<= (goal p 40) (true (s b)))"
WORD = f"{ONE} (goal p win)"

# Chance has no goal; the players have one.
CHANCE = """
(role a) (role b) (role random) (init (s 0)) (<= (legal ?r go) (role ?r)) (legal random stop)
(<= (next (s 1)) (does a go)) (<= terminal (true (s 1))) (goal a 100) (goal b 0)
"""

UNSAFE = """(role a) (init (s 0)) (legal a go)
(near ?x ?y)
(<= (next (s 1)) (near 1 2)) (<= terminal (true (s 1))) (goal a 100)
"""


pytestmark = pytest.mark.usefixtures("in_empty_folder")


def write(text: str) -> str:
    Path("game.kif").write_text(text)
    return "game.kif"


def test_the_planner_takes_the_highest_goal() -> None:
    found: list[KnownGoal] = []
    plan(circuit_of(load_machine(parse_sheet(TOWER))), found.append)
    assert (found[-1].goal, found[-1].ceiling, found[-1].moves) == (100, 100, ("put", "put", "put"))


def test_a_fixed_order_takes_the_highest_goal() -> None:
    found: list[KnownGoal] = []
    in_fixed_order(circuit_of(load_machine(parse_sheet(SWITCHES))), found.append)
    assert (found[-1].goal, found[-1].ceiling) == (70, 70)


def test_solve_takes_the_highest_goal(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", write(TOWER), "--json"]) == 0
    shown = capsys.readouterr()
    found = json.loads(shown.out)
    assert (found["goal"], found["proven"], found["moves"], shown.err) == (100, True, ["put"] * 3, "")


def test_solve_says_that_a_line_ends_beyond_the_range(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", write(BEYOND)]) == 0
    shown = capsys.readouterr()
    assert "goal 100, proven best" in shown.out
    assert shown.err == "the goal value 150 of p is beyond 0 to 100 and counts as 100\n"


def test_solve_refuses_a_game_without_goals(refusal: Callable[..., str]) -> None:
    assert "no line ends with a goal above 0" in refusal("solve", write(WORD))


@pytest.mark.parametrize("text", [BEYOND, WORD])
def test_search_says_that_goals_may_be_odd(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", write(text), "--simulations", "20"]) == 0
    assert "the rules may give odd goals" in capsys.readouterr().out
    assert main(["search", write(TOWER), "--simulations", "20"]) == 0
    assert "odd goals" not in capsys.readouterr().out


@pytest.mark.parametrize(("text", "counted"), [(CHANCE, 2), (CHANCE.replace("(goal b 0)", ""), 0)])
def test_arena_counts_a_match_in_which_all_players_have_a_goal(
    text: str, counted: int, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["arena", write(text), "--a", "default", "--b", "default", "--games", "2", "--simulations", "4", "--json"]
    assert main(command) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["games"], len(found["errors"])) == (counted, 2 - counted)
    assert all("b has no goal value" in error for error in found["errors"])


def test_chance_needs_no_goal(capsys: pytest.CaptureFixture[str]) -> None:
    for extra in ("", "(goal random 0) (goal random 100)"):
        assert main(["check", write(CHANCE + extra), "--play", "3"]) == 0
        checked = capsys.readouterr().out
        assert "GDL705" in checked and checked.endswith("game.kif: 1 warning\n")
        command = ["match", "game.kif", "--player", "random", "random", "--startclock", "1", "--playclock", "1"]
        assert main(command) == 0
        assert capsys.readouterr().err == ""
    assert main(["check", write(CHANCE.replace("(goal b 0)", "")), "--play", "3"]) == 1
    assert "GDL803 b has no goal value" in capsys.readouterr().out


VALUES = ["0100", "050", "00", "-0", "100", "+5", "1e2", "33.5", "1_0", "0x10", "\u0665\u0660", "1000000000000", "win"]


@pytest.mark.slow
@pytest.mark.parametrize("value", few(VALUES, 4))
def test_all_commands_read_a_goal_value_alike(value: str, capsys: pytest.CaptureFixture[str]) -> None:
    whole = value.isascii() and value.removeprefix("-").isdigit()
    correct = whole and int(value) <= 100
    name = write(f"{ONE} (goal p {value})")
    assert main(["check", name]) == (0 if correct else 1)
    assert ("game.kif: valid" if correct else "game.kif: 1 error") in capsys.readouterr().out
    assert main(["perft", name, "--depth", "2"]) == 0
    noted = capsys.readouterr().err
    assert noted == "" if correct else "has 1 error: GDL212" in noted
    assert (
        main(["match", name, "--player", "legal", "--startclock", "1", "--playclock", "1", "--record", "r.json"]) == 0
    )
    goals = json.loads(Path("r.json").read_text())["goalValues"]
    assert goals == [min(int(value), 100) if whole else None]
    assert ("the goal value" in capsys.readouterr().err) == (not correct)
    machines = [
        load_machine(parse_sheet(f"{ONE} (goal p {value})"), kind) for kind in ("network", "reasoner", "reference")
    ]
    assert [machine.goals(machine.initial(), "p") for machine in machines] == [goals if whole else []] * 3


@pytest.mark.parametrize("command", ["perft", "search", "match", "arena", "inspect", "play"])
def test_an_unsafe_head_is_refused_by_place(command: str, refusal: Callable[..., str]) -> None:
    more = {
        "perft": ["--depth", "1"],
        "search": ["--simulations", "5"],
        "match": ["--player", "random"],
        "arena": ["--a", "default", "--b", "default", "--games", "2", "--simulations", "4"],
    }
    line = refusal(command, write(UNSAFE), *more.get(command, []))
    assert "game.kif:2:1: the head contains ?x, ?y, which no positive literal of the body binds" in line
    assert line.endswith("run 'ggp-agent check FILE'")


def test_a_record_is_listed_with_the_highest_goals() -> None:
    record = MatchRecord("m.1", "g", "ggp-agent:g", ("a", "b", "c"), ("x", "y", "z"), 1, 1)
    record.append_state([], ["", "", ""])
    record.complete([[0, 100], [50], []])
    summary = summary_of(record.document(), Path("m.json"))
    assert (record.goals, summary.goals, summary.winner) == ([None, 50, None], (100, 50, None), 0)

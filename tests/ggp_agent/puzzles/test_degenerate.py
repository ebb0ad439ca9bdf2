"""Tiny and degenerate games of one role: every way of solving ends or searches on, and none fails."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import pytest
from places import ROOT
from quick import few
from random_puzzles import best_goal

from gdl import GdlError, NetworkMachine, ReferenceMachine, RuleSheet, StateMachine, parse_sheet
from ggp_agent.cli import main
from ggp_agent.puzzles.breadth_first import breadth_first
from ggp_agent.puzzles.circuit import FALSE_VALUE, KnownGoal, Report, UnservedError, circuit_of, goal_after
from ggp_agent.puzzles.solution import Portfolio, Way, beam, in_fixed_order

MEMORY_MB = 16

# The best goal, 100, is written but cannot be reached. The end rests on what counts the steps.
TINY = """
(role p) (init (s 0)) (succ 0 1) (succ 1 2) (legal p a) (legal p b)
(<= (next (s ?m)) (true (s ?n)) (succ ?n ?m)) (<= (next (last ?x)) (does p ?x))
(<= terminal (true (s 2))) (<= (goal p 100) (true (last a)) (true (last b)))
(<= (goal p 50) (true (last a)) (not (true (last b)))) (<= (goal p 10) (not (true (last a))))
"""
GAMES = {
    "tiny": (TINY, 50),
    "over at once": ("(role p) (init a) (legal p x) (<= terminal (true a)) (goal p 50)", 50),
    "always terminal": ("(role p) (legal p x) (<= terminal (role p)) (goal p 70)", 70),
    "no fluent at first": ("(role p) (legal p x) (<= (next b) (does p x)) (<= terminal (true b)) (goal p 30)", 30),
    "a state without a move": (
        "(role p) (init a) (<= (legal p x) (true a)) (<= (legal p y) (true a)) (<= (next b) (does p x))"
        "(<= (next c) (does p y)) (<= terminal (true c)) (<= (goal p 20) (true c)) (<= (goal p 100) (true b))",
        20,
    ),
    "an end that no move reaches": (
        "(role p) (init a) (init b) (legal p x) (legal p y) (<= (next a) (true b)) (<= (next b) (true a))"
        "(<= (next c) (does p x)) (<= terminal (not (true a)) (true c)) (goal p 60)",
        None,
    ),
    "a hundred goals, one line": (
        "(role p) (init (n 0)) (legal p inc) (<= (next (n ?m)) (true (n ?n)) (succ ?n ?m))"
        "(<= terminal (true (n 99))) (<= (goal p ?n) (true (n ?n)))"
        + "".join(f"(succ {number} {number + 1})" for number in range(100)),
        99,
    ),
}
Search = Callable[[RuleSheet, Sequence[str], int, Report], None]


def found_by(search: Search, text: str) -> list[KnownGoal] | None:
    """Return what a search found; None if it still runs after some seconds."""
    found: list[KnownGoal] = []
    failures: list[BaseException] = []

    def run() -> None:
        try:
            search(parse_sheet(text), (), MEMORY_MB, found.append)
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(20)
    assert not failures, failures
    return None if thread.is_alive() else found


@pytest.mark.parametrize("search", [beam, breadth_first])
@pytest.mark.parametrize("name", GAMES)
def test_a_search_through_few_states_ends(name: str, search: Search) -> None:
    text, best = GAMES[name]
    found = found_by(search, text)
    assert found is not None
    assert max((each.goal for each in found), default=0) == (best or 0)


def degenerate(random: Random) -> str:
    """Write a sheet of one role in which nothing is sure: moves, an end, goals above 0, more than one state."""
    fluents = [f"s{number}" for number in range(random.randint(1, 4))]
    moves = [f"m{number}" for number in range(random.randint(1, 3))]

    def body(most: int) -> str:
        chosen = [f"(true {random.choice(fluents)})" for _ in range(random.randint(0, most))]
        return " ".join(each if random.random() < 0.5 else f"(not {each})" for each in chosen)

    def rule(head: str, most: int) -> str:
        conditions = body(most)
        return f"(<= {head} {conditions})" if conditions else head

    lines = ["(role r)", *(f"(init {each})" for each in fluents if random.random() < 0.5)]
    lines += [rule(f"(legal r {move})", 2) for move in moves]
    for fluent in fluents:
        for _ in range(random.randint(0, 2)):
            cause = f"(does r {random.choice(moves)})" if random.random() < 0.5 else f"(true {random.choice(fluents)})"
            lines.append(f"(<= (next {fluent}) {cause} {body(2)})")
    if random.random() < 0.4:
        lines += ["(init (step 0))", "(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))"]
        lines += [f"(succ {number} {number + 1})" for number in range(4)] + ["(<= terminal (true (step 4)))"]
    lines.append(rule("terminal", 3))
    high = random.choice([1, 40, 99, 100])
    condition = f"(true {random.choice(fluents)})"
    lines += [f"(<= (goal r {high}) {condition})", f"(<= (goal r 0) (not {condition}))"]
    return "\n".join(lines)


@pytest.mark.slow
@pytest.mark.parametrize("first", few(range(0, 120, 30), 1))
def test_random_games_that_are_degenerate(first: int) -> None:
    served = 0
    for seed in range(first, first + 30):
        text = degenerate(Random(seed))
        try:
            machine = NetworkMachine(parse_sheet(text))
            circuit = circuit_of(machine)
        except (GdlError, UnservedError):
            continue
        if circuit.terminal == FALSE_VALUE:
            continue  # `solve` refuses a game without an end
        served += 1
        oracle = ReferenceMachine(parse_sheet(text))
        best = best_goal(oracle) or 0
        for search in (beam, breadth_first):
            found = found_by(search, text)
            assert found is not None, text
            assert max((each.goal for each in found), default=0) == best, text
            check_lines(found, oracle)
        lines: list[KnownGoal] = []
        with contextlib.suppress(UnservedError):
            in_fixed_order(circuit, lines.append)
        check_lines(lines, oracle)
    assert served > 5


def check_lines(found: list[KnownGoal], oracle: StateMachine) -> None:
    for each in found:
        assert (goal_after(oracle, each.moves) or 0) == each.goal


@pytest.mark.parametrize(
    "options", few([(("--seconds", "1e9"),), ((),), (("--memory-mb", "1"),), (("--memory-mb", "9" * 30),)], 1)
)
def test_no_process_of_solve_fails(options: tuple[str, ...], tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "tiny.kif").write_text(TINY)
    ways = () if "1e9" in options else ("--all-ways",)
    assert main(["solve", str(tmp_path / "tiny.kif"), *ways, *options]) == 0
    shown = capfd.readouterr()
    assert shown.err == ""
    assert "goal 50, proven best" in shown.out and "ended early" not in shown.out


def test_a_way_whose_library_does_not_fit_says_so() -> None:
    with Portfolio([Way("planner", _load_what_is_not_there)], 100) as race:
        (news,) = race.news(60)
    assert news.finding is None
    assert news.reason == "a library cannot be loaded with 100 MB: No module named 'no_such_library'"


def _load_what_is_not_there(report: Report) -> None:
    import no_such_library  # type: ignore[import-not-found]  # noqa: F401


ENDS_AT_ONCE = """
import os
from test_degenerate import Portfolio, Way, report_for_ever
if __name__ == "__main__":
    race = Portfolio([Way("talker", report_for_ever)] * 3, 100)
    while not any(news.finding for news in race.news(60)):
        pass
    os._exit(0)
"""


@pytest.mark.slow
def test_ways_end_quietly_with_the_process_that_listens(tmp_path: Path) -> None:
    folders = [str(ROOT), str(ROOT / "tests" / "support"), str(Path(__file__).parent)]
    script = tmp_path / "ends.py"
    script.write_text(ENDS_AT_ONCE)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(folders)}
    done = subprocess.run([sys.executable, script], env=environment, stderr=subprocess.PIPE, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def report_for_ever(report: Report) -> None:
    while True:
        report(KnownGoal(0, ("x",) * 10_000, 100))

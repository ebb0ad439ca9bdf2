"""The search on games at the edge of what a game is, by the Python interface and by `ggp-agent search`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from quick import few

from gdl import CompiledMachine, NetworkMachine, ReasonerMachine, parse_sheet
from ggp_agent.cli import main
from ggp_agent.game.move_list import read_moves
from ggp_agent.mcts.config import SearchConfig
from ggp_agent.mcts.searcher import Searcher
from kif_games import rules

MACHINES = [NetworkMachine, ReasonerMachine]
CONFIGS = [
    "",
    "in_flight = 4",
    'solver.enabled = false\nplayout.policy = "mast"\nselection.formula = "ucb1-tuned"',
    'playout.policy = "nst"\nplayout.ngram = 3\nplayout.decisive = true\nreward.relative_bonus.enabled = true',
]

# No role ever has a choice.
FORCED = """
    (role left) (role right) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3) (legal left go) (legal right noop)
    (<= (next (at ?n)) (true (at ?m)) (succ ?m ?n)) (<= terminal (true (at 3)))
    (<= (goal left 80) (true (at 3))) (<= (goal right 20) (true (at 3)))
"""

# There is nothing to play: the initial state is terminal, though it has legal moves.
OVER = """
    (role left) (role right) (init done) (legal left x) (legal left y) (legal right x)
    (<= (next done) (true done)) (<= terminal (true done)) (goal left 70) (goal right 30)
"""

# To go is better for left, but leaves right without a move in a state that is not terminal.
STUCK = """
    (role left) (role right) (init start)
    (<= (legal left go) (true start)) (<= (legal left stay) (true start)) (<= (legal right noop) (true start))
    (<= (legal left go) (true stuck))
    (<= (next stuck) (does left go)) (<= (next over) (does left stay)) (<= terminal (true over))
    (<= (goal left 100) (true stuck)) (<= (goal right 0) (true stuck))
    (<= (goal left 40) (true over)) (<= (goal right 60) (true over))
"""

# The same from the start.
STUCK_AT_ONCE = """
    (role left) (role right) (init start) (<= (legal left go) (true start)) (<= (legal left stay) (true start))
    (<= (next over) (does left ?m)) (<= (legal right noop) (true over)) (<= terminal (true over))
    (goal left 25) (<= (goal right 75) (true over))
"""

# Goals that no rule gives, or several at once.
WITHOUT_GOALS = """
    (role left) (role right) (init start) (<= (legal right noop) (true start))
    (<= (legal left none) (true start)) (<= (legal left some) (true start)) (<= (legal left many) (true start))
    (<= (next (end ?m)) (does left ?m)) (<= terminal (true (end ?m)))
    (<= (goal left 25) (true (end some))) (<= (goal left 25) (true (end many))) (<= (goal left 75) (true (end many)))
"""


def long_road(plies: int) -> str:
    """Return a game of the given number of plies, counted in binary, in which the first of two moves decides."""
    bits = range(plies.bit_length())
    last = " ".join(f"(true (bit {i}))" if plies >> i & 1 else f"(not (true (bit {i})))" for i in bits)
    carries = "(carry 0)" + "".join(f"(<= (carry {i}) (carry {i - 1}) (true (bit {i - 1})))" for i in bits[1:])
    flips = "".join(
        f"(<= (next (bit {i})) (not (true (bit {i}))) (carry {i}))"
        f"(<= (next (bit {i})) (true (bit {i})) (not (carry {i})))"
        for i in bits
    )
    return f"""
        (role walker) (role watcher) (init start) {carries} {flips} (<= terminal {last})
        (legal walker on) (<= (legal walker astray) (true start)) (legal watcher noop)
        (<= (next lost) (does walker astray)) (<= (next lost) (true lost))
        (<= (goal walker 0) (true lost)) (<= (goal walker 100) (not (true lost)))
        (<= (goal watcher 100) (true lost)) (<= (goal watcher 0) (not (true lost)))
    """


def searcher_of(sheet: str, config: str = "", machine: type[CompiledMachine] = NetworkMachine) -> Searcher:
    return Searcher(machine(parse_sheet(sheet)), SearchConfig.from_toml(config))  # type: ignore[call-arg]


def shown(capsys: pytest.CaptureFixture[str], folder: Path, sheet: str, *arguments: str) -> str:
    path = folder / "odd.kif"
    path.write_text(sheet)
    assert main(["search", str(path), *arguments]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def document(capsys: pytest.CaptureFixture[str], folder: Path, sheet: str, *arguments: str) -> Any:
    return json.loads(shown(capsys, folder, sheet, *arguments, "--json"))


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("config", CONFIGS)
def test_nothing_is_searched_if_no_role_has_a_choice(config: str, machine: type[CompiledMachine]) -> None:
    searcher = searcher_of(FORCED, config, machine)
    for _ in range(3):
        found = searcher.run()  # without a limit
        assert (found.simulations, found.terminal, found.best) == (0, False, ("go", "noop"))
        assert [len(moves) for moves in found.moves.values()] == [1, 1]
        assert searcher.best_move("right") == "noop"
        searcher.advance(["go", "noop"])
    assert searcher.statistics().terminal
    assert searcher.statistics().values == {"left": 80, "right": 20}


def test_command_names_the_only_moves(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    found = document(capsys, tmp_path, FORCED)
    assert (found["best"], found["best_joint"], found["simulations"]) == ("go", ["go", "noop"], 0)
    assert [(move["role"], move["visits"]) for move in found["moves"]] == [("left", 0), ("right", 0)]
    lines = shown(capsys, tmp_path, FORCED, "--moves", "go").splitlines()
    assert lines[0] == "odd after 1 turn; no simulations yet"
    assert lines[2].split() == ["go", "0", "-", "-"]


@pytest.mark.parametrize("config", few(CONFIGS, 1))
def test_game_of_ten_thousand_plies_is_searched(config: str) -> None:
    searcher = searcher_of(long_road(10_000), config)
    found = searcher.run(simulations=600)
    assert (found.simulations, found.visits) == (600, 600)
    assert found.best == ("on", "noop")
    assert found.moves["walker"][0].value == pytest.approx(100, abs=12)  # the bonus may take some of it
    kept = found.moves["walker"][0].visits
    searcher.advance(["on", "noop"])
    assert searcher.statistics().visits == pytest.approx(kept, abs=1)
    # From here on no role has a choice; the match is played to its end.
    for _ in range(9_999):
        assert not searcher.statistics().terminal
        searcher.advance(["on", "noop"])
    assert searcher.statistics().terminal
    assert searcher.statistics().values == {"walker": 100, "watcher": 0}


@pytest.mark.slow
def test_game_of_ten_thousand_plies_is_proven() -> None:
    searcher = searcher_of(long_road(10_000))
    found = searcher.run(simulations=20_000)
    assert found.bounds == {"walker": (100, 100), "watcher": (0, 0)}
    assert found.max_depth == 10_000
    assert found.nodes >= 10_000 and found.best == ("on", "noop")
    assert len(found.principal_variation) == 32
    searcher.advance(["on", "noop"])
    assert searcher.statistics().bounds == {"walker": (100, 100), "watcher": (0, 0)}
    searcher.set_root(searcher.root)
    assert searcher.statistics().nodes == 1


def test_rules_themselves_play_ten_thousand_plies() -> None:
    searcher = searcher_of(long_road(10_000), machine=ReasonerMachine)
    found = searcher.run(simulations=16)
    assert (found.visits, found.best) == (16, ("on", "noop"))


def test_time_limits_are_met_in_a_game_of_ten_thousand_plies() -> None:
    for machine in MACHINES:
        found = searcher_of(long_road(10_000), machine=machine).run(seconds=0.05)
        assert found.seconds >= 0.05


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize(("sheet", "goals"), [(OVER, (70, 30)), (STUCK_AT_ONCE, (25, 0))])
def test_game_that_is_over_at_once(
    sheet: str, goals: tuple[int, int], config: str, machine: type[CompiledMachine]
) -> None:
    searcher = searcher_of(sheet, config, machine)
    for found in (searcher.statistics(), searcher.run(), searcher.run(simulations=10), searcher.run(seconds=0.1)):
        assert (found.terminal, found.simulations, found.best, found.principal_variation) == (True, 0, (), ())
        assert found.values == dict(zip(("left", "right"), goals, strict=True))
        assert found.bounds == {"left": (goals[0],) * 2, "right": (goals[1],) * 2}
    with pytest.raises(ValueError, match="the game is over: left has no move"):
        searcher.best_move("left")
    with pytest.raises(ValueError, match="the game is over: no move can be played"):
        searcher.advance(["x", "x"])
    searcher.set_root(searcher.root)
    assert searcher.statistics().terminal
    assert searcher.tree_hash() == searcher_of(sheet, config, machine).tree_hash()


def test_the_command_reports_why_there_is_nothing_to_search(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert shown(capsys, tmp_path, OVER) == "odd: the game is over, goals: left 70, right 30\n"
    stuck = "right cannot move, which ends the game"
    assert shown(capsys, tmp_path, STUCK_AT_ONCE) == f"odd: {stuck}, goals: left 25, right 0\n"
    assert shown(capsys, tmp_path, STUCK, "--moves", "go") == f"odd after 1 turn: {stuck}, goals: left 100, right 0\n"
    for sheet, line in ((OVER, ""), (STUCK_AT_ONCE, ""), (STUCK, "go")):
        found = document(capsys, tmp_path, sheet, "--moves", line)
        assert (found["terminal"], found["moves"], found["best"], found["simulations"]) == (True, [], None, 0)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("config", CONFIGS)
def test_state_without_moves_ends_the_game_with_its_goals(config: str, machine: type[CompiledMachine]) -> None:
    searcher = searcher_of(STUCK, config, machine)
    found = searcher.run(simulations=400)
    assert found.best == ("go", "noop")
    if searcher.config.solver.enabled:
        assert found.bounds == {"left": (100, 100), "right": (0, 0)}
        assert {move.move: move.bounds for move in found.moves["left"]} == {"go": (100, 100), "stay": (40, 40)}
    searcher.advance(["go", "noop"])
    assert searcher.run().terminal and searcher.statistics().values == {"left": 100, "right": 0}


@pytest.mark.parametrize("machine", MACHINES)
def test_a_play_out_without_legal_moves_ends(machine: type[CompiledMachine]) -> None:
    searcher = searcher_of(STUCK, "solver.enabled = false\nplayout.limit = 2147483648", machine)
    found = searcher.run(simulations=400, cpu_seconds=60)
    assert (found.simulations, found.best) == (400, ("go", "noop"))


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("config", CONFIGS)
def test_the_highest_goal_counts_and_a_missing_one_counts_as_0(config: str, machine: type[CompiledMachine]) -> None:
    searcher = searcher_of(WITHOUT_GOALS, config, machine)
    found = searcher.run(simulations=600)
    assert found.best == ("many", "noop")
    assert found.values["right"] == 0
    if searcher.config.solver.enabled:
        bounds = {move.move: move.bounds for move in found.moves["left"]}
        assert bounds == {"none": (0, 0), "some": (25, 25), "many": (75, 75)}


@pytest.mark.parametrize("config", few(CONFIGS, 1))
def test_the_search_continues_when_its_memory_is_full(config: str) -> None:
    def run() -> tuple[list[int], Searcher]:
        searcher = searcher_of(rules("connect_four"), f"memory_mb = 1\n{config}")
        hashes = []
        for part in range(1, 4):
            found = searcher.run(simulations=12_000)
            assert (found.simulations, found.visits) == (12_000, 12_000 * part)
            assert found.tree_bytes <= 1 << 20
            assert sum(move.visits for move in found.moves["red"]) == found.visits
            hashes.append(searcher.tree_hash())
        assert found.tree_bytes > 1 << 19
        return hashes, searcher

    hashes, searcher = run()
    assert len(set(hashes)) == 3  # it learns
    assert run()[0] == hashes
    searcher.advance(searcher.statistics().best)
    before = searcher.statistics().visits
    assert before > 1000
    assert searcher.run(simulations=12_000).visits == before + 12_000
    assert searcher.statistics().tree_bytes <= 1 << 20


def test_wins_are_found_when_memory_is_full() -> None:
    searcher = searcher_of(rules("connect_four"), "memory_mb = 1\nsolver.enabled = false")
    machine = NetworkMachine(parse_sheet(rules("connect_four")))
    # Three in a row with both ends open, and red to move.
    state = machine.initial()
    for joint in read_moves(machine, "(drop 3) (drop 3) (drop 4) (drop 4)"):
        state = machine.next(state, joint)
    searcher.set_root(state)
    for _ in range(10):
        found = searcher.run(simulations=20_000)
    assert found.best[0] in ("(drop 2)", "(drop 5)")
    assert found.moves["red"][0].value > 90

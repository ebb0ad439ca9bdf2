"""Games of one role: solvers run in parallel with the search, and all processes end with the match."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from exploding_sheets import is_alive
from pipe_works import workers_of
from small_puzzles import HARD, SUDOKU
from waiting import wait_for
from wire_server import MakePlayer, PlayMatch

from gdl import MachineState, ReasonerMachine, StateMachine, load_machine, parse_sheet
from ggp_agent.mcts.config import BackupConfig, SearchConfig, SolverConfig
from ggp_agent.player.policy import puzzle_policy
from ggp_agent.player.policy.policies import ONE_ROLE_MAXIMUM, searcher_for
from ggp_agent.player.policy.preparing_policy import PreparingPolicy
from ggp_agent.player.policy.puzzle_policy import PuzzlePolicy
from ggp_agent.player.server.player import Player
from ggp_agent.protocol.clocks import Deadline
from ggp_agent.protocol.messages import Thoughts

CHOICES = """
    (role r) (init (at 0)) (after 0 1) (after 1 2) (after 2 3) (<= (legal r (go ?x)) (door ?x)) (door left) (door right)
    (<= (next (at ?y)) (true (at ?x)) (after ?x ?y)) (<= (next lost) (does r (go left)) (true (at 1)))
    (<= (next lost) (true lost)) (<= terminal (true (at 3)))
    (<= (goal r 80) (not (true lost))) (<= (goal r 30) (true lost))
"""


def test_a_sudoku_over_http_ends_with_100(tmp_path: Path, play_match: PlayMatch) -> None:
    (tmp_path / "sudoku.kif").write_text(SUDOKU)
    assert play_match(str(tmp_path / "sudoku.kif"), ["agent"], 20, 2).goals == [100]


@pytest.mark.parametrize("message", ["( STOP m.1 NIL )", "( ABORT m.1 )"])
def test_the_solvers_end_with_the_match(message: str, make: MakePlayer) -> None:
    player = make("agent")
    starting = threading.Thread(target=player.answer, args=(f"( START m.1 r ({HARD}) 30 5 )",))
    starting.start()
    wait_for(lambda: len(ways_of(player)) >= 3)
    ways = ways_of(player)
    player.answer(message)
    starting.join(20)  # before the end of the clock
    assert not starting.is_alive()
    wait_for(lambda: not any(map(is_alive, ways)))


def test_ready_is_sent_when_the_best_line_is_proven(make: MakePlayer) -> None:
    player = make("agent", ponders=True)
    began = time.monotonic()
    assert player.answer(f"( START m.1 player ({SUDOKU}) 300 100 )") == "ready"
    assert time.monotonic() - began < 100
    began = time.monotonic()
    assert player.answer("( PLAY m.1 NIL )").startswith("(write ")
    assert time.monotonic() - began < 50  # the search has ended


def ways_of(player: Player) -> list[int]:
    """Return the processes of the solvers."""
    processes = [process.pid for match in list(player._matches.values()) for process in match.processes()]
    return [pid for process in processes if process is not None for pid in workers_of(process)]


class Hopeful(PreparingPolicy):
    """Choose the first move in order of code points, with a mean goal; `line` is the best line of the search."""

    mean = 0.0
    line: tuple[int, tuple[str, ...]] | None = None
    _move = ""

    def prepare(self, machine: StateMachine, role: str) -> None:
        self._move = min(machine.legal(machine.initial(), role))

    def advance(self, state: MachineState, moves: Sequence[str]) -> None:
        pass

    def think(self, deadline: Deadline) -> str:
        return self._move

    def thoughts(self) -> Thoughts:
        return Thoughts(self._move, self.mean, 1)

    def best_line(self, seconds: float) -> tuple[int, tuple[str, ...]] | None:
        return self.line


class HopefulSolver(PuzzlePolicy, Hopeful):
    """Solve a puzzle in parallel with a hopeful search."""

    def __init__(self, mean: float, line: tuple[int, tuple[str, ...]] | None = None) -> None:
        super().__init__(1)
        self.mean, self.line = mean, line


def test_the_proven_line_is_followed_and_the_log_says_so(caplog: pytest.LogCaptureFixture) -> None:
    machine = load_machine(parse_sheet(CHOICES))
    policy = HopefulSolver(99.0)
    with caplog.at_level(logging.INFO, "ggp_agent.player.policy.puzzle_policy"):
        policy.prepare(machine, "r")
        policy.wait(60)
        state, moves = machine.initial(), []
        while not machine.terminal(state):
            move = policy.think(Deadline(1))
            assert move is not None
            moves.append(move)
            state = machine.next(state, [move])
            policy.advance(state, [move])
        policy.close()
    assert machine.goals(state, "r") == [80] and moves[1] == "(go right)"
    assert "a line to goal 80, of 3 moves, by the" in caplog.text
    assert f"turn 1: {moves[0]} follows a plan to goal 80 (proven best)" in caplog.text


def test_a_line_that_was_left_is_no_longer_followed() -> None:
    machine = load_machine(parse_sheet(CHOICES))
    policy = HopefulSolver(0.0)
    policy.prepare(machine, "r")
    policy.wait(60)
    state = machine.initial()
    for move in ("(go right)", "(go left)"):  # the manager makes the second one for us
        state = machine.next(state, [move])
        policy.advance(state, [move])
    policy.wait(60)
    assert policy._goal == 30 and policy._proven and policy._line[:2] == ("(go right)", "(go left)")
    policy.close()


def test_a_search_with_a_higher_mean_replaces_an_unproven_line() -> None:
    for mean, expected in ((50.0, "(go right)"), (70.0, "(go left)")):
        policy = HopefulSolver(mean)
        Hopeful.prepare(policy, load_machine(parse_sheet(CHOICES)), "r")
        policy._line, policy._goal = ("(go right)", "(go right)", "(go right)"), 60
        assert policy.think(Deadline(1)) == expected
        thoughts = policy.thoughts()
        assert thoughts is not None and thoughts.move == expected


def test_a_line_found_by_the_search_is_followed(caplog: pytest.LogCaptureFixture) -> None:
    machine = ReasonerMachine(parse_sheet(CHOICES))  # as if the rules were too large for a network
    policy = HopefulSolver(60.0, (80, ("(go right)",) * 3))
    with caplog.at_level(logging.INFO, "ggp_agent.player.policy.puzzle_policy"):
        policy.prepare(machine, "r")
        assert policy.think(Deadline(1)) == "(go right)" and policy.favourite() == "(go right)"
        policy.close()
    assert "a line to goal 80, of 3 moves, by the tree search" in caplog.text
    assert "turn 1: (go right) follows a plan to goal 80 (the best known)" in caplog.text


def test_invalid_lines_are_not_followed() -> None:
    machine = ReasonerMachine(parse_sheet(CHOICES))
    for line in (("(go right)",) * 2, ("(go right)",) * 4, ("(go up)",) * 3):
        policy = HopefulSolver(60.0, (80, line))
        policy.prepare(machine, "r")
        assert policy.think(Deadline(1)) == "(go left)"
        policy.close()


# One of 64 ways behind the left door is worth 60, the others nothing; behind the right door all are worth 20.
NEEDLE = """
    (role r) (init (at hall)) (door left) (door right) (bit 0) (bit 1)
    (<= (legal r (go ?d)) (door ?d) (true (at hall)))
    (<= (legal r (way ?a ?b ?c ?d ?e ?f)) (bit ?a) (bit ?b) (bit ?c) (bit ?d) (bit ?e) (bit ?f) (not (true (at hall))))
    (<= (next (at ?d)) (does r (go ?d))) (<= (next won) (does r (way 0 1 1 0 1 0)) (true (at left)))
    (<= (next poor) (does r (way ?a ?b ?c ?d ?e ?f)) (true (at right))) (<= (next lost) (true (at left)) (not found))
    (<= found (does r (way 0 1 1 0 1 0)))
    (<= terminal (true won)) (<= terminal (true poor)) (<= terminal (true lost))
    (<= (goal r 60) (true won)) (<= (goal r 20) (true poor)) (<= (goal r 0) (true lost))
"""


def test_a_known_line_is_not_left_for_a_higher_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    # The search has 0.3 s, and the check of its line enough time on any machine.
    monkeypatch.setattr(puzzle_policy, "_LINE_SECONDS", 30.0)
    monkeypatch.setattr(puzzle_policy, "_LINE_SHARE", 1.0)
    for seed in range(5):
        config = SearchConfig(threads=1, in_flight=1, backup=BackupConfig(maximum_from=2**31), settle=False)
        config = replace(config, solver=SolverConfig(enabled=False))
        policy = PuzzlePolicy(seed, config)
        policy.prepare(ReasonerMachine(parse_sheet(NEEDLE)), "r")
        move = policy.think(Deadline(30.3))
        found = policy.best_line(1.0)
        if found is not None and found[0] == 60:
            assert move == "(go left)" and policy._line == found[1]
            break
        policy.close()
    else:
        pytest.fail("no search came upon the line")
    policy.close()


def test_the_search_uses_the_best_move_in_games_of_one_role() -> None:
    machine = load_machine(parse_sheet(SUDOKU))
    hashes = []
    for backup in (BackupConfig(), ONE_ROLE_MAXIMUM, BackupConfig(maximum_from=2**31)):
        searcher = searcher_for(machine, SearchConfig(seed=1, threads=1, in_flight=1, backup=backup))
        searcher.run(simulations=2000)
        hashes.append(searcher.tree_hash())
    assert hashes[0] == hashes[1] != hashes[2]

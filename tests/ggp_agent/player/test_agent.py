"""The player with a search in a match: findings, clocks, interruptions, and moves better than random."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
from exploding_sheets import compilers, is_alive
from small_games import COUNTING, NIM
from waiting import wait_for
from wire_server import MakePlayer, PlayMatch

from gdl import ReferenceMachine
from ggp_agent.game.load import load_game
from ggp_agent.player.match.player_match import MatchSettings, PlayerMatch
from ggp_agent.player.policy.policies import SearchPolicy
from ggp_agent.player.server.player import Player
from ggp_agent.protocol.messages import Presence, Start, parse_presence
from kif_games import rules


@pytest.fixture
def agent(make: MakePlayer) -> Player:
    return make("agent")


@pytest.fixture
def connect_four(agent: Player) -> Player:
    assert agent.answer(f"( START m.1 red ({rules('connect_four')}) 60 60 )") == "ready"
    return agent


def test_the_final_findings_of_a_search_are_reported(agent: Player) -> None:
    # The turn may end before any progress of it was reported.
    assert agent.answer(f"( START m.1 x ({rules('tic_tac_toe')}) 60 60 )") == "ready"
    move = agent.answer("( PLAY m.1 NIL )")
    thoughts = agent.thoughts("m.1")
    assert thoughts is not None and thoughts.move == move
    assert thoughts.proven == (50, 50) and thoughts.ending == "the goal is proven"


def test_reports_its_findings_and_aborts_immediately(connect_four: Player) -> None:
    replies: list[str] = []
    playing = threading.Thread(target=lambda: replies.append(connect_four.answer("( PLAY m.1 NIL )")))
    playing.start()

    def searched() -> Presence | None:
        found = parse_presence(connect_four.answer("( INFO )"))
        return found if found.thoughts is not None and found.thoughts.simulations > 100 else None

    presence = wait_for(searched)
    assert not replies  # the search continues
    assert presence.thoughts.move.startswith("(drop ")
    assert 0 < presence.thoughts.value < 100
    assert connect_four.answer("( ABORT m.1 )") == "aborted"
    playing.join(30)  # before the end of the clock
    assert replies[0].startswith("(drop ")


def test_abort_right_after_play_ends_the_search(connect_four: Player) -> None:
    for _ in range(5):
        playing = threading.Thread(target=lambda: connect_four.answer("( PLAY m.1 NIL )"))
        playing.start()
        connect_four.answer("( ABORT m.1 )")
        playing.join(30)
        assert not playing.is_alive()
        assert connect_four.answer(f"( START m.1 red ({rules('connect_four')}) 60 60 )") == "ready"


def test_ponders_to_the_end_of_the_startclock_and_while_others_think() -> None:
    policy = SearchPolicy(1)

    def visits() -> int:
        searcher = policy._searcher
        assert searcher is not None
        return searcher.statistics().visits

    machine = load_game("connect_four").machine()
    began = time.monotonic()
    start = Start("m.1", "red", rules("connect_four"), 1.5, 60)
    match = PlayerMatch(
        start, began, MatchSettings(min, lambda sheet, stop: machine, lambda machine: policy, ponders=True)
    )
    assert match.begin() == "ready"
    assert time.monotonic() - began > 1.2
    assert visits() > 0
    move = match.play(None, time.monotonic() - 59.5)
    assert move.startswith("(drop ")
    seen = visits()
    wait_for(lambda: visits() > seen)
    began = time.monotonic()
    assert match.play((move, "noop"), began) == "noop"
    assert time.monotonic() - began < 30  # the only legal move does not wait for the end of the clock
    match.close()


def test_plays_on_after_an_illegal_move(agent: Player) -> None:
    agent.answer(f"( START m.1 red ({rules('connect_four')}) 60 0.5 )")
    assert agent.answer("( PLAY m.1 NIL )").startswith("(drop ")
    assert agent.answer("( PLAY m.1 ((drop 9) noop) )") == "noop"  # according to the rules it is yellow's turn
    assert agent.answer("( PLAY m.1 (noop (drop 2)) )").startswith("(drop ")


def test_refuses_rules_that_are_not_stratified(caplog: pytest.LogCaptureFixture, agent: Player) -> None:
    circle = "(<= p (not q)) (<= q (not p)) (<= (next (s 1)) (does x go) (not q))"
    sheet = f"((role x) (init (s 0)) (legal x go) {circle} (<= terminal (true (s 1))) (goal x 50))"
    assert agent.answer(f"( START m.1 x {sheet} 5 1 )") == "busy"
    assert "START refused: rules of START:1:47: the rules are not stratified: p depends on" in caplog.text
    assert "(status available)" in agent.answer("( INFO )")
    agent.close()


def test_plays_without_a_compiled_machine(caplog: pytest.LogCaptureFixture) -> None:
    match = PlayerMatch(
        Start("m.1", "first", NIM, 60, 60),
        time.monotonic(),
        MatchSettings(min, lambda sheet, stop: ReferenceMachine(sheet), lambda machine: SearchPolicy(1)),
    )
    assert match.begin() == "ready"
    began = time.monotonic()
    assert match.play(None, began).startswith("(take ")
    assert time.monotonic() - began < 30
    assert "the fast machine fails" in caplog.text
    match.close()


@pytest.mark.parametrize("policies", [["agent", "random"], ["random", "agent"], ["agent", "agent"]])
def test_never_loses_tic_tac_toe(policies: list[str], play_match: PlayMatch) -> None:
    goals = play_match("tic_tac_toe", policies, 60, 60).goals
    assert all(goal is not None and goal >= 50 for goal, each in zip(goals, policies, strict=True) if each == "agent")


def test_plays_simultaneous_moves(tmp_path: Path, play_match: PlayMatch) -> None:
    (tmp_path / "game.kif").write_text(COUNTING)
    assert play_match(str(tmp_path / "game.kif"), ["agent", "random"], 60, 0.1).goals == [50, 50]


def test_abort_ends_the_compiling_of_a_huge_game(agent: Player) -> None:
    numbers = " ".join(f"(n {number})" for number in range(99))
    huge = (
        "(role r) (init (at 0)) (<= (legal r (go ?x)) (true (at ?x))) (<= terminal (true (at 1))) (goal r 50) "
        "(<= (big ?a ?b ?c ?d ?e) (n ?a) (n ?b) (n ?c) (n ?d) (n ?e) (true (at ?a))) "
        f"(<= (next (at ?a)) (does r (go ?m)) (big ?a ?b ?c ?d ?e)) {numbers}"
    )
    assert agent.answer(f"( START m.1 r ({huge}) 0.5 0.5 )") == "ready"
    (process,) = agent._matches["m.1"].processes()
    assert process.pid is not None
    running = [process.pid, *wait_for(lambda: compilers(process.pid))]
    assert agent.answer("( ABORT m.1 )") == "aborted"
    wait_for(lambda: not any(map(is_alive, running)))

"""The player with a search in a match: findings, clocks, interruptions, and moves better than random."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from exploding_sheets import compilers, is_alive
from small_games import COUNTING, NIM
from waiting import wait_for

from gdl import ReferenceMachine
from ggp_agent.game.load import load_game
from ggp_agent.manager.conditions import Conditions
from ggp_agent.manager.match_manager import MatchManager
from ggp_agent.manager.seats import Seat
from ggp_agent.player.fork_server import ForkServer
from ggp_agent.player.match_messages import PlayerSettings
from ggp_agent.player.player import Player
from ggp_agent.player.player_match import MatchSettings, PlayerMatch
from ggp_agent.player.player_server import PlayerServer
from ggp_agent.player.policies import SearchPolicy
from ggp_agent.protocol.client import PlayerClient
from ggp_agent.protocol.messages import Presence, Start, parse_presence
from ggp_agent.records.match_record import MatchRecord, new_match_id
from kif_games import rules


@pytest.fixture
def agent(fork_server: ForkServer) -> Iterator[Player]:
    player = Player("agent", PlayerSettings("agent", 1), fork_server)
    yield player
    player.close()


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


def test_plays_on_after_a_missed_turn(agent: Player) -> None:
    agent.answer(f"( START m.1 red ({rules('connect_four')}) 60 0.5 )")
    assert agent.answer("( PLAY m.1 NIL )").startswith("(drop ")
    assert agent.answer("( PLAY m.1 (noop (drop 1)) )").startswith("(drop ")  # red must have moved before
    assert agent.answer("( PLAY m.1 ((drop 2) noop) )") == "noop"


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
    assert "the search needs a compiled machine" in caplog.text
    match.close()


def play(fork_server: ForkServer, name: str, policies: list[str], play_clock: float) -> MatchRecord:
    """Run a match over sockets between players whose servers are in this process."""
    game = load_game(name)
    machine = game.machine()
    with ExitStack() as stack:
        seats = []
        for seed, (role, policy) in enumerate(zip(machine.roles, policies, strict=True)):
            player = Player(policy, PlayerSettings(policy, seed), fork_server)
            server = stack.enter_context(PlayerServer("127.0.0.1", 0, player.answer))
            threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
            stack.callback(player.close)
            stack.callback(server.shutdown)
            seats.append(Seat(role, policy, PlayerClient(server.address, policy)))
        record = MatchRecord(
            new_match_id(game.name), game.name, game.address, machine.roles, tuple(policies), 60, play_clock
        )
        MatchManager(game, machine, seats, record, save=lambda: None, seed=1, conditions=Conditions(tolerance=60)).run()
    assert record.completed
    assert {error for errors in record.errors for error in errors} == {""}
    return record


@pytest.mark.parametrize("seat", [0, 1])
def test_never_loses_tic_tac_toe_to_random(seat: int, fork_server: ForkServer) -> None:
    policies = ["random", "random"]
    policies[seat] = "agent"
    goal = play(fork_server, "tic_tac_toe", policies, 60).goals[seat]
    assert goal is not None and goal >= 50


def test_draws_tic_tac_toe_against_itself(fork_server: ForkServer) -> None:
    assert play(fork_server, "tic_tac_toe", ["agent", "agent"], 60).goals == [50, 50]


def test_plays_simultaneous_moves(tmp_path: Path, fork_server: ForkServer) -> None:
    (tmp_path / "game.kif").write_text(COUNTING)
    assert play(fork_server, str(tmp_path / "game.kif"), ["agent", "random"], 0.1).goals == [50, 50]


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

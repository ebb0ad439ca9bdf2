"""The player and its match processes: turns, several managers, repeated messages."""

from __future__ import annotations

import logging
import threading

import pytest
from small_games import COUNTING, NIM
from waiting import timed
from wire_server import Logged, MakePlayer

from ggp_agent.player.guard.match_guard import History
from ggp_agent.player.server import player as player_module
from ggp_agent.protocol.clocks import Deadline
from ggp_agent.protocol.messages import ProtocolError, parse_presence


def start(rules: str, role: str, startclock: float = 2, playclock: float = 2, match: str = "m.1") -> str:
    return f"( START {match} {role} ({rules}) {startclock} {playclock} )"


def test_a_repeated_play_gets_the_same_move(make: MakePlayer) -> None:
    player = make("random")
    player.answer(start(NIM, "first", playclock=60))
    replies: list[str] = []
    threads = [threading.Thread(target=lambda: replies.append(player.answer("( PLAY m.1 NIL )"))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(replies) == 3 and len(set(replies)) == 1 and replies[0].startswith("(take ")
    assert player.answer("( PLAY m.1 ((take 2) noop) )") == "noop"
    again, seconds = timed(lambda: player.answer("( PLAY m.1 ((TAKE 2) ( noop )) )"))
    assert again == "noop"
    assert seconds < 30  # without the rest of the clock
    assert player.answer("( PLAY m.1 (noop (take 1)) )").startswith("(take ")
    assert player.answer("( PLAY m.1 ((take 2) noop) )") == "noop"  # late, belongs to the previous turn
    assert player.answer("( PLAY m.1 NIL )") == replies[0]


def test_equal_joint_moves_can_be_different_turns(make: MakePlayer) -> None:
    player = make("legal")
    player.answer(start(COUNTING, "left"))
    assert player.answer("( PLAY m.1 NIL )") == "(Wave 0)"
    assert player.answer("( PLAY m.1 ((wave 0) wait) )") == "(Wave 1)"
    assert player.answer("( PLAY m.1 (wait wait) )") == "(Wave 2)"  # our move was replaced by the manager
    assert player.answer("( PLAY m.1 (wait wait) )") == "(Wave 2)"  # repeated


def test_the_meaning_of_a_play() -> None:
    history = History()
    assert history.known(None) is None
    first = history.add(None, Deadline(1))
    assert history.known(None) is first
    assert history.known(("wait", "wait")) is None
    second = history.add(("wait", "wait"), Deadline(1))
    assert history.known(("wait", "wait")) is second  # not answered yet
    second.settle(lambda: "wait")
    assert history.known(("wait", "wait")) is second  # our role is unknown
    history.role_index = 1
    assert history.known(("wait", "wait")) is None  # the same joint move in the next turn
    assert history.known(("WAIT", "(wait)")) is None
    second.all_legal = (frozenset({"wait"}), frozenset({"go"}))
    assert history.known(("wait", "wait")) is second  # the joint move is not legal
    assert history.known(("wait", "go")) is None
    third = history.add(("wait", "go"), Deadline(1))
    third.all_legal = (frozenset({"go"}), frozenset({"go"}))
    assert history.known(("wait", "wait")) is second
    assert history.known(("stay", "wait")) is None  # not legal, but no earlier turn matches


def test_joint_moves_are_stored_up_to_a_limit(make: MakePlayer, caplog: pytest.LogCaptureFixture) -> None:
    player = make("legal")
    player.answer(start(COUNTING, "left"))
    assert player.answer("( PLAY m.1 NIL )") == "(Wave 0)"
    assert player.answer(f"( PLAY m.1 ((wave 0) {'x' * (1 << 16)}) )") == "nil"
    assert "a joint move of 65,547 characters; the limit is 65,536" in caplog.text
    assert player.answer("( PLAY m.1 ((wave 0) wait) )") == "(Wave 1)"


def test_the_memory_of_joint_moves_is_limited() -> None:
    history = History()
    long = tuple("x" * 60 for _ in range(1000))
    for _ in range(90):
        history.add(long, Deadline(1))
    with pytest.raises(ProtocolError, match="take more than 10,000,000 bytes"):
        for _ in range(10):
            history.add(long, Deadline(1))
    assert len(history.turns) == 90


def test_reply_has_the_spelling_that_was_received(make: MakePlayer) -> None:
    player = make("legal")
    assert player.answer(start(NIM.upper(), "First")) == "ready"
    assert player.answer("( play M.1 nil )") == "(TAKE 1)"
    assert player.answer("( play m.1 ((Take 1) Noop) )") == "NOOP"


def test_joint_moves_that_cannot_be_made_are_answered_with_a_legal_move(make: MakePlayer, logged: Logged) -> None:
    player = make("legal")
    player.answer(start(NIM, "first"))
    assert player.answer("( PLAY m.1 NIL )") == "(take 1)"
    assert player.answer("( PLAY m.1 (noop noop noop) )") == "(take 1)"
    assert logged("3 moves for 2 roles")
    assert player.answer("( PLAY m.1 ((?x) noop) )") == "(take 1)"


def test_a_missed_first_play_and_a_missed_play_in_between(make: MakePlayer, logged: Logged) -> None:
    player = make("legal")
    player.answer(start(NIM, "second"))
    assert player.answer("( PLAY m.1 ((take 1) noop) )") == "(take 1)"
    assert player.answer("( PLAY m.1 ((take 1) noop) )") == "(take 1)"  # repeated
    assert player.answer("( PLAY m.1 ((take 2) noop) )") == "(take 1)"  # one is left
    assert logged("a turn was missed; assumed joint move: noop (take 1)")


@pytest.mark.parametrize("goal", ["(goal p win)", "(goal p 33.5)", "(goal p (f 1))", "(goal p 150) (goal p win)"])
@pytest.mark.parametrize("policy", ["legal", "agent"])
def test_a_game_with_goals_that_are_no_numbers_is_played(make: MakePlayer, policy: str, goal: str) -> None:
    rules = "(role p)(legal p a)(init (s 0))(succ 0 1)(<= (next (s ?m)) (true (s ?n)) (succ ?n ?m))"
    player = make(policy)
    assert player.answer(start(f"{rules}(<= terminal (true (s 1))){goal}", "p", 2, 2)) == "ready"
    assert player.answer("( PLAY m.1 NIL )") == "a"
    assert player.answer("( STOP m.1 (a) )") == "done"


def test_a_repeated_start_is_answered_again(make: MakePlayer) -> None:
    player = make("legal")
    assert player.answer(start(NIM, "first")) == "ready"
    assert player.answer(start(NIM, "first")) == "ready"
    assert player.answer(start(NIM, "second")) == "busy"
    assert player.answer("( PLAY m.1 NIL )") == "(take 1)"
    assert player.answer(start(NIM, "first")) == "busy"


def test_two_matches_at_once(make: MakePlayer) -> None:
    player = make("agent", matches=2)
    assert player.answer(start(NIM, "first")) == "ready"
    assert parse_presence(player.answer("( INFO )")).status == "available"
    assert player.answer(start(COUNTING, "left", match="m.2")) == "ready"
    assert parse_presence(player.answer("( INFO )")).status == "busy"
    assert player.answer(start(NIM, "first", match="m.3")) == "busy"
    replies: dict[str, str] = {}

    def play(match: str) -> None:
        replies[match] = player.answer(f"( PLAY {match} NIL )")

    threads = [threading.Thread(target=play, args=(match,)) for match in ("m.1", "m.2")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert replies["m.1"] == "(take 2)"
    assert replies["m.2"] in ("wait", "(Wave 0)")
    assert player.answer("( ABORT m.1 )") == "aborted"
    assert player.answer(start(NIM, "first", match="m.3")) == "ready"


def test_silent_manager_loses_its_match(make: MakePlayer, monkeypatch: pytest.MonkeyPatch, logged: Logged) -> None:
    monkeypatch.setattr(player_module, "_CHECK_SECONDS", 0.05)
    player = make("agent", silence=-1.5, ponders=True)
    player.answer(start(NIM, "first", 1, 1.5))
    match = player._matches["m.1"]
    (process,) = match.processes()
    assert player.answer(start(NIM, "first", 1, 1, "m.2")) == "busy"
    assert logged("the manager has been silent")
    assert process.wait(60)  # without a further message
    assert parse_presence(player.answer("( INFO )")).status == "available"
    assert player.answer("( PLAY m.1 NIL )") == "busy"
    assert player.answer(start(NIM, "first", 1, 5, "m.2")) == "ready"


def test_equal_seeds_play_equally(make: MakePlayer) -> None:
    def moves(seed: int) -> list[str]:
        player = make("random", seed=seed)
        played = []
        for match in range(6):
            player.answer(start(NIM, "first", match=f"m.{match}"))
            played.append(player.answer(f"( PLAY m.{match} NIL )"))
            player.answer(f"( PLAY m.{match} ((take 1) noop) )")
            played.append(player.answer(f"( PLAY m.{match} (noop (take 1)) )"))
            player.answer(f"( ABORT m.{match} )")
        return played

    assert moves(1) == moves(1)
    assert len({tuple(moves(seed)) for seed in range(6)}) > 1


def test_goals_are_logged(make: MakePlayer, caplog: pytest.LogCaptureFixture, logged: Logged) -> None:
    caplog.set_level(logging.INFO)
    player = make("legal")
    player.answer(start("(role r) (init a) (legal r go) (<= (next b) (does r go)) "
                        "(<= terminal (true b)) (<= (goal r 70) (true b))", "r"))  # fmt: skip
    assert player.answer("( PLAY m.1 NIL )") == "go"
    assert player.answer("( STOP m.1 go )") == "done"
    assert logged("terminal state, goals: r 70")

"""A player in games with percepts (GDL-II): both forms of messages, errors of game managers, restarts."""

from __future__ import annotations

import logging
import os
import random
import re
import signal
import threading
import time
from pathlib import Path

import pytest
from small_games import NIM
from waiting import wait_for
from wire_server import Logged, MakePlayer

from gdl import NetworkMachine, ReferenceMachine, parse_sheet
from ggp_agent.mcts.config import SearchConfig
from ggp_agent.player.guard.journal import Journal
from ggp_agent.player.guard.match_guard import PerceptHistory
from ggp_agent.player.policy.policies import HiddenPolicy
from ggp_agent.player.server.player import Player
from ggp_agent.protocol.clocks import Deadline
from ggp_agent.protocol.messages import Play, ProtocolError, Start
from kif_games import rules

KUHN = rules("kuhn_poker")
SEEN_NIM = f"{NIM} (<= (sees ?r (did ?o ?m)) (role ?r) (does ?o ?m))"


def begin(player: Player, sheet: str = KUHN, role: str = "first", play_clock: float = 1.0) -> Player:
    assert player.answer(f"(START m1 {role.upper()} ({sheet.upper()}) 60 {play_clock})") == "ready"
    return player


@pytest.mark.parametrize("policy", ["agent", "random", "legal"])
def test_numbered_messages(make: MakePlayer, policy: str) -> None:
    player = begin(make(policy), role="second")
    assert player.answer("(PLAY m1 0 NIL NIL)") == "NOOP"
    assert player.answer("(PLAY m1 1 NOOP ((DEALT KING)))") == "NOOP"
    answer = player.answer("(PLAY m1 2 NOOP ((DID FIRST BET)))")
    assert answer in ("BET", "PASS")
    assert player.answer("(PLAY m1 2 NOOP ((DID FIRST BET)))") == answer, "a repeated message"
    assert player.answer("(PLAY m1 0 NIL NIL)") == "NOOP"
    shown = "((SHOWN QUEEN))" if answer == "BET" else "NIL"
    assert player.answer(f"(STOP m1 3 {answer} {shown})") == "done"


def play_to_the_end(player: Player, sheet: str, role: str, *, numbered: bool, none: str = "NIL") -> None:
    """Play a match against moves drawn at random, in capitals; each answer must be legal."""
    machine, draw = ReferenceMachine(parse_sheet(sheet)), random.Random(2)
    state, turn, last, percepts = machine.initial(), 0, "NIL", "NIL"
    while True:
        rest = f"{turn} {last} {percepts}" if numbered else percepts
        if machine.terminal(state):
            assert player.answer(f"(STOP m1 {rest})") == "done"
            return
        last = player.answer(f"(PLAY m1 {rest})")
        assert last.lower() in machine.legal(state, role)
        joint = [
            last.lower() if each == role else draw.choice(sorted(machine.legal(state, each))) for each in machine.roles
        ]
        seen = machine.percepts(state, joint, role)
        percepts = f"({' '.join(draw.sample(seen, len(seen)))} )".upper() if seen else none
        state, turn = machine.next(state, joint), turn + 1


@pytest.mark.parametrize("policy", ["agent", "random", "legal"])
@pytest.mark.parametrize("none", ["()", "NIL"])
def test_plain_messages(make: MakePlayer, policy: str, none: str, caplog: pytest.LogCaptureFixture) -> None:
    clock = 2.0 if policy == "agent" else 20.0  # the agent uses its whole clock
    play_to_the_end(begin(make(policy), play_clock=clock), KUHN, "first", numbered=False, none=none)
    assert "no state explains" not in caplog.text
    sheet = rules("blind_tic_tac_toe")
    play_to_the_end(begin(make(policy), sheet, "o", clock / 8), sheet, "o", numbered=False, none=none)


def test_the_configuration_counts(make: MakePlayer, logged: Logged) -> None:
    config = SearchConfig.from_toml("playout.limit = 9\nhidden.method = 'determinised'\nhidden.learned = false")
    policy = HiddenPolicy(1, config)
    policy.prepare(NetworkMachine(parse_sheet(KUHN)), "first")
    policy.restart()
    assert policy._searcher is not None and policy._searcher.method == "determinised"
    player = begin(make("agent", config=config))
    assert player.answer("(PLAY m1 0 NIL NIL)") == "NOOP"
    assert player.answer("(PLAY m1 1 NOOP ((DEALT KING)))") in ("BET", "PASS")
    assert logged("these keys have no effect: playout.limit, hidden.learned")


def test_the_number_of_particles_counts() -> None:
    sizes = []
    for particles in (20, 2000):
        policy = HiddenPolicy(1, SearchConfig.from_toml(f"hidden.particles = {particles}"))
        policy.prepare(NetworkMachine(parse_sheet(rules("blind_breakthrough"))), "black")
        belief = policy.restart()
        for _ in range(4):
            policy.observe(belief.moves()[0][0], [], seconds=10)
        sizes.append(belief.size)
    assert sizes[0] <= 40 < sizes[1]


def test_the_reported_move_is_believed(make: MakePlayer, logged: Logged) -> None:
    player = begin(make("legal"))
    player.answer("(PLAY m1 0 NIL NIL)")
    assert player.answer("(PLAY m1 1 NOOP ((DEALT QUEEN)))") == "BET"
    assert player.answer("(PLAY m1 2 PASS NIL)") == "NOOP"
    assert logged("turn 1: the game manager made PASS instead of our move BET")
    assert player.answer("(PLAY m1 3 NOOP ((DID SECOND BET)))") == "BET"


@pytest.mark.parametrize("policy", ["agent", "legal"])
@pytest.mark.parametrize(
    ("percepts", "line"),
    [
        ("((CARD 77))", "turn 1: no "),
        ("((DEALT KING) (X ?y))", ""),
        ("((DID SECOND BET))", "turn 1: no state explains the percepts"),
        ("((DEALT KING) (DEALT QUEEN))", "turn 1: no state explains the percepts"),
    ],
)
def test_wrong_percepts(make: MakePlayer, policy: str, percepts: str, line: str, logged: Logged) -> None:
    player = begin(make(policy))
    assert player.answer("(PLAY m1 0 NIL NIL)") == "NOOP"
    assert player.answer(f"(PLAY m1 1 NOOP {percepts})") in ("BET", "PASS")
    assert logged(line)


@pytest.mark.parametrize("policy", ["agent", "legal"])
def test_lost_turns(make: MakePlayer, policy: str, caplog: pytest.LogCaptureFixture) -> None:
    player = begin(make(policy))
    assert player.answer("(PLAY m1 0 NIL NIL)") == "NOOP"
    assert player.answer("(PLAY m1 3 NOOP ((DID SECOND BET)))") in ("BET", "PASS")
    assert "PLAY of turn 2 was lost" in caplog.text and "PLAY of turn 3 was lost" in caplog.text
    assert player.answer("(PLAY m1 5000 NOOP NIL)") == "nil"


@pytest.mark.parametrize("policy", ["agent", "legal"])
def test_a_manager_that_sends_joint_moves(
    make: MakePlayer, policy: str, caplog: pytest.LogCaptureFixture, logged: Logged
) -> None:
    player = begin(make(policy), role="second")
    assert player.answer("( PLAY m1 NIL )") == "NOOP"
    assert player.answer("( PLAY m1 (noop noop (deal king jack)) )") == "NOOP"
    assert logged("sends joint moves (GDL-I); only the percepts of SECOND are used")
    answer = player.answer("( PLAY m1 (bet noop noop) )")
    assert answer in ("BET", "PASS")
    assert player.answer(f"( STOP m1 (noop {answer} noop) )") == "done"
    assert caplog.text.count("sends joint moves") == 1 and "no state explains" not in caplog.text


def test_findings_during_the_search(make: MakePlayer) -> None:
    player = begin(make("agent"), rules("blind_tic_tac_toe"), role="x", play_clock=60)  # too large to be solved
    thread = threading.Thread(target=player.answer, args=("(PLAY m1 0 NIL NIL)",))
    thread.start()
    wait_for(lambda: re.search(r"\(thinking \(\(move .*\(simulations ", player.answer("(INFO)")))
    assert player.answer("( ABORT m1 )") == "aborted"
    thread.join()


def test_small_games_are_solved(make: MakePlayer) -> None:
    """The answer is found long before the deadline."""
    player = begin(make("agent"), play_clock=60)
    started = time.monotonic()
    assert player.answer("(PLAY m1 0 NIL NIL)") == "NOOP"
    assert player.answer("(PLAY m1 1 NOOP ((DEALT QUEEN)))") in ("PASS", "BET")
    assert time.monotonic() - started < 40


def test_a_restarted_player_continues(make: MakePlayer, tmp_path: Path) -> None:
    start = Start("m1", "FIRST", KUHN.upper(), 5, 1)
    for played in (1, 2, 3):
        journal = Journal(tmp_path / str(played)).of(start)
        journal.start(start)
        for number, (percepts, last, answer) in enumerate(
            [(None, None, "NOOP"), (("(DEALT JACK)",), "NOOP", "PASS"), ((), "PASS", "NOOP")][:played]
        ):
            journal.turn(number, percepts, last)
            journal.answer(number, answer)
        player = make("agent", journal=Journal(tmp_path / str(played)))
        player.resume()
        messages = ["0 NIL NIL", "1 NOOP ((DEALT JACK))", "2 PASS NIL", "3 NOOP ((DID SECOND BET))"]
        replies = [player.answer(f"(PLAY m1 {text})") for text in messages[played - 1 :]]
        assert replies[-1] in ("BET", "PASS") and replies[0] == ("NOOP", "PASS", "NOOP")[played - 1]
        player.close()


@pytest.mark.parametrize("policy", ["agent", "legal"])
def test_a_match_process_that_crashes_is_replaced(
    make: MakePlayer, policy: str, caplog: pytest.LogCaptureFixture
) -> None:
    player = begin(make(policy), play_clock=3)
    player.answer("(PLAY m1 0 NIL NIL)")
    player.answer("(PLAY m1 1 NOOP ((DEALT JACK)))")
    (process,) = player._matches["m1"].processes()
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    assert player.answer("(PLAY m1 2 PASS NIL)") == "NOOP"
    assert player.answer("(PLAY m1 3 NOOP ((DID SECOND BET)))") in ("BET", "PASS")
    assert "the match process ended early" in caplog.text and "no state explains" not in caplog.text


def test_the_first_turn_of_plain_messages_after_a_restart() -> None:
    history = PerceptHistory()
    assert history.repeated(Play("m", None), restarted=True) is None
    first = history.add(None, Deadline(1))
    assert history.repeated(Play("m", None), restarted=False) is first
    first.settle(lambda: "noop")
    assert history.repeated(Play("m", None), restarted=True) is first
    assert history.repeated(Play("m", None), restarted=False) is None, "NIL: no percepts in the second turn"
    second = history.add(("(A 1)", "b"), Deadline(1))
    assert history.repeated(Play("m", ("B", "(a 1)", "b")), restarted=False) is second
    second.settle(lambda: "noop")
    assert history.repeated(Play("m", ("B", "(a 1)")), restarted=False) is None


def test_a_manager_that_counts_turns_from_one() -> None:
    history = PerceptHistory()
    assert history.lost_turns(Play("m", None, 1)) == 0
    first = history.add(None, Deadline(1))
    assert history.repeated(Play("m", None, 1), restarted=False) is first
    assert history.lost_turns(Play("m", ("a",), 2, "x")) == 0
    assert history.lost_turns(Play("m", ("a",), 4, "x")) == 2
    with pytest.raises(ProtocolError, match="PLAY of turn 99999, but 1 turns are known"):
        history.lost_turns(Play("m", (), 99_999, "x"))


# ---- games whose roles see all moves


@pytest.mark.parametrize("numbered", [True, False])
@pytest.mark.parametrize("policy", ["agent", "legal"])
def test_joint_moves_are_found_from_percepts(
    make: MakePlayer, policy: str, numbered: bool, caplog: pytest.LogCaptureFixture, logged: Logged
) -> None:
    caplog.set_level(logging.INFO)
    player = begin(make(policy), SEEN_NIM, "second", 0.5)
    play_to_the_end(player, SEEN_NIM, "second", numbered=numbered)
    assert logged("terminal state, goals:")
    assert "non-terminal" not in caplog.text and "no joint move" not in caplog.text


def test_joint_moves_in_messages_of_a_game_whose_roles_see_all(make: MakePlayer) -> None:
    player = begin(make("legal"), SEEN_NIM, "first")
    assert player.answer("( PLAY m1 NIL )") == "(TAKE 1)"
    assert player.answer("( PLAY m1 ((take 1) noop) )") == "NOOP"
    assert player.answer("(PLAY m1 ((DID FIRST NOOP) (DID SECOND (TAKE 1)) ))") == "(TAKE 1)"


def test_a_lost_turn_in_a_game_whose_roles_see_all(make: MakePlayer, logged: Logged) -> None:
    player = begin(make("legal"), SEEN_NIM, "first")
    assert player.answer("(PLAY m1 0 NIL NIL)") == "(TAKE 1)"
    assert player.answer("(PLAY m1 2 NOOP ((DID FIRST NOOP) (DID SECOND (TAKE 1))))") == "(TAKE 1)"
    assert logged("turn 2: a turn was missed; assumed joint move:")


def test_percepts_without_rules_for_them_are_refused(make: MakePlayer, caplog: pytest.LogCaptureFixture) -> None:
    player = begin(make("legal"), NIM, "first")
    assert player.answer("(PLAY m1 0 NIL NIL)") == "nil"
    assert "the rules have no percepts" in caplog.text
    assert player.answer("( PLAY m1 NIL )") == "(TAKE 1)"

"""The player within its clocks: slow machines, endless searches, impatient and silent managers."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence

import pytest
from small_games import COUNTING, NIM

from gdl import ReferenceMachine, RuleSheet, State, StateMachine, StopFlag
from ggp_agent.clocks import Deadline
from ggp_agent.player import Player
from ggp_agent.player_match import Load
from ggp_agent.policies import Policy, make_policy
from ggp_agent.protocol import Thoughts, parse_presence


class Thinker(Policy):
    """Think until stopped or, if obedient, until the deadline; always like the last legal move best."""

    species = "thinker"
    thinks = True

    def __init__(self, *, obedient: bool = True, seconds: float | None = None) -> None:
        self._obedient = obedient
        self._seconds = seconds
        self._stopped = threading.Event()
        self._thinking = threading.Event()
        self._machine: StateMachine
        self._state: State
        self._role = ""

    def pick(self, legal: Sequence[str]) -> str:
        return min(legal)

    def prepare(self, machine: StateMachine, role: str) -> None:
        self._machine, self._state, self._role = machine, machine.initial(), role

    def advance(self, state: State, moves: Sequence[str]) -> None:
        self._state = state

    def think(self, deadline: Deadline) -> str | None:
        self._stopped.clear()
        self._thinking.set()
        left = deadline.left() if self._obedient else 60
        self._stopped.wait(left if self._seconds is None else min(left, self._seconds))
        self._thinking.clear()
        return max(self._machine.legal(self._state, self._role))

    def stop(self) -> None:
        self._stopped.set()

    def thoughts(self) -> Thoughts | None:
        if not self._thinking.is_set():
            return None
        return Thoughts(max(self._machine.legal(self._state, self._role)), 53.0, 1200)


def start(rules: str, role: str, startclock: float = 2, playclock: float = 2, match: str = "m.1") -> str:
    return f"( START {match} {role} ({rules}) {startclock} {playclock} )"


def timed(answer: Callable[[], str]) -> tuple[str, float]:
    began = time.monotonic()
    return answer(), time.monotonic() - began


def test_thinks_until_shortly_before_the_clock_ends() -> None:
    player = Player("p", Thinker)
    assert player.answer(start(NIM, "first", playclock=1)) == "ready"
    move, seconds = timed(lambda: player.answer("( PLAY m.1 NIL )"))
    assert move == "(take 2)"
    assert 0.7 < seconds < 0.95
    player.close()


def test_endless_thinking_costs_no_more_than_the_clock() -> None:
    player = Player("p", lambda: Thinker(obedient=False))
    assert player.answer(start(NIM, "first", playclock=0.5)) == "ready"
    move, seconds = timed(lambda: player.answer("( PLAY m.1 NIL )"))
    assert move == "(take 2)"  # its favourite so far
    assert 0.3 < seconds < 0.5
    assert player.answer("( PLAY m.1 ((take 2) noop) )") == "noop"  # and it can think on
    move, seconds = timed(lambda: player.answer("( PLAY m.1 (noop (take 1)) )"))
    assert move == "(take 2)"
    player.close()


def test_the_only_legal_move_is_played_at_once() -> None:
    player = Player("p", lambda: Thinker(obedient=False))
    player.answer(start(NIM, "second", playclock=5))
    move, seconds = timed(lambda: player.answer("( PLAY m.1 NIL )"))
    assert move == "noop"
    assert seconds < 0.5
    player.close()


def slow(seconds: float) -> Load:
    def load(sheet: RuleSheet, stop: StopFlag, limit: float) -> StateMachine:
        time.sleep(seconds)
        return ReferenceMachine(sheet)

    return load


def test_machine_is_built_beyond_the_startclock() -> None:
    player = Player("p", Thinker, load=slow(1.5))
    reply, seconds = timed(lambda: player.answer(start(NIM, "first", 0.5, 0.5)))
    assert reply == "ready"
    assert 0.3 < seconds < 0.5
    move, seconds = timed(lambda: player.answer("( PLAY m.1 NIL )"))
    assert move == "(take 1)"  # a legal move that nobody thought about
    assert seconds < 0.5
    time.sleep(1)
    assert player.answer("( PLAY m.1 ((take 1) noop) )") == "noop"
    assert player.answer("( PLAY m.1 (noop (take 1)) )") == "(take 2)"  # thought about: the machine caught up
    player.close()


def broken(sheet: RuleSheet, stop: StopFlag, limit: float) -> StateMachine:
    raise MemoryError("too many gates")


def test_plays_on_the_reference_when_the_machine_cannot_be_built(caplog: pytest.LogCaptureFixture) -> None:
    player = Player("p", Thinker, load=broken)
    reply, seconds = timed(lambda: player.answer(start(NIM, "first")))
    assert reply == "ready"
    assert seconds < 1
    assert player.answer("( PLAY m.1 NIL )") == "(take 1)"
    assert "too many gates" in caplog.text
    player.close()


class FragileMachine(ReferenceMachine):
    """Break down in the second turn."""

    def next(self, state: State, moves: Sequence[str]) -> State:
        raise RuntimeError("a wire is broken")


def test_plays_on_when_the_machine_breaks_down() -> None:
    player = Player("p", lambda: Thinker(seconds=0), load=lambda sheet, stop, limit: FragileMachine(sheet))
    player.answer(start(NIM, "first"))
    assert player.answer("( PLAY m.1 NIL )") == "(take 2)"
    assert player.answer("( PLAY m.1 ((take 2) noop) )") == "noop"
    assert player.answer("( PLAY m.1 (noop (take 1)) )") == "(take 1)"  # of two matches, so the history is known
    player.close()


def test_info_and_abort_are_answered_while_it_thinks() -> None:
    player = Player("p", lambda: Thinker(obedient=False))
    player.answer(start(NIM, "first", playclock=30))
    replies: list[str] = []
    playing = threading.Thread(target=lambda: replies.append(player.answer("( PLAY m.1 NIL )")))
    playing.start()
    time.sleep(0.2)
    info, seconds = timed(lambda: player.answer("( INFO )"))
    assert seconds < 0.2
    presence = parse_presence(info)
    assert (presence.status, presence.thoughts) == ("busy", Thoughts("(take 2)", 53.0, 1200))
    reply, seconds = timed(lambda: player.answer("( ABORT m.1 )"))
    assert reply == "aborted"
    playing.join(1)
    assert replies == ["(take 2)"]
    assert parse_presence(player.answer("( INFO )")).status == "available"


def test_play_repeated_meanwhile_and_afterwards_gets_the_same_move() -> None:
    player = Player("p", lambda: Thinker(seconds=0.3))
    player.answer(start(NIM, "first"))
    replies: list[str] = []
    threads = [threading.Thread(target=lambda: replies.append(player.answer("( PLAY m.1 NIL )"))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert replies == ["(take 2)"] * 3
    assert player.answer("( PLAY m.1 ((take 2) noop) )") == "noop"
    again, seconds = timed(lambda: player.answer("( PLAY m.1 ((TAKE 2) noop) )"))
    assert again == "noop"
    assert seconds < 0.2
    assert player.answer("( PLAY m.1 (noop (take 1)) )") == "(take 2)"
    player.close()


def test_equal_joint_moves_are_turns_of_their_own() -> None:
    player = Player("p", lambda: make_policy("legal"))
    player.answer(start(COUNTING, "left"))
    assert player.answer("( PLAY m.1 NIL )") == "(Wave 0)"
    assert player.answer("( PLAY m.1 ((wave 0) wait) )") == "(Wave 1)"
    assert player.answer("( PLAY m.1 (wait wait) )") == "(Wave 2)"  # our move was replaced by the manager
    assert player.answer("( PLAY m.1 (wait wait) )") == "(Wave 2)"  # comes again
    player.close()

    class Waiting(Policy):
        species = "waiting"

        def pick(self, legal: Sequence[str]) -> str:
            return "wait" if len(legal) > 1 else legal[0]

    waiting = Player("p", Waiting)
    waiting.answer(start(COUNTING, "left"))
    for moves in ("NIL", "(wait wait)", "(wait wait)", "(wait wait)"):
        assert waiting.answer(f"( PLAY m.1 {moves} )") == "wait"
    waiting.close()


def test_reply_has_the_spelling_that_was_received() -> None:
    player = Player("p", lambda: make_policy("legal"))
    assert player.answer(start(NIM.upper(), "First")) == "ready"
    assert player.answer("( play M.1 nil )") == "(TAKE 1)"
    assert player.answer("( play m.1 ((Take 1) Noop) )") == "NOOP"
    player.close()


def test_joint_moves_that_cannot_be_made_are_answered_with_a_legal_move(caplog: pytest.LogCaptureFixture) -> None:
    player = Player("p", lambda: make_policy("legal"))
    player.answer(start(NIM, "first"))
    assert player.answer("( PLAY m.1 NIL )") == "(take 1)"
    assert player.answer("( PLAY m.1 (noop noop noop) )") == "(take 1)"
    assert "3 moves for 2 roles" in caplog.text
    assert player.answer("( PLAY m.1 ((?x) noop) )") == "(take 1)"
    player.close()


def test_silent_manager_loses_its_match() -> None:
    player = Player("p", lambda: make_policy("legal"), silence=-1.5)
    player.answer(start(NIM, "first", 1, 1))
    assert player.answer(start(NIM, "first", 1, 1, "m.2")) == "busy"
    time.sleep(0.6)
    assert parse_presence(player.answer("( INFO )")).status == "available"
    assert player.answer("( PLAY m.1 NIL )") == "busy"
    assert player.answer(start(NIM, "first", 1, 1, "m.2")) == "ready"
    player.close()


def test_equal_seeds_play_equally() -> None:
    def moves(seed: int) -> list[str]:
        player = Player("p", lambda: make_policy("random", seed))
        played = []
        for match in range(12):
            player.answer(start(NIM, "first", match=f"m.{match}"))
            played.append(player.answer(f"( PLAY m.{match} NIL )"))
            player.answer(f"( PLAY m.{match} ((take 1) noop) )")
            played.append(player.answer(f"( PLAY m.{match} (noop (take 1)) )"))
            player.answer(f"( ABORT m.{match} )")
        return played

    assert moves(1) == moves(1)
    assert len({tuple(moves(seed)) for seed in range(8)}) > 1


def test_goals_are_logged_at_the_end(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    player = Player("p", lambda: make_policy("legal"))
    player.answer(start("(role r) (init a) (legal r go) (<= (next b) (does r go)) "
                        "(<= terminal (true b)) (<= (goal r 70) (true b))", "r"))  # fmt: skip
    assert player.answer("( PLAY m.1 NIL )") == "go"
    assert player.answer("( STOP m.1 go )") == "done"
    until = time.monotonic() + 5
    while "goals" not in caplog.text and time.monotonic() < until:
        time.sleep(0.01)
    assert "terminal state, goals: r 70" in caplog.text

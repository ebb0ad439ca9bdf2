"""A match within its clocks: slow machines, endless searches, invalid joint moves."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from exploding_sheets import compilers
from small_games import NIM
from waiting import timed, wait_for

from gdl import MachineState, ReferenceMachine, RuleSheet, StateMachine, StopFlag, load_machine, parse_sheet
from gdl.compile import compiler_process
from ggp_agent.player.match import player_match
from ggp_agent.player.match.follower import MatchRules, missed_turn
from ggp_agent.player.match.player_match import Load, MatchSettings, PlayerMatch
from ggp_agent.player.policy.policies import Policy
from ggp_agent.protocol.clocks import Deadline
from ggp_agent.protocol.messages import Start, Thoughts


class Thinker(Policy):
    """Search until stopped or, if obedient, until the deadline; the last legal move is always the best."""

    def __init__(self, *, obedient: bool = True, seconds: float | None = None) -> None:
        self._obedient = obedient
        self._seconds = seconds
        self._stopped = threading.Event()
        self._thinking = threading.Event()
        self._machine: StateMachine
        self._state: MachineState
        self._role = ""
        self.left = 0.0

    def prepare(self, machine: StateMachine, role: str) -> None:
        self._machine, self._state, self._role = machine, machine.initial(), role

    def advance(self, state: MachineState, moves: Sequence[str]) -> None:
        self._state = state

    def think(self, deadline: Deadline) -> str | None:
        self._stopped.clear()
        self._thinking.set()
        self.left = deadline.left()
        left = self.left if self._obedient else 60
        self._stopped.wait(left if self._seconds is None else min(left, self._seconds))
        self._thinking.clear()
        return max(self._machine.legal(self._state, self._role))

    def stop(self) -> None:
        self._stopped.set()

    def thoughts(self) -> Thoughts | None:
        if not self._thinking.is_set():
            return None
        return Thoughts(max(self._machine.legal(self._state, self._role)), 53.0, 1200)


def settings(policy: Policy | None, load: Load) -> MatchSettings:
    """Return the settings of a match; None picks the first legal move."""
    return MatchSettings(min, load, None if policy is None else lambda machine: policy)


def build(sheet: RuleSheet, stop: StopFlag) -> StateMachine:
    return load_machine(sheet, stop=stop)


Begin = Callable[..., PlayerMatch]


@pytest.fixture
def begin() -> Iterator[Begin]:
    """Begin a match; all end with the test."""
    matches = []

    def begin(
        policy: Policy | None,
        rules: str = NIM,
        role: str = "first",
        clocks: tuple[float, float] = (60, 2),
        load: Load = build,
    ) -> PlayerMatch:
        match = PlayerMatch(Start("m.1", role, rules, *clocks), time.monotonic(), settings(policy, load))
        matches.append(match)
        assert match.begin() == "ready"
        return match

    yield begin
    for match in matches:
        match.close()


def play(match: PlayerMatch, *moves: str) -> str:
    return match.play(moves or None, time.monotonic())


def test_thinks_until_shortly_before_the_clock_ends(begin: Begin) -> None:
    thinker = Thinker()
    match = begin(thinker, clocks=(60, 1))
    move, seconds = timed(lambda: play(match))
    assert move == "(take 2)"
    assert seconds > 0.7 and thinker.left < 0.95


@pytest.mark.parametrize(
    ("clock", "margin", "left"), [(10.0, 0.15, 0.15), (0.5, 0.15, 0.125), (10.0, 1.0, 1.0), (2.0, 1.0, 0.5)]
)
def test_the_margin_is_at_most_a_quarter_of_the_clock(clock: float, margin: float, left: float) -> None:
    match = PlayerMatch(Start("m.1", "first", NIM, 5, clock), 0.0, MatchSettings(min, None, margin=margin))
    assert match.enter(None, 1000.0).deadline.at == 1000.0 + clock - left


def test_an_endless_search_does_not_exceed_the_clock(begin: Begin, caplog: pytest.LogCaptureFixture) -> None:
    match = begin(Thinker(obedient=False), clocks=(60, 0.5))
    move, seconds = timed(lambda: play(match))
    assert move == "(take 2)"  # the best move so far
    assert 0.3 < seconds < 30  # the search takes 60 s
    assert "turn 1: no decision in time" in caplog.messages
    assert play(match, "(take 2)", "noop") == "noop"  # the search continues
    assert play(match, "noop", "(take 1)") == "(take 2)"


def test_the_only_legal_move_is_played_at_once(begin: Begin) -> None:
    match = begin(Thinker(obedient=False), role="second", clocks=(60, 60))
    move, seconds = timed(lambda: play(match))
    assert move == "noop"
    assert seconds < 30


def test_machine_is_built_beyond_the_startclock(begin: Begin) -> None:
    may_load = threading.Event()

    def load(sheet: RuleSheet, stop: StopFlag) -> StateMachine:
        may_load.wait()
        return ReferenceMachine(sheet)

    began = time.monotonic()
    match = begin(Thinker(), clocks=(0.5, 0.5), load=load)
    assert time.monotonic() - began > 0.3
    assert play(match) == "(take 1)"  # a legal move without a search
    may_load.set()
    wait_for(lambda: match._reference is None)
    assert play(match, "(take 1)", "noop") == "noop"
    assert play(match, "noop", "(take 1)") == "(take 2)"  # found by the search: the machine has caught up


def test_a_network_that_comes_after_the_startclock_plays_on_and_is_kept(
    begin: Begin, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GGP_AGENT_CACHE", str(tmp_path / "cache"))
    stopped = "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)\n"
    monkeypatch.setattr(compiler_process, "_CHILD", stopped + compiler_process._CHILD)
    match = begin(Thinker(seconds=0), clocks=(0.5, 1))
    assert play(match) == "(take 1)"  # a legal move without a search
    (compiler,) = wait_for(compilers)
    wait_for(lambda: Path(f"/proc/{compiler}/stat").read_text().rpartition(")")[2].split()[0] == "T")
    os.kill(compiler, signal.SIGCONT)
    wait_for(lambda: match._reference is None)
    assert [path.suffix for path in (tmp_path / "cache").iterdir()] == [".network"]
    assert play(match, "(take 1)", "noop") == "noop"
    assert play(match, "noop", "(take 1)") == "(take 2)"


def broken(sheet: RuleSheet, stop: StopFlag) -> StateMachine:
    raise MemoryError("too many gates")


def test_plays_on_the_reference_when_the_machine_cannot_be_built(
    begin: Begin, caplog: pytest.LogCaptureFixture
) -> None:
    began = time.monotonic()
    match = begin(Thinker(), clocks=(60, 2), load=broken)
    assert time.monotonic() - began < 30
    assert play(match) == "(take 1)"
    assert "too many gates" in caplog.text


class FragileMachine(ReferenceMachine):
    """A machine that fails in the second turn."""

    def next(self, state: MachineState, moves: Sequence[str]) -> MachineState:
        raise RuntimeError("a wire is broken")


def test_plays_on_when_the_machine_fails(begin: Begin) -> None:
    match = begin(Thinker(seconds=0), load=lambda sheet, stop: FragileMachine(sheet))
    assert play(match) == "(take 2)"
    assert play(match, "(take 2)", "noop") == "noop"
    assert play(match, "noop", "(take 1)") == "(take 1)"  # two matches are left, so the history is known


def test_thinking_ends_with_the_match(begin: Begin) -> None:
    match = begin(Thinker(obedient=False), clocks=(60, 60))
    replies: list[str] = []
    playing = threading.Thread(target=lambda: replies.append(play(match)))
    playing.start()
    assert wait_for(match.thoughts) == (0, Thoughts("(take 2)", 53.0, 1200))
    match.close()
    playing.join(30)
    assert replies == ["(take 2)"]


def test_turns_answered_before_are_followed(begin: Begin) -> None:
    match = begin(Thinker(seconds=0))
    match.enter(None, 0.0, answer="(take 2)")
    match.enter(("(take 2)", "noop"), 0.0, answer="noop")
    assert play(match, "noop", "(take 1)") == "(take 2)"  # two are left


def test_the_search_for_a_turn_settled_from_outside_ends(begin: Begin) -> None:
    match = begin(Thinker(obedient=False), clocks=(60, 60))
    replies: list[str] = []
    playing = threading.Thread(target=lambda: replies.append(play(match)))
    playing.start()
    wait_for(match.thoughts)
    match.settle(0, "(take 1)")
    playing.join(30)
    assert replies == ["(take 1)"]
    wait_for(lambda: match.thoughts() is None)


@pytest.mark.parametrize(
    ("received", "role", "answer", "missed"),
    [
        ("(take 2)", "first", "", "(take 1)"),
        ("(take 1)", "second", "(take 2)", "(take 2)"),
        ("(take 2)", "second", "(take 2)", "(take 1)"),
        ("(take 9)", "first", "noop", None),
    ],
)
def test_the_missed_joint_move_makes_the_next_one_legal(received: str, role: str, answer: str, missed: str) -> None:
    machine = ReferenceMachine(parse_sheet(NIM))
    state = machine.next(machine.initial(), ["(take 2)", "noop"])  # three are left, second to move
    match = MatchRules(parse_sheet(NIM), role)
    match.adopt(machine)
    found = missed_turn(
        machine, state, role, answer, lambda after: match.joint_move(machine, after, (received, "noop"))
    )
    assert found == (None if missed is None else (("noop", missed), [received, "noop"]))


def test_on_a_short_startclock_the_reference_interpreter_is_not_disturbed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Building the fast machine, which needs the processor, begins when legal moves are known."""
    monkeypatch.setattr(player_match, "_HEAD_START_SECONDS", 60.0)
    known, loading = threading.Event(), threading.Event()

    for start_clock, waits in ((0.3, True), (20.0, False)):
        known.clear()
        loading.clear()
        disturbed: list[bool] = []

        class SlowReference(ReferenceMachine):
            def __init__(self, sheet: RuleSheet, seconds: float = 0.1 if waits else 60) -> None:
                loading.wait(seconds)
                super().__init__(sheet)
                known.set()

        def load(sheet: RuleSheet, stop: StopFlag, disturbed: list[bool] = disturbed) -> StateMachine:
            disturbed.append(not known.is_set())
            loading.set()
            return ReferenceMachine(sheet)

        monkeypatch.setattr(player_match, "ReferenceMachine", SlowReference)
        start = Start("m.1", "first", NIM, start_clock, 5)
        match = PlayerMatch(start, time.monotonic(), settings(Thinker(), load))
        match.open()
        wait_for(lambda disturbed=disturbed: disturbed)  # type: ignore[misc]
        assert disturbed == [not waits]
        match.close()

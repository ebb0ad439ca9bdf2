"""Strategies of compiling: the strategy of a game, its limits, and that choosing ends."""

from __future__ import annotations

import os
import resource
import signal
import threading
from pathlib import Path

import pytest
from exploding_sheets import EXPLODING, GOALS, JOIN, compilers
from quick import few
from waiting import wait_for

from gdl import (
    CompiledMachine,
    CompilerLimits,
    GdlLimitError,
    GdlRuleError,
    ReferenceMachine,
    choose_machine,
    parse_sheet,
)
from gdl._simulation import random_playouts
from gdl._simulator import StopFlag
from gdl.compile.cache import Attempt, Cache
from gdl.compile.compiler_process import Outcome
from gdl.machines import choose
from gdl.machines.choose import GoalsOnDemandMachine, to_asp_without_goals
from kif_games import rules

NO_CACHE = Cache(None)
TEXT = rules("tic_tac_toe")

# Without magic sets its ground program has a sum of any two numbers below 60 for each third number.
SUMS = (
    "(role r) (init (at 1)) (<= (sum ?a 0 ?a) (number ?a))"
    " (<= (sum ?a ?b ?c) (after ?d ?b) (after ?e ?c) (sum ?a ?d ?e))"
    " (<= (three ?a ?b ?c ?d) (sum ?a ?b ?e) (sum ?e ?c ?d)) (<= (legal r (add ?y)) (true (at ?x)) (three ?x 1 2 ?y))"
    " (legal r stay) (<= (next (at ?y)) (does r (add ?y))) (<= (next (at ?x)) (true (at ?x)) (does r stay))"
    " (<= terminal (true (at 55))) (goal r 50)" + "".join(f" (number {n}) (after {n} {n + 1})" for n in range(60))
)


def play(machine: CompiledMachine, turns: int = 12) -> int:
    """Play first moves; return the number of turns to the end."""
    state, turn = machine.initial(), 0
    while not machine.terminal(state):
        moves = [machine.legal(state, role)[0] for role in machine.roles]
        state = machine.next(state, moves)
        turn += 1
        assert turn <= turns
    return turn


@pytest.mark.parametrize("name", few(sorted(EXPLODING), 1))
@pytest.mark.parametrize(
    ("limits", "outcome"),
    [
        (CompilerLimits(max_rules=20_000), Outcome.SIZE),
        (CompilerLimits(seconds=0.3, max_rules=10**9), Outcome.TIME),
        (CompilerLimits(memory_mb=60, max_rules=10**9), Outcome.MEMORY),
    ],
)
def test_games_that_explode_are_played_by_the_reasoner(name: str, limits: CompilerLimits, outcome: Outcome) -> None:
    choice = choose_machine(parse_sheet(EXPLODING[name]), limits=limits, cache=NO_CACHE)
    assert (choice.machine.kind, choice.strategy) == ("reasoner", "reasoner")
    assert [attempt.strategy for attempt in choice.attempts] == ["split", "magic", "goals on demand"]
    assert {attempt.outcome for attempt in choice.attempts} == {outcome}
    # The peak that the system reports includes the memory of the parent at the start of the process.
    bound = max(limits.memory_mb, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    assert all(attempt.reason and attempt.peak_mb <= bound for attempt in choice.attempts)
    assert 5 < play(choice.machine) < 10
    if name == "join":  # one game is enough for this
        with pytest.raises(GdlLimitError, match=r"^game\.kif: "):
            choose_machine(parse_sheet(EXPLODING[name], source="game.kif"), limits=limits, cache=NO_CACHE, last=None)


def test_magic_sets_are_the_second_strategy() -> None:
    limits = CompilerLimits(max_rules=3_000)
    choice = choose_machine(parse_sheet(SUMS), limits=limits, cache=NO_CACHE)
    assert (choice.machine.kind, choice.strategy) == ("network", "magic")
    assert [(attempt.strategy, attempt.outcome) for attempt in choice.attempts] == [
        ("split", Outcome.SIZE),
        ("magic", Outcome.NETWORK),
    ]
    machine = choice.machine
    assert set(machine.legal(machine.initial(), "r")) == {"(add 4)", "stay"}
    assert play(machine, 60) == 18


def test_goals_are_evaluated_on_demand_where_only_they_explode(tmp_path: Path) -> None:
    limits, sheet, cache = CompilerLimits(max_rules=20_000), parse_sheet(GOALS), Cache(tmp_path)
    fresh, cached = (choose_machine(sheet, limits=limits, cache=cache) for _ in range(2))
    assert [attempt.strategy for attempt in fresh.attempts] == ["split", "magic", "goals on demand"]
    assert (fresh.cached, cached.cached) == (False, True)
    reference = ReferenceMachine(sheet)
    for choice in fresh, cached:
        machine = choice.machine
        assert (machine.kind, choice.strategy) == ("network", "goals on demand")
        state, known = machine.initial(), reference.initial()
        for move in ["wait", "(turn 6)", "wait", "wait"]:
            assert machine.fluents(state) == reference.fluents(known)
            assert machine.goals(state, "r") == reference.goals(known, "r")
            assert sorted(machine.legal(state, "r")) == sorted(reference.legal(known, "r"))
            state, known = machine.next(state, [move]), reference.next(known, [move])
        playouts, _, _, _, goals = random_playouts(machine.simulator(64), 0.05, 1, StopFlag())
        assert playouts > 0 and 0 <= goals[0] <= 100 * playouts


def test_goals_on_which_play_depends_are_kept() -> None:
    text = (
        "(role r) (init x) (legal r go) (<= (next y) (goal r 100)) (<= (goal r 100) (true x)) (<= terminal (goal r 0))"
    )
    program = to_asp_without_goals(parse_sheet(text))
    assert "goal(" not in program.text and "goal on demand" in program.constants
    machine = GoalsOnDemandMachine(parse_sheet(text + " (<= (goal r 0) (true y))"))
    state = machine.next(machine.initial(), ["go"])
    assert (machine.fluents(state), machine.terminal(state), machine.goals(state, "r")) == (["y"], True, [0])


def test_plain_rules_are_kept_where_they_give_a_much_smaller_network(monkeypatch: pytest.MonkeyPatch) -> None:
    sheet = parse_sheet(rules("connect_four"))
    monkeypatch.setattr(choose, "_PLAIN_GATES", 0)
    for gain, strategy in (1e9, "plain"), (0.85, "split"):
        monkeypatch.setattr(choose, "_PLAIN_GAIN", gain)
        choice = choose_machine(sheet, cache=NO_CACHE)
        split, plain = choice.attempts
        assert (split.strategy, plain.strategy, choice.strategy) == ("split", "plain", strategy)
        size = choice.machine.size  # type: ignore[attr-defined]
        assert size.gates == (plain if strategy == "plain" else split).gates
    # The last choice ended the compilation of the plain rules early. Gates of the look-ahead do not count.
    without_look_ahead = next(step.gates for step in size.passes if step.name == "shared")
    assert without_look_ahead < split.gates
    reason = f"the network has more than {int(0.85 * without_look_ahead)} gates"
    assert (plain.outcome, plain.reason) == (Outcome.SIZE, reason)
    monkeypatch.setattr(choose, "_PLAIN_GATES", 1e9)
    assert [attempt.strategy for attempt in choose_machine(sheet, cache=NO_CACHE).attempts] == ["split"]


def test_rules_that_are_not_a_game_are_refused_on_the_first_strategy() -> None:
    with pytest.raises(GdlRuleError, match=r"^game\.kif:1:\d+: .*Odd depends on its own negation through \(not Even\)"):
        text = (
            "(role Me) (init x) (<= (legal Me go) (true x) (not Odd)) (<= Odd (true x) (not Even)) (<= Even (not Odd))"
        )
        choose_machine(parse_sheet(text, source="game.kif"), cache=NO_CACHE)
    with pytest.raises(GdlRuleError, match="initial fluent Y depends on"):
        choose_machine(parse_sheet("(role Me) (legal Me go) (init X) (<= (init Y) (true X))"), cache=NO_CACHE)


def test_a_killed_compiler_leads_to_the_next_strategy(tmp_path: Path) -> None:
    killed: list[int] = []

    def kill() -> None:
        while len(killed) < 3:
            killed.extend(wait_for(lambda: [process for process in compilers() if process not in killed]))
            os.kill(killed[-1], signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    choice = choose_machine(
        parse_sheet(JOIN), limits=CompilerLimits(seconds=100, max_rules=10**9), cache=Cache(tmp_path)
    )
    killer.join()
    assert choice.machine.kind == "reasoner"
    assert [attempt.outcome for attempt in choice.attempts] == [Outcome.LOST] * 3
    assert all("was killed (SIGKILL)" in attempt.reason for attempt in choice.attempts)
    assert list(tmp_path.iterdir()) == []  # this is not evidence about the sheet
    assert play(choice.machine) == 8


def test_the_flag_leads_to_the_reasoner_at_once(tmp_path: Path) -> None:
    stop = StopFlag()
    timer = threading.Timer(0.3, stop.set)
    timer.start()
    limits = CompilerLimits(seconds=100, max_rules=10**9)
    choice = choose_machine(parse_sheet(JOIN), limits=limits, stop=stop, cache=Cache(tmp_path))
    timer.join()
    assert [attempt.outcome for attempt in choice.attempts] == [Outcome.STOPPED]
    assert choice.machine.kind == "reasoner"
    with pytest.raises(GdlLimitError, match="compiling was stopped"):
        choose_machine(parse_sheet(TEXT), stop=stop, cache=Cache(tmp_path), last=None)
    assert list(tmp_path.iterdir()) == []


def test_limits_after_a_program_that_was_too_large_follow_from_it() -> None:
    choice = choose_machine(parse_sheet(JOIN), limits=CompilerLimits(seconds=50, max_rules=60_000), cache=NO_CACHE)
    first, magic, goals = choice.attempts
    assert first.outcome is Outcome.SIZE and choice.strategy == "reasoner"
    assert magic.limits.seconds == max(0.5 * first.cpu_s, 1.0) and magic.limits.max_rules == 20_000
    assert goals.limits.max_rules == 2_000


def test_later_strategies_have_the_remaining_time() -> None:
    choice = choose_machine(parse_sheet(JOIN), limits=CompilerLimits(seconds=10, max_rules=20_000), cache=NO_CACHE)
    first, second, third = choice.attempts
    assert first.limits.seconds == pytest.approx(7.5)
    assert third.limits.seconds == pytest.approx(10 - first.cpu_s - second.cpu_s)


@pytest.mark.parametrize(
    ("outcome", "cpu_s", "settled", "limits", "fails"),
    [
        (Outcome.NETWORK, 1, True, CompilerLimits(1, 1, 1), False),
        (Outcome.SIZE, 1, True, CompilerLimits(99, 9999, 1000), True),
        (Outcome.SIZE, 1, True, CompilerLimits(1, 1, 1001), False),
        (Outcome.MEMORY, 1, True, CompilerLimits(99, 500, 9999), True),
        (Outcome.MEMORY, 1, True, CompilerLimits(1, 501, 1), False),
        (Outcome.TIME, 9, True, CompilerLimits(12, 9999, 9999), True),
        (Outcome.TIME, 9, True, CompilerLimits(13, 1, 1), False),
        (Outcome.TIME, 5, False, CompilerLimits(1, 1, 1), False),
        (Outcome.LOST, 9, False, CompilerLimits(1, 1, 1), False),
        (Outcome.STOPPED, 9, False, CompilerLimits(1, 1, 1), False),
    ],
)
def test_attempts_decide_about_later_attempts(
    outcome: Outcome, cpu_s: float, settled: bool, limits: CompilerLimits, fails: bool
) -> None:
    attempt = Attempt("split", outcome, "why", cpu_s, 100.0, CompilerLimits(10, 500, 1000))
    assert attempt.settled is settled
    assert attempt.fails_within(limits) is fails
    assert Attempt.from_json(attempt.to_json()) == attempt

"""The check during a match: rounds from its states, which may change the configuration and the stored result."""

from __future__ import annotations

import itertools
import logging
import time
from pathlib import Path

import pytest
import small_games

from gdl import CompiledMachine, choose_machine, parse_sheet
from gdl.compile.cache import Cache
from ggp_agent.arena.scores import Score
from ggp_agent.mcts.config import SearchConfig
from ggp_agent.mcts.configurations import read_configuration
from ggp_agent.mcts.searcher import Searcher
from ggp_agent.player.policy import preparing_policy
from ggp_agent.player.policy.preparing_policy import PreparingPolicy
from ggp_agent.prepare import choice as choice_module
from ggp_agent.prepare import preparation
from ggp_agent.prepare.choice import CandidateResult, Choice, ChoiceStore
from ggp_agent.prepare.preparation import InMatchCheck

# Plays almost at random and proves nothing.
AWFUL = "in_flight=1,selection.exploration=1000000000,playout.limit=1,playout.decisive=false,solver.enabled=false"
WON = Score(wins=33, losses=7)
CHOICE = Choice(AWFUL, WON, 5.0, 31.0, (CandidateResult(AWFUL, WON),))
OPENING = ["(take 2)", "noop"]


@pytest.fixture
def nim() -> CompiledMachine:
    """A player that does not look ahead loses, with a heap of 17."""
    return choose_machine(parse_sheet(small_games.nim(17))).machine


def check(machine: CompiledMachine, candidate: str, default: str, jobs: int = 1) -> InMatchCheck:
    return InMatchCheck(machine, read_configuration(candidate), read_configuration(default), jobs=jobs, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_the_better_configuration_is_found_from_a_state_of_the_match(nim: CompiledMachine, jobs: int) -> None:
    state = nim.next(nim.initial(), OPENING)
    worse = check(nim, AWFUL, "default", jobs)
    worse.work(state, 60, lambda: False)
    assert worse.has_verdict and worse.rounds.games >= 8 and worse.rounds.share < 0.2
    better = check(nim, "default", AWFUL, jobs)
    better.work(state, 60, lambda: False)
    assert better.has_verdict and better.rounds.share > 0.8


def test_the_result_names_what_the_candidate_plays_against(nim: CompiledMachine) -> None:
    assert str(check(nim, AWFUL, "default")) == "0 of 0 rounds against the default, with 10 ms a move at last"
    config = SearchConfig()
    other = InMatchCheck(nim, config, config, jobs=1, seed=1, against="playout.policy=rank")
    assert "against playout.policy=rank, with" in str(other)


def test_a_decided_match_gives_no_result(nim: CompiledMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparation, "_ROUNDS_FOR_LONGER_MOVES", 2)
    state = nim.initial()
    for turn in range(16):
        state = nim.next(state, ["(take 1)", "noop"] if turn % 2 == 0 else ["noop", "(take 1)"])
    found = check(nim, AWFUL, "default")
    before, found._plans = found.milliseconds, itertools.islice(found._plans, 2)
    found.work(state, 60, lambda: False)
    assert found.milliseconds == 2 * before and found.rounds == Score() and not found.is_over


@pytest.mark.slow
def test_an_unfinished_round_is_not_counted_and_the_next_call_is_skipped(nim: CompiledMachine) -> None:
    found = check(nim, AWFUL, "default")
    found.work(nim.initial(), 60, lambda: True)
    found.work(nim.initial(), 0.0, lambda: False)  # not even one round
    found.work(nim.initial(), 60, lambda: False)  # left alone
    assert found.rounds == Score()
    found.work(nim.initial(), 60, lambda: False)
    assert found.has_verdict


def test_a_failing_configuration_raises_its_error(nim: CompiledMachine) -> None:
    with pytest.raises(Exception, match="nowhere"):
        check(nim, "evaluation.name=nowhere", "default").work(nim.initial(), 60, lambda: False)


@pytest.mark.slow
def test_a_match_continues_with_the_winner_and_stores_it(
    nim: CompiledMachine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    monkeypatch.setattr(choice_module, "CANDIDATES", (AWFUL,))
    monkeypatch.setattr(preparing_policy, "_CHECK_SHARE", 100.0)
    store = ChoiceStore(Cache(tmp_path))
    store.write(nim, CHOICE)
    policy = PreparingPolicy(1, SearchConfig(threads=1), None, store=store)
    policy.prepare(nim, "first")
    state = nim.next(nim.initial(), OPENING)
    policy.advance(state, OPENING)
    until = time.monotonic() + 1.0
    policy.ponder(lambda: time.monotonic() > until)  # measures the available time
    policy.ponder(lambda: policy._check is None or time.monotonic() > until + 120)
    assert "configuration from now on: default" in caplog.text
    assert isinstance(policy._searcher, Searcher)
    assert policy._searcher.root == state and policy._searcher.config.solver.enabled
    kept = store.read(nim)
    assert kept is not None and kept.is_default and kept.is_settled and kept.rival == AWFUL
    assert "rounds against the default in a match" in str(kept)


def test_only_open_results_are_checked() -> None:
    open_, settled = Score(wins=6, losses=4), Score(wins=40, losses=40)
    assert Choice("default", open_, 5.0, 3.0, (CandidateResult(AWFUL, open_),)).rival == AWFUL
    assert Choice("default", settled, 5.0, 3.0, (CandidateResult(AWFUL, settled),)).rival is None
    assert CHOICE.after(Score(wins=2, losses=9)).word == "default"
    assert CHOICE.after(Score(wins=9, losses=2)).word == AWFUL

"""A player that prepares: stored results, test games in the start clock, and its log."""

from __future__ import annotations

import json
import logging
import re
import time
from pathlib import Path

import pytest
from quick import few
from served import Serve
from small_games import NIM
from waiting import wait_for

from gdl import CompiledMachine, choose_machine, parse_sheet
from gdl.compile.cache import Cache
from ggp_agent.arena.scores import Score
from ggp_agent.cli import main
from ggp_agent.mcts.config import SearchConfig
from ggp_agent.mcts.searcher import Searcher
from ggp_agent.player.policy import preparing_policy
from ggp_agent.player.policy.preparing_policy import PreparingPolicy
from ggp_agent.prepare.choice import CandidateResult, Choice, ChoiceStore
from ggp_agent.protocol.clocks import Deadline
from kif_games import rules

WORD = "playout.policy=rank"
CHOICE = Choice(WORD, Score(wins=33, losses=7), 5.0, 31.0, (CandidateResult(WORD, Score(wins=33, losses=7)),))


@pytest.fixture
def nim() -> CompiledMachine:
    return choose_machine(parse_sheet(NIM)).machine


def searched(policy: PreparingPolicy) -> SearchConfig:
    assert isinstance(policy._searcher, Searcher)
    return policy._searcher.config


class Trials:
    """Replace the test games, which take seconds."""

    def __init__(self, *found: Choice) -> None:
        self.found = list(found)
        self.seconds: list[float] = []

    def __call__(self, machine: object, config: object, *, seconds: float, **settings: object) -> Trials:
        self.seconds.append(seconds)
        return self

    def choose(self) -> Choice:
        return self.found.pop(0)


def begun(policy: PreparingPolicy, machine: CompiledMachine) -> PreparingPolicy:
    policy.prepare(machine, "first")
    calls = iter([False, True, True])
    policy.ponder(lambda: next(calls, True))
    return policy


def test_the_result_of_one_match_is_used_in_the_next(
    nim: CompiledMachine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    store = ChoiceStore(Cache(tmp_path))
    trials = Trials(CHOICE)
    monkeypatch.setattr(preparing_policy, "Preparer", trials)
    policy = begun(PreparingPolicy(1, SearchConfig(memory_mb=64), Deadline(10), store=store), nim)
    assert searched(policy).playout.policy == "rank" and searched(policy).memory_mb == 64
    assert len(trials.seconds) == 1 and trials.seconds[0] < 8  # well before the end of the clock
    assert re.search(r"configuration chosen in \d+\.\d s: playout.policy=rank, which scored 82.5 %", caplog.text)
    assert policy.think(Deadline(0.1)) == "(take 2)"
    caplog.clear()
    again = begun(PreparingPolicy(2, SearchConfig(), Deadline(10), store=store), nim)
    assert searched(again).playout.policy == "rank" and len(trials.seconds) == 1
    assert "configuration chosen before: playout.policy=rank" in caplog.text


@pytest.mark.parametrize(
    ("score", "cpu_seconds", "tried"),
    [
        (Score(wins=6, losses=4), 3.0, 1),  # ten games leave it open, and there is more time now
        (Score(wins=6, losses=4), 1000.0, 0),
        (Score(wins=40, losses=40), 3.0, 0),
    ],
)
def test_an_unsettled_default_is_compared_again_with_more_time(
    score: Score, cpu_seconds: float, tried: int, nim: CompiledMachine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = ChoiceStore(Cache(tmp_path))
    store.write(nim, Choice("default", score, 5.0, cpu_seconds, (CandidateResult(WORD, score),)))
    trials = Trials(CHOICE)
    monkeypatch.setattr(preparing_policy, "Preparer", trials)
    policy = begun(PreparingPolicy(1, SearchConfig(), Deadline(20), store=store), nim)
    assert len(trials.seconds) == tried
    assert searched(policy).playout.policy == ("rank" if tried else "uniform")
    kept = store.read(nim)
    assert kept is not None and kept.is_default == (not tried)


@pytest.mark.parametrize(
    ("config", "until"),
    [
        (SearchConfig(), None),
        (SearchConfig.from_toml("[search]\nprepare = false"), 10.0),
        (SearchConfig.from_toml("[playout]\npolicy = 'nst'"), 10.0),
    ],
)
def test_nothing_is_prepared(
    config: SearchConfig,
    until: float | None,
    nim: CompiledMachine,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    monkeypatch.setattr(preparing_policy, "Preparer", None)  # not to be called
    deadline = None if until is None else Deadline(until)
    policy = begun(PreparingPolicy(1, config, deadline, store=ChoiceStore(Cache(tmp_path))), nim)
    assert searched(policy).playout.policy == config.playout.policy
    assert [line for line in caplog.messages if "configuration" in line] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "word", "policy"), few([("connect_four", "the default", "uniform"), ("knightthrough", WORD, "rank")], 1)
)
def test_a_short_startclock_suffices_for_a_prediction(
    game: str, word: str, policy: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    machine = choose_machine(parse_sheet(rules(game))).machine
    choices = ChoiceStore(Cache(tmp_path))
    policy_of_player = PreparingPolicy(1, SearchConfig(memory_mb=64), Deadline(4), store=choices)
    policy_of_player.prepare(machine, machine.roles[0])
    began = time.monotonic()
    policy_of_player.ponder(lambda: time.monotonic() > began + 4)
    assert searched(policy_of_player).playout.policy == policy
    assert f"{word}{'' if policy == 'uniform' else ', which is expected to score'}" in caplog.text
    assert "too short for test games" in caplog.text
    kept = choices.read(machine)
    assert (kept is None) if policy == "uniform" else (kept is not None and kept.word == word)


@pytest.mark.parametrize(("game", "policy"), [("connect_four", "uniform"), ("knightthrough", "rank")])
def test_a_player_without_test_games_predicts(
    game: str, policy: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    machine = choose_machine(parse_sheet(rules(game))).machine
    choices = ChoiceStore(Cache(tmp_path))
    for until, line in ((Deadline(10), "configuration: "), (Deadline(10), "configuration chosen before: "), (None, "")):
        player = PreparingPolicy(1, SearchConfig(memory_mb=64), until, tests=False, store=choices)
        player.prepare(machine, machine.roles[0])
        assert searched(player).playout.policy == policy
        assert policy == "uniform" or line in caplog.text
        player.close()
    assert "no test games were played" in caplog.text


class Countdown(Deadline):
    """A deadline that every reading brings nearer by a millisecond."""

    def left(self) -> float:
        self.at -= 0.001
        return max(0.0, self.at)


def test_a_prediction_leaves_time_for_the_answer(tmp_path: Path) -> None:
    machine = choose_machine(parse_sheet(rules("amazons"))).machine  # whose features take longer
    deadline = Countdown(1.0, since=0.0)
    player = PreparingPolicy(1, SearchConfig(memory_mb=64), deadline, tests=False, store=ChoiceStore(Cache(tmp_path)))
    player.prepare(machine, machine.roles[0])
    assert deadline.left() > 0
    assert searched(player).playout.policy == "uniform"


def test_preparation_does_not_disturb_a_match_in_progress(
    nim: CompiledMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preparing_policy, "Preparer", None)
    policy = PreparingPolicy(1, SearchConfig(), Deadline(100), store=ChoiceStore(Cache(None)))
    policy.prepare(nim, "first")
    assert policy.think(Deadline(0.1)) == "(take 2)"
    state = nim.next(nim.initial(), ["(take 2)", "noop"])
    policy.advance(state, ["(take 2)", "noop"])
    policy.ponder(lambda: True)
    assert policy._searcher is not None and policy._searcher.statistics().bounds["first"] == (100, 100)


def test_a_match_over_http_logs_the_chosen_configuration(serve: Serve, tmp_path: Path, nim: CompiledMachine) -> None:
    cache = tmp_path / "cache"
    served = serve(environment={"GGP_AGENT_CACHE": str(cache)})
    assert served.ask(f"( START m.1 first ({NIM}) 1 1 )") == "ready"
    wait_for(lambda: "s are too short for test games" in served.log.read_text())
    assert served.ask("( PLAY m.1 NIL )") == "(take 2)"
    assert served.ask("( ABORT m.1 )") == "aborted"
    ChoiceStore(Cache(cache)).write(nim, CHOICE)
    assert served.ask(f"( START m.2 first ({NIM}) 1 1 )") == "ready"
    wait_for(lambda: "configuration chosen before: playout.policy=rank, which scored" in served.log.read_text())
    assert served.ask("( PLAY m.2 NIL )") == "(take 2)"
    assert served.ask("( ABORT m.2 )") == "aborted"


@pytest.mark.slow
def test_prepare_chooses_and_inspect_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from ggp_agent.prepare import preparer

    monkeypatch.setenv("GGP_AGENT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(preparer, "_MAX_GAMES", 40)
    monkeypatch.setattr(preparer, "_LONGER_GAMES", 4)
    (tmp_path / "nim.kif").write_text(NIM)
    game = str(tmp_path / "nim.kif")
    assert main(["inspect", game]) == 0
    assert f"no configuration was chosen yet; run: ggp-agent prepare {game}" in capsys.readouterr().out
    assert main(["prepare", game, "--cpu-seconds", "1"]) == 0
    assert "too short for test games" in capsys.readouterr().out
    assert main(["prepare", game, "--jobs", "1", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["game"], told["chosen"]) == ("nim", "default") and told["score"]["draws"] == 0
    assert "not clearly better" in told["reason"] and told["score"]["wins"] == told["score"]["losses"] >= 1
    assert main(["inspect", game, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["search"]["word"] == "default"
    assert main(["inspect", game]) == 0
    assert "not clearly better" in capsys.readouterr().out

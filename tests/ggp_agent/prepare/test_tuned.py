"""Native games have tuned configurations, which stored results of the user replace."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from gdl import parse_sheet
from gdl.compile.cache import Cache
from ggp_agent.arena.scores import Score
from ggp_agent.cli import main
from ggp_agent.game.native.native_machine import NativeMachine, machine_to_play
from ggp_agent.game.native.registry import native_game
from ggp_agent.mcts.config import SearchConfig
from ggp_agent.mcts.configurations import read_configuration
from ggp_agent.mcts.searcher import Searcher
from ggp_agent.player.policy.preparing_policy import PreparingPolicy
from ggp_agent.prepare.candidates import CANDIDATES, TUNED
from ggp_agent.prepare.choice import CandidateResult, Choice, ChoiceStore, tuned
from ggp_agent.prepare.preparation import as_chosen
from ggp_agent.prepare.preparer import Preparer
from ggp_agent.protocol.clocks import Deadline
from kif_games import rules


@pytest.mark.parametrize("name", TUNED)
def test_each_configuration_works_in_its_game_and_was_better(name: str) -> None:
    machine = NativeMachine(native_game(name))
    found = tuned(machine)
    assert found is not None and found.score.interval[0] > 0.5 and found.is_settled
    assert Choice.from_json(found.to_json()) == found
    searched = Searcher(machine, read_configuration(found.word)).run(simulations=200)
    assert searched.simulations == 200


def test_a_player_uses_it_without_test_games(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    machine = machine_to_play(parse_sheet(rules("lines_of_action")))
    assert machine is not None
    policy = PreparingPolicy(1, SearchConfig(threads=1), Deadline(60), store=ChoiceStore(Cache(tmp_path)))
    policy.prepare(machine, machine.roles[0])
    assert isinstance(policy._searcher, Searcher)
    assert policy._config.playout.policy == "game-mast" and policy._config.reward.relative_bonus.enabled
    assert "configuration chosen before: playout.policy=game-mast" in caplog.text
    assert policy._test_machine is None
    policy.close()


def test_a_stored_result_replaces_it(tmp_path: Path) -> None:
    machine = NativeMachine(native_game("breakthrough"))
    score = Score(wins=33, losses=7)
    choice = Choice("playout.policy=rank", score, 5.0, 31.0, (CandidateResult("playout.policy=rank", score),))
    store = ChoiceStore(Cache(tmp_path))
    assert store.read(machine) == tuned(machine)
    assert store.keep(machine, choice)
    assert store.read(machine) == choice


def test_a_result_that_keeps_the_default_does_not_replace_it(tmp_path: Path) -> None:
    machine, store = NativeMachine(native_game("amazons")), ChoiceStore(Cache(tmp_path))
    even = Score(wins=20, losses=20)
    default = Choice("default", even, 10.0, 40.0, (CandidateResult("playout.policy=rank", even),))
    assert default.is_worth_keeping and not store.keep(machine, default)
    assert store.read(machine) == tuned(machine)
    kalah = NativeMachine(native_game("kalah"))
    assert store.keep(kalah, default) and store.read(kalah) == default


def test_a_prediction_does_not_replace_a_choice_of_test_games(tmp_path: Path) -> None:
    predicted = Choice("playout.policy=rank", Score(), 10.0, 0.1, (), "no test games were played")
    store = ChoiceStore(Cache(tmp_path))
    amazons = NativeMachine(native_game("amazons"))
    assert not store.keep(amazons, predicted) and store.read(amazons) == tuned(amazons)
    kalah = NativeMachine(native_game("kalah"))
    assert store.keep(kalah, predicted) and store.read(kalah) == predicted
    played = Choice("default", Score(wins=20, losses=20), 10.0, 40.0, (CandidateResult("a", Score(wins=1)),))
    assert store.keep(kalah, played)
    assert not store.keep(kalah, predicted) and store.read(kalah) == played


def test_a_tuned_configuration_is_expected_to_win_as_before() -> None:
    found = Preparer(NativeMachine(native_game("breakthrough")), SearchConfig(), seconds=5.0).predict()
    known = tuned(NativeMachine(native_game("breakthrough")))
    assert known is not None and found.word == known.word
    assert found.trials[0].prior == pytest.approx((16 * 162 / 202, 16 * 40 / 202))


def test_an_open_configuration_is_completed(tmp_path: Path) -> None:
    machine = NativeMachine(native_game("cannon"))
    store = ChoiceStore(Cache(tmp_path))
    found, why = as_chosen(machine, SearchConfig(seed=7, threads=2), store)
    assert found.playout.policy == "game" and (found.seed, found.threads) == (7, 2)
    assert why.startswith("playout.policy=game,selection.exploration=1.5, which scored 100.0 %")
    fixed = read_configuration("playout.policy=rank")
    assert as_chosen(machine, fixed, store) == (fixed, "")
    open_ = SearchConfig()
    assert as_chosen(NativeMachine(native_game("kalah")), open_, store)[0].playout.policy == "uniform"
    score = Score(wins=33, losses=7)
    store.write(machine, Choice(CANDIDATES[-1], score, 5.0, 31.0, ()))
    found, why = as_chosen(machine, open_, store)
    assert found is open_ and why.startswith("the default: ") and "learned" in why


def test_commands_show_the_configuration_of_a_player(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert main(["inspect", "pentalath"]) == 0
    out = capsys.readouterr().out
    assert "plays these rules by fast:pentalath" in out and "game-mast" in out
    assert main(["inspect", "kalah"]) == 0
    assert "run: ggp-agent prepare fast:kalah" in capsys.readouterr().out
    assert main(["prepare", "fast:cannon", "--cpu-seconds", "1"]) == 0
    assert "the earlier choice stays: playout.policy=game" in capsys.readouterr().out
    assert main(["prepare", "kalah", "--cpu-seconds", "1"]) == 0
    assert "ggp-agent prepare fast:kalah" in capsys.readouterr().out


def test_it_is_the_first_candidate() -> None:
    for name, first in (("breakthrough", "playout.policy=game-mast"), ("kalah", CANDIDATES[0])):
        preparer = Preparer(NativeMachine(native_game(name)), SearchConfig(), seconds=0.1)
        assert preparer._contenders[0].result.word.startswith(first)

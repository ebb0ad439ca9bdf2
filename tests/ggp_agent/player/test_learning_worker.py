"""A network that a player has learned: which run continues, and whether matches use the network."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_games import NIM

from gdl import NetworkMachine, parse_sheet
from gdl.compile.cache import FOLDER_VARIABLE
from ggp_agent.arena.scores import Score
from ggp_agent.evaluation import LEARNED
from ggp_agent.evaluation.learned_network import LearnedNetwork, LearnedStore, evaluate
from ggp_agent.learning.learn import MAX_RUNS, run_folder
from ggp_agent.learning.learner import Learner
from ggp_agent.learning.options import LearningOptions, SelfPlayOptions
from ggp_agent.mcts.configurations import WORDS
from ggp_agent.player.match import learning_worker
from ggp_agent.player.match.learning_worker import _GameLearning
from ggp_agent.player.match.messages import BeginLearning, LearningSettings, PlayerSettings
from ggp_agent.player.policy.preparing_policy import PreparingPolicy
from ggp_agent.prepare.candidates import DEFAULT
from ggp_agent.prepare.choice import Choice, ChoiceStore
from ggp_agent.protocol.clocks import Deadline

OPTIONS = LearningOptions(
    minutes=60,
    hidden1=16,
    hidden2=16,
    positions=200,
    self_play=SelfPlayOptions(games=16, full_simulations=8, fast_simulations=4),
)
NETWORK, RANK = WORDS[LEARNED], "playout.policy=rank"


def learn_briefly(learner: Learner) -> LearnedNetwork:
    return learner.run(stopped=lambda: learner.counts.generation > 0)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def machine() -> NetworkMachine:
    return NetworkMachine(parse_sheet(NIM))


@pytest.fixture(scope="module")
def network(machine: NetworkMachine) -> LearnedNetwork:
    return learn_briefly(Learner(machine, OPTIONS))


def trained(network: LearnedNetwork, minutes: float) -> LearnedNetwork:
    return replace(network, training=replace(network.training, cpu_seconds=60 * minutes))


def learning(machine: NetworkMachine, folder: Path, minutes: float = 30) -> _GameLearning:
    settings = PlayerSettings(learning=LearningSettings(minutes, 1))
    return _GameLearning(machine, BeginLearning(settings, "m.1", NIM, 0), folder)


def preparation(word: str) -> Choice:
    return Choice(word, Score(wins=30, losses=10), 6.0, 20.0, ())


@pytest.mark.parametrize(
    ("before", "found", "after"),
    [
        (None, NETWORK, NETWORK),
        (None, DEFAULT, DEFAULT),
        (RANK, NETWORK, NETWORK),
        (RANK, DEFAULT, RANK),  # test games without a result for the network replace no other choice
        (NETWORK, DEFAULT, DEFAULT),  # the new network is not better than the default, so it is not used
        (NETWORK, RANK, RANK),
    ],
)
def test_test_games_decide_whether_matches_use_a_network(
    before: str | None,
    found: str,
    after: str,
    machine: NetworkMachine,
    network: LearnedNetwork,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if before is not None:
        ChoiceStore().write(machine, preparation(before))
    monkeypatch.setattr(_GameLearning, "_choice", lambda *_: preparation(found))
    learning(machine, tmp_path)._publish(network)
    known = ChoiceStore().read(machine)
    assert known is not None and known.word == after
    stored = LearnedStore().read(machine)
    assert stored is not None and stored.training == network.training


def test_a_match_plays_with_the_network_that_was_chosen(
    machine: NetworkMachine, network: LearnedNetwork, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_GameLearning, "_choice", lambda *_: preparation(NETWORK))
    learning(machine, tmp_path)._publish(network)
    policy = PreparingPolicy(seed=1)
    in_match = NetworkMachine(parse_sheet(NIM.replace("heap", "stack")))
    policy.prepare(in_match, "first")
    assert policy.think(Deadline(20)) == "(take 2)"
    assert policy._config.evaluation.name == LEARNED and LEARNED in in_match.evaluations


def test_the_test_games_compare_the_new_network_and_the_known_choice(
    machine: NetworkMachine, network: LearnedNetwork, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learning_worker, "_MIN_TEST_SECONDS", 4.0)  # processor time
    choice = learning(machine, tmp_path)._choice(network, preparation(RANK))
    played = {trial.word: trial for trial in choice.trials}
    assert choice.obstacle == "" and set(played) == {NETWORK, RANK}
    assert all(trial.score.games > 0 and trial.dropped == "" for trial in played.values())
    assert LEARNED not in machine.evaluations and LearnedStore().read(machine) is None


def test_without_a_choice_all_candidates_play(
    machine: NetworkMachine, network: LearnedNetwork, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learning_worker, "_MAX_TEST_SECONDS", 5.0)  # processor time
    choice = learning(machine, tmp_path)._choice(network, None)
    assert choice.obstacle == "" and {trial.word for trial in choice.trials} >= {NETWORK, RANK}


def test_a_network_with_more_training_stays(machine: NetworkMachine, network: LearnedNetwork, tmp_path: Path) -> None:
    LearnedStore().write(machine, trained(network, 7))
    learning(machine, tmp_path)._publish(trained(network, 6))
    stored = LearnedStore().read(machine)
    assert stored is not None and stored.training.cpu_seconds == 7 * 60
    assert ChoiceStore().read(machine) is None


def test_the_run_with_more_training_continues(
    machine: NetworkMachine, network: LearnedNetwork, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = learning(machine, tmp_path)
    assert made._learner(None).counts.cpu_seconds == 0

    from_network = made._learner(trained(network, 7))  # learned elsewhere; the folder has no checkpoint
    assert from_network.counts.cpu_seconds == 7 * 60
    # A longer run has more units, which do not change the values yet.
    states = [machine.initial()]
    before, after = (evaluate(each, machine, states).values for each in (network, from_network.network()))
    assert np.allclose(before, after, atol=1e-5)
    assert from_network.network().shape.hidden1 > network.shape.hidden1

    run = Learner(machine, OPTIONS, tmp_path)
    learn_briefly(run)
    checkpoint = made._learner(None)
    assert checkpoint.counts == run.counts and checkpoint.counts.generation > 0
    assert made._learner(trained(network, 7)).counts.cpu_seconds == 7 * 60
    (tmp_path / "run.json").write_text("damaged")
    assert made._learner(None).counts.cpu_seconds == 0


def test_folders_are_locked_and_few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "cache" / "learning"
    with run_folder("first") as first, pytest.raises(BlockingIOError), run_folder("first"):
        pass
    assert first == folder / "first"
    with run_folder("first"):
        os.utime(first, (1, 1))
        for number in range(MAX_RUNS + 2):
            with run_folder(f"game{number}"):
                os.utime(folder / f"game{number}", (10 + number, 10 + number))
    left = {path.name for path in folder.iterdir() if path.is_dir()}
    # The oldest one is in use by another process.
    assert "first" in left and "game0" not in left
    assert f"game{MAX_RUNS + 1}" in left and len(left) <= MAX_RUNS + 1

"""A network that a player learns during a match: when it plays, when it is trained, and what remains of it."""

from __future__ import annotations

import itertools
import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from small_games import NIM

from gdl import MachineState, NetworkMachine, parse_sheet
from gdl.compile.cache import FOLDER_VARIABLE, Cache
from ggp_agent.arena.scores import Score
from ggp_agent.common.errors import one_line
from ggp_agent.evaluation import LEARNED
from ggp_agent.evaluation.learned_network import LearnedStore
from ggp_agent.learning import learner
from ggp_agent.learning.learner import Learner
from ggp_agent.mcts.config import SearchConfig
from ggp_agent.mcts.configurations import read_configuration
from ggp_agent.mcts.search_result import SearchResult
from ggp_agent.mcts.searcher import Searcher
from ggp_agent.player.policy import preparing_policy
from ggp_agent.player.policy.preparing_policy import MatchLearning, PreparingPolicy, learning_for
from ggp_agent.prepare.candidates import CANDIDATES, NETWORK
from ggp_agent.prepare.choice import CandidateResult, Choice, ChoiceStore
from ggp_agent.protocol.clocks import Deadline

RANK = "playout.policy=rank"
WON, LOST = Score(wins=9, losses=1), Score(wins=1, losses=9)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "cache"))


@pytest.fixture
def nim() -> NetworkMachine:
    return NetworkMachine(parse_sheet(NIM))


class Found:
    """Replace the test games by a result, in which the network has a score."""

    def __init__(self, word: str, network: Score) -> None:
        results = CandidateResult(NETWORK, network), CandidateResult(RANK, WON)
        self.choice = Choice(word, WON, 6.0, 1.0, results)

    def __call__(self, *_: object, **__: object) -> Found:
        return self

    def choose(self) -> Choice:
        return self.choice


def after(calls: int) -> Callable[[], bool]:
    left = iter(range(calls))
    return lambda: next(left, None) is None


def prepared(machine: NetworkMachine, tmp_path: Path, turn_seconds: float = 3.0, threads: int = 1) -> PreparingPolicy:
    """Return a policy after a start clock."""
    config = SearchConfig(threads=threads, memory_mb=64)
    store = ChoiceStore(Cache(tmp_path))
    policy = PreparingPolicy(
        1, config, Deadline(3.5), turn_seconds=turn_seconds, store=store, networks=networks(tmp_path)
    )
    policy.prepare(machine, "first")
    policy.ponder(after(400))
    return policy


def networks(tmp_path: Path) -> LearnedStore:
    return LearnedStore(Cache(tmp_path))


def made(policy: PreparingPolicy, machine: NetworkMachine, state: MachineState) -> MachineState:
    """Make a joint move, and return the next state."""
    moves = [machine.legal(state, role)[0] for role in machine.roles]
    state = machine.next(state, moves)
    policy.advance(state, moves)
    return state


def name_of_search(policy: PreparingPolicy) -> str:
    assert policy._searcher is not None
    return policy._searcher.config.evaluation.name


def test_a_network_is_learned_plays_and_is_kept(
    nim: NetworkMachine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    monkeypatch.setattr(preparing_policy, "Preparer", Found(NETWORK, WON))
    monkeypatch.setattr(preparing_policy, "InMatchCheck", lambda *_, **__: Check(Score()))
    policy = prepared(nim, tmp_path)
    assert name_of_search(policy) == LEARNED and "the search uses a network of" in caplog.text
    begun = policy._learning.cpu_seconds if policy._learning is not None else 0.0
    assert begun > 0 and networks(tmp_path).read(nim) is not None, "a process that is killed leaves the network"
    state = made(policy, nim, nim.initial())
    policy.ponder(after(300))
    assert policy._searcher is not None and policy._searcher._root == state, "the tree begins in the position"
    assert policy._learning is not None and policy._learning.cpu_seconds > begun
    policy.close()
    stored = networks(tmp_path).read(nim)
    assert stored is not None and stored.training.cpu_seconds >= round(policy._learning.cpu_seconds / 1.05, 1) - 0.1
    again = prepared(nim, tmp_path)  # the choice is known, so there are no test games
    assert name_of_search(again) == LEARNED
    assert again._learning is not None and again._learning.cpu_seconds > stored.training.cpu_seconds


def test_all_threads_but_one_play_games_while_a_move_is_searched(
    nim: NetworkMachine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(preparing_policy, "Preparer", Found(NETWORK, WON))
    monkeypatch.setattr(preparing_policy, "InMatchCheck", lambda *_, **__: Check(Score()))
    policy = prepared(nim, tmp_path, threads=3)
    learning, searcher = policy._learning, policy._searcher
    assert learning is not None and searcher is not None and searcher.config.threads == 1
    begun, run, play = learning.cpu_seconds, Searcher.run, Learner.play
    played = threading.Event()
    asked = itertools.count()

    def run_longer(self: Searcher, **limits: Any) -> SearchResult:
        found = run(self, **limits)  # proves the game at once
        assert played.wait(60)
        return found

    def play_some(self: Learner, stopped: Callable[[], bool], threads: int) -> None:
        def enough() -> bool:
            if next(asked) > 50:
                played.set()
            return stopped()

        play(self, enough, threads)

    monkeypatch.setattr(Searcher, "run", run_longer)
    monkeypatch.setattr(Learner, "play", play_some)
    assert policy.think(Deadline(0.2)) in nim.legal(nim.initial(), "first")
    made(policy, nim, nim.initial())
    assert not learning._learner.counts.games
    monkeypatch.setattr(Searcher, "run", run)
    policy.ponder(after(1))
    assert learning.cpu_seconds > begun, "the games count as training"
    assert learning._learner._has_games(), "the games wait for the training"
    monkeypatch.setattr(learner, "_GENERATION_SECONDS", 0.01)
    policy.ponder(after(10_000))
    assert learning._learner.counts.games, "the network is trained with the games"
    monkeypatch.setattr(Learner, "play", lambda *_: 1 / 0)
    policy.think(Deadline(0.05))
    policy.close()
    assert caplog.messages[-1] == "learning during the match ends: ZeroDivisionError: division by zero"
    assert policy._learning is None


class Check:
    """A check whose rounds are played."""

    is_over = True

    def __init__(self, rounds: Score) -> None:
        self.rounds = rounds
        self.has_verdict = rounds.games > 0

    def work(self, *_: object) -> None:
        pass


@pytest.mark.parametrize(
    ("word", "rounds", "before", "later"), [(NETWORK, LOST, LEARNED, "none"), ("default", WON, "none", LEARNED)]
)
def test_the_better_configuration_plays_on(
    word: str,
    rounds: Score,
    before: str,
    later: str,
    nim: NetworkMachine,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(preparing_policy, "Preparer", Found(word, WON))
    monkeypatch.setattr(preparing_policy, "InMatchCheck", lambda *_, **__: Check(rounds))
    policy = prepared(nim, tmp_path)
    assert name_of_search(policy) == before
    made(policy, nim, nim.initial())
    policy.ponder(after(50))
    assert name_of_search(policy) == later
    assert policy._searcher is not None and policy._searcher.config.playout.policy == (
        "rank" if later == "none" else "uniform"
    )


def test_without_test_games_a_network_of_few_seconds_does_not_play_but_is_trained(
    nim: NetworkMachine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    class Asked(Found):
        def __call__(self, *_: object, **named: object) -> Found:
            asked.append(named["candidates"])
            return self

    found = Asked("default", WON)
    found.choice = Choice("default", Score(), 6.0, 1.0, (CandidateResult(RANK),))
    monkeypatch.setattr(preparing_policy, "Preparer", found)
    policy = prepared(nim, tmp_path)
    assert asked == [[word for word in CANDIDATES if word != NETWORK]]
    assert policy._learning is not None and name_of_search(policy) == "none"


@pytest.mark.parametrize(("score", "turn_seconds"), [(Score(losses=12), 3.0), (WON, 1.0)])
def test_a_network_without_a_chance_or_time_is_dropped(
    score: Score,
    turn_seconds: float,
    nim: NetworkMachine,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    monkeypatch.setattr(preparing_policy, "Preparer", Found(RANK, score))
    policy = prepared(nim, tmp_path, turn_seconds)
    assert policy._learning is None and name_of_search(policy) == "none"
    assert "not learned further: a network of" in caplog.text


def test_a_failure_of_learning_ends_learning_only(
    nim: NetworkMachine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise MemoryError("no memory is left")

    monkeypatch.setattr(Learner, "work", fail)
    monkeypatch.setattr(preparing_policy, "Preparer", Found(RANK, WON))
    policy = prepared(nim, tmp_path)
    assert caplog.messages == ["learning during the match ends: MemoryError: no memory is left"]
    assert name_of_search(policy) == "none" and policy.think(Deadline(0.05)) in nim.legal(nim.initial(), "first")


def test_an_error_of_learning_ends_the_check_of_the_network(
    nim: NetworkMachine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ValueError("a weight is no number")

    open_check = Check(LOST)
    open_check.is_over = False
    monkeypatch.setattr(preparing_policy, "Preparer", Found("default", WON))
    monkeypatch.setattr(preparing_policy, "InMatchCheck", lambda *_, **__: open_check)
    policy = prepared(nim, tmp_path)
    made(policy, nim, nim.initial())
    monkeypatch.setattr(Learner, "work", fail)
    policy.ponder(after(50))
    assert policy._learning is None and policy._check is None
    open_check.is_over = True
    policy.ponder(after(50))
    assert name_of_search(policy) == "none"


def test_a_configuration_of_the_user_stays(
    nim: NetworkMachine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learning = MatchLearning(nim, SearchConfig(memory_mb=64), 4.0, 3.0, LearnedStore())
    learning.publish()
    learning.keep()
    policy = PreparingPolicy(1, read_configuration("learned,threads=1"), Deadline(3.5), turn_seconds=3.0)
    policy.prepare(nim, "first")
    policy.ponder(after(50))
    assert name_of_search(policy) == LEARNED and policy._learning is None and policy._check is None


def test_a_network_that_loses_makes_room_for_the_default_of_the_match(
    nim: NetworkMachine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preparing_policy, "Preparer", Found(NETWORK, WON))
    prepared(nim, tmp_path)  # stores the choice and the network
    monkeypatch.setattr(preparing_policy, "InMatchCheck", lambda *_, **__: Check(LOST))
    policy = prepared(nim, tmp_path)
    made(policy, nim, nim.initial())
    policy.ponder(after(50))
    assert name_of_search(policy) == "none" and policy._searcher is not None
    assert policy._searcher.config.memory_mb == 64 and policy._searcher.config.threads == 1


def test_a_game_without_choices_is_not_learned(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    forced = NetworkMachine(
        parse_sheet(
            "(role a) (role b) (init (at 0)) (legal a go) (legal b go) (<= (next (at 1)) (true (at 0)))"
            "(<= terminal (true (at 1))) (goal a 50) (goal b 50)"
        )
    )
    assert learning_for(forced, SearchConfig(), 10.0, 3.0, networks(tmp_path)) is None
    assert caplog.messages == [
        "this game is not learned: no role of this game ever has a choice, so there is nothing to learn"
    ]


def test_a_match_can_end_while_the_network_is_trained(
    nim: NetworkMachine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preparing_policy, "Preparer", Found(NETWORK, WON))
    policy = prepared(nim, tmp_path)
    assert policy._learning is not None
    closed = []

    def stopped() -> bool:  # called by the training
        if not closed:
            policy.close()
            closed.append(True)
        return True

    policy._learning.work(stopped)
    policy._learning._learner._trainer.train(1, 1e-3, 0.0, lambda: bool(policy.close()))
    assert closed and networks(tmp_path).read(nim) is not None


@pytest.mark.parametrize("error", [MemoryError("no memory is left"), ValueError("a wrong size")])
def test_a_failure_before_learning_costs_nothing(
    error: Exception,
    nim: NetworkMachine,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(preparing_policy, "Learner", fail)
    assert learning_for(nim, SearchConfig(), 10.0, 3.0, networks(tmp_path)) is None
    assert caplog.messages == [f"this game is not learned: {one_line(error)}"]


def test_a_network_with_more_training_is_kept(nim: NetworkMachine, tmp_path: Path) -> None:
    store = networks(tmp_path)
    short, long = (MatchLearning(nim, SearchConfig(memory_mb=64), 4.0, 3.0, store) for _ in range(2))
    short.work(after(2))
    long.work(lambda: long.cpu_seconds > 0 or long._learner.counts.generation > 1)
    for each in (short, long):
        each.publish()
    long.keep()
    kept = store.read(nim)
    short.keep()
    now = store.read(nim)
    assert kept is not None and now is not None and kept.training == now.training

"""Preparation by test games: the choice of a candidate, failing candidates, stored results."""

from __future__ import annotations

import logging
import time
from pathlib import Path

import numpy as np
import pytest
from small_games import CARDS, COUNTING, NIM, nim

from gdl import CompiledMachine, choose_machine, parse_sheet
from gdl.compile.cache import Cache
from gdl.machines.compiled import FluentWeights
from ggp_agent.arena.match_result import MatchPlan
from ggp_agent.arena.scores import Score
from ggp_agent.mcts.config import SearchConfig
from ggp_agent.mcts.configurations import read_configuration
from ggp_agent.prepare import preparer as preparer_module
from ggp_agent.prepare import preparer as trial_module
from ggp_agent.prepare.candidates import CANDIDATES, DEFAULT, configured, is_open
from ggp_agent.prepare.choice import CandidateResult, Choice, ChoiceStore
from ggp_agent.prepare.preparer import Preparer
from kif_games import rules

# Plays almost at random: it visits each move once and chooses any.
AWFUL = "in_flight=1,selection.exploration=1000000000,playout.limit=1,playout.decisive=false,solver.enabled=false"
FAILING = "evaluation.name=nowhere"

# A heap of 17: a player that does not look ahead loses.
LONG_NIM = nim(17)

CHOICE = Choice("playout.policy=rank", Score(wins=33, losses=7), 5.0, 31.0, (CandidateResult("playout.policy=rank"),))


def machine(text: str) -> CompiledMachine:
    return choose_machine(parse_sheet(text)).machine


@pytest.fixture
def brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let few games near the initial state suffice, but too many for a win by chance."""
    monkeypatch.setattr(trial_module, "_OPENINGS", (1, 0))
    monkeypatch.setattr(preparer_module, "_MAX_GAMES", 60)


def choose(text: str, base: SearchConfig, *candidates: str, seconds: float = 4.0, jobs: int = 1) -> Choice:
    return Preparer(machine(text), base, seconds=seconds, by_processor=True, jobs=jobs, candidates=candidates).choose()


@pytest.mark.slow
@pytest.mark.usefixtures("brief")
def test_a_better_candidate_is_chosen_and_a_failing_one_excluded(caplog: pytest.LogCaptureFixture) -> None:
    base = read_configuration(AWFUL)
    found = choose(LONG_NIM, base, AWFUL, FAILING, "in_flight=8")
    assert found.word == "in_flight=8" and found.score.share > 0.5 and found.is_worth_keeping
    assert str(found).startswith("in_flight=8, which scored ")
    failed = found.trials[1]
    assert "nowhere" in failed.dropped and failed.score.games == 0
    assert f"{FAILING} is excluded from the test games" in caplog.text
    assert 6 <= found.milliseconds <= 20 and found.cpu_seconds > 0


@pytest.mark.slow
@pytest.mark.usefixtures("brief")
def test_worse_and_equal_candidates_are_not_chosen() -> None:
    found = choose(LONG_NIM, SearchConfig(), AWFUL)
    assert found.is_default and found.score.share < 0.4 and found.is_worth_keeping
    assert "not clearly better" in str(found)
    even = choose(NIM, SearchConfig(), "in_flight=8", "in_flight=16", jobs=2)
    assert even.is_default and even.score.share == 0.5


def results_by_time(monkeypatch: pytest.MonkeyPatch, **losing_from: float) -> None:
    """Let candidates win every game with moves shorter than a number of milliseconds, and lose the others.

    Keys are the values of `in_flight` that distinguish the candidates, after an x.
    """

    class Player:
        def __init__(self, _: object, candidate: SearchConfig, __: object, *, milliseconds: float, **more: object):
            self._wins = milliseconds < losing_from.get(f"x{candidate.in_flight}", 1e9)

        def play(self, plans: list[MatchPlan]) -> Score:
            until = time.thread_time() + 0.01
            while time.thread_time() < until:
                pass
            return Score(wins=len(plans)) if self._wins else Score(losses=len(plans))

    monkeypatch.setattr(preparer_module, "RoundPlayer", Player)


@pytest.mark.slow
def test_a_candidate_that_loses_with_longer_moves_gives_way_to_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    results_by_time(monkeypatch, x8=60.0)
    found = choose(NIM, SearchConfig(), "in_flight=8", "in_flight=16")
    assert found.word == "in_flight=16"
    belied, chosen = found.trials
    assert belied.score.losses == 0 and belied.longer.wins == 0 and belied.longer.games >= 2
    assert chosen.longer.losses == 0 and 60 <= chosen.longer_ms <= 10 * found.milliseconds
    assert "100.0 %" in str(found).partition(";")[2] and f"at {chosen.longer_ms:.3g} ms" in str(found)
    assert Choice.from_json(found.to_json() | {"word": DEFAULT}).trials == found.trials


@pytest.mark.slow
def test_the_default_stays_if_candidates_lose_with_longer_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    results_by_time(monkeypatch, x8=60.0)
    found = choose(NIM, SearchConfig(), "in_flight=8", jobs=2)
    assert found.is_default and "no better with longer moves" in str(found) and not found.is_settled


def test_the_default_stays_if_all_candidates_fail() -> None:
    found = choose(NIM, SearchConfig(), FAILING)
    assert found.is_default and not found.is_worth_keeping and "no other configuration works" in str(found)


@pytest.mark.parametrize(
    ("text", "seconds", "reason"),
    [
        (NIM, 1.0, "1.0 s are too short"),
        (rules("eight_puzzle"), 10.0, "one role"),
        (rules("connect_four"), 4.0, "stopped before"),
    ],
)
def test_the_reason_is_given_if_there_is_no_time(text: str, seconds: float, reason: str) -> None:
    stopped = Preparer(machine(text), SearchConfig(), seconds=seconds, stopped=lambda: True).choose()
    assert stopped.is_default and stopped.obstacle and not stopped.is_worth_keeping
    assert reason in str(stopped)


@pytest.mark.usefixtures("brief")
@pytest.mark.parametrize("text", [COUNTING, CARDS])
def test_simultaneous_moves_and_chance(text: str) -> None:
    found = choose(text, SearchConfig(), "in_flight=8")
    assert found.is_default and not found.trials[0].dropped


@pytest.mark.usefixtures("brief")
def test_three_roles_and_unequal_chances() -> None:
    text = """(role a) (role b) (role c) (init (turn a)) (after a b) (after b c) (option 1) (option 2)
    (<= (legal ?r (take ?n)) (true (turn ?r)) (option ?n)) (<= (legal ?r noop) (role ?r) (not (true (turn ?r))))
    (<= (next (turn ?s)) (true (turn ?r)) (after ?r ?s)) (<= (next (has ?r ?n)) (does ?r (take ?n)))
    (<= (next (has ?r ?n)) (true (has ?r ?n))) (<= (next over) (true (turn c))) (<= terminal (true over))
    (<= (goal ?r 100) (true (has ?r 2))) (<= (goal ?r 20) (role ?r) (not (true (has ?r 2))))"""
    found = choose(text, SearchConfig(), "in_flight=8")
    assert found.is_default and found.score.wins == found.score.losses and found.score.games >= 20


def test_only_configurations_without_search_keys_are_open(tmp_path: Path) -> None:
    assert is_open(SearchConfig(seed=3, threads=2, memory_mb=64, settle=False))
    for text in ("[search]\nprepare = false", "[playout]\npolicy = 'nst'", "[selection]\nexploration = 0.5"):
        assert not is_open(SearchConfig.from_toml(text))
    file = tmp_path / "mine.toml"
    file.write_text("[playout]\npolicy = 'uniform'")
    told = SearchConfig.load(file)
    assert not is_open(told) and not is_open(SearchConfig.from_toml(told.to_toml()))
    file.write_text("[playout]\npolicy = 'uniform'\n[search]\nprepare = true")
    assert is_open(SearchConfig.load(file))


def test_candidates_are_valid_and_different() -> None:
    base = SearchConfig(seed=9, memory_mb=77)
    configs = [configured(word, base) for word in (DEFAULT, *CANDIDATES)]
    assert configs[0] == base and all(config.memory_mb == 77 for config in configs)
    assert len({config.to_toml() for config in configs}) == len(configs)


def test_the_candidate_with_an_evaluation_needs_one() -> None:
    by_evaluation = "evaluation.name=found,selection.implicit_minimax.alpha=0.3"
    game = machine(LONG_NIM)
    without = Preparer(game, SearchConfig(), seconds=5, candidates=(by_evaluation,)).choose()
    assert without.word == DEFAULT and "there are no candidates" in without.obstacle
    game.add_evaluation("found", FluentWeights.of(np.zeros((len(game.initial()) * 8, 2))))
    trials = (
        Preparer(game, SearchConfig(), seconds=5, stopped=lambda: True, candidates=(by_evaluation,)).choose().trials
    )
    assert [trial.word for trial in trials] == [by_evaluation]


def test_a_result_is_stored_for_every_spelling_of_a_game(tmp_path: Path) -> None:
    store = ChoiceStore(Cache(tmp_path))
    nim = machine(NIM)
    assert store.read(nim) is None
    store.write(nim, CHOICE)
    assert store.read(machine(NIM.replace("heap", "pile").replace("first", "you"))) == CHOICE
    assert store.read(machine(NIM.replace("(init (heap 5))", "(init (heap 4))"))) is None
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes().replace(b"rank", b"rang"))
    assert store.read(nim) is None and not file.exists()
    assert ChoiceStore(Cache(None)).read(nim) is None


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b"\xff", b'{"word": "evaluation.file=/etc/passwd"}'])
def test_an_invalid_stored_preparation_is_ignored(
    tmp_path: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    store = ChoiceStore(Cache(tmp_path))
    nim = machine(NIM)
    store.write(nim, CHOICE)
    (file,) = tmp_path.iterdir()
    Cache(tmp_path).write_beside(file.stem, content)
    assert store.read(nim) is None
    assert "stored preparation is invalid" in caplog.text

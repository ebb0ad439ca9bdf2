"""The distribution of the probability to win, and the next candidate to play."""

from __future__ import annotations

import random
import statistics

import pytest
from small_games import NIM

from gdl import choose_machine, parse_sheet
from ggp_agent.arena.match_result import MatchPlan
from ggp_agent.arena.scores import Score
from ggp_agent.mcts.config import SearchConfig
from ggp_agent.prepare import preparer as preparer_module
from ggp_agent.prepare.choice import SHORT_GAMES, CandidateResult, WinProbability
from ggp_agent.prepare.preparer import Preparer


def test_a_draw_from_a_belief_has_its_mean_and_deviation() -> None:
    belief = WinProbability.of(Score(wins=12, draws=4, losses=4))
    assert (belief.wins, belief.losses) == (16, 8)
    source = random.Random(5)
    drawn = [belief.draw(source) for _ in range(4000)]
    assert statistics.fmean(drawn) == pytest.approx(belief.mean, abs=0.01)
    assert statistics.pstdev(drawn) == pytest.approx((2 / 3 * 1 / 3 / 25) ** 0.5, abs=0.005)


@pytest.mark.parametrize(
    ("score", "better"),
    [(Score(), False), (Score(wins=2), False), (Score(wins=4), True), (Score(wins=22, losses=18), False)],
)
def test_few_games_need_a_clearer_score_than_many(score: Score, better: bool) -> None:
    assert WinProbability.of(score).is_better() is better
    assert WinProbability.of(score + Score(wins=60, losses=40)).is_better()


def test_games_with_longer_moves_reduce_the_weight_of_the_others() -> None:
    short = Score(wins=90, losses=10)
    faded = WinProbability.of(short, Score())
    assert faded.wins == pytest.approx(2 + 0.9 * SHORT_GAMES) and faded.losses == pytest.approx(2 + 0.1 * SHORT_GAMES)
    assert WinProbability.of(Score(wins=3), Score(losses=1)) == WinProbability(5.0, 3.0)
    assert CandidateResult("a", short, Score(wins=1)).belief.mean < CandidateResult("a", short).belief.mean
    assert not CandidateResult("a", short, Score(losses=10), 60.0).is_better


def test_rounds_go_to_the_best_and_its_rivals(monkeypatch: pytest.MonkeyPatch) -> None:
    chances = {8: 0.1, 16: 0.2, 32: 0.75, 64: 0.3}
    source = random.Random(2)
    played: list[int] = []

    class Player:
        def __init__(self, _: object, candidate: SearchConfig, __: object, **more: object) -> None:
            self._in_flight = candidate.in_flight or 0

        def play(self, plans: list[MatchPlan]) -> Score:
            played.append(self._in_flight)
            won = sum(source.random() < chances.get(self._in_flight, 0.5) for _ in plans)
            return Score(wins=won, losses=len(plans) - won)

    monkeypatch.setattr(preparer_module, "RoundPlayer", Player)
    words = [f"in_flight={number}" for number in chances]
    machine = choose_machine(parse_sheet(NIM)).machine
    choice = Preparer(machine, SearchConfig(), seconds=60, by_processor=True, candidates=words).choose()
    assert choice.word == "in_flight=32"
    best, *others = sorted((trial.score.games for trial in choice.trials), reverse=True)
    assert best == choice.score.games and best > 0.4 * (best + sum(others)) and all(games > 0 for games in others)

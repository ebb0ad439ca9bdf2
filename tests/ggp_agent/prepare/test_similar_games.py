"""Priors of candidates from similar games, and the choice of preparation without test games."""

from __future__ import annotations

from dataclasses import astuple, replace

import numpy as np
import pytest
from compiled import catalogue_network

from ggp_agent.arena.scores import Score
from ggp_agent.evaluation import LEARNED
from ggp_agent.mcts.config import SearchConfig
from ggp_agent.prepare.candidates import CANDIDATES, NETWORK
from ggp_agent.prepare.choice import PRIOR, CandidateResult, Choice, nearest
from ggp_agent.prepare.game_features import GameFeatures, measure_features
from ggp_agent.prepare.preparer import FEATURES, PLAYED, Preparer, ScoredSheets, prior_of, scored_sheets

# Two sheets with opposite features and scores.
TWO = f"""game,{",".join(FEATURES)},rank_wins,rank_draws,rank_losses,rank_mild_wins,rank_mild_draws,rank_mild_losses,\
grave_wins,grave_draws,grave_losses
race,{",".join("1" * len(FEATURES))},18,0,2,10,0,10,1,2,1
line,{",".join("0" * len(FEATURES))},0,4,16,10,0,10,0,0,4
"""


def features_of(*, of: str) -> GameFeatures:
    games = scored_sheets()
    return GameFeatures(*games.features[games.names.index(of)].tolist())


def test_games_of_an_equal_sheet_count_as_a_part_of_their_number() -> None:
    games = ScoredSheets.read(TWO)
    weights = games.similarities(np.ones(len(FEATURES)))
    assert weights == pytest.approx([1.0, 0.0], abs=1e-9)
    # Of 20 games 10 count, with 9 points; the mean of both sheets is half of the points, with a strength of 10. The sum
    # of 20 is divided to 16.
    assert games.prior("rank", weights) == pytest.approx((0.8 * (5 + 9), 0.8 * (5 + 1)))
    # Of 4 games 20 / 6 count; the mean of both is 2 of 8 points.
    assert games.prior("grave", weights) == pytest.approx((2.5 + 10 / 6, 7.5 + 10 / 6))


def test_without_similar_sheets_the_mean_remains() -> None:
    games = ScoredSheets.read(TWO)
    weights = games.similarities(np.full(len(FEATURES), 20.0))
    assert games.prior("rank", weights) == pytest.approx((5.0, 5.0))


def test_a_candidate_without_games_in_the_sheets_has_the_general_prior() -> None:
    games = ScoredSheets.read(TWO)
    assert games.prior(LEARNED, games.similarities(games.features[0])) == PRIOR


def test_short_games_of_a_network_count_as_few_games() -> None:
    lucky = Score(wins=13, losses=1)
    assert CandidateResult(NETWORK, lucky).belief.wins == pytest.approx(2 + 6 * 13 / 14)
    assert CandidateResult(CANDIDATES[0], lucky).belief.wins == 15


@pytest.mark.parametrize(
    ("other", "chosen"),
    [(Score(wins=14, losses=2), NETWORK), (Score(wins=60), CANDIDATES[0]), (Score(wins=8, losses=8), NETWORK)],
)
def test_a_network_comes_before_candidates_that_are_hardly_better(other: Score, chosen: str) -> None:
    network = CandidateResult(NETWORK, Score(wins=6), prior=(4.0, 2.0))
    best = nearest([CandidateResult(CANDIDATES[0], other), network])
    assert best is not None
    assert best.word == chosen


def test_a_network_needs_less_evidence() -> None:
    score = Score(wins=4, losses=2)
    assert CandidateResult(NETWORK, score, prior=(5.0, 4.0)).is_better
    assert not CandidateResult(CANDIDATES[0], score, prior=(5.0, 4.0)).is_better


def test_a_network_that_is_not_better_than_the_default_has_no_lead() -> None:
    network, other = (
        CandidateResult(NETWORK, Score(wins=5, losses=5)),
        CandidateResult(CANDIDATES[0], Score(wins=53, losses=47)),
    )
    assert nearest([network, other]) is other


def test_the_package_has_test_games_of_each_candidate() -> None:
    games = scored_sheets()
    assert len(games.names) == len(set(games.names)) > 100
    assert list(games.names) == sorted(games.names)
    for name, word in PLAYED.items():
        assert word in CANDIDATES
        assert (games.games[name] > 0).all() and (games.points[name] <= games.games[name]).all()


def test_predictions_of_variants() -> None:
    race, line = features_of(of="breakthrough"), features_of(of="connectFour")
    for features, low, high in ((race, 0.6, 0.8), (line, 0.25, 0.45)):
        wins, losses = prior_of(CANDIDATES[0], replace(features, length=features.length + 0.01))
        assert low < wins / (wins + losses) < high
        assert 10 < wins + losses <= 16.001


def test_priors_without_features_do_not_choose() -> None:
    for word in (*CANDIDATES, "playout.policy=nst"):
        assert not CandidateResult(word, prior=prior_of(word, None)).is_better
    assert prior_of("playout.policy=nst", features_of(of="breakthrough")) == PRIOR


def test_a_few_losses_overrule_a_prediction() -> None:
    result = CandidateResult("a", prior=(12.0, 4.0))
    assert result.is_better
    assert not replace(result, score=Score(losses=8)).is_better


@pytest.mark.parametrize("name", ["knightthrough", "reversi"])
def test_a_learning_policy_is_chosen_without_test_games_where_it_wins(name: str) -> None:
    found = Preparer(catalogue_network(name), SearchConfig(), seconds=3.0, by_processor=True).choose()
    assert found.word.startswith("playout.policy=rank") and found.score.games == 0
    assert "too short for test games" in found.obstacle and found.is_worth_keeping and not found.is_settled
    assert "is expected to score" in str(found) and "from similar games (3.0 s are too short" in str(found)
    assert Choice.from_json(found.to_json()) == found


@pytest.mark.parametrize("name", ["connect_four", "tic_tac_toe_3d", "skirmish"])
def test_the_default_stays_where_learning_policies_lose(name: str) -> None:
    found = Preparer(catalogue_network(name), SearchConfig(), seconds=3.0, by_processor=True).choose()
    assert found.is_default and not found.is_worth_keeping
    assert str(found).startswith("the default: 3.0 s are too short")


@pytest.mark.slow
def test_test_games_begin_with_the_prediction() -> None:
    machine = catalogue_network("connect_four")
    found = Preparer(machine, SearchConfig(), seconds=6.0, by_processor=True, candidates=CANDIDATES[:2]).choose()
    features = measure_features(machine, seconds=1.0)
    assert features is not None and len(astuple(features)) == len(FEATURES)
    assert [trial.prior for trial in found.trials] == [prior_of(word, features) for word in CANDIDATES[:2]]
    assert sum(trial.score.games for trial in found.trials) >= 10


@pytest.mark.parametrize("prior", [[1.0], [1.0, 0.0], "ab", [1.0, "x"], None])
def test_a_stored_prior_is_checked(prior: object) -> None:
    choice = Choice("default", Score(), 0.0, 0.0, (CandidateResult("a"),))
    values = choice.to_json()
    with pytest.raises(ValueError, match=r".+"):
        Choice.from_json(values | {"trials": [values["trials"][0] | {"prior": prior}]})

"""Elo ratings from results: known cases, and players that only lose."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from ggp_agent.manager.tournament.ratings import points, ratings


def test_the_difference_of_two_players_follows_from_their_score() -> None:
    """75 % is 190.8 points; the prior has little influence after many games."""
    rated = ratings({("a", "b"): 7500.0, ("b", "a"): 2500.0})
    apart = rated["a"].elo - rated["b"].elo
    assert apart == pytest.approx(400 * math.log10(3), abs=0.1)
    low, high = rated["a"].interval
    # Half of 1.96 / sqrt(n p (1 - p)) on the Elo scale.
    assert (high - low) / 2 == pytest.approx(1.96 / math.sqrt(10000 * 0.75 * 0.25) * 400 / math.log(10) / 2, rel=1e-3)


def test_expected_scores_equal_the_actual_scores() -> None:
    """At the maximum, the expected points of each player, with the prior, equal its points."""
    rng = np.random.default_rng(3)
    won = {pair: float(rng.integers(0, 20)) for pair in itertools.permutations("abcde", 2)}
    rated = ratings(won)
    assert sum(each.elo for each in rated.values()) == pytest.approx(0, abs=1e-6)
    for one in "abcde":
        expected = sum(
            (won[one, other] + won[other, one]) / (1 + 10 ** ((rated[other].elo - rated[one].elo) / 400))
            for other in "abcde"
            if other != one
        )
        assert expected == pytest.approx(sum(won[one, other] for other in "abcde" if other != one), abs=0.5)


def test_a_player_that_always_loses_has_a_finite_rating() -> None:
    groups = [[("winner", 1.0), ("loser", 0.0)]] * 50 + [
        [("winner", 1.0), ("middle", 0.5)],
        [("middle", 1.0), ("loser", 0.0)],
    ]
    rated = ratings(points(groups))
    assert rated["winner"].elo > rated["middle"].elo > rated["loser"].elo > -2000
    assert all(math.isfinite(end) for each in rated.values() for end in each.interval)
    more = ratings(points(groups + groups))
    assert more["loser"].elo < rated["loser"].elo


def test_draws_give_equal_ratings() -> None:
    rated = ratings(points([[("a", 0.5), ("b", 0.5)]] * 10))
    assert rated["a"].elo == pytest.approx(0, abs=1e-6)
    assert ratings({}) == {}


def test_order_and_groups_of_three() -> None:
    """The three pairs of one match count as two."""
    won = points([[("a", 1.0), ("b", 0.5), ("c", 0.0)]])
    assert sum(won.values()) == pytest.approx(2)
    rated = ratings(won)
    assert [name for name, _ in sorted(rated.items(), key=lambda item: -item[1].elo)] == ["a", "b", "c"]


def test_intervals_have_their_nominal_coverage() -> None:
    """In simulated tournaments, about 95 % of the intervals contain the true strength."""
    rng = np.random.default_rng(7)
    true = np.array([-150.0, -50.0, 0.0, 200.0])
    inside = 0
    for _ in range(60):
        won = {}
        for i, j in itertools.combinations(range(4), 2):
            wins = float(rng.binomial(60, 1 / (1 + 10 ** ((true[j] - true[i]) / 400))))
            won[str(i), str(j)], won[str(j), str(i)] = wins, 60 - wins
        rated = ratings(won)
        inside += sum(rated[str(i)].interval[0] <= true[i] <= rated[str(i)].interval[1] for i in range(4))
    assert 0.90 <= inside / 240 <= 0.99

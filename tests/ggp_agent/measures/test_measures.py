"""measures: known values of small games, definitions, undefined measures, and the formulas of the course of a game."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from small_games import CARDS, COUNTING, NIM

from gdl import parse_sheet
from gdl.machines.reasoner import ReasonerMachine
from ggp_agent.arena.scores import Score
from ggp_agent.game.game import Game
from ggp_agent.game.lanes import outcomes
from ggp_agent.game.load import load_game
from ggp_agent.measures import searched_games
from ggp_agent.measures.estimates import (
    Estimate,
    Measure,
    Undefined,
    log10_mean_estimate,
    mean_estimate,
    result_measures,
)
from ggp_agent.measures.game_measures import GameMeasures, MeasureOptions, measure_game
from ggp_agent.measures.measure_definitions import RULE_FEATURES, definitions
from ggp_agent.measures.random_games import play_random_games
from ggp_agent.measures.rule_features import rule_features
from ggp_agent.measures.searched_games import (
    SearchedGame,
    decisive_turns,
    doubling_measure,
    drama,
    killer_move,
    lead_changes,
    uncertainty,
)
from kif_games import rules

# Counters of turns that never end.
ENDLESS = """
(role a) (role b) (init (s 0)) (legal a x) (legal a y) (legal b x)
(<= (next (s 0)) (true (s 0))) (<= terminal (true (s 1))) (goal a 50) (goal b 50)
"""
SOLO = """
(role a) (init (s 0)) (<= (legal a x) (true (s 0))) (<= (legal a y) (true (s 0)))
(<= (next (s 1)) (does a x)) (<= (next (s 2)) (does a y))
(<= terminal (true (s 1))) (<= terminal (true (s 2)))
(<= (goal a 100) (true (s 1))) (<= (goal a 0) (true (s 2)))
"""


def measured(word: str, **options: object) -> GameMeasures:
    return measure_game(word, MeasureOptions(seconds=60.0, **options), lambda _: None)  # type: ignore[arg-type]


def value(found: GameMeasures, key: str) -> float:
    measure = found.measures[key]
    assert isinstance(measure, Estimate), measure
    return measure.value


def contains(measure: Measure, exact: float) -> bool:
    assert isinstance(measure, Estimate) and measure.low is not None and measure.high is not None
    return measure.low <= exact <= measure.high


@pytest.fixture(scope="module")
def tic_tac_toe() -> GameMeasures:
    return measured("tic_tac_toe", games=4000, doublings=8)


# Exact values: 255,168 games, 549,946 nodes and 5,478 states; random games are won by x in 58.5 %, by o in 28.8 %.
@pytest.mark.parametrize(
    ("key", "exact"),
    [
        ("log10_games", math.log10(255_168)),
        ("log10_nodes", math.log10(549_946)),
        ("first_player_random", 0.585 + 0.127 / 2),
        ("draws_random", 0.127),
        ("length_random", 7.65),
    ],
)
def test_values_of_tic_tac_toe_are_within_their_intervals(tic_tac_toe: GameMeasures, key: str, exact: float) -> None:
    assert contains(tic_tac_toe.measures[key], exact)


def test_the_bound_of_the_states_of_tic_tac_toe_is_close(tic_tac_toe: GameMeasures) -> None:
    assert 0.9 * 5478 < 10 ** value(tic_tac_toe, "log10_states") < 1.05 * 5478


def test_branching_counts_roles_with_a_choice(tic_tac_toe: GameMeasures) -> None:
    # A game of n turns has choices among 9, 8, .. moves, without the forced last of nine turns.
    assert 5.5 < value(tic_tac_toe, "branching") < 6.5
    assert value(tic_tac_toe, "simultaneous") == value(tic_tac_toe, "chance") == 0


def test_searched_games_are_longer_and_have_more_draws(tic_tac_toe: GameMeasures) -> None:
    assert value(tic_tac_toe, "draws_100") > value(tic_tac_toe, "draws_random")
    assert 0 <= value(tic_tac_toe, "drama_100") <= 1 and 0 < value(tic_tac_toe, "uncertainty_100") <= 1


def test_the_measures_are_the_defined_ones_in_their_order(tic_tac_toe: GameMeasures) -> None:
    assert list(tic_tac_toe.measures) == list(definitions((100,), doublings=True))
    assert list(tic_tac_toe.rules) == list(RULE_FEATURES)


def test_the_seed_determines_all_values() -> None:
    same = [measured("tic_tac_toe", games=300, searched=4, seed=seed).document() for seed in (7, 7, 8)]
    assert same[0] == same[1] != same[2]


def test_nim_has_its_exact_tree(tmp_path: Path) -> None:
    # Five matches, one or two at a time: 8 games, and the only winning first move takes two.
    path = tmp_path / "nim.kif"
    path.write_text(NIM)
    found = measured(str(path), games=2000)
    assert contains(found.measures["log10_games"], math.log10(8))
    assert value(found, "log10_states") == pytest.approx(math.log10(10))
    assert value(found, "first_player_100") == value(found, "decisive_100") == 1
    assert value(found, "balance_100") == 0


@pytest.mark.parametrize(
    ("text", "undefined", "reason"),
    [
        (SOLO, "first_player_random", "the game has one role"),
        (SOLO, "drama_100", "the game has one role"),
        (SOLO, "elo_per_doubling_100", "the game has one role"),
        (ENDLESS, "log10_games", "50 of 50 random games did not end within the turn limit"),
        (ENDLESS, "draws_random", "no game ended within the turn limit"),
        (ENDLESS, "length_100", "no random game ended within the turn limit"),
        (rules("blind_tic_tac_toe"), "length_100", "the game hides information from its roles"),
    ],
)
def test_undefined_measures_have_a_reason(tmp_path: Path, text: str, undefined: str, reason: str) -> None:
    path = tmp_path / "game.kif"
    path.write_text(text)
    found = measured(str(path), games=50, searched=2, doublings=2, max_turns=30)
    assert found.measures[undefined] == Undefined(reason)
    assert isinstance(found.measures["length_random"], Estimate)


def test_one_role_has_goals(tmp_path: Path) -> None:
    path = tmp_path / "solo.kif"
    path.write_text(SOLO)
    found = measured(str(path), games=400, searched=4)
    assert contains(found.measures["goal_random"], 50) and value(found, "goal_100") == 100


def test_chance_and_simultaneous_moves_are_found(tmp_path: Path) -> None:
    for text, simultaneous, chance in ((CARDS, 0, 1), (COUNTING, 1, 0)):
        path = tmp_path / "game.kif"
        path.write_text(text)
        found = measured(str(path), games=20, searched=2)
        assert (value(found, "simultaneous"), value(found, "chance")) == (simultaneous, chance)
    assert value(found, "log10_games") == pytest.approx(4 * math.log10(4))  # two moves each, 4 turns


def test_games_that_have_no_time_are_undefined() -> None:
    found = measure_game("connect_four", MeasureOptions(seconds=1e-6), lambda _: None)
    assert found.games == 0 and all(isinstance(one, Undefined) for one in found.measures.values())


def test_a_wave_that_the_time_cuts_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = load_game("tic_tac_toe").machine()

    def play(until: float) -> tuple[int, int]:
        """Return the number of games and of readings of a clock that counts its readings: one for each move."""
        clock = itertools.count()
        with monkeypatch.context() as patch:
            patch.setattr(searched_games.time, "monotonic", lambda: next(clock))
            games, _ = searched_games.play_searched_games(
                machine, 80, simulations=10, seed=1, until=until, played=lambda _: None
            )
        return len(games), next(clock)

    games, moves = play(math.inf)
    assert games == 80
    # Only the last three moves are missing, so most games of the second wave are complete.
    assert play(moves - 3) == (64, moves - 1)


def test_the_reasoner_plays_the_same_distribution(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "nim.kif"
    path.write_text(NIM)
    monkeypatch.setattr(Game, "machine", lambda game: ReasonerMachine(game.sheet))
    found = measured(str(path), games=500, searched=2)
    assert found.machine == "reasoner"
    assert contains(found.measures["log10_games"], math.log10(8))
    assert value(found, "log10_states") == pytest.approx(math.log10(10))


def test_a_batch_that_is_not_full_counts_its_own_games() -> None:
    game = load_game("tic_tac_toe")
    found = play_random_games(game, game.machine(), 300, max_turns=9, seed=1, until=math.inf, played=lambda _: None)
    assert found is not None and found.games == found.visited_games == 300
    assert (found.decisions == np.minimum(found.lengths, 8)).all() and set(found.first.tolist()) == {0}


# ---- formulas


def game(values: list[list[float]], movers: list[int], goals: tuple[int, ...]) -> SearchedGame:
    return SearchedGame(len(values), goals, movers[0], tuple(movers), np.array(values))


COMEBACK = game([[0.5, 0.5], [0.25, 0.75], [0.3, 0.7], [0.9, 0.1]], [0, 1, 0, 1], (100, 0))


def test_formulas_of_the_course_of_a_game() -> None:
    assert drama(COMEBACK) == pytest.approx((math.sqrt(0.5) + math.sqrt(0.4)) / 2)
    assert lead_changes(COMEBACK) == pytest.approx(1 / 3)
    assert killer_move(COMEBACK) == pytest.approx(0.6)
    assert uncertainty(COMEBACK) == pytest.approx((1 + 0.5 + 0.6 + 0.2) / 4)
    assert decisive_turns(COMEBACK) == 0  # only the last value exceeds 0.75, and no turn follows
    assert decisive_turns(game([[0.5, 0.5], [0.8, 0.2], [0.9, 0.1]], [0, 1, 0], (100, 0))) == pytest.approx(1 / 3)


def test_outcomes_of_several_roles() -> None:
    assert outcomes(np.array([[50, 50, 0]])).tolist() == [[0.5, 0.5, 0.0]]
    found = result_measures([[100, 0, 0], [0, 100, 0], [33, 33, 33]], [0, 0, 0], "random")
    assert [getattr(found[f"{key}_random"], "value", None) for key in ("draws", "decisive", "first_player")] == [
        pytest.approx(1 / 3),
        pytest.approx(2 / 3),
        pytest.approx(4 / 9),
    ]


def test_depth_is_undefined_without_losses() -> None:
    assert doubling_measure(Score(4, 0, 0), 100)["elo_per_doubling_100"] == Undefined("200 simulations won all 4 games")
    found = doubling_measure(Score(3, 0, 1), 100)["elo_per_doubling_100"]
    assert isinstance(found, Estimate) and round(found.value) == 191


def test_intervals_cover_the_mean_in_95_of_100_samples() -> None:
    draw = np.random.default_rng(1)
    samples = draw.exponential(size=(2000, 50))
    covered = sum(contains(mean_estimate(sample), 1.0) for sample in samples)
    assert 0.9 < covered / 2000 < 0.97
    assert sum(contains(log10_mean_estimate(np.log(sample)), 0.0) for sample in samples) / 2000 > 0.9


def test_features_of_a_small_sheet() -> None:
    found = rule_features(
        parse_sheet("""
        (role a) (init (s 0)) (succ 0 1) (legal a (go up))
        (<= (next (s ?n)) (true (s ?m)) (succ ?m ?n) (does a (go ?d)) (distinct ?d down))
        (<= (next (s ?n)) (true (s ?n)) (not (less ?n 1)))
        (<= (less ?m ?n) (succ ?m ?n))
        (<= (less ?m ?n) (succ ?m ?k) (or (less ?k ?n) (and (less ?n ?n) (true (s ?k)))))
        (<= terminal (true (s 1))) (goal a 100)
        """)
    )
    expected = {
        "rules": 5,
        "facts": 5,
        "relations": 2,
        "fact_relations": 1,
        "derived_relations": 1,
        "frame_rules": 1,
        "negations": 1,
        "distinct_literals": 1,
        "disjunctions": 1,
        "conjunctions": 1,
        "true_literals": 4,
        "does_literals": 1,
        "largest_body": 4,
        "largest_variables": 3,
        "ground_rules": 1,
        "recursive_relations": 1,
        "largest_cycle": 1,
        "strata": 2,
        "fluent_names": 1,
        "move_names": 1,
        "goal_values": 1,
        "constants": 6,
    }
    assert {key: found[key] for key in expected} == expected

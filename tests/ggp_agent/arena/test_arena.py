"""The arena: statistics against known values, fair schedules, matches side by side and with limited time."""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import replace

import pytest
from compiled import network_of
from small_games import CARDS, COUNTING, NIM

from gdl import NetworkMachine, parse_sheet
from gdl.machines.reasoner import ReasonerMachine
from ggp_agent.arena.adjudication import AdjudicationRules
from ggp_agent.arena.arena import Arena, Contestant
from ggp_agent.arena.comparison import ArenaResult, arena, compare, play_matches
from ggp_agent.arena.match_result import MatchPlan, MatchResult, schedule
from ggp_agent.arena.scores import Score, elo_difference, pair_interval, wilson_interval
from ggp_agent.game.native.native_machine import NativeMachine
from ggp_agent.game.native.registry import native_game
from ggp_agent.game.play import at_random, turns
from ggp_agent.mcts.config import SearchConfig, SelectionConfig, SolverConfig
from ggp_agent.mcts.searcher import Searcher
from kif_games import rules

OTHER = SearchConfig(selection=SelectionConfig(exploration=0.5))
UNSOLVED = SearchConfig(solver=SolverConfig(enabled=False))

# One role counts down from 7 by one or two; ending on 0 with an even number of steps is best.
ALONE = """
    (role counter) (init (at 7)) (init (parity even))
    (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (other even odd) (other odd even)
    (<= (legal counter one) (true (at ?n)) (succ ?m ?n))
    (<= (legal counter two) (true (at ?n)) (succ ?m ?n) (succ ?k ?m))
    (<= (next (at ?m)) (does counter one) (true (at ?n)) (succ ?m ?n))
    (<= (next (at ?k)) (does counter two) (true (at ?n)) (succ ?m ?n) (succ ?k ?m))
    (<= (next (parity ?q)) (true (parity ?p)) (other ?p ?q))
    (<= terminal (true (at 0)))
    (<= (goal counter 100) (true (parity even))) (<= (goal counter 30) (true (parity odd)))
"""


@pytest.fixture(scope="module")
def tic_tac_toe() -> NetworkMachine:
    return network_of(rules("tic_tac_toe"))


# ---- statistics


@pytest.mark.parametrize(
    ("share", "games", "low", "high"),
    [
        # Worked out by hand from the formula.
        (0.5, 10, 0.2366, 0.7634),
        (0.0, 10, 0.0, 0.2775),
        (1.0, 20, 0.8389, 1.0),
        (0.6, 200, 0.5308, 0.6654),
        (0.55, 400, 0.5010, 0.5980),
    ],
)
def test_wilson_interval(share: float, games: int, low: float, high: float) -> None:
    assert wilson_interval(share, games) == pytest.approx((low, high), abs=5e-5)


def test_wilson_interval_solves_its_equation() -> None:
    """The score is 1.96 standard deviations away from both ends."""
    for wins in range(1, 30):
        share = wins / 30
        for end in wilson_interval(share, 30):
            assert abs(share - end) == pytest.approx(1.959963984540054 * math.sqrt(end * (1 - end) / 30))


def test_no_games_have_the_widest_interval() -> None:
    assert (Score().share, Score().interval, Score().games) == (0.5, (0.0, 1.0), 0)


def test_elo_is_the_inverse_of_the_expected_score() -> None:
    for difference in (-400, -35.5, 0, 100, 720):
        expected = 1 / (1 + 10 ** (-difference / 400))
        assert elo_difference(expected) == pytest.approx(difference)
    assert (elo_difference(0), elo_difference(1)) == (-math.inf, math.inf)


def played(number: int, seats: tuple[int | None, ...], goals: tuple[int | None, ...], error: str = "") -> MatchResult:
    plan = MatchPlan(number, number // 2, 1, seats)
    return MatchResult(plan, number + 3, 0, goals, (0,) * len(seats), (0.0,) * len(seats), error)


def test_results_are_summed_up_by_goals_and_roles() -> None:
    matches = [
        played(1, (1, 0), (100, 0)),
        played(0, (0, 1), (100, 0)),
        played(2, (0, 1), (50, 50)),
        played(3, (1, 0), (20, 70)),
        played(4, (0, 1), (None, 100), "left has no goal, or several after 7 turns"),
    ]
    result = compare(("left", "right"), matches, 0, 1)
    assert result.score == Score(wins=2, draws=1, losses=1)
    assert result.score.share == 0.625
    assert result.by_role == {"left": Score(1, 1, 0), "right": Score(1, 0, 1)}
    assert result.goals == ((100 + 0 + 50 + 70) / 4, (0 + 100 + 50 + 20) / 4)
    assert result.lengths == (4.5, 3, 6)
    assert (result.pairs, result.interval) == ([0, 0, 1, 1, 0], pair_interval(result.score, [0, 0, 1, 1, 0]))
    assert result.errors == ("match 4: left has no goal, or several after 7 turns",)
    assert [match.plan.number for match in result.matches] == [0, 1, 2, 3]


def test_roles_of_one_side_are_taken_together() -> None:
    matches = [played(0, (0, 0, 1), (100, 0, 40)), played(1, (1, 1, 0), (0, 60, 30))]
    result = compare(("a", "b", "c"), matches, 0, 1)
    assert result.score == Score(wins=1, draws=1)
    assert result.goals == (40.0, 35.0)


def test_plays_of_one_role_are_compared_within_the_round() -> None:
    goals = [100, 30, 0, 0, 10, 20, 5]
    matches = [played(number, (number % 2,), (goal,)) for number, goal in enumerate(goals)]
    result = compare(("alone",), matches, 0, 1)
    assert result.score == Score(wins=1, draws=1, losses=1)
    assert (result.games, result.by_role, result.pairs) == (7, {}, [1, 0, 1, 0, 1])


# ---- schedules


@pytest.mark.parametrize(
    ("roles", "contestants"), [(1, 2), (2, 2), (3, 2), (4, 2), (6, 2), (2, 3), (3, 3), (5, 3), (2, 5)]
)
def test_each_contestant_takes_each_role_equally_often(roles: int, contestants: int) -> None:
    plans = list(schedule([f"r{role}" for role in range(roles)], contestants=contestants, matches=60, seed=1))
    assert [plan.number for plan in plans] == list(range(60))
    for first in range(0, 60, contestants):
        group = plans[first : first + contestants]
        assert len({plan.round for plan in group}) == 1
        for role in range(roles):
            assert sorted(seat for plan in group if (seat := plan.seats[role]) is not None) == list(range(contestants))
        for plan in group:
            counts = Counter(plan.seats)
            assert max(counts.values()) - min(counts.get(one, 0) for one in range(contestants)) <= 1


def test_every_even_seating_occurs() -> None:
    plans = schedule(("a", "b", "c", "d"), contestants=2, matches=60, seed=1)
    assert Counter(plan.seats for plan in plans).keys() == {
        (0, 0, 1, 1), (1, 1, 0, 0), (0, 1, 0, 1), (1, 0, 1, 0), (0, 1, 1, 0), (1, 0, 0, 1)
    }  # fmt: skip


def test_chance_has_no_seat() -> None:
    assert [plan.seats for plan in schedule(("p", "Random", "q"), contestants=2, matches=2, seed=1)] == [
        (0, None, 1),
        (1, None, 0),
    ]
    with pytest.raises(ValueError, match="chance is the only role"):
        list(schedule(("random",), contestants=2, matches=2, seed=1))


def test_odd_numbers_of_games_are_refused(tic_tac_toe: NetworkMachine) -> None:
    for games in (3, 0, -2):
        with pytest.raises(ValueError, match="the number of games must be a multiple of 2"):
            arena(tic_tac_toe, OTHER, OTHER, games=games, simulations=1)


# ---- play


@pytest.mark.slow
@pytest.mark.parametrize("game", ["connect_four", "breakthrough_6x6"])
def test_many_simulations_beat_few(game: str) -> None:
    contestants = (Contestant("a", SearchConfig(), 1000), Contestant("b", SearchConfig(), 20))
    matches = list(play_matches(Arena(network_of(rules(game)), contestants), games=12))
    result = compare(("x", "y"), matches, 0, 1)
    assert (result.games, result.errors) == (12, ())
    assert result.score.wins >= 11
    assert result.score.interval[0] > 0.6


def test_equal_contestants_are_even(tic_tac_toe: NetworkMachine) -> None:
    result = arena(tic_tac_toe, OTHER, OTHER, games=40, simulations=50, opening_plies=1)
    assert result.score.wins == result.score.losses > 0
    assert result.score.share == 0.5
    for white, black in zip(result.matches[::2], result.matches[1::2], strict=True):
        assert (white.plan.seats, black.plan.seats) == ((0, 1), (1, 0))
        assert white.moves == black.moves
    assert len({match.moves for match in result.matches}) > 10


def test_openings_are_the_same_for_both_seatings(tic_tac_toe: NetworkMachine) -> None:
    result = arena(tic_tac_toe, SearchConfig(), OTHER, games=40, simulations=5, opening_plies=3)
    openings = [match.moves[:3] for match in result.matches]
    assert openings[::2] == openings[1::2]
    assert len(set(openings)) > 15
    assert {match.opening for match in result.matches} == {3}
    with pytest.raises(ValueError, match="an opening of 9 plies ends the game"):
        arena(tic_tac_toe, OTHER, OTHER, games=2, simulations=5, opening_plies=9)


def test_openings_do_not_depend_on_states_that_a_reasoner_has_evaluated() -> None:
    plan, openings = next(schedule(("x", "o"), contestants=1, matches=1, seed=3)), []
    for seed in (1, 2):
        machine = ReasonerMachine(parse_sheet(rules("tic_tac_toe")))
        list(turns(machine, at_random(random.Random(seed))))  # numbers moves in the order of their first use
        joints = Arena(machine, (Contestant("a", OTHER, 5),), opening_plies=4).opening(plan)
        openings.append([tuple(map(machine.move_name, range(2), joint)) for joint in joints])
    assert openings[0] == openings[1]


@pytest.mark.parametrize("in_flight", [1, 6])
def test_matches_side_by_side_equal_single_searches(tic_tac_toe: NetworkMachine, in_flight: int) -> None:
    setting = Arena(
        tic_tac_toe,
        (Contestant("a", UNSOLVED, 60), Contestant("b", replace(UNSOLVED, selection=OTHER.selection), 30)),
        in_flight=in_flight,
    )
    for match in play_matches(setting, games=30, seed=5):
        seats = match.plan.seats
        searchers = [Searcher(tic_tac_toe, setting.config(match.plan, role)) for role in range(2)]
        state = tic_tac_toe.initial()
        for joint in match.moves:
            for role, name in enumerate(tic_tac_toe.roles):
                if len(tic_tac_toe.legal(state, name)) > 1:
                    limit = setting.contestants[seats[role] or 0].simulations
                    assert searchers[role].run(simulations=limit).best[role] == joint[role]
            for searcher in searchers:
                searcher.advance(joint)
            state = tic_tac_toe.next(state, joint)
        assert tic_tac_toe.terminal(state)
        assert match.goals == tuple(tic_tac_toe.goal(state, role) for role in tic_tac_toe.roles)
        # Forced moves, such as the last one, take no search.
        assert sum(match.simulations) % 30 == 0 and sum(match.simulations) > 0


def by_number(matches: list[MatchResult]) -> list[MatchResult]:
    """Return matches in the order of their numbers, without their times."""
    return sorted((replace(match, cpu_seconds=()) for match in matches), key=lambda match: match.plan.number)


def test_results_depend_neither_on_processes_nor_on_neighbours(tic_tac_toe: NetworkMachine) -> None:
    setting = Arena(tic_tac_toe, (Contestant("a", SearchConfig(), 40), Contestant("b", OTHER, 40)))
    told: list[int] = []
    alone = by_number(list(play_matches(setting, games=20)))
    assert by_number(list(play_matches(setting, games=20, jobs=2, moved=told.append))) == alone
    plans = schedule(tic_tac_toe.roles, contestants=2, matches=20, seed=1)
    assert by_number(list(setting.play(plans, 3, lambda moves: None))) == alone
    assert by_number(list(play_matches(setting, games=20, seed=2))) != alone
    assert sum(told) > 0


def test_equal_time_is_counted_in_processor_time(tic_tac_toe: NetworkMachine) -> None:
    contestants = (Contestant("a", UNSOLVED, milliseconds=8), Contestant("b", UNSOLVED, milliseconds=2))
    matches = list(play_matches(Arena(tic_tac_toe, contestants), games=4))
    assert not any(match.error for match in matches)
    searched = [sum(1 for turn in match.moves if turn[role] != "noop") for match in matches for role in range(2)]
    limits = [0.008 if seat == 0 else 0.002 for match in matches for seat in match.plan.seats]
    spent = [seconds for match in matches for seconds in match.cpu_seconds]
    # The last move of a full board is forced. Without a limit, these searches would not end.
    for moves, limit, seconds in zip(searched, limits, spent, strict=True):
        assert (moves - 1) * limit <= seconds


def test_equal_time_is_used_up_even_if_the_move_is_settled() -> None:
    contestants = (Contestant("a", UNSOLVED, milliseconds=250), Contestant("b", UNSOLVED, milliseconds=1))
    for match in play_matches(Arena(network_of(NIM), contestants), games=2):
        role = match.plan.seats.index(0)
        choices = sum(turn[role] != "noop" for turn in match.moves) - (match.moves[-1][role] != "noop")
        assert choices > 0
        assert match.cpu_seconds[role] >= 0.25 * choices


def test_three_roles() -> None:
    three = network_of(rules("three_hunters"))
    contestants = (Contestant("a", SearchConfig(), 100), Contestant("b", SearchConfig(), 3))
    result = compare(three.roles, play_matches(Arena(three, contestants), games=12), 0, 1)
    assert (result.games, result.errors) == (12, ())
    assert {match.plan.seats for match in result.matches} == {
        (0, 0, 1), (1, 1, 0), (0, 1, 0), (1, 0, 1), (0, 1, 1), (1, 0, 0)
    }  # fmt: skip
    assert result.goals[0] > result.goals[1]
    assert set(result.by_role) == set(three.roles)


def test_one_role() -> None:
    contestants = (Contestant("a", SearchConfig(), 200), Contestant("b", SearchConfig(), 1))
    result = compare(("counter",), play_matches(Arena(network_of(ALONE), contestants), games=20), 0, 1)
    assert (result.games, result.score.games) == (20, 10)
    assert result.goals[0] == 100.0 > result.goals[1]
    assert result.score.losses == 0 and result.score.wins > 0


def test_simultaneous_moves() -> None:
    result = arena(
        network_of(COUNTING), UNSOLVED, replace(UNSOLVED, selection=OTHER.selection), games=6, simulations=20
    )
    assert result.score == Score(draws=6)
    assert result.lengths == (4.0, 4, 4)
    assert all(match.simulations == (80, 80) for match in result.matches)


def test_chance_draws_the_moves_of_its_role() -> None:
    contestants = (Contestant("a", SearchConfig(), 3), Contestant("b", SearchConfig(), 3))
    matches = by_number(list(play_matches(Arena(network_of(CARDS), contestants), games=200)))
    drawn = Counter(match.moves[0][1] for match in matches)
    assert drawn.keys() == {"(draw 1)", "(draw 2)", "(draw 3)"}
    assert min(drawn.values()) > 35
    assert all(first.moves == second.moves for first, second in zip(matches[::2], matches[1::2], strict=True))


def test_three_contestants_meet_in_all_seatings() -> None:
    contestants = tuple(Contestant(f"c{n}", SearchConfig(), 10 * 9**n) for n in range(3))
    nim = network_of(NIM)
    matches = list(play_matches(Arena(nim, contestants), games=12))
    assert {match.plan.seats for match in matches} == {(0, 1), (1, 2), (2, 0), (0, 2), (1, 0), (2, 1)}
    assert set(Counter(match.plan.seats for match in matches).values()) == {2}
    results = [compare(nim.roles, matches, a, b) for a, b in ((0, 1), (0, 2), (1, 2))]
    assert [result.games for result in results] == [4, 4, 4]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("(role p) (init a) (<= (legal p x) (true a)) (<= terminal (true never)) (goal p 0)", "no legal move after 1"),
        (NIM.replace("(<= (goal ?p 0) (true (control ?p)) (true (heap 0)))", ""), "has no goal value"),
        (
            "(role p) (init a) (legal p x) (legal p y) (<= (next a) (true a)) (<= terminal (true b)) (goal p 0)",
            "no end",
        ),
    ],
)
def test_matches_with_errors_do_not_count(monkeypatch: pytest.MonkeyPatch, text: str, complaint: str) -> None:
    monkeypatch.setattr("ggp_agent.arena.arena_match.MAX_TURNS", 5)
    result = arena(network_of(text), SearchConfig(), SearchConfig(), games=2, simulations=2)
    assert (result.games, len(result.errors)) == (0, 2)
    assert all(complaint in error for error in result.errors)
    assert result == ArenaResult(Score(), result.by_role, (0.0, 0.0), (), result.errors, [0] * 5)


def test_wrong_contestants_are_refused(tic_tac_toe: NetworkMachine) -> None:
    for limits in ({}, {"simulations": 1, "milliseconds": 1.0}):
        with pytest.raises(ValueError, match="simulations or milliseconds, one of the two"):
            Contestant("a", SearchConfig(), **limits)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="simulations must be at least 1, not 0"):
        Contestant("a", SearchConfig(), 0)
    with pytest.raises(ValueError, match="milliseconds must be above 0, not nan"):
        Contestant("a", SearchConfig(), milliseconds=math.nan)
    mixed = (Contestant("a", SearchConfig(), 1), Contestant("b", SearchConfig(), milliseconds=1))
    with pytest.raises(ValueError, match="either all contestants count simulations, or all milliseconds"):
        Arena(tic_tac_toe, mixed)


def test_simulations_in_flight_of_configurations_are_used(tic_tac_toe: NetworkMachine) -> None:
    wide = replace(OTHER, in_flight=300)
    setting = Arena(tic_tac_toe, (Contestant("a", wide, 5), Contestant("b", OTHER, 5)))
    assert (setting.flights(0), setting.flights(1)) == (300, 1)
    assert setting.seats_side_by_side(10) == 1
    assert len(list(play_matches(setting, games=2))) == 2


# ---- adjudication


@pytest.mark.parametrize("jobs", [1, 2])
def test_matches_end_when_both_searches_agree(jobs: int) -> None:
    go = NativeMachine(native_game("go_5x5"))
    light = SearchConfig.from_toml('solver.enabled = false\nplayout.policy = "game-light"')
    contestants = (Contestant("a", light, 40), Contestant("b", light, 40))
    rules_of_end = AdjudicationRules(agreement=2, points=10)
    played = {match.plan.number: match for match in play_matches(Arena(go, contestants), games=6)}
    ended = list(play_matches(Arena(go, contestants, adjudication=rules_of_end), games=6, jobs=jobs))
    assert sum(match.adjudicated for match in ended) > 3
    assert not any(match.adjudicated for match in played.values())
    for match in ended:
        whole = played[match.plan.number]
        assert match.moves == whole.moves[: match.turns]
        assert sorted(match.goals) == [0, 100]
        assert match.adjudicated or match.turns == whole.turns
    assert sum(match.turns for match in ended) < sum(match.turns for match in played.values()) - 20


def test_an_adjudicated_result_is_the_one_that_both_expect(tic_tac_toe: NetworkMachine) -> None:
    contestants = (Contestant("a", SearchConfig(), 2000), Contestant("b", SearchConfig(), 2000))
    setting = Arena(tic_tac_toe, contestants, adjudication=AdjudicationRules(proven=True))
    for match in play_matches(setting, games=4):
        assert match.goals == (50, 50)
        assert match.adjudicated
        assert match.turns < 9


# ---- memory


@pytest.mark.parametrize(
    ("memory_mb", "simulations", "seats"), [(64, 10_000, 64), (1024, 10_000, 4), (1024, 1000, 42), (8192, 50_000, 1)]
)
def test_reply_forests_limit_the_matches_side_by_side(
    tic_tac_toe: NetworkMachine, memory_mb: int, simulations: int, seats: int
) -> None:
    forest = SearchConfig.from_toml(f'playout.policy = "bhrf"\nplayout.forest.memory_mb = {memory_mb}')
    contestants = (Contestant("a", forest, simulations), Contestant("b", SearchConfig(), simulations))
    setting = Arena(tic_tac_toe, contestants)
    assert setting.seats_side_by_side(1000) == seats

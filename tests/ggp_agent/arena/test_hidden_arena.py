"""Matches of games with hidden information: what players know, chance, replaced moves, and equal seeds."""

from __future__ import annotations

import pytest
from compiled import network_of
from small_games import DOORS

from ggp_agent.arena.adjudication import AdjudicationRules
from ggp_agent.arena.arena import Arena, Contestant
from ggp_agent.arena.arena_match import ArenaMatch
from ggp_agent.arena.comparison import arena, compare, play_matches
from ggp_agent.arena.match_result import MatchPlan, MatchResult, schedule
from ggp_agent.arena.role_players import KnowingPlayer, RoleChoice
from ggp_agent.game.load import load_game
from ggp_agent.hidden.hidden_searcher import METHODS
from ggp_agent.mcts.config import SEEING, HiddenConfig, SearchConfig
from kif_games import rules

# Chance throws a die that only alice sees; bob wins by naming the number.
DIE = """
    (role alice) (role bob) (role random) (init (step throw)) (side 1) (side 2) (side 3) (side 4)
    (<= (legal random (throw ?s)) (true (step throw)) (side ?s))
    (<= (legal random noop) (true (step call)))
    (<= (legal ?r noop) (role ?r) (distinct ?r random) (true (step throw)))
    (<= (legal alice noop) (true (step call)))
    (<= (legal bob (call ?s)) (true (step call)) (side ?s))
    (<= (next (die ?s)) (does random (throw ?s))) (<= (next (die ?s)) (true (die ?s)))
    (<= (next (step call)) (true (step throw))) (<= (next (called ?s)) (does bob (call ?s)))
    (<= (sees alice ?s) (does random (throw ?s)))
    (<= (sees alice (did bob ?m)) (does bob ?m))
    (<= terminal (true (called ?s)))
    (<= (goal bob 100) (true (die ?s)) (true (called ?s)))
    (<= (goal bob 0) (true (die ?s)) (true (called ?t)) (distinct ?s ?t))
    (<= (goal alice 100) (goal bob 0)) (<= (goal alice 0) (goal bob 100))
"""


def config(method: str) -> SearchConfig:
    return SearchConfig(hidden=HiddenConfig(method, particles=64))


def calls(method: str, seed: int) -> set[tuple[str, ...]]:
    """Return the moves of bob for every number of the die; all else is equal."""
    game = network_of(DIE)
    contestants = Contestant("a", config(method), simulations=40), Contestant("b", config(method), simulations=40)
    plan = next(schedule(game.roles, contestants=2, matches=2, seed=seed))
    setting, referee = Arena(game, contestants), game.simulator(64)
    found = set()
    for side in range(1, 5):
        throw = game.move_number(2, f"(throw {side})")
        players = setting.players(plan)
        noop = game.move_number(0, "noop"), game.move_number(1, "noop")
        match = ArenaMatch(plan, game, referee, players, [(*noop, throw)])
        while (role := match.next_role()) is not None:
            match.decide(role, players[role].search(setting.limits(plan, role)))
        found.add(tuple(joint[1] for joint in match.result().moves[1:]))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_choices_do_not_depend_on_what_is_hidden(method: str) -> None:
    assert [len(calls(method, seed)) for seed in range(6)] == [1] * 6
    assert len({next(iter(calls(method, seed))) for seed in range(12)}) > 1


def test_a_seeing_player_knows_the_state() -> None:
    assert calls(SEEING, 1) == {(f"(call {side})",) for side in range(1, 5)}


def test_seats_are_swapped_and_chance_is_the_same_within_a_pair() -> None:
    game = network_of(DIE)
    contestants = Contestant("a", config(SEEING), 60), Contestant("b", config("ismcts"), 60)
    found = compare(game.roles, play_matches(Arena(game, contestants), games=24, seed=3), 0, 1)
    assert found.errors == ()
    bobs: dict[int, list[int | None]] = {0: [], 1: []}
    for match in found.matches:
        bobs[match.plan.seats[1] or 0].append(match.goals[1])
    assert bobs[0] == [100] * 12
    assert {0, 100} == {*bobs[1]} and bobs[1].count(100) <= 8
    throws = [match.moves[0][2] for match in found.matches]
    assert throws[::2] == throws[1::2] and len({*throws}) == 4
    assert found.by_role["bob"].wins == 12


def moves(matches: list[MatchResult]) -> dict[int, object]:
    return {match.plan.number: (match.moves, match.percepts, match.goals, match.simulations) for match in matches}


def test_equal_seeds_give_equal_matches() -> None:
    game = network_of(rules("leduc_poker"))
    contestants = Contestant("a", config("ismcts"), 80), Contestant("b", config("determinised"), 80)
    setting = Arena(game, contestants)
    found = moves([*play_matches(setting, games=4, seed=5)])
    assert len(found) == 4
    assert moves([*play_matches(setting, games=4, seed=5)]) == found
    assert moves([*play_matches(setting, games=4, seed=6)]) != found


def test_time_limits_are_kept_and_percepts_are_recorded() -> None:
    game = network_of(rules("blind_tic_tac_toe"))
    sides = ("a", config("ismcts")), ("b", config("determinised"))
    contestants = tuple(Contestant(name, each, milliseconds=1) for name, each in sides)
    for match in play_matches(Arena(game, contestants), games=2):
        assert all(seconds > 0 for seconds in match.cpu_seconds)
        state = game.initial()
        for joint, percepts in zip(match.moves, match.percepts, strict=True):
            assert percepts == tuple(tuple(game.percepts(state, joint, role)) for role in game.roles)
            state = game.next(state, joint)
        assert game.terminal(state)


def test_illegal_moves_of_players_that_cannot_know_are_replaced() -> None:
    start = load_game(DOORS).initial_state()
    game, plan = start.machine, MatchPlan(0, 0, 1, (0, None))
    opened = []
    for door in range(1, 5):
        player = KnowingPlayer(start, 0, HiddenConfig(particles=16), seed=1)
        lock = game.move_number(0, "noop"), game.move_number(1, f"(lock {door})")
        match = ArenaMatch(plan, game, game.simulator(64), {0: player}, [lock])
        assert player.moves() == [f"(open {number})" for number in range(1, 5)]
        assert match.next_role() == 0
        match.decide(0, RoleChoice("(open 4)"))
        assert match.next_role() is None
        found = match.result()
        assert found.error == ""
        opened.append(found.moves[1][0])
    assert opened[:3] == ["(open 4)"] * 3 and opened[3] in ("(open 1)", "(open 2)", "(open 3)")


@pytest.mark.slow
def test_openings_are_observed() -> None:
    game = network_of(rules("blind_tic_tac_toe"))
    setting = Arena(game, (Contestant("a", config("ismcts"), 20), Contestant("b", config("ismcts"), 20)), 2)
    first, second = play_matches(setting, games=2, seed=1)
    assert first.moves[:2] == second.moves[:2] and first.opening == 2
    assert first.error == second.error == ""


def test_other_starts_and_adjudication_are_refused() -> None:
    game = network_of(DIE)
    contestants = Contestant("a", config("ismcts"), 1), Contestant("b", config("ismcts"), 1)
    with pytest.raises(ValueError, match="hidden information has neither another start nor adjudication"):
        Arena(game, contestants, adjudication=AdjudicationRules(proven=True))
    with pytest.raises(ValueError, match="hidden information has neither another start nor adjudication"):
        Arena(game, contestants, start=game.initial())


def test_two_configurations_are_compared() -> None:
    game = network_of(rules("kuhn_poker"))
    found = arena(game, config("ismcts"), config("determinised"), games=4, simulations=20)
    assert found.errors == () and len(found.matches) == 4 and all(match.percepts for match in found.matches)


def test_the_configuration_has_the_methods_of_the_search() -> None:
    (kind,) = (entry.metadata["kind"] for name, entry in HiddenConfig.__dataclass_fields__.items() if name == "method")
    assert kind.choices == (*METHODS, SEEING)

"""The search of games with hidden information: exact values, mixed strategies, questions and secrets."""

from __future__ import annotations

import threading
import time

import hidden_games
import pytest
from small_games import COINS

from ggp_agent.common.errors import UserError
from ggp_agent.game.game import Game
from ggp_agent.game.load import load_game
from ggp_agent.hidden.hidden_searcher import HiddenResult, HiddenSearcher
from kif_games import rules

# The same game with a rule for percepts, which never come.
COINS_WITHOUT_PERCEPTS = COINS + "(<= (sees even nothing) (true never))"


def probability(result: HiddenResult, move: str) -> float:
    return next(each.probability for each in result.strategy if each.move == move)


def monty_hall(**options: str) -> HiddenSearcher:
    searcher = HiddenSearcher(load_game("monty_hall"), "candidate", **options)  # type: ignore[arg-type]
    searcher.observe("(choose 1)", [])
    searcher.observe("noop", ["(open 3)"])
    return searcher


def test_one_role_against_chance_is_solved() -> None:
    result = monty_hall().run(simulations=1)
    assert result.exact
    assert result.move == "switch"
    assert {each.move: round(each.value, 6) for each in result.strategy} == {"switch": 66.666667, "stay": 33.333333}


def test_chance_is_recognised_in_upper_case() -> None:
    searcher = HiddenSearcher(load_game(rules("monty_hall").upper()), "CANDIDATE")
    searcher.observe("(choose 1)", [])
    searcher.observe("noop", ["(open 3)"])
    assert searcher.run(simulations=1).exact


def test_small_games_are_solved() -> None:
    searcher = HiddenSearcher(load_game("kuhn_poker"), "first", seed=1)
    searcher.observe("noop", ["(dealt queen)"])
    assert searcher.solve(60)
    result = searcher.run(seconds=60)
    assert (result.exact, result.simulations, result.move) == (True, 0, "pass")
    assert result.exploitability is not None
    assert result.exploitability <= 0.01
    assert probability(result, "pass") > 0.98
    assert result.strategy[0].value == pytest.approx(41.6667, abs=0.1)
    searcher.observe("pass", [])
    searcher.observe("noop", ["(did second bet)"])
    assert probability(searcher.run(), "bet") == pytest.approx(1 / 3, abs=0.35)  # its share depends on the jack's


def test_the_search_continues_where_the_equilibrium_is_not_known() -> None:
    searcher = HiddenSearcher(load_game("kuhn_poker"), "first")
    searcher.observe(None, ["(dealt queen)"])
    assert searcher.solve(60)
    result = searcher.run(simulations=500)
    assert (result.exact, result.exploitability, result.simulations >= 500) == (False, None, True)


def test_other_games_are_not_solved() -> None:
    assert not monty_hall().solve(60)  # one role
    assert not HiddenSearcher(load_game("kuhn_poker"), "first", method="determinised").solve(60)
    searcher = HiddenSearcher(load_game("blind_breakthrough"), "white")
    assert not searcher.solve(60)
    assert not searcher.solve(60)
    assert not searcher.run(simulations=100).exact


def test_determinised_play_outs_are_a_method() -> None:
    result = monty_hall(method="determinised").run(simulations=20_000)
    assert not result.exact
    assert result.move == "switch"
    assert result.strategy[0].value == pytest.approx(66.7, abs=3)
    assert sum(each.visits for each in result.strategy) == result.simulations >= 20_000


def test_strategies_are_mixed() -> None:
    for role, value in (("even", 100 / 3), ("odd", 200 / 3)):
        result = HiddenSearcher(load_game(COINS_WITHOUT_PERCEPTS), role, seed=1).run(simulations=200_000)
        assert probability(result, "heads") == pytest.approx(1 / 3, abs=0.12)
        assert sum(each.value * each.probability for each in result.strategy) == pytest.approx(value, abs=5)
        assert sum(each.probability for each in result.strategy) == pytest.approx(1)


def test_moves_are_drawn_from_the_strategy() -> None:
    searcher = HiddenSearcher(load_game(COINS_WITHOUT_PERCEPTS), "even")
    assert {searcher.run(simulations=2_000).move for _ in range(40)} == {"heads", "tails"}


def test_a_belief_follows_learned_strategies() -> None:
    """The second player bets a king more often than a jack."""
    weights = []
    for learned in (False, True):
        searcher = HiddenSearcher(load_game("kuhn_poker"), "first", learned=learned, seed=1)
        searcher.observe("noop", ["(dealt queen)"])
        searcher.run(simulations=100_000)
        searcher.observe("pass", [])
        searcher.observe("noop", ["(did second bet)"])
        weights.append([weight for state, weight in searcher.belief.states() if "(holds second king)" in state.fluents])
    assert weights[0] == [pytest.approx(0.5)]
    assert weights[1][0] > 0.6


def test_equal_seeds_give_equal_results() -> None:
    def first(seed: int) -> tuple[tuple[str, int], ...]:
        searcher = HiddenSearcher(load_game("liars_dice"), "first", seed=seed)
        searcher.observe("noop", ["(thrown 3)"])
        return tuple((each.move, each.visits) for each in searcher.run(simulations=3_000).strategy)

    assert first(1) == first(1) != first(2)


def test_a_stop_ends_the_run() -> None:
    searcher = HiddenSearcher(load_game("kuhn_poker"), "first")
    searcher.observe("noop", ["(dealt jack)"])
    results: list[HiddenResult] = []
    thread = threading.Thread(target=lambda: results.append(searcher.run()))
    thread.start()
    while thread.is_alive():  # a stop before the run begins is without effect
        searcher.stop()
        time.sleep(0.01)
    assert len(results) == 1
    assert searcher.run(stopped=lambda: True).simulations == 0


def test_errors_of_a_condition_are_raised() -> None:
    searcher = HiddenSearcher(load_game(COINS_WITHOUT_PERCEPTS), "even")

    def fail() -> bool:
        raise KeyError("condition")

    with pytest.raises(KeyError, match="condition"):
        searcher.run(stopped=fail)
    assert searcher.run(simulations=10).simulations >= 10


def test_wrong_arguments_are_refused() -> None:
    game = load_game(COINS_WITHOUT_PERCEPTS)
    with pytest.raises(ValueError, match="method must be one of ismcts, oos, determinised, not best"):
        HiddenSearcher(game, "even", method="best")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="seconds"):
        HiddenSearcher(game, "even").run(seconds=-1)
    searcher = HiddenSearcher(game, "even")
    searcher.observe("heads", [], terminal=True)
    with pytest.raises(UserError, match="even has no legal move: the game is over"):
        searcher.run(simulations=10)


def corpus_game(name: str) -> Game:
    return load_game(str(hidden_games.sheet(name)))


@hidden_games.needs_hidden_games
@pytest.mark.parametrize(
    ("name", "move", "value"),
    [
        ("exploding_bomb", "ask", 90),
        ("number_guessing", "(less_than 9)", 60),
        ("tiger", "listen", 75),
        ("strategy_fusion", "take", 60),
    ],
)
def test_information_has_its_value(name: str, move: str, value: float) -> None:
    game = corpus_game(name)
    role = next(role for role in game.roles if role != "random")
    searcher = HiddenSearcher(game, role)
    first = searcher.belief.moves()
    if len(first) == 1:  # chance draws first
        searcher.observe(first[0][0], [])
    result = searcher.run(seconds=60)
    assert result.exact
    assert result.move == move
    assert result.strategy[0].value == pytest.approx(value)

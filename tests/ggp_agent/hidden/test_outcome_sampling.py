"""Online outcome sampling: convergence, targeted games, determinism, and games of one and of three roles."""

from __future__ import annotations

import hidden_games
import pytest

from ggp_agent.game.game import Game
from ggp_agent.game.load import load_game
from ggp_agent.hidden.equilibrium import Equilibrium
from ggp_agent.hidden.hidden_searcher import HiddenResult, HiddenSearcher

KUHN = load_game("kuhn_poker")
QUEEN_AFTER_BET = [("noop", ["(dealt queen)"]), ("pass", []), ("noop", ["(did second bet)"])]

# Three roles name a number in secret. One role gets 100 if it differs from both others.
THREE = """
(role a) (role b) (role c) (init now) (number 1) (number 2) (number 3)
(<= (legal ?r (name ?n)) (role ?r) (number ?n) (true now))
(<= (next (named ?r ?n)) (does ?r (name ?n)))
(<= terminal (true (named a ?n)))
(<= (same ?r) (true (named ?r ?n)) (true (named ?q ?n)) (distinct ?r ?q))
(<= (goal ?r 0) (same ?r)) (<= (goal ?r 100) (role ?r) (not (same ?r)))
(<= (sees a nothing) (true never))
"""


def searcher_of(game: Game, role: str, seed: int = 1) -> HiddenSearcher:
    return HiddenSearcher(game, role, method="oos", seed=seed)


def probability(result: HiddenResult, move: str) -> float:
    return next(each.probability for each in result.strategy if each.move == move)


def test_the_whole_game_converges() -> None:
    tree = Equilibrium(KUHN)
    searcher = searcher_of(KUHN, "first")
    found = []
    for simulations in (0, 2_000, 50_000, 1_000_000):
        searcher.run(simulations=simulations)
        found.append(searcher.exploitability(tree))
    assert found[0] == pytest.approx(11.458, abs=0.001)  # uniform strategies
    assert found == sorted(found, reverse=True)
    assert found[-1] < 0.25  # 0.01 chips


def test_targeted_games_do_not_change_the_expectation() -> None:
    """The strategies of all information states converge, also those that contradict the observations."""
    tree = Equilibrium(KUHN)
    searcher = searcher_of(KUHN, "first")
    for move, percepts in QUEEN_AFTER_BET:
        searcher.observe(move, percepts)
    result = searcher.run(simulations=1_000_000)
    assert searcher.exploitability(tree) < 0.5
    assert probability(result, "bet") == pytest.approx(0.5, abs=0.2)  # 1/3 to 2/3, as its share of bets with a jack
    assert [each.value for each in result.strategy] == [pytest.approx(25, abs=2)] * 2


def test_targeted_games_visit_rare_information_states() -> None:
    game = load_game("leduc_poker")
    visits = []
    for turns in (0, 6):
        searcher = searcher_of(game, "first")
        history = [("noop", ["(got jack)"]), ("raise", []), ("noop", ["(did second call)"])]
        history += [("noop", ["(laid jack)"]), ("call", []), ("noop", ["(did second raise)"])]
        for move, percepts in history[:turns]:
            assert searcher.observe(move, percepts) == ()
        searcher.run(simulations=20_000)
        for move, percepts in history[turns:]:
            assert searcher.observe(move, percepts) == ()
        visits.append(sum(each.visits for each in searcher.run(simulations=0).strategy))
    assert 3 * visits[0] < visits[1]


def test_regrets_are_kept_for_the_next_turn() -> None:
    searcher = searcher_of(KUHN, "first")
    searcher.run(simulations=100_000)
    for move, percepts in QUEEN_AFTER_BET:
        searcher.observe(move, percepts)
    result = searcher.run(simulations=0)
    assert sum(each.visits for each in result.strategy) > 1_000
    assert 0.1 < probability(result, "bet") < 0.9


def test_equal_seeds_give_equal_results() -> None:
    def first(seed: int) -> tuple[tuple[str, float, int], ...]:
        searcher = searcher_of(load_game("liars_dice"), "first", seed)
        searcher.observe("noop", ["(thrown 3)"])
        return tuple((each.move, each.value, each.visits) for each in searcher.run(simulations=3_000).strategy)

    assert first(1) == first(1) != first(2)


def test_one_role_plays_the_best_move() -> None:
    searcher = searcher_of(load_game("monty_hall"), "candidate")
    searcher.observe("(choose 1)", [])
    searcher.observe("noop", ["(open 3)"])
    result = searcher.run(simulations=50_000)
    assert not result.exact
    assert [(each.move, each.probability) for each in result.strategy] == [("switch", 1), ("stay", 0)]
    assert result.strategy[0].value == pytest.approx(66.7, abs=2)


def test_three_roles() -> None:
    result = searcher_of(load_game(THREE), "b").run(simulations=50_000)
    assert sum(each.probability for each in result.strategy) == pytest.approx(1)
    assert all(0 <= each.value <= 100 and each.visits > 0 for each in result.strategy)


def test_other_methods_and_games_have_no_exploitability() -> None:
    searcher = HiddenSearcher(KUHN, "first", method="determinised")
    with pytest.raises(ValueError, match="determinised learns no strategies"):
        searcher.exploitability(Equilibrium(KUHN))
    assert not searcher_of(KUHN, "first").solve(60)


def test_an_unknown_own_move_ends_the_targets() -> None:
    searcher = searcher_of(KUHN, "first")
    searcher.observe(None, ["(dealt queen)"])
    result = searcher.run(simulations=1_000)
    assert sum(each.probability for each in result.strategy) == pytest.approx(1)


@hidden_games.needs_hidden_games
@pytest.mark.parametrize(
    ("name", "role", "percepts", "strategy"),
    [
        ("nonlocal", "min", [[], ["your_turn"]], {"(say up)": 2 / 3, "(say down)": 1 / 3}),
        ("scissor_paper_rock", "player1", [], {"rock": 0.4, "paper": 0.4, "scissors": 0.2}),
    ],
)
def test_known_equilibria_are_found(
    name: str, role: str, percepts: list[list[str]], strategy: dict[str, float]
) -> None:
    searcher = searcher_of(load_game(str(hidden_games.sheet(name))), role)
    for seen in percepts:
        searcher.observe("noop", seen)
    result = searcher.run(simulations=1_000_000)
    assert {each.move: each.probability for each in result.strategy} == pytest.approx(strategy, abs=0.03)

"""Equilibria of small games: values, strategies and exploitability that are known exactly, and refused games."""

from __future__ import annotations

import math

import hidden_games
import pytest
from small_games import COINS

from ggp_agent.common.errors import UserError
from ggp_agent.game.load import load_game
from ggp_agent.hidden.equilibrium import Equilibrium, TreeTooLargeError, Turns, first_information_states, solve_hidden
from kif_games import rules


@pytest.mark.parametrize(
    ("name", "value", "histories", "states"),
    [("kuhn_poker", 48.611111, 55, 6), ("leduc_poker", 49.743181, 9451, 144)],
)
def test_games_of_the_catalogue(name: str, value: float, histories: int, states: int) -> None:
    found = solve_hidden(load_game(name), exploitability=0.01, seconds=60)
    assert found.values == {"first": pytest.approx(value, abs=0.02), "second": pytest.approx(100 - value, abs=0.02)}
    assert found.histories == histories
    assert found.information_states == {"first": states, "second": states}
    assert found.exploitability <= 0.01
    for role, exact in (("first", value), ("second", 100 - value)):
        low, high = found.bounds[role]
        assert low - 1e-6 <= exact <= high + 1e-6
        assert high - low == pytest.approx(2 * found.exploitability)


@hidden_games.needs_hidden_games
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kuhn_poker", 48.611111),
        ("leduc_poker", 49.743181),
        ("liars_dice_3", 55.555556),
        ("nonlocal", 30),
        ("scissor_paper_rock", 50),
        ("dark_line_4_2", 83.720930),
        ("dark_line_5_3", 66.776316),
    ],
)
def test_exact_values(name: str, value: float) -> None:
    found = solve_hidden(load_game(str(hidden_games.sheet(name))), exploitability=0.01, seconds=60)
    assert found.values[found.roles[0]] == pytest.approx(value, abs=0.02)


@hidden_games.needs_hidden_games
def test_a_large_tree_is_played() -> None:
    found = solve_hidden(load_game(str(hidden_games.sheet("liars_dice_6"))), iterations=60, seconds=60)
    assert (found.histories, found.information_states) == (294_877, {"player1": 6144, "player2": 6144})
    assert found.exploitability < 2
    low, high = found.bounds["player1"]
    assert low < 48.643411 < high


@hidden_games.needs_hidden_games
def test_strategies_depend_on_other_parts_of_the_game() -> None:
    found = solve_hidden(load_game(str(hidden_games.sheet("nonlocal"))))
    role, turns = next(each for each in first_information_states(found.machine, 2) if each[0] == "min")
    assert {each.move: each.probability for each in found.strategy(role, turns)} == {
        "(say up)": pytest.approx(2 / 3, abs=0.003),
        "(say down)": pytest.approx(1 / 3, abs=0.003),
    }


def test_moves_at_the_same_time_are_not_seen() -> None:
    """A sheet without `sees`: every role sees all moves after the turn."""
    found = solve_hidden(load_game(COINS))
    assert found.values["even"] == pytest.approx(100 / 3, abs=0.002)
    for role, value in (("even", 100 / 3), ("odd", 200 / 3)):
        moves = {each.move: each for each in found.strategy(role)}
        assert moves["heads"].probability == pytest.approx(1 / 3, abs=0.001)
        assert moves["tails"].value == pytest.approx(value, abs=0.02)
    with pytest.raises(ValueError, match="no history before the end"):
        found.strategy("even", [("heads", ["tails"])])
    with pytest.raises(ValueError, match="the other roles make 1 moves, not 0"):
        found.strategy("even", [("heads", [])])


def test_strategies_in_an_information_state() -> None:
    found = solve_hidden(load_game("kuhn_poker"))
    (forced,) = found.strategy("first")
    assert (forced.move, forced.probability) == ("noop", 1.0)
    assert math.isnan(forced.value)
    jack = {each.move: each.probability for each in found.strategy("first", [("noop", ["(dealt jack)"])])}
    queen = {each.move: each.probability for each in found.strategy("first", [("noop", ["(dealt queen)"])])}
    king = {each.move: each.probability for each in found.strategy("first", [("NOOP", ["(Dealt King)"])])}
    assert jack["bet"] <= 1 / 3 + 0.001
    assert queen["bet"] < 0.001
    assert king["bet"] == pytest.approx(3 * jack["bet"], abs=0.01)
    for role, turns, message in (
        ("third", [], "role must be one of first, second, not third"),
        ("first", [("fold", [])], "fold"),
        ("first", [("noop", ["(dealt ace)"])], "ace"),
        ("first", [("noop", [])], "no history before the end of the game agrees"),
    ):
        with pytest.raises(ValueError, match=message):
            found.strategy(role, turns)


def test_exploitability_of_other_strategies() -> None:
    """Uniform strategies as in the literature, and the strategies of the equilibrium itself."""
    for name, uniform in (("kuhn_poker", 11.458333), (COINS, 12.5)):
        found = solve_hidden(load_game(name))

        def equal(role: str, turns: Turns, found: Equilibrium = found) -> dict[str, float]:
            moves = found.strategy(role, turns)
            return {each.move: 1 / len(moves) for each in moves}

        def own(role: str, turns: Turns, found: Equilibrium = found) -> dict[str, float]:
            return {each.move: each.probability for each in found.strategy(role, turns)}

        assert found.exploitability_of(equal) == pytest.approx(uniform, abs=1e-5)
        assert found.exploitability_of(own) == pytest.approx(found.exploitability, abs=1e-9)
        with pytest.raises(ValueError, match="the sum of the probabilities"):
            found.exploitability_of(lambda role, turns: {})


def test_sheets_in_upper_case() -> None:
    found = solve_hidden(load_game(rules("kuhn_poker").upper()))
    assert found.roles == ("FIRST", "SECOND")
    assert found.values["FIRST"] == pytest.approx(48.611111, abs=0.002)


def test_runs_continue_until_a_limit() -> None:
    found = Equilibrium(load_game("kuhn_poker"))
    assert found.exploitability == pytest.approx(11.458333, abs=1e-5)  # uniform strategies
    found.run(iterations=10)
    assert found.iterations == 10
    before = found.exploitability
    found.run(iterations=40)
    assert (found.iterations, found.exploitability < before) == (40, True)
    found.run(exploitability=0, seconds=None, stopped=lambda: True)
    assert found.iterations > 40

    def fail() -> bool:
        raise KeyError("condition")

    with pytest.raises(KeyError, match="condition"):
        found.run(exploitability=0, stopped=fail)
    assert found.exploitability < 1e-6  # valid after the error


def test_refused_games() -> None:
    with pytest.raises(UserError, match="tic_tac_toe has perfect information"):
        Equilibrium(load_game("tic_tac_toe"), histories=2000)
    with pytest.raises(UserError, match="fast:breakthrough has perfect information"):
        Equilibrium(load_game("fast:breakthrough"))
    with pytest.raises(UserError, match="monty_hall has one role besides chance; search --role candidate"):
        Equilibrium(load_game("monty_hall"))
    with pytest.raises(UserError, match="has 3 roles besides chance"):
        Equilibrium(load_game("(role third) (legal third wait)" + COINS))
    with pytest.raises(TreeTooLargeError, match="blind_tic_tac_toe has more than 2,000 histories"):
        Equilibrium(load_game("blind_tic_tac_toe"), histories=2000)
    with pytest.raises(TreeTooLargeError, match="histories were played, not the whole tree"):
        Equilibrium(load_game("blind_tic_tac_toe"), stopped=lambda played: played > 0)
    with pytest.raises(TreeTooLargeError, match="histories were played in 0 s"):
        Equilibrium(load_game("blind_tic_tac_toe"), seconds=0)
    with pytest.raises(UserError, match="constant-sum: their sum is 90 in one terminal state and 100 in"):
        Equilibrium(load_game(COINS.replace("(goal odd 50)", "(goal odd 40)")))
    with pytest.raises(UserError, match="odd has no goal value in some terminal state"):
        Equilibrium(load_game(COINS.replace("(<= (goal odd 100) (not same))", "")))
    unknown = """
    (role a) (role b) (role random) (legal a x) (legal b x) (init (step 1)) (<= (next (step 2)) (true (step 1)))
    (<= (legal random l) (true (step 1))) (<= (legal random r) (true (step 1)))
    (<= (legal random n) (true (step 2))) (<= (next (side ?s)) (does random ?s)) (<= (legal a y) (true (side l)))
    (<= terminal (true (side n))) (goal a 0) (goal b 100) (<= (sees b x) (true (step 3)))"""
    with pytest.raises(UserError, match="a cannot know its legal moves"):
        Equilibrium(load_game(unknown))


def test_wrong_arguments() -> None:
    game = load_game("kuhn_poker")
    for options in ({"histories": 0}, {"histories": 10**10}, {"seconds": -1}):
        with pytest.raises(ValueError, match=next(iter(options))):
            Equilibrium(game, **options)  # type: ignore[arg-type]
    found = Equilibrium(game)
    for limits in ({"iterations": -1}, {"seconds": math.nan}, {"exploitability": -1}):
        with pytest.raises(ValueError, match=next(iter(limits))):
            found.run(**limits)  # type: ignore[arg-type]

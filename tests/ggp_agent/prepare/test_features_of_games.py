"""Features of games: known values of small games, native games, limits."""

from __future__ import annotations

import math

import pytest
from compiled import catalogue_network, network_of
from small_games import CARDS, COUNTING

from gdl import NumberedMachine
from ggp_agent.game.load import load_game
from ggp_agent.prepare.game_features import measure_features

# The roles choose in turn, four times in all; only the last choice counts: with `good` b wins, with `bad` a wins.
LAST_MOVE_WINS = """(role a) (role b) (init (step 1)) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
(mover 1 a) (mover 2 b) (mover 3 a) (mover 4 b) (word good) (word bad)
(<= (legal ?r ?w) (true (step ?n)) (mover ?n ?r) (word ?w))
(<= (legal ?r wait) (role ?r) (true (step ?n)) (mover ?n ?s) (distinct ?r ?s))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m)) (<= (next (won b)) (true (step 4)) (does b good))
(<= (next (won a)) (true (step 4)) (does b bad)) (<= terminal (true (step 5)))
(<= (goal ?r 100) (true (won ?r))) (<= (goal ?r 0) (role ?r) (not (true (won ?r))))"""


def test_the_features_of_a_game_with_known_values() -> None:
    found = measure_features(network_of(LAST_MOVE_WINS), seconds=10.0)
    assert found is not None
    assert found.length == pytest.approx(math.log(4)) and found.branching == pytest.approx(math.log(2))
    # Each role chooses twice between the same two moves; half of the second choices repeat the first one.
    assert found.repeated == pytest.approx(0.25, abs=0.06) and found.lasting == 1.0
    assert found.forced == found.simultaneous == found.shared == found.graded == 0.0
    assert found.last_wins == pytest.approx(0.5, abs=0.12)
    # `good` is better for b in all games; the move of a does not matter. Half of the informed roles are b.
    assert 0.05 < found.informed < 0.4


def test_the_same_seed_gives_the_same_features() -> None:
    machine = load_game("connect_four").machine()
    assert isinstance(machine, NumberedMachine)
    one, same, other = (measure_features(machine, seconds=10.0, seed=seed) for seed in (1, 1, 2))
    assert one is not None and one == same and one != other


def test_features_distinguish_races_from_lines() -> None:
    race, lines = (
        measure_features(catalogue_network(name), seconds=10.0) for name in ("breakthrough_6x6", "connect_four")
    )
    assert race is not None and lines is not None
    assert race.informed > 0.3 and race.last_wins > 0.9
    assert lines.repeated > 0.3 > race.repeated and lines.lasting > 0.95


@pytest.mark.parametrize("name", ["fast:breakthrough_6x6", "fast:checkers", "chinese_checkers_small"])
def test_native_games_and_many_roles_have_features(name: str) -> None:
    machine = load_game(name).machine()
    assert isinstance(machine, NumberedMachine)
    assert measure_features(machine, seconds=20.0) is not None


def test_simultaneous_moves_and_chance() -> None:
    simultaneous = measure_features(network_of(COUNTING), seconds=10.0)
    assert simultaneous is not None and simultaneous.simultaneous > 0
    chance = measure_features(network_of(CARDS), seconds=10.0)
    assert chance is not None and chance.simultaneous == 0


def test_there_are_no_features_without_time_or_ends() -> None:
    machine = network_of(LAST_MOVE_WINS)
    assert measure_features(machine, seconds=0.0) is None
    assert measure_features(machine, seconds=10.0, stopped=lambda: True) is None
    endless = "(role a) (role b) (init x) (<= (next x) (true x)) (legal ?r go) (<= (goal ?r 50) (role ?r))"
    endless = endless.replace("(legal ?r go)", "(<= (legal ?r go) (role ?r)) (<= (legal ?r stay) (role ?r))")
    assert measure_features(network_of(f"{endless} (<= terminal (true never))"), seconds=10.0) is None


def test_a_game_with_too_many_moves_has_no_features() -> None:
    machine = load_game("fast:amazons").machine()
    assert isinstance(machine, NumberedMachine)
    assert measure_features(machine, seconds=10.0) is None


def test_a_game_in_which_a_role_has_no_legal_move_has_no_features() -> None:
    assert measure_features(network_of(LAST_MOVE_WINS.replace("(mover 3 a)", "")), seconds=10.0) is None

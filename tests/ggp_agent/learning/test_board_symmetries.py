"""Symmetries for learning: of the rules, and of boards that play-outs confirm; games that only look symmetric."""

from __future__ import annotations

import pytest

from gdl import NetworkMachine, parse_sheet
from gdl.compile.automorphisms import Automorphism
from ggp_agent.learning.game_encoding import symmetries_of
from ggp_agent.learning.learner import encode_game
from kif_games import rules

# Two walkers on a row of five fields race for an end of it. Who enters the field GOAL first wins.
RACE = """
(role left) (role right)
(after left right) (after right left)
(beside 1 2) (beside 2 3) (beside 3 4) (beside 4 5)
(<= (near ?a ?b) (beside ?a ?b)) (<= (near ?a ?b) (beside ?b ?a))
(<= (base (at ?p ?f)) (role ?p) (near ?f ?g)) (<= (base (turn ?p)) (role ?p))
(<= (input ?p (go ?f)) (role ?p) (near ?f ?g)) (<= (input ?p wait) (role ?p))
(init (at left 3)) (init (at right 3)) (init (turn left))
(<= (legal ?p (go ?g)) (true (turn ?p)) (true (at ?p ?f)) (near ?f ?g))
(<= (legal ?p wait) (true (turn ?q)) (after ?p ?q))
(<= (next (at ?p ?g)) (does ?p (go ?g)))
(<= (next (at ?p ?f)) (true (at ?p ?f)) (does ?p wait))
(<= (next (turn ?q)) (true (turn ?p)) (after ?p ?q))
(goals left GOAL_LEFT) (goals right GOAL_RIGHT)
(<= (wins ?p) (true (at ?p ?f)) (goals ?p ?f))
(<= terminal (wins ?p))
(<= (goal ?p 100) (wins ?p)) (<= (goal ?p 0) (role ?p) (not (wins ?p)))
"""


def found_in(text: str) -> tuple[NetworkMachine, list[Automorphism]]:
    machine = NetworkMachine(parse_sheet(text))
    return machine, symmetries_of(machine)


def test_a_half_turn_of_hex_is_found() -> None:
    _, found = found_in(rules("hex"))
    assert sorted(each.roles for each in found) == [(0, 1), (1, 0), (1, 0)]
    turned = next(each for each in found if each.roles == (0, 1))
    assert turned.fluents["(stone red a 2)"] == "(stone red i 8)"
    assert turned.moves[1]["(place c 9)"] == "(place g 1)"
    assert turned.fluents["(turn blue)"] == "(turn blue)"


def test_an_exchanged_board_of_hex_exchanges_the_roles() -> None:
    machine, found = found_in(rules("hex"))
    exchanged = next(each for each in found if each.fluents["(stone red a 2)"] == "(stone blue b 1)")
    assert exchanged.roles == (1, 0)
    assert exchanged.moves[0]["(place c 9)"] == "(place i 3)"
    assert len(encode_game(machine).views) == 2


# Two players mark the cells of a square board, whose coordinates are the first numbers of a longer sequence, 0 to 30.
# A row of three wins.
SQUARE = """
(role x) (role o) (after x o) (after o x)
{succ}
(index 1) (index 2) (index 3) (index 4) (index 5)
(<= (base (mark ?m ?n ?p)) (index ?m) (index ?n) (role ?p)) (<= (base (turn ?p)) (role ?p))
(base (step 0)) (<= (base (step ?n)) (succ ?m ?n)) (init (step 0)) (init (turn x))
(<= (input ?p (put ?m ?n)) (role ?p) (index ?m) (index ?n)) (<= (input ?p wait) (role ?p))
(<= (marked ?m ?n) (true (mark ?m ?n ?p)))
(<= (legal ?p (put ?m ?n)) (true (turn ?p)) (index ?m) (index ?n) (not (marked ?m ?n)))
(<= (legal ?p wait) (true (turn ?q)) (after ?p ?q))
(<= (next (mark ?m ?n ?p)) (does ?p (put ?m ?n))) (<= (next (mark ?m ?n ?p)) (true (mark ?m ?n ?p)))
(<= (next (turn ?q)) (true (turn ?p)) (after ?p ?q)) (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= (row ?p) (true (mark ?m ?a ?p)) (succ ?a ?b) (true (mark ?m ?b ?p)) (succ ?b ?c) (true (mark ?m ?c ?p)))
(<= (row ?p) (true (mark ?a ?n ?p)) (succ ?a ?b) (true (mark ?b ?n ?p)) (succ ?b ?c) (true (mark ?c ?n ?p)) {more})
(<= open (index ?m) (index ?n) (not (marked ?m ?n)))
(<= terminal (row ?p)) (<= terminal (not open))
(<= (goal ?p 100) (row ?p)) (<= (goal ?p 0) (row ?q) (after ?p ?q))
(<= (goal ?p 50) (role ?p) (not (row x)) (not (row o)))
"""


@pytest.mark.parametrize(("more", "count"), [("", 15), ("(distinct ?n 4)", 3)])
def test_a_board_may_use_a_part_of_a_longer_sequence(more: str, count: int) -> None:
    succ = " ".join(f"(succ {number} {number + 1})" for number in range(30))
    _, found = found_in(SQUARE.format(succ=succ, more=more))
    assert len(found) == count


@pytest.mark.slow
def test_checkers_has_a_view_for_each_role() -> None:
    machine, found = found_in(rules("checkers"))
    assert [each.roles for each in found] == [(1, 0)]
    assert found[0].fluents["(piece black man b 1)"] == "(piece white man g 8)"
    assert found[0].fluents["(quiet 1)"] == "(quiet 1)"
    assert len(encode_game(machine).views) == 2


@pytest.mark.parametrize(("left", "right", "count"), [("5", "1", 1), ("5", "5", 1), ("4", "1", 0)])
def test_only_symmetries_that_hold_in_play_are_accepted(left: str, right: str, count: int) -> None:
    _, found = found_in(RACE.replace("GOAL_LEFT", left).replace("GOAL_RIGHT", right))
    assert len(found) == count, found

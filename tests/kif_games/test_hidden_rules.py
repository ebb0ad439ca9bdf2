"""The sheets with hidden information play by the rules of their games, and the roles know their own moves."""

from __future__ import annotations

import itertools
import random

import pytest
from compiled import catalogue_network

from gdl import parse_sheet
from ggp_agent.verify.perft import perft
from ggp_agent.verify.random_play import try_out
from kif_games import catalogue, rules

HIDDEN = [name for name, entry in catalogue().items() if entry.hidden]

# The number of ways a game can go. Kuhn poker: 6 deals and 5 ways to bet. Leduc poker: as in OpenSpiel. Liar's dice:
# 36 throws, and all ascending series of at least one of the 12 bids.
ENDS = {"kuhn_poker": 30, "leduc_poker": 5_520, "liars_dice": 36 * (2**12 - 1)}


@pytest.mark.parametrize("name", HIDDEN)
def test_roles_know_their_legal_moves(name: str) -> None:
    assert try_out(parse_sheet(rules(name)), 4, max_turns=700) == []


@pytest.mark.parametrize("name", HIDDEN)
def test_the_sheet_hides_information(name: str) -> None:
    assert catalogue_network(name).hides_information


@pytest.mark.parametrize("name", ENDS)
def test_the_number_of_ends(name: str) -> None:
    machine = catalogue_network(name)
    assert sum(level.terminals for level in perft(machine, catalogue()[name].max_turns)) == ENDS[name]


def test_monty_hall_is_won_by_switching_in_two_of_three_games() -> None:
    machine = catalogue_network("monty_hall")
    won = {"stay": 0.0, "switch": 0.0}
    for door, last in itertools.product((1, 2, 3), won):
        hidden = machine.next(machine.initial(), [f"(choose {door})", "(hide 1)"])
        opened = machine.legal(hidden, "random")
        for choice in opened:
            assert machine.percepts(hidden, ["noop", choice], "candidate") == [choice]
            end = machine.next(machine.next(hidden, ["noop", choice]), [last, "noop"])
            assert machine.terminal(end)
            won[last] += (machine.goal(end, "candidate") or 0) / 100 / 3 / len(opened)
    assert won == pytest.approx({"stay": 1 / 3, "switch": 2 / 3})


def test_mastermind_answers_count_pegs() -> None:
    machine = catalogue_network("mastermind")
    rng = random.Random(1)
    codes = list(itertools.product(("red", "green", "blue", "white"), repeat=3))
    for _ in range(150):
        code, guess = rng.choice(codes), rng.choice(codes)
        state = machine.next(machine.initial(), ["noop", f"(hide {' '.join(code)})"])
        exact = sum(one == other for one, other in zip(code, guess, strict=True))
        common = sum(min(code.count(colour), guess.count(colour)) for colour in set(code))
        joint = [f"(guess {' '.join(guess)})", "noop"]
        assert machine.percepts(state, joint, "breaker") == [f"(answer {exact} {common - exact})"]
        assert machine.terminal(machine.next(state, joint)) == (code == guess)


def test_kuhn_poker_pays_the_stakes() -> None:
    machine = catalogue_network("kuhn_poker")
    start = machine.next(machine.initial(), ["noop", "noop", "(deal king jack)"])
    lines = {"pass pass": 75, "pass bet pass": 25, "pass bet bet": 100, "bet pass": 75, "bet bet": 100}
    for line, points in lines.items():
        state = start
        for turn, move in enumerate(line.split()):
            assert not machine.terminal(state)
            state = machine.next(state, ["noop", move, "noop"] if turn % 2 else [move, "noop", "noop"])
        assert machine.terminal(state)
        assert [machine.goal(state, role) for role in ("first", "second")] == [points, 100 - points]


def test_a_straight_move_onto_an_enemy_fails() -> None:
    machine = catalogue_network("blind_breakthrough")
    state = machine.initial()
    for move in ("(move 1 2 1 3)", "(move 1 5 1 4)"):
        mover = 0 if "1 2" in move else 1
        joint = [move, "noop"] if mover == 0 else ["noop", move]
        assert machine.percepts(state, joint, machine.roles[1 - mover]) == ["your_turn"]
        state = machine.next(state, joint)
    joint = ["(move 1 3 1 4)", "noop"]
    assert machine.percepts(state, joint, "white") == ["failed"] and machine.percepts(state, joint, "black") == []
    failed = machine.next(state, joint)
    assert set(machine.fluents(failed)) == {*machine.fluents(state), "(blocked 1 4)"}
    assert set(machine.legal(state, "white")) - set(machine.legal(failed, "white")) == {joint[0]}
    taken = ["(move 1 3 2 4)", "noop"]
    assert machine.percepts(failed, taken, "white") == []
    state = machine.next(machine.next(failed, taken), ["noop", "(move 1 4 1 3)"])
    joint = ["(move 2 2 1 3)", "noop"]
    assert machine.percepts(state, joint, "white") == ["captured"]
    assert machine.percepts(state, joint, "black") == ["(lost 1 3)", "your_turn"]

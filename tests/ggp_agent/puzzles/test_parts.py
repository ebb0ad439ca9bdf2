"""Games taken apart: what the parts are, that each goes its own way, and puzzles solved part by part."""

from __future__ import annotations

from random import Random

import pytest
from places import ROOT
from puzzles_in_parts import RINGS, SLIDING
from random_puzzles import random_puzzle
from small_puzzles import ENDLESS

from gdl import NetworkMachine, ReferenceMachine, parse_sheet
from ggp_agent.cli import main
from ggp_agent.puzzles.by_parts import by_parts
from ggp_agent.puzzles.circuit import UnservedError, circuit_of_roles
from ggp_agent.puzzles.line import KnownGoal, goal_after
from ggp_agent.puzzles.parts import Parts, parts_of


def taken_apart(text: str) -> tuple[NetworkMachine, Parts]:
    machine = NetworkMachine(parse_sheet(text))
    return machine, parts_of(circuit_of_roles(machine))


def fluents_of(machine: NetworkMachine, game: Parts) -> list[set[str]]:
    return [{machine.fluent_names[fluent] for fluent in part.fluents} for part in game.parts]


def test_boards_side_by_side_are_parts() -> None:
    machine, game = taken_apart(SLIDING)
    boards = fluents_of(machine, game)
    assert len(boards) == 2
    names = sorted(board.pop().split()[1] for board in map(set, boards))
    assert names == ["a", "b"]
    for board, part in zip(boards, game.parts, strict=True):
        name = min(board).split()[1]
        assert all(fluent.startswith(f"(at {name} ") for fluent in board)
        assert {machine.move_name(0, move) for move in part.acting} == {
            f"(slide {name} {x} {y})" for x in (1, 2, 3) for y in (1, 2)
        }


def test_a_move_may_act_on_two_parts() -> None:
    machine, game = taken_apart(RINGS)
    rings = [{fluent.split()[1] for fluent in part} for part in fluents_of(machine, game)]
    assert sorted(rings, key=str) == [{"left"}, {"right"}]
    one, other = game.parts
    assert len(one.acting & other.acting) == 4  # (go on on), (go on back), (go back on), (go back back)


@pytest.mark.parametrize(
    "text",
    [random_puzzle(Random(seed)) for seed in range(8)]
    + [(ROOT / "kif_games" / f"{name}.kif").read_text() for name in ("connect_four", "tic_tac_toe")]
    + [RINGS, SLIDING],
)
def test_what_becomes_of_a_part_rests_on_it_and_on_what_runs_by_itself(text: str) -> None:
    machine, game = taken_apart(text)
    random = Random(1)
    states = [state for _ in range(40) for state in walk(machine, random)]
    for _ in range(300):
        one, other = (int.from_bytes(random.choice(states), "little") for _ in range(2))
        for part in game.parts:
            own = sum(1 << fluent for fluent in part.fluents) | game.by_itself
            spliced = (one & own | other & ~own).to_bytes(len(states[0]), "little")
            joint = [random.choice(machine.move_names(role)) for role in range(len(machine.roles))]
            after = [
                int.from_bytes(machine.next(state, joint), "little") & own
                for state in (one.to_bytes(len(states[0]), "little"), spliced)
            ]
            assert after[0] == after[1]


def walk(machine: NetworkMachine, random: Random) -> list[bytes]:
    """Return the states of a random play-out that are not terminal, thirty at most."""
    state = machine.initial()
    found: list[bytes] = []
    while len(found) < 30 and not machine.terminal(state):
        found.append(state)
        moves = [machine.legal(state, role) for role in machine.roles]
        if not all(moves):
            break
        state = machine.next(state, [random.choice(each) for each in moves])
    return found or [state]


@pytest.mark.parametrize(("text", "length"), [(SLIDING, None), (RINGS, 3)])
def test_puzzles_are_solved_part_by_part(text: str, length: int | None) -> None:
    found: list[KnownGoal] = []
    by_parts(parse_sheet(text), (), 64, found.append)
    (finding,) = found
    assert finding.goal == finding.ceiling == 100
    assert goal_after(ReferenceMachine(parse_sheet(text)), finding.moves) == 100
    assert length is None or len(finding.moves) == length


def test_parts_with_too_many_states_are_planned() -> None:
    switches = 24  # of which one turns each; 2**24 states, and one line of 24 moves
    text = (
        "(role r) (init (at 0)) (end 2) (after 0 1) (after 1 2)"
        + "".join(f"(switch {number})" for number in range(switches))
        + "(<= (legal r (turn ?n)) (switch ?n)) (<= (next (on ?n)) (does r (turn ?n)))"
        "(<= (next (on ?n)) (true (on ?n)))"
        "(<= (legal r (go ?y)) (true (at ?x)) (after ?x ?y)) (<= (next (at ?y)) (does r (go ?y)))"
        "(<= (next (at ?x)) (true (at ?x)) (does r (turn ?n)))"
        + "(<= locked (switch ?n) (not (true (on ?n)))) (<= off locked) (<= terminal (not off) (true (at 2)))"
        + "(<= (goal r 100) (not off) (true (at 2))) (<= (goal r 0) off)"
    )
    found: list[KnownGoal] = []
    by_parts(parse_sheet(text), (), 1, found.append)
    assert found[-1].goal == 100 and len(found[-1].moves) == switches + 2


def test_a_game_of_one_part_is_left_to_other_ways() -> None:
    with pytest.raises(UnservedError, match="the game has one part only"):
        by_parts(parse_sheet(ENDLESS), (), 16, lambda finding: None)


def test_inspect_shows_parts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", "connect_four", "--show", "parts"]) == 0
    lines = capsys.readouterr().out.splitlines()
    titles = [line for line in lines if not line.startswith(" ")]
    assert [title.split(":")[0] for title in titles] == [*(f"part {number}" for number in range(1, 8)), *titles[7:]]
    assert "runs by itself" in titles and "acts on nothing" in titles and "  red noop" in lines

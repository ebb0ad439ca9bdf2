"""The ways of solving: against exhaustive search on random puzzles, and on what each of them is for."""

from __future__ import annotations

from random import Random

import pytest
from random_puzzles import best_goal, random_puzzle
from small_puzzles import ENDLESS, SUDOKU

from gdl import NetworkMachine, ReferenceMachine, StopFlag, parse_sheet
from gdl._simulation import BreadthFirst, NestedAdaptation
from ggp_agent.puzzles.breadth_first import breadth_first, clock_of, state_space
from ggp_agent.puzzles.circuit import Circuit, KnownGoal, UnservedError, circuit_of, goal_after
from ggp_agent.puzzles.move_groups import move_groups, used_up
from ggp_agent.puzzles.planner import plan
from ggp_agent.puzzles.solution import beam, in_fixed_order, nested


def machine_of(text: str) -> NetworkMachine:
    return NetworkMachine(parse_sheet(text))


def puzzle(seed: int, *, clock: bool = True) -> tuple[str, NetworkMachine, Circuit]:
    """Return the first random puzzle from a seed on whose goals above 0 are not all simplified away."""
    random = Random(seed)
    while True:
        text = random_puzzle(random, clock=clock)
        machine = machine_of(text)
        try:
            return text, machine, circuit_of(machine)
        except UnservedError:
            continue


@pytest.mark.parametrize("seed", range(12))
def test_plans_are_as_good_as_exhaustive_search(seed: int) -> None:
    text, _, circuit = puzzle(seed)
    oracle = ReferenceMachine(parse_sheet(text))
    found: list[KnownGoal] = []
    plan(circuit, found.append)
    best = best_goal(oracle)
    if found:
        assert found[-1].proven and found[-1].goal == (best or 0)
        assert all(goal_after(oracle, each.moves) == each.goal for each in found if each.goal > 0)
    else:
        assert not best and all(goal == 0 for goal, _ in circuit.goals)


@pytest.mark.parametrize("clock", [True, False])
@pytest.mark.parametrize("seed", range(20, 28))
def test_breadth_first_search_is_as_good_as_exhaustive_search(seed: int, clock: bool) -> None:
    text, _, circuit = puzzle(seed, clock=clock)
    oracle = ReferenceMachine(parse_sheet(text))
    found: list[KnownGoal] = []
    breadth_first(parse_sheet(text), (), 16, found.append)
    assert found[-1].goal == (best_goal(oracle) or 0)
    assert found[-1].proven or found[-1].goal == circuit.goals[-1][0]
    for each in found:
        assert each.goal == (goal_after(oracle, each.moves) or 0)


def test_breadth_first_search_begins_after_moves() -> None:
    text = """
        (role r) (init (at 0)) (after 0 1) (after 1 2) (after 2 3)
        (<= (legal r (go ?y)) (true (at ?x)) (after ?x ?y)) (<= (next (at ?y)) (does r (go ?y)))
        (<= terminal (true (at 3))) (goal r 70)"""
    found: list[KnownGoal] = []
    breadth_first(parse_sheet(text), ["(go 1)"], 1, found.append)
    assert found[-1].moves == ("(go 2)", "(go 3)") and found[-1].goal == 70
    lines: list[KnownGoal] = []
    machine = machine_of(text)
    plan(circuit_of(machine).beginning_with(machine.next(machine.initial(), ["(go 1)"])), lines.append)
    assert lines[-1].moves == ("(go 2)", "(go 3)") and lines[-1].proven


def test_breadth_first_search_keeps_to_its_memory() -> None:
    digits = "".join(f"(digit {n})" for n in range(1, 22))
    text = (
        f"(role r) {digits} (<= (legal r (turn ?n)) (digit ?n)) (<= (next (on ?n)) (does r (turn ?n)))"
        "(<= (next (on ?n)) (true (on ?n))) (<= off (digit ?n) (not (true (on ?n)))) (<= terminal (not off))"
        "(<= (goal r 100) (not off)) (<= (goal r 0) off)"
    )
    with pytest.raises(UnservedError, match=r"states take 1 MB, and there are more"):
        breadth_first(parse_sheet(text), (), 1, lambda finding: None)


@pytest.mark.parametrize("seed", range(60, 66))
def test_beams_that_are_wide_enough_are_as_good_as_exhaustive_search(seed: int) -> None:
    text, *_ = puzzle(seed)
    oracle = ReferenceMachine(parse_sheet(text))
    space = state_space(parse_sheet(text), (), 16)
    for order in range(BreadthFirst.ORDERS):
        search = space.search(space.everything)
        search.begin(10_000, order, seed)
        while search.run(1.0, StopFlag()) == BreadthFirst.GOES_ON:
            pass
        assert (search.best or 0) == (best_goal(oracle) or 0)
        assert (goal_after(oracle, space.line(search)) or 0) == (search.best or 0)


def test_narrow_beams_expand_the_states_of_the_highest_goal() -> None:
    # Each step is taken to the left or the right; what counts is how often to the left.
    length = 8
    text = (
        "(role r) (init (lefts 0)) (init (step 0)) (legal r left) (legal r right)"
        + "".join(f"(after {n} {n + 1}) (worth {n} {10 * n})" for n in range(length + 1))
        + "(<= (next (step ?n)) (true (step ?m)) (after ?m ?n)) (<= (next (mark ?n)) (true (step ?n)) (does r right))"
        "(<= (next (mark ?n)) (true (mark ?n))) (<= (next (lefts ?n)) (true (lefts ?m)) (after ?m ?n) (does r left))"
        f"(<= (next (lefts ?n)) (true (lefts ?n)) (does r right)) (<= terminal (true (step {length})))"
        "(<= (goal r ?g) (true (lefts ?n)) (worth ?n ?g))"
    )
    space = state_space(parse_sheet(text), (), 16)
    search = space.search(space.everything)
    search.begin(2, 1, 1)
    while search.run(1.0, StopFlag()) == BreadthFirst.GOES_ON:
        pass
    assert search.best == 80 and search.states <= 1 + 4 * length


def test_beams_widen_until_the_goal_is_reached() -> None:
    found: list[KnownGoal] = []
    beam(parse_sheet(SUDOKU), (), 16, found.append)
    assert found[-1].goal == 100 and goal_after(ReferenceMachine(parse_sheet(SUDOKU)), found[-1].moves) == 100


@pytest.mark.parametrize("seed", range(70, 76))
def test_nested_search_is_as_good_as_exhaustive_search(seed: int) -> None:
    text, *_ = puzzle(seed)
    oracle = ReferenceMachine(parse_sheet(text))
    best = best_goal(oracle) or 0
    space = state_space(parse_sheet(text), (), 16)
    search = NestedAdaptation(space.machine.simulator(), space.start, best, seed)
    while not search.run(1.0, StopFlag()):
        pass
    assert (search.best or 0) == best
    assert (goal_after(oracle, space.line(search)) or 0) == best


def test_nested_search_learns_a_line_that_chance_does_not_find() -> None:
    # Of 30 steps, each of four ways, all have to be taken along the first; each gives a little.
    length = 30
    text = (
        "(role r) (init (rights 0)) (init (step 0)) (way a) (way b) (way c) (way d) (<= (legal r (go ?n ?w)) (way ?w)"
        "(true (step ?n)))"
        + "".join(f"(after {n} {n + 1}) (worth {n} {3 * n + 10})" for n in range(length + 1))
        + "(<= (next (step ?n)) (true (step ?m)) (after ?m ?n))"
        "(<= (next (rights ?n)) (true (rights ?m)) (after ?m ?n) (does r (go ?s a)))"
        "(<= (next (rights ?n)) (true (rights ?n)) (does r (go ?s ?w)) (distinct ?w a))"
        f"(<= terminal (true (step {length}))) (<= (goal r ?g) (true (rights ?n)) (worth ?n ?g))"
    )
    found: list[KnownGoal] = []
    nested(parse_sheet(text), (), 64, found.append)
    assert found[-1].goal == 100
    assert found[-1].moves == tuple(f"(go {step} a)" for step in range(length))


def test_nested_search_of_a_game_that_is_over_ends() -> None:
    found: list[KnownGoal] = []
    nested(
        parse_sheet(
            "(role r) (init (on 1)) (<= terminal (true (on 1))) (legal r stay) (goal r 30)"
            "(<= (next (on ?x)) (true (on ?x)))"
        ),
        (),
        16,
        found.append,
    )
    assert [(each.goal, each.moves) for each in found] == [(30, ())]


def test_the_clock_is_told_from_what_moves_rest_on() -> None:
    sheet = """
        (role r) (init (step 0)) (init off) (after 0 1) (after 1 2) (after 2 3) (init (turn 0)) (swap 0 1) (swap 1 0)
        (<= (next (step ?n)) (true (step ?m)) (after ?m ?n)) (<= (next (turn ?n)) (true (turn ?m)) (swap ?m ?n))
        (<= (legal r press) (true (turn 0))) (legal r wait)
        (<= (next on) (does r press)) (<= (next on) (true on)) (<= (next off) (true off) (does r wait))
        (<= terminal (true (step 3))) (<= (goal r 100) (true on) (true off)) (<= (goal r 0) (true off) (not (true on)))
        (<= (goal r 50) (true on) (not (true off)))"""
    machine = machine_of(sheet)
    clock = {machine.fluent_names[number] for number in clock_of(circuit_of(machine))}
    assert clock == {name for name in machine.fluent_names if name.startswith("(step")} and clock


@pytest.mark.parametrize("seed", range(40, 52))
def test_moves_that_are_used_up_are_never_legal_again(seed: int) -> None:
    text, _, circuit = puzzle(seed, clock=False)
    oracle = ReferenceMachine(parse_sheet(text))
    uses_up = used_up(circuit)
    for maker, name in enumerate(circuit.move_names):
        never = {other for number, other in enumerate(circuit.move_names) if uses_up[maker] >> number & 1}
        random = Random(seed)
        for _ in range(6 if never else 0):
            state, made = oracle.initial(), False
            for _ in range(12):
                legal = oracle.legal(state, "r")
                assert not (made and never & set(legal))
                if oracle.terminal(state) or not legal:
                    break
                move = name if name in legal and random.random() < 0.5 else random.choice(legal)
                made |= move == name
                state = oracle.next(state, [move])


def test_figures_of_a_sudoku_are_grouped_by_cells_and_otherwise() -> None:
    circuit = circuit_of(machine_of(SUDOKU))
    groups = move_groups(circuit)
    cells = {name.rpartition(" ")[0] for name in circuit.move_names}
    assert {len({circuit.move_names[move].rpartition(" ")[0] for move in group}) for group in groups.families[0]} == {1}
    assert len(groups.families[0]) == len(cells) == 12 and len(groups.families) > 1 and groups.repeatable == ()


def test_a_sudoku_is_solved_in_a_fixed_order() -> None:
    machine = machine_of(SUDOKU)
    found: list[KnownGoal] = []
    in_fixed_order(circuit_of(machine), found.append)
    assert found[-1].goal == 100 and found[-1].proven
    assert goal_after(ReferenceMachine(parse_sheet(SUDOKU)), found[-1].moves) == 100


def test_what_can_be_repeated_has_no_fixed_order() -> None:
    digits = "".join(f"(digit {n})" for n in range(5))
    text = (
        f"(role r) {digits} (<= (legal r (turn ?n)) (digit ?n)) (<= (next (on ?n)) (does r (turn ?n)))"
        "(<= terminal (true (on 4))) (goal r 60)"
    )
    with pytest.raises(UnservedError, match="5 of 5 moves can be repeated"):
        in_fixed_order(circuit_of(machine_of(text)), lambda finding: None)


def test_what_has_no_end_has_no_line() -> None:
    found: list[KnownGoal] = []
    breadth_first(parse_sheet(ENDLESS), (), 1, found.append)
    assert found[-1] == KnownGoal(0, (), 0, "all 3 states")


def test_lines_are_walked_through() -> None:
    machine = ReferenceMachine(parse_sheet(SUDOKU))
    assert goal_after(machine, []) is None  # not at the end
    assert goal_after(machine, ["(write 1 1 2)"]) is None  # not legal
    once = "(role r) (legal r end) (<= (next over) (does r end)) (<= terminal (true over)) (goal r 30) (goal r 40)"
    assert goal_after(ReferenceMachine(parse_sheet(once)), ["end"]) == 40  # the highest counts
    assert goal_after(ReferenceMachine(parse_sheet(once)), ["end", "end"]) is None

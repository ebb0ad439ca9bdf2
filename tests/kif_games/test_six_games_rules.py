"""Rules of cannon, pentalath, checkers and chinese checkers, one position each."""

from __future__ import annotations

import pytest
from compiled import catalogue_network
from test_six_games import play, turns

from gdl import MachineState

# The rows of pentalath with their first and last columns.
ROWS = [(0, 2, 6), (1, 1, 6), (2, 1, 7), (3, 0, 7), (4, 0, 8), (5, 0, 7), (6, 1, 7), (7, 1, 6), (8, 2, 6)]


def digits(relation: str, number: int) -> list[str]:
    """Return the fluents of the binary digits of a number that are 1."""
    return [f"({relation} {digit})" for digit in range(10) if number >> digit & 1]


def moves(name: str, state: MachineState, player: str) -> set[str]:
    return set(catalogue_network(name).legal(state, player))


def result(name: str, state: MachineState) -> list[int | None] | None:
    machine = catalogue_network(name)
    return [machine.goal(state, role) for role in machine.roles] if machine.terminal(state) else None


def cannon(white: str, black: str, turn: str = "white", played: int = 20) -> MachineState:
    """Return the state with these soldiers, white's town on e1 and black's on a10."""
    soldiers = [
        f"(soldier {player} {place[0]} {place[1:]})"
        for player, places in (("white", white), ("black", black))
        for place in places.split()
    ]
    towns = ["(town white e 1)", "(town black a 10)"]
    return catalogue_network("cannon").state([*soldiers, *towns, f"(turn {turn})", *digits("moves", played)])


def shots(state: MachineState, player: str = "white") -> set[str]:
    return {"".join(move.strip("()").split()[1:]) for move in moves("cannon", state, player) if "shoot" in move}


@pytest.mark.parametrize(
    ("white", "black", "expected"),
    [
        ("h2 h3 h4", "h6 h7 h8", {"h6", "h7"}),  # the third square over an occupied second
        ("h2 h3 h4", "h5 h6 h7", set()),  # the square in front is not empty
        ("h2 h3 h4 h6", "h7", {"h7"}),  # over an own soldier
        ("h2 h3 h4 h5", "h7 h8 h9", {"h7", "h8"}),  # four in a row: one cannon in front of another
        ("g1 h1 i1", "d1", {"d1"}),  # over the own town
        ("h4 i5 j6", "f2", {"f2"}),  # diagonally
        ("d7 d8 d9", "b5 d5 d4 d3", {"d5", "d4"}),  # backwards
        ("f3 g3 h3", "d3 c3 j3", {"d3", "c3", "j3"}),  # sideways, in both directions
        ("h1 h2 h3 e5 f5 g5", "h5 j5 c5", {"h5", "c5"}),  # h5 is directly in front of the second cannon
        ("a5 a6 a7 h2", "a9 j7", {"a9"}),  # black's town behind it is not a target
    ],
)
def test_cannons_shoot_at_the_second_and_third_square(white: str, black: str, expected: set[str]) -> None:
    assert shots(cannon(white, black)) == expected


def test_two_cannons_that_hit_the_same_soldier_have_one_shot_and_towns_are_never_hit() -> None:
    both = cannon("h1 h2 h3 c5 d5 e5 f5", "h5")
    assert shots(both) == {"h5"}
    assert len(turns("cannon", both)) == len(moves("cannon", both, "white"))
    assert shots(cannon("j2", "e3 e4 e5 j1", "black"), "black") == set()


def test_soldiers_step_take_retreat_and_jump() -> None:
    free = cannon("c3", "h7")
    assert moves("cannon", free, "white") == {"(move c 3 b 4)", "(move c 3 c 4)", "(move c 3 d 4)"}
    pressed = cannon("c5 c3", "d5 b4")
    of_c5 = {move for move in moves("cannon", pressed, "white") if move.startswith("(move c 5")}
    steps = {"(move c 5 b 6)", "(move c 5 c 6)", "(move c 5 d 6)"}
    # Straight back is c3, diagonally behind b4 is an enemy; b4 itself is behind and cannot be captured.
    assert of_c5 == {*steps, "(move c 5 d 5)", "(move c 5 e 3)"}
    taken = play(catalogue_network("cannon"), pressed, "(move c 5 d 5)")
    assert "(soldier black d 5)" not in catalogue_network("cannon").fluents(taken)
    jumping = moves("cannon", cannon("b2 b3 b4", "h7"), "white")
    assert {"(move b 2 b 5)", "(move b 4 b 1)"} <= jumping and "(move b 3 b 6)" not in jumping
    assert "(move b 2 b 5)" not in moves("cannon", cannon("b2 b3 b4", "b5"), "white")


@pytest.mark.parametrize(
    ("white", "black", "expected"),
    [
        # A soldier that could capture on the town's square must be removed; h5 cannot reach it.
        ("c2 h5", "d2", {"(move c 2 d 2)"}),
        ("d1 h5", "f1 j9", None),
        ("f6 f5 f4 h5", "f2", {"(shoot f 2)"}),
        # A cannon with the town on its second square: step between, or capture or shoot one of the three.
        ("d1 h3", "e3 e4 e5", {"(move d 1 e 2)"}),
        ("d3 h3", "e3 e4 e5", {"(move d 3 e 3)", "(move d 3 e 4)"}),
        ("f5", "e3 e4 e5", {"(move f 5 e 5)"}),
        # On its third square: the square before the cannon must be occupied; the square next to the town may be.
        ("d2 j5", "e4 e5 e6", {"(move d 2 e 3)"}),
        ("d1 j5", "e4 e5 e6", None),
        # Two attacks, and no move ends both.
        ("c2 h5", "d2 e3 e4 e5", None),
        ("d3 h5", "d2 e3 e4 e5", None),
        # The soldier before the cannon stays, or captures its first soldier.
        ("e2", "e3 e4 e5", {"(move e 2 e 3)"}),
        ("e3", "e4 e5 e6", {"(move e 3 e 4)"}),
        ("e2 h5", "e4 e5 e6 h9", {"(move e 2 e 3)"}),
    ],
)
def test_no_move_leaves_the_town_attacked(white: str, black: str, expected: set[str] | None) -> None:
    state = cannon(white, black)
    if expected is None:
        assert result("cannon", state) == [0, 100]
    else:
        assert moves("cannon", state, "white") == expected


def test_a_shot_may_not_open_the_way_for_a_cannon() -> None:
    # e3 e4 e5 hit the town; without e3 they do not, but then e4 e5 e6 would.
    assert shots(cannon("g3 h3 i3", "e3 e4 e5")) == {"e3"}
    assert result("cannon", cannon("g3 h3 i3", "e3 e4 e5 e6")) == [0, 100]


def test_cannon_is_lost_without_soldiers_and_drawn_after_1000_moves() -> None:
    machine = catalogue_network("cannon")
    last = cannon("c4", "d5", played=500)
    assert result("cannon", play(machine, last, "(move c 4 d 5)")) == [100, 0]
    assert result("cannon", play(machine, cannon("c4", "d5", played=999), "(move c 4 d 5)")) == [100, 0]
    assert result("cannon", play(machine, cannon("c4", "d5", played=999), "(move c 4 c 5)")) == [50, 50]
    assert result("cannon", play(machine, cannon("c4", "d5", played=998), "(move c 4 c 5)")) is None


def pentalath(white: str, black: str, turn: str, played: int) -> MachineState:
    """Return the state with these stones, each a column and a row."""
    stones = [
        f"(stone {player} {place[0]} {place[1]})"
        for player, places in (("white", white), ("black", black))
        for place in places.split()
    ]
    return catalogue_network("pentalath").state([*stones, f"(turn {turn})", *digits("played", played)])


def test_black_may_replace_the_first_stone_once_and_captures_continue() -> None:
    machine = catalogue_network("pentalath")
    first = play(machine, machine.initial(), "(place 2 0)")
    assert len(moves("pentalath", first, "black")) == 61
    swapped = play(machine, first, "(place 2 0)")
    assert machine.fluents(swapped) == ["(played 1)", "(stone black 2 0)", "(turn white)"]
    assert len(moves("pentalath", swapped, "white")) == 60
    state = swapped
    for move in ("(place 3 0)", "(place 8 4)", "(place 1 1)", "(place 0 4)", "(place 2 1)"):
        assert "(stone black 2 0)" in machine.fluents(state)
        state = play(machine, state, move)
    assert "(stone black 2 0)" not in machine.fluents(state)
    kept = play(machine, first, "(place 4 4)")
    assert "(place 4 4)" not in moves("pentalath", kept, "white")
    later = play(machine, kept, "(place 5 5)")
    assert len(moves("pentalath", later, "black")) == 58


def test_all_enemy_groups_without_an_empty_cell_are_taken_before_the_own_group_is_looked_at() -> None:
    machine = catalogue_network("pentalath")
    # 3 0 is the only empty cell adjacent to white 2 0 and to the pair 4 0, 5 0.
    state = pentalath("20 40 50", "11 21 31 41 51 60", "black", 9)
    after = play(machine, state, "(place 3 0)")
    assert not any("white" in fluent for fluent in machine.fluents(after) if "stone" in fluent)
    # A stone among enemies with other empty adjacent cells is illegal, unless it captures one of them.
    assert "(place 2 0)" not in moves("pentalath", pentalath("44", "30 11 21", "white", 8), "white")
    taking = pentalath("40 31 32 22 12", "30 11 21", "white", 9)
    assert "(place 2 0)" in moves("pentalath", taking, "white")
    # The stone joins an own group without another empty cell, or with one.
    assert "(place 2 0)" not in moves("pentalath", pentalath("30", "40 11 21 31", "white", 9), "white")
    assert "(place 2 0)" in moves("pentalath", pentalath("30", "40 11 21", "white", 9), "white")


def test_pentalath_is_won_by_five_or_more_and_drawn_after_200_stones_or_without_a_move() -> None:
    machine = catalogue_network("pentalath")
    lines = (("04 14 34 44", "24"), ("04 14 34 44 54", "24"), ("20 21 32 33", "44"), ("40 31 32 23", "24"))
    for stones, last in lines:
        before = pentalath(stones, "28 38", "white", 20)
        assert result("pentalath", before) is None
        assert result("pentalath", play(machine, before, f"(place {last[0]} {last[1]})")) == [100, 0]
    assert result("pentalath", play(machine, pentalath("04 14 34", "58", "white", 199), "(place 2 4)")) == [50, 50]
    assert result("pentalath", play(machine, pentalath("04 14 34 44", "58", "white", 199), "(place 2 4)")) == [100, 0]
    assert result("pentalath", play(machine, pentalath("04 14 34", "58", "white", 198), "(place 2 4)")) is None
    # White's group has two empty adjacent cells, each too small for a black stone; all other cells are full.
    group = {"30", "11", "21", "31", "41", "50"}
    cells = {f"{column}{row}" for row, first, last in ROWS for column in range(first, last + 1)}
    full = pentalath(" ".join(group), " ".join(cells - group - {"20", "40"}), "black", 100)
    assert result("pentalath", full) == [50, 50]


def checkers(black: str, white: str, moved: str = "white", quiet: int = 0) -> MachineState:
    """Return the state with these pieces; K is a king."""
    pieces = [
        f"(piece {player} {'king' if place[0] == 'K' else 'man'} {place[-2]} {place[-1]})"
        for player, places in (("black", black), ("white", white))
        for place in places.split()
    ]
    return catalogue_network("checkers").state([*pieces, f"(moved {moved})", *digits("quiet", quiet)])


def test_a_king_each_is_a_draw_but_not_within_a_chain() -> None:
    machine = catalogue_network("checkers")
    assert result("checkers", checkers("Kb1", "Kg8")) == [50, 50]
    assert result("checkers", checkers("Kb1", "h7")) is None
    assert result("checkers", checkers("Kb1", "Kg8 Ke8")) is None
    assert result("checkers", checkers("Kb1 Kh7", "Kg8")) is None
    left = play(machine, checkers("Kb1", "Kc2 Kg8"), "(capture b 1 d 3)")
    assert result("checkers", left) == [50, 50]
    between = play(machine, checkers("Kb1", "Kc2 Kc4"), "(capture b 1 d 3)")
    assert result("checkers", between) is None and moves("checkers", between, "black") == {"(capture d 3 b 5)"}
    assert result("checkers", play(machine, between, "(capture d 3 b 5)")) == [100, 0]


def test_checkers_are_drawn_after_50_quiet_turns_unless_the_last_one_wins() -> None:
    machine = catalogue_network("checkers")
    assert result("checkers", play(machine, checkers("Kc2 b5", "Kg8 h7", quiet=49), "(move c 2 d 3)")) == [50, 50]
    assert result("checkers", play(machine, checkers("Kc2 b5", "Kg8 h7", quiet=48), "(move c 2 d 3)")) is None
    stepped = play(machine, checkers("Kc2 b5", "Kg8 h7", quiet=49), "(move b 5 a 6)")
    assert result("checkers", stepped) is None and not any("quiet" in each for each in machine.fluents(stepped))
    assert result("checkers", play(machine, checkers("Kc2", "a2", quiet=49), "(move c 2 b 1)")) == [100, 0]


def test_checkers_compel_captures_and_count_the_routes_of_a_turn_once() -> None:
    assert moves("checkers", checkers("b1 h1", "c2"), "black") == {"(capture b 1 d 3)"}
    # Around the board in either direction, back to the start: one turn of four jumps.
    ring = checkers("Kd1", "e2 e4 c4 c2")
    assert moves("checkers", ring, "black") == {"(capture d 1 f 3)", "(capture d 1 b 3)"}
    assert [result("checkers", after) for after in turns("checkers", ring).values()] == [[100, 0]]
    # A man continues forwards only, and its turn ends when it is crowned.
    [crowned] = turns("checkers", checkers("a6", "b7 d7"))
    assert crowned == "016-002-009"


def star(red: str, teal: str, turn: str = "red", played: int = 60) -> MachineState:
    """Return the state with these pieces, each `column,row`."""
    pieces = [
        f"(piece {player} {place.replace(',', ' ')})"
        for player, places in (("red", red), ("teal", teal))
        for place in places.split()
    ]
    return catalogue_network("chinese_checkers").state([*pieces, f"(turn {turn})", *digits("moves", played)])


def ends(state: MachineState, player: str, start: str) -> set[str]:
    prefix = f"(move {start.replace(',', ' ')} "
    legal = moves("chinese_checkers", state, player)
    return {move.removeprefix(prefix).strip("()").replace(" ", ",") for move in legal if move.startswith(prefix)}


def test_hops_continue_over_either_colour_and_may_go_backwards() -> None:
    # Along the row over 3 4, 5 4 and 7 4; and steps, also along the row.
    row = star("2,4 3,4 9,3", "5,4 7,4 8,5")
    assert ends(row, "red", "2,4") == {"4,4", "6,4", "8,4", "1,4", "1,5", "2,5"}
    # Back over 4 5 to 5 4, where it must not stop, over 6 4 to 7 4, and forwards over 7 5 to its own row.
    round_about = star("4,6", "4,5 6,4 7,5")
    assert ends(round_about, "red", "4,6") == {"3,6", "5,6", "3,7", "4,7", "8,6"}


def test_pieces_move_backwards_only_if_none_can_move_forwards_and_never_leave_the_goal() -> None:
    free = star("4,6", "9,9")
    assert ends(free, "red", "4,6") == {"3,6", "5,6", "3,7", "4,7"}
    assert ends(star("9,9", "4,6", "teal"), "teal", "4,6") == {"3,6", "5,6", "3,5", "4,5"}
    assert ends(star("5,10", "0,3"), "red", "5,10") == {"4,10", "6,10", "4,11", "5,11"}
    # The piece in the lowest cell can only move back within the goal: it does so if no other piece can move.
    assert ends(star("5,12", "9,9"), "red", "5,12") == {"4,11", "5,11"}
    assert ends(star("5,12 0,3", "9,9"), "red", "5,12") == set()
    # Hopping out of the goal is forbidden even then, so the role loses.
    assert result("chinese_checkers", star("5,12 4,11 5,11", "4,10 5,10 6,10")) == [0, 100]


def test_a_full_goal_with_an_own_piece_wins_after_the_own_move() -> None:
    machine = catalogue_network("chinese_checkers")
    almost = star("4,9 5,11", "4,11 5,10 6,10 5,12 0,3")
    assert result("chinese_checkers", almost) is None
    assert result("chinese_checkers", play(machine, almost, "(move 4 9 4 10)")) == [100, 0]
    # Not if only teal's pieces fill it, and not if teal has just moved.
    assert result("chinese_checkers", star("3,9", "4,10 5,10 6,10 4,11 5,11 5,12", "teal")) is None
    assert result("chinese_checkers", star("4,10 3,9", "5,10 6,10 4,11 5,11 5,12", "red")) is None
    assert result("chinese_checkers", star("4,10 3,9", "5,10 6,10 4,11 5,11 5,12", "teal")) == [100, 0]


def test_chinese_checkers_are_drawn_after_1000_moves_unless_the_last_one_wins() -> None:
    machine = catalogue_network("chinese_checkers")
    assert result("chinese_checkers", play(machine, star("4,6", "9,9", played=999), "(move 4 6 3 6)")) == [50, 50]
    assert result("chinese_checkers", play(machine, star("4,6", "9,9", played=998), "(move 4 6 3 6)")) is None
    almost = star("4,9 5,11", "4,11 5,10 6,10 5,12 0,3", played=999)
    assert result("chinese_checkers", play(machine, almost, "(move 4 9 4 10)")) == [100, 0]

"""Rules of the board games that random play rarely needs: captures, chains, rings, the end."""

import pytest
from compiled import catalogue_network

from gdl import MachineState, NetworkMachine, StopFlag
from gdl._simulation import perft


def goals(machine: NetworkMachine, state: MachineState) -> list[list[int]]:
    assert machine.terminal(state)
    return [machine.goals(state, role) for role in machine.roles]


def line(player: str, columns: range, row: int) -> list[str]:
    return [f"(stone {player} {column} {row})" for column in columns]


def test_gomoku_wants_exactly_five() -> None:
    machine = catalogue_network("gomoku")
    gap = [*line("black", range(1, 4), 15), *line("black", range(5, 6), 15), "(turn black)"]
    five = machine.next(machine.state(gap), ["(place 4 15)", "noop"])
    assert goals(machine, five) == [[100], [0]]
    six = machine.next(machine.state([*gap, "(stone black 6 15)"]), ["(place 4 15)", "noop"])
    assert not machine.terminal(six) and machine.goals(six, "black") == [50]
    stopped = machine.next(machine.state([*gap, "(stone white 6 15)"]), ["(place 4 15)", "noop"])
    assert goals(machine, stopped) == [[100], [0]]
    falling = [f"(stone white {column} {16 - column})" for column in range(11, 15)]
    won = machine.next(machine.state([*falling, "(turn white)"]), ["noop", "(place 15 1)"])
    assert goals(machine, won) == [[0], [100]]


def test_hex_joins_columns_for_red_and_rows_for_blue() -> None:
    machine = catalogue_network("hex")
    # A diagonal chain, from a9 up to i1, touches row 1 and row 9 as well as column a and column i.
    slant = list(zip("abcdefghi", range(9, 0, -1), strict=True))
    for player, joint in (("red", ["(place e 5)", "noop"]), ("blue", ["noop", "(place e 5)"])):
        stones = [f"(stone {player} {column} {row})" for column, row in slant if column != "e"]
        state = machine.state([*stones, f"(turn {player})"])
        assert not machine.terminal(state)
        assert goals(machine, machine.next(state, joint)) == [[100 * (player == "red")], [100 * (player == "blue")]]
    # The other diagonal is not a chain: a1 and b2 are not adjacent.
    stones = [f"(stone red {column} {row})" for row, column in enumerate("abcdefghi", 1) if column != "e"]
    assert not machine.terminal(machine.next(machine.state([*stones, "(turn red)"]), ["(place e 5)", "noop"]))
    # A column of red connects rows, which are blue's edges.
    stones = [f"(stone red c {row})" for row in range(1, 9)]
    assert not machine.terminal(machine.next(machine.state([*stones, "(turn red)"]), ["(place c 9)", "noop"]))


def kalah(machine: NetworkMachine, turn: str, north: list[int], south: list[int]) -> MachineState:
    """Return the state with these seeds: houses 1 to 6, store."""
    places = ["1", "2", "3", "4", "5", "6", "store"]
    seeds = [
        f"(seeds {player} {place} {n})"
        for player, all_seeds in (("north", north), ("south", south))
        for place, n in zip(places, all_seeds, strict=True)
    ]
    return machine.state([*seeds, f"(turn {turn})"])


def test_kalah_moves_again_from_the_store() -> None:
    machine = catalogue_network("kalah")
    after = machine.next(machine.initial(), ["(sow 3)", "noop"])
    assert after == kalah(machine, "north", [4, 4, 0, 5, 5, 5, 1], [4, 4, 4, 4, 4, 4, 0])
    assert "(sow 3)" not in machine.legal(after, "north") and machine.legal(after, "south") == ["noop"]


def test_kalah_captures_the_opposite_house() -> None:
    machine = catalogue_network("kalah")
    state = kalah(machine, "south", [4, 0, 9, 1, 2, 3, 5], [1, 2, 0, 5, 8, 8, 0])
    after = machine.next(state, ["noop", "(sow 2)"])  # to 3 and 4: the last seed is not alone
    assert after == kalah(machine, "north", [4, 0, 9, 1, 2, 3, 5], [1, 0, 1, 6, 8, 8, 0])
    state = kalah(machine, "south", [4, 0, 9, 1, 2, 3, 5], [2, 0, 0, 5, 8, 9, 0])
    after = machine.next(state, ["noop", "(sow 1)"])  # to 2 and 3; opposite to 3 is north's house 4
    assert after == kalah(machine, "north", [4, 0, 9, 0, 2, 3, 5], [0, 1, 0, 5, 8, 9, 2])


def test_kalah_sows_round_to_the_house_itself() -> None:
    machine = catalogue_network("kalah")
    state = kalah(machine, "north", [13, 1, 1, 1, 1, 1, 2], [2, 2, 2, 2, 2, 2, 16])
    after = machine.next(state, ["(sow 1)", "noop"])  # the last seed in the emptied house captures 2 + 1
    assert after == kalah(machine, "south", [0, 2, 2, 2, 2, 2, 7], [3, 3, 3, 3, 3, 0, 16])
    state = kalah(machine, "north", [14, 0, 1, 1, 1, 1, 2], [2, 2, 2, 2, 2, 2, 16])
    after = machine.next(state, ["(sow 1)", "noop"])  # house 2 was empty, but not at the last seed
    assert after == kalah(machine, "south", [1, 2, 2, 2, 2, 2, 3], [3, 3, 3, 3, 3, 3, 16])


@pytest.mark.parametrize(
    ("stores", "expected"), [((10, 20), [[0], [100]]), ((24, 13), [[50], [50]]), ((25, 20), [[100], [0]])]
)
def test_kalah_ends_with_an_empty_side(stores: tuple[int, int], expected: list[list[int]]) -> None:
    machine = catalogue_network("kalah")
    left = 48 - sum(stores)
    for turn in machine.roles:
        assert goals(machine, kalah(machine, turn, [0] * 6 + [stores[0]], [0, left, 0, 0, 0, 0, stores[1]])) == expected


def test_reversi_turns_discs_over_in_all_ways_and_passes() -> None:
    machine = catalogue_network("reversi")
    after = machine.next(machine.initial(), ["(place d 3)", "noop"])
    assert "(disc black d 4)" in machine.fluents(after)
    assert set(machine.legal(after, "white")) == {"(place c 3)", "(place c 5)", "(place e 3)"}
    rows = ["(disc white b 1)", "(disc white c 1)", "(disc black d 1)", "(disc white b 2)", "(disc black c 3)"]
    corner = machine.next(machine.state([*rows, "(disc white a 2)", "(turn black)"]), ["(place a 1)", "noop"])
    assert sum("black" in fluent for fluent in machine.fluents(corner)) == 6
    assert "(disc white a 2)" in machine.fluents(corner)  # no black disc closes column a
    passing = machine.state(["(disc white a 1)", "(disc black b 1)", "(disc white h 8)", "(turn black)"])
    assert machine.legal(passing, "black") == ["noop"] and not machine.terminal(passing)
    assert machine.fluents(machine.next(passing, ["noop", "noop"]))[-1] == "(turn white)"


def test_reversi_has_the_known_numbers_of_openings() -> None:
    machine = catalogue_network("reversi")
    counts = perft(machine.simulator(), machine.initial(), 6, StopFlag())
    assert counts == [(4, 0), (12, 0), (56, 0), (244, 0), (1396, 0), (8200, 0)]


@pytest.mark.parametrize(("black", "white"), [(33, 31), (32, 32), (31, 33), (64, 0), (0, 64), (7, 8), (16, 15)])
def test_reversi_counts_discs(black: int, white: int) -> None:
    machine = catalogue_network("reversi")
    squares = [f"{column} {row}" for row in range(1, 9) for column in "abcdefgh"]
    if black + white < 64:  # apart, so that no disc encloses another
        squares = squares[:16] + squares[48:]
    discs = [f"(disc black {square})" for square in squares[:black]]
    discs += [f"(disc white {square})" for square in reversed(squares[len(squares) - white :])]
    expected = [[100], [0]] if black > white else [[0], [100]] if white > black else [[50], [50]]
    assert goals(machine, machine.state([*discs, "(turn white)"])) == expected


def test_battle_resolves_both_moves_at_once() -> None:
    machine = catalogue_network("battle")
    pieces = ["(piece north king 4 5)", "(piece north pawn 8 8)", "(piece south pawn 4 4)", "(piece south king 5 4)"]
    state = machine.state([*pieces, "(score north 2)", "(score south 0)", "(turns 7)"])

    def outcome(north: str, south: str) -> tuple[list[str], list[list[int]]]:
        after = machine.next(state, [north, south])
        left = [fluent for fluent in machine.fluents(after) if fluent.startswith("(piece")]
        return left, [machine.goals(after, role) for role in machine.roles]

    rest = ["(piece north pawn 8 8)", "(piece south pawn 4 4)"]
    assert outcome("(move 4 5 5 4)", "(defend 4 4)") == (["(piece north king 5 4)", *rest], [[30], [0]])
    assert outcome("(move 4 5 4 4)", "(defend 4 4)") == ([rest[0], "(piece south king 5 4)", rest[1]], [[20], [10]])
    assert outcome("(move 4 5 5 5)", "(move 5 4 5 5)") == (rest, [[20], [0]])
    assert outcome("(move 4 5 5 4)", "(move 5 4 4 5)")[1] == [[20], [0]]  # they exchange places
    assert "(piece south king 4 5)" in outcome("(move 4 5 5 4)", "(move 5 4 4 5)")[0]
    assert "(move 4 4 5 5)" not in machine.legal(state, "south") and "(move 5 4 4 5)" in machine.legal(state, "south")
    last = machine.state([*pieces, "(score north 9)", "(score south 3)", "(turns 7)"])
    assert goals(machine, machine.next(last, ["(move 4 5 5 4)", "(defend 4 4)"])) == [[100], [30]]


def test_chinook_jumps_round_the_tube() -> None:
    machine = catalogue_network("chinook")
    men = ["(man white a 3)", "(man black h 4)", "(man black e 6)", "(man white d 5)"]
    state = machine.state([*men, "(turn white dark)", "(turn black light)", "(turns 3)"])
    assert machine.legal(state, "white") == ["(jump a 3 g 5)", "(move a 3 b 4)", "noop"]
    assert machine.legal(state, "black") == ["(jump e 6 c 4)", "(move e 6 f 5)", "noop"]
    after = machine.fluents(machine.next(state, ["(jump a 3 g 5)", "(jump e 6 c 4)"]))
    assert after == ["(man black c 4)", "(man white g 5)", "(turn black dark)", "(turn white light)", "(turns 4)"]
    both = machine.state(["(man white b 8)", "(man black c 1)", "(turn white dark)", "(turn black light)", "(turns 9)"])
    assert goals(machine, both) == [[100], [100]]


def test_amazons_shoot_from_where_they_stand_over_free_squares_only() -> None:
    machine = catalogue_network("amazons")
    pieces = ["(amazon white 1 1)", "(amazon black 3 1)", "(arrow 1 3)", "(arrow 2 2)"]
    state = machine.state([*pieces, "(turn white move)"])
    assert machine.legal(state, "white") == ["(move 1 1 1 2)", "(move 1 1 2 1)"]
    moved = machine.next(state, ["(move 1 1 1 2)", "noop"])
    slant = {f"(shoot {column} {column + 1})" for column in range(2, 10)}
    assert set(machine.legal(moved, "white")) == {"(shoot 1 1)", "(shoot 2 1)"} | slant
    assert machine.legal(moved, "black") == ["noop"]
    shot = machine.next(moved, ["(shoot 4 5)", "noop"])
    assert "(arrow 4 5)" in machine.fluents(shot) and machine.legal(shot, "white") == ["noop"]
    shut = machine.state([*pieces, "(arrow 1 2)", "(arrow 2 1)", "(turn white move)"])
    assert goals(machine, shut) == [[0], [100]]


def test_chinese_checkers_jump_twice_over_any_piece() -> None:
    machine = catalogue_network("chinese_checkers_small")
    stones = ["(stone red 1 1)", "(stone teal 2 1)", "(stone red 3 2)", "(stone teal 5 5)"]
    state = machine.state([*stones, "(turn red)", "(turns 8)"])
    moves = machine.legal(state, "red")
    assert {"(move 1 1 3 1)", "(move 1 1 3 3)", "(move 1 1 1 2)", "(move 3 2 3 3)"} <= set(moves)
    assert "(move 3 2 2 2)" not in moves and machine.legal(state, "teal") == ["noop"]
    arrived = machine.state(
        ["(stone red 5 5)", "(stone red 4 5)", "(stone red 5 4)", "(stone teal 2 1)", "(turn teal)", "(turns 8)"]
    )
    assert goals(machine, arrived) == [[100], [25]]


def test_lines_of_action_moves_as_far_as_the_line_holds_pieces() -> None:
    machine = catalogue_network("lines_of_action")
    pieces = ["(piece black a 1)", "(piece black b 1)", "(piece white d 1)", "(piece white h 8)", "(piece white e 1)"]
    state = machine.state([*pieces, "(turn black)", "(turns 5)"])
    moves = machine.legal(state, "black")
    # Row 1 has four pieces: a1 would have to jump over d1; the diagonal of a1 has two, column a one.
    assert [move for move in moves if move.startswith("(move a 1")] == ["(move a 1 a 2)", "(move a 1 c 3)"]
    nearer = machine.state([*pieces[:3], "(piece white h 8)", "(turn black)", "(turns 5)"])
    assert "(move a 1 d 1)" in machine.legal(nearer, "black")
    taken = machine.next(nearer, ["(move a 1 d 1)", "noop"])
    assert not any(fluent == "(piece white d 1)" for fluent in machine.fluents(taken))
    assert goals(machine, taken) == [[0], [100]]  # white's last piece is one group, black is split
    both = machine.state(["(piece black a 1)", "(piece black b 2)", "(piece white h 8)", "(turn black)", "(turns 5)"])
    assert goals(machine, both) == [[50], [50]]


def atari_go(black: list[str], white: list[str], move: str) -> list[list[int]]:
    """Return the goals after a stone of black."""
    machine = catalogue_network("atari_go")
    stones = [f"(stone black {each})" for each in black] + [f"(stone white {each})" for each in white]
    state = machine.next(machine.state([*stones, "(turn black)"]), [f"(place {move})", "noop"])
    found = [machine.goals(state, role) for role in machine.roles]
    assert machine.terminal(state) == (found != [[50], [50]])
    return found


def test_atari_go_ends_with_the_first_group_without_an_empty_point() -> None:
    # White's two stones in the corner have one point left.
    corner = ["1 1", "1 2"]
    assert atari_go(["2 1", "2 2"], corner, "1 3") == [[100], [0]]
    assert atari_go(["2 1", "2 2"], corner, "2 3") == [[50], [50]]
    # Filling the own last point loses, unless the move captures stones.
    assert atari_go([], ["1 2", "2 1"], "1 1") == [[0], [100]]
    assert atari_go(["1 3", "2 2"], ["1 2", "2 1"], "1 1") == [[100], [0]]

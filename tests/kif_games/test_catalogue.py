"""The rule sheets of the catalogue: the catalogue is complete, and every game is well-formed."""

import itertools
import random
from pathlib import Path

import pytest
from compiled import catalogue_network
from quick import few

import kif_games
from gdl import MachineState, ReferenceMachine, StateMachine
from gdl.language.parse import parse_sheet, read_sheet
from ggp_agent.game.roles import roles_to_play
from kif_games import UnknownGameError, catalogue, path, rules

NAMES = list(catalogue())

# Number of random matches of each game in which well-formedness is checked.
WALKS = 6

# Games in which each player has an independent score.
OWN_SCORES = ("skirmish", "battle", "chinook", "chinese_checkers_small")

# The cells whose tiles slide, in order, column before row.
EIGHT_PUZZLE_SOLUTION = "12 13 23 22 21 31 32 22 12 11 21 31 32 22 23 13 12 22 23 33"


def load(name: str) -> ReferenceMachine:
    return ReferenceMachine(read_sheet(path(name)))


def walk(machine: StateMachine, rng: random.Random) -> list[tuple[MachineState, tuple[list[str], ...]]]:
    """Play at random; list every state with the legal moves of each role, the last state with none."""
    state, visited = machine.initial(), []
    while not machine.terminal(state):
        moves = tuple(machine.legal(state, role) for role in machine.roles)
        visited.append((state, moves))
        assert all(moves), f"a role without a move in {machine.fluents(state)}"
        state = machine.next(state, [rng.choice(some) for some in moves])
    return [*visited, (state, ())]


def declared(name: str, rule: str) -> set[str]:
    """List the declarations of `base` or `input`, as the initial state of a modified sheet."""
    shown = {"base": "(<= (init (declared ?f)) (base ?f))", "input": "(<= (init (declared ?r ?m)) (input ?r ?m))"}
    kept = [str(each) for each in parse_sheet(rules(name)).rules if not str(each.head).startswith("(init ")]
    machine = ReferenceMachine(parse_sheet("\n".join([*kept, shown[rule]])))
    return set(machine.fluents(machine.initial()))


def perft(machine: StateMachine, depth: int) -> list[tuple[int, int]]:
    """Count sequences of joint moves, and sequences that end the game, for every depth up to the given one."""
    level, counts = [machine.initial()], []
    for _ in range(depth):
        successors = [
            machine.next(state, joint)
            for state in level
            for joint in itertools.product(*(machine.legal(state, role) for role in machine.roles))
        ]
        level = [state for state in successors if not machine.terminal(state)]
        counts.append((len(successors), len(successors) - len(level)))
    return counts


def test_every_sheet_is_in_the_catalogue_and_every_entry_has_its_sheet() -> None:
    folder = Path(kif_games.__file__).parent
    assert sorted(file.stem for file in folder.glob("*.kif")) == sorted(NAMES)
    assert all(path(name).is_file() and rules(name).startswith("; ") for name in NAMES)


def test_unknown_names_are_answered_with_the_closest_ones() -> None:
    for ask in (path, rules):
        with pytest.raises(UnknownGameError, match=r"^no game is called 'Conect-Four'; did you mean connect_four\?$"):
            ask("Conect-Four")
        with pytest.raises(KeyError, match=r"the catalogue has tic_tac_toe, connect_four"):
            ask("zzz")


def test_the_catalogue_cannot_be_changed_by_its_readers() -> None:
    catalogue().clear()
    assert list(catalogue()) == NAMES


@pytest.mark.parametrize("name", few(NAMES, 8))
def test_random_matches_are_well_formed(name: str) -> None:
    entry, machine = catalogue()[name], catalogue_network(name)
    assert machine.roles == entry.roles
    fluents, moves = declared(name, "base"), declared(name, "input")
    rng = random.Random(name)
    for _ in range(WALKS):
        played = walk(machine, rng)
        assert 0 < len(played) - 1 <= entry.max_turns
        for state, legal in played:
            assert {f"(declared {fluent})" for fluent in machine.fluents(state)} <= fluents
            for role, some in zip(machine.roles, legal, strict=False):
                assert {f"(declared {role} {move})" for move in some} <= moves
            for role in roles_to_play(machine.roles):
                assert len(machine.goals(state, role)) == 1 and 0 <= machine.goals(state, role)[0] <= 100
        assert not played[-1][1]


@pytest.mark.parametrize("name", NAMES)
def test_the_kind_describes_the_order_of_moves(name: str) -> None:
    entry, machine = catalogue()[name], catalogue_network(name)
    playing = [machine.roles.index(role) for role in roles_to_play(machine.roles)]
    players = {1: "one-player", 2: "two-player", 3: "three-player"}[len(playing)]
    assert entry.kind.split(", ")[0] == players
    played = walk(machine, random.Random(2))[:-1]
    choosers = [sum(legal[role] != ["noop"] for role in playing) for _, legal in played]
    if entry.kind.endswith("simultaneous"):
        assert min(choosers) > 1
    elif entry.kind.endswith("extra turns") or entry.hidden:
        assert max(choosers) == 1
    else:
        assert max(choosers) == 1
        for turn, (_, legal) in enumerate(played):  # a role that cannot move passes
            assert {i for i, some in enumerate(legal) if some != ["noop"]} <= {turn % len(entry.roles)}


def test_two_player_games_are_constant_sum_and_three_hunters_share_150_points() -> None:
    for name, entry in catalogue().items():
        if len(roles_to_play(entry.roles)) > 1 and name not in OWN_SCORES:
            machine = catalogue_network(name)
            final = walk(machine, random.Random(3))[-1][0]
            total = sum(machine.goals(final, role)[0] for role in roles_to_play(machine.roles))
            assert total == (150 if name == "three_hunters" else 100)


def test_orchard_always_takes_24_turns() -> None:
    machine = load("orchard")
    assert {len(walk(machine, random.Random(seed))) for seed in range(4)} == {25}


def solve(name: str, moves: list[str]) -> tuple[bool, list[int]]:
    machine = load(name)
    state = machine.initial()
    for move in moves:
        assert not machine.terminal(state) and move in machine.legal(state, "solver")
        state = machine.next(state, [move])
    return machine.terminal(state), machine.goals(state, "solver")


def test_lights_out_can_be_solved() -> None:
    presses = [(1, 1), (1, 3), (2, 2), (2, 3), (2, 4), (3, 3), (4, 1), (4, 4), (5, 5)]
    assert solve("lights_out", [f"(press {c} {r})" for c, r in presses]) == (True, [100])
    assert solve("lights_out", ["(press 1 1)"] * 20) == (True, [0])


def test_eight_puzzle_can_be_solved() -> None:
    slides = [f"(slide {cell[0]} {cell[1]})" for cell in EIGHT_PUZZLE_SOLUTION.split()]
    assert solve("eight_puzzle", slides) == (True, [100])
    assert solve("eight_puzzle", slides[:-1]) == (False, [70])


def test_breakthrough_captures_only_diagonally() -> None:
    machine = load("breakthrough_6x6")
    state = machine.state(["(turn white)", "(piece white 3 3)", "(piece black 3 4)", "(piece black 2 4)"])
    assert machine.legal(state, "white") == ["(move 3 3 2 4)", "(move 3 3 4 4)"]
    after = machine.next(state, ["(move 3 3 2 4)", "noop"])
    assert machine.fluents(after) == ["(piece black 3 4)", "(piece white 2 4)", "(turn black)"]
    assert not machine.terminal(after)
    last = machine.state(["(turn white)", "(piece white 3 3)", "(piece black 2 4)"])
    won = machine.next(last, ["(move 3 3 2 4)", "noop"])
    assert machine.terminal(won) and machine.goals(won, "white") == [100] and machine.goals(won, "black") == [0]


def test_orchard_tramples_what_two_pickers_reach_together() -> None:
    machine = load("orchard")
    state = machine.state(
        ["(at blue 2 2)", "(at green 4 2)", "(apple 3 2)", "(apple 4 3)", "(balance 23)", "(turns 5)"]
    )
    together = machine.next(state, ["east", "west"])
    assert machine.fluents(together) == ["(apple 4 3)", "(at blue 3 2)", "(at green 3 2)", "(balance 23)", "(turns 6)"]
    apart = machine.next(state, ["stay", "west"])
    assert "(balance 22)" in machine.fluents(apart) and machine.goals(apart, "green") == [100]
    both = machine.next(state, ["east", "north"])
    assert "(balance 23)" in machine.fluents(both) and "(apple 3 2)" not in machine.fluents(both)


def test_quad_finds_a_tilted_square_and_else_counts_the_blocks() -> None:
    machine = load("quad")
    corners = ["(stone x 2 4)", "(stone x 5 2)", "(stone x 7 5)"]
    others = ["(rounds_left 2)", "(blocks_left x 3)", "(blocks_left o 5)", "(turn x)"]
    state = machine.state([*corners, *others])
    assert not machine.terminal(machine.next(state, ["(mark 4 6)", "noop"]))
    won = machine.next(state, ["(mark 4 7)", "noop"])
    assert machine.terminal(won) and [machine.goals(won, role) for role in machine.roles] == [[100], [0]]
    blocked = machine.next(state, ["(block 4 7)", "noop"])
    assert "(blocks_left x 2)" in machine.fluents(blocked) and machine.legal(blocked, "o") == ["noop"]
    over = machine.state([*corners, "(rounds_left 0)", *others[1:]])
    assert machine.terminal(over) and [machine.goals(over, role) for role in machine.roles] == [[10], [90]]


def test_ttcc4_sends_a_taken_piece_back_to_where_it_waited() -> None:
    machine = load("ttcc4")
    pieces = ["(piece light checker 3 4)", "(piece dark knight 4 5)", "(disc dark 4 3)", "(piece dark pawn 7 3)"]
    state = machine.state([*pieces, "(turn light)", "(tens 0)", "(ones 5)"])
    moves = machine.legal(state, "light")
    assert "(move checker 3 4 5 6)" in moves and "(move checker 3 4 5 2)" in moves and "(drop 3)" in moves
    after = machine.fluents(machine.next(state, ["(move checker 3 4 5 6)", "noop"]))
    assert "(piece dark knight 7 5)" in after and "(piece light checker 5 6)" in after and "(disc dark 4 3)" in after
    assert "(disc dark 4 3)" not in machine.fluents(machine.next(state, ["(move checker 3 4 5 2)", "noop"]))
    assert "(disc light 4 6)" in machine.fluents(machine.next(state, ["(drop 4)", "noop"]))


def test_merrills_closes_a_mill_and_takes_a_man_outside_mills() -> None:
    machine = load("merrills")
    white = ["(man white a7)", "(man white d7)", "(man white g4)", "(men white 3)"]
    black = ["(man black b2)", "(man black d2)", "(man black f2)", "(man black e5)", "(men black 4)"]
    state = machine.state([*white, *black, "(rounds 0)", "(turn white)", "(tens 3)", "(ones 9)"])
    assert len(machine.legal(state, "white")) == 3 * (24 - 7)  # three men fly
    closed = machine.next(state, ["(move g4 g7)", "noop"])
    assert {"taking", "(turn white)", "(tens 4)", "(ones 0)"} <= set(machine.fluents(closed))
    assert machine.legal(closed, "white") == ["(take e5)"] and machine.legal(closed, "black") == ["noop"]
    taken = machine.next(closed, ["(take e5)", "noop"])
    assert "(men black 3)" in machine.fluents(taken) and not machine.terminal(taken)
    # A man that slides within its line does not close a mill.
    slid = machine.next(state, ["(move d7 g7)", "noop"])
    assert "taking" not in machine.fluents(slid) and "(turn black)" in machine.fluents(slid)
    # All black men are in mills: no man can be taken.
    milled = machine.state([*white, *black[:3], "(men black 3)", "(rounds 0)", "taking", "(turn white)", "(tens 3)"])
    assert machine.legal(milled, "white") == ["noop"]
    two = machine.state([*white, *black[:2], "(men black 2)", "(rounds 0)", "(turn black)", "(tens 3)", "(ones 1)"])
    assert machine.terminal(two) and [machine.goals(two, role) for role in machine.roles] == [[100], [0]]


def test_skirmish_pieces_move_as_in_chess() -> None:
    machine = load("skirmish")
    white = ["(piece white pawn 2 7)", "(piece white pawn 8 2)", "(piece white bishop 5 1)", "(piece white rook 4 1)"]
    black = ["(piece black rook 3 8)", "(piece black king 1 5)"]
    clock = ["(taken white 12)", "(taken black 3)", "(turn white)", "(tens 4)", "(ones 2)"]
    state = machine.state([*white, *black, *clock])
    moves = machine.legal(state, "white")
    assert {move for move in moves if move.startswith("(move 2 7")} == {"(move 2 7 2 8)", "(move 2 7 3 8)"}
    assert {move for move in moves if move.startswith("(move 8 2")} == {"(move 8 2 8 3)", "(move 8 2 8 4)"}
    assert "(move 5 1 1 5)" in moves and "(move 5 1 8 4)" in moves and "(move 4 1 5 1)" not in moves
    queened = machine.next(state, ["(move 2 7 3 8)", "noop"])
    assert {"(piece white queen 3 8)", "(taken white 13)", "(taken black 3)"} <= set(machine.fluents(queened))
    assert "(piece black rook 3 8)" not in machine.fluents(queened)
    assert [machine.goals(queened, role) for role in machine.roles] == [[79], [18]]
    bare = machine.next(machine.state([*white, black[1], *clock]), ["(move 5 1 1 5)", "noop"])
    assert machine.terminal(bare) and not machine.terminal(queened)


def test_checkers_jump_up_to_three_times_and_take_all_they_jump_over() -> None:
    machine = load("checkers_optional")
    pieces = ["(piece red man b 1)", "(piece black man c 2)", "(piece black king c 4)", "(piece black man c 6)"]
    clock = ["(pieces red 1)", "(pieces black 3)", "(turn red)", "(tens 7)", "(ones 9)"]
    state = machine.state([*pieces, *clock])
    assert machine.legal(state, "red") == [
        "(double_jump b 1 d 3 b 5)",
        "(jump b 1 d 3)",
        "(move b 1 a 2)",
        "(triple_jump b 1 d 3 b 5 d 7)",
    ]
    all_taken = machine.next(state, ["(triple_jump b 1 d 3 b 5 d 7)", "noop"])
    assert machine.terminal(all_taken) and "(pieces black 0)" in machine.fluents(all_taken)
    assert [machine.goals(all_taken, role) for role in machine.roles] == [[100], [0]]
    stopped = machine.next(state, ["(double_jump b 1 d 3 b 5)", "noop"])
    assert {"(pieces black 1)", "(piece red man b 5)", "(tens 8)", "(ones 0)"} <= set(machine.fluents(stopped))
    assert machine.legal(stopped, "black") == ["(jump c 6 a 4)", "(move c 6 d 5)"]
    # A king moves backwards too, and a man that reaches the far row becomes a king.
    crowned = machine.next(
        machine.state(["(piece red man b 7)", "(piece black king g 8)", *clock]), ["(move b 7 c 8)", "noop"]
    )
    assert "(piece red king c 8)" in machine.fluents(crowned)
    back = machine.state(["(piece red king c 8)", "(piece black king d 7)", *clock])
    assert "(jump c 8 e 6)" in machine.legal(back, "red") and "(move c 8 b 7)" in machine.legal(back, "red")


def test_english_draughts_compel_captures_and_end_a_chain_with_a_crown() -> None:
    machine = load("english_draughts")
    pieces = ["(piece white man b 1)", "(piece white man g 2)", "(piece black man c 2)", "(piece black man c 4)"]
    state = machine.state([*pieces, "(piece black man f 7)", "(moved black)", "(quiet 7)"])
    assert machine.legal(state, "white") == ["(capture b 1 d 3)"] and machine.legal(state, "black") == ["noop"]
    chained = machine.next(state, ["(capture b 1 d 3)", "noop"])
    assert {"(captor d 3)", "(moved white)", "(quiet 0)"} <= set(machine.fluents(chained))
    assert machine.legal(chained, "white") == ["(capture d 3 b 5)"] and machine.legal(chained, "black") == ["noop"]
    done = machine.next(chained, ["(capture d 3 b 5)", "noop"])
    assert machine.legal(done, "white") == ["noop"] and machine.legal(done, "black") == [
        "(move f 7 e 6)",
        "(move f 7 g 6)",
    ]
    # The man that jumps over b7 becomes a king and stops, though d7 stands next to it.
    corner = ["(piece white man a 6)", "(piece black man b 7)", "(piece black man d 7)", "(moved black)", "(quiet 0)"]
    crowned = machine.next(machine.state(corner), ["(capture a 6 c 8)", "noop"])
    assert machine.fluents(crowned) == ["(moved white)", "(piece black man d 7)", "(piece white king c 8)", "(quiet 0)"]
    assert machine.legal(crowned, "white") == ["noop"] and "(move d 7 e 6)" in machine.legal(crowned, "black")
    # A player to move without a movable piece has lost.
    stuck = machine.state(["(piece white man a 6)", "(piece black king c 8)", "(piece black man b 7)", "(moved black)"])
    assert machine.terminal(stuck) and [machine.goals(stuck, role) for role in machine.roles] == [[0], [100]]


def test_three_hunters_take_their_prey_only() -> None:
    machine = load("three_hunters")
    pieces = ["(piece red c3)", "(piece green b2)", "(piece blue b3)"]
    state = machine.state([*pieces, "(left red 1)", "(left green 1)", "(left blue 1)", "(turn red)", "(moves 9)"])
    moves = machine.legal(state, "red")
    assert "(move c3 b2)" in moves and "(move c3 b3)" not in moves and len(moves) == 5
    over = machine.next(state, ["(move c3 b2)", "noop", "noop"])
    assert machine.terminal(over)
    assert [machine.goals(over, role) for role in machine.roles] == [[75], [25], [50]]


@pytest.mark.parametrize(
    ("name", "counts"),
    few(
        [
            ("tic_tac_toe", [(9, 0), (72, 0), (504, 0), (3024, 0)]),
            ("connect_four", [(7, 0), (49, 0), (343, 0)]),
            ("breakthrough", [(22, 0), (484, 0)]),
            ("breakthrough_6x6", [(16, 0), (256, 0)]),
            ("eight_puzzle", [(4, 0), (12, 0), (32, 0)]),
        ],
        3,
    ),
)
def test_perft(name: str, counts: list[tuple[int, int]]) -> None:
    assert perft(load(name), len(counts)) == counts

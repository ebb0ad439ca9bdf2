"""Our rule sheets: the catalogue is complete, and every game keeps the promises of a well-formed game."""

import itertools
import random
from pathlib import Path

import pytest

import kif_games
from gdl import NetworkMachine, ReferenceMachine, State, StateMachine
from gdl.parse import parse_sheet, read_sheet
from kif_games import UnknownGameError, catalogue, path, rules

NAMES = list(catalogue())

# The reference interpreter is too slow for random matches of these; the network plays them.
LARGE = ("gomoku", "hex", "kalah", "reversi", "battle", "amazons", "lines_of_action")
# The players of these score each for themselves.
OWN_SCORES = ("battle", "chinook", "chinese_checkers")

# The cells whose tiles slide in turn, column before row.
EIGHT_PUZZLE_SOLUTION = "12 13 23 22 21 31 32 22 12 11 21 31 32 22 23 13 12 22 23 33"


def load(name: str) -> StateMachine:
    sheet = read_sheet(path(name))
    return NetworkMachine(sheet) if name in LARGE else ReferenceMachine(sheet)


def walk(machine: StateMachine, rng: random.Random) -> list[tuple[State, tuple[list[str], ...]]]:
    """Play at random; list every state with the legal moves of each role, the last state with none."""
    state, visited = machine.initial(), []
    while not machine.terminal(state):
        moves = tuple(machine.legal(state, role) for role in machine.roles)
        visited.append((state, moves))
        assert all(moves), f"a role without a move in {machine.fluents(state)}"
        state = machine.next(state, [rng.choice(some) for some in moves])
    return [*visited, (state, ())]


def walks(name: str) -> int:
    return 3 if name.startswith("breakthrough") else 8


def declared(name: str, rule: str) -> set[str]:
    """List what `base` or `input` declares, asked as fluents of a sheet that shows it as its initial state."""
    shown = {
        "base": "(<= (init (declared ?f)) (base ?f))",
        "input": "(<= (init (declared ?r ?m)) (input ?r ?m))",
    }
    kept = [str(each) for each in parse_sheet(rules(name)).rules if not str(each.head).startswith("(init ")]
    machine = ReferenceMachine(parse_sheet("\n".join([*kept, shown[rule]])))
    return set(machine.fluents(machine.initial()))


def perft(machine: StateMachine, depth: int) -> list[tuple[int, int]]:
    """Count sequences of joint moves, and those that end the game, for every depth up to the given one."""
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


@pytest.mark.parametrize("name", NAMES)
def test_random_matches_keep_the_promises(name: str) -> None:
    entry, machine = catalogue()[name], load(name)
    assert machine.roles == entry.roles
    fluents, moves = declared(name, "base"), declared(name, "input")
    rng = random.Random(name)
    for _ in range(walks(name)):
        played = walk(machine, rng)
        assert 0 < len(played) - 1 <= entry.max_turns
        for state, legal in played:
            assert {f"(declared {fluent})" for fluent in machine.fluents(state)} <= fluents
            for role, some in zip(machine.roles, legal, strict=False):
                assert {f"(declared {role} {move})" for move in some} <= moves
            for role in machine.roles:
                assert len(machine.goals(state, role)) == 1 and 0 <= machine.goals(state, role)[0] <= 100
        assert not played[-1][1]


@pytest.mark.parametrize("name", NAMES)
def test_the_kind_says_who_moves_when(name: str) -> None:
    entry, machine = catalogue()[name], load(name)
    players = {1: "one-player", 2: "two-player", 3: "three-player"}[len(entry.roles)]
    assert entry.kind.split(", ")[0] == players
    played = walk(machine, random.Random(2))[:-1]
    choosers = [sum(some != ["noop"] for some in legal) for _, legal in played]
    if entry.kind.endswith("simultaneous"):
        assert min(choosers) > 1
    elif entry.kind.endswith("extra turns"):
        assert max(choosers) == 1
    else:
        assert max(choosers) == 1
        for turn, (_, legal) in enumerate(played):  # who cannot move passes
            assert {i for i, some in enumerate(legal) if some != ["noop"]} <= {turn % len(entry.roles)}


def test_two_player_games_are_constant_sum_and_three_hunters_share_150_points() -> None:
    for name, entry in catalogue().items():
        if len(entry.roles) > 1 and name not in OWN_SCORES:
            machine = load(name)
            final = walk(machine, random.Random(3))[-1][0]
            total = sum(machine.goals(final, role)[0] for role in machine.roles)
            assert total == (100 if len(entry.roles) == 2 else 150)


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
    [
        ("tic_tac_toe", [(9, 0), (72, 0), (504, 0), (3024, 0)]),
        ("connect_four", [(7, 0), (49, 0), (343, 0)]),
        ("breakthrough", [(22, 0), (484, 0)]),
        ("breakthrough_6x6", [(16, 0), (256, 0)]),
        ("eight_puzzle", [(4, 0), (12, 0), (32, 0)]),
    ],
)
def test_perft(name: str, counts: list[tuple[int, int]]) -> None:
    assert perft(load(name), len(counts)) == counts

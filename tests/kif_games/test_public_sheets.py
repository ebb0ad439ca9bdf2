"""The sheets of the catalogue compared with public sheets: equal counts, and equal walks if names can be translated.

The public sheets are not part of the project; without their folder these tests are skipped.
"""

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from compiled import catalogue_network
from places import CORPUS
from quick import few

from gdl import MachineState, NetworkMachine, ReferenceMachine, StopFlag, _simulation, read_sheet
from ggp_agent.verify.perft import perft
from kif_games import catalogue

RULES = CORPUS / "rules"
# Move sequences are counted to the first depth with at least ENOUGH sequences; depths with more than TOO_MANY are not
# counted.
ENOUGH, TOO_MANY = 10_000, 300_000
# Public sheets that are too large to be grounded; the reference interpreter counts two moves of them.
NEVER_GROUND = ["merrills"]

# Translates a move of the catalogue to the public sheet, from the role, the words of the move and the fluents.
Translation = Callable[[str, list[str], list[str]], str]


def public_sheet(name: str) -> Path:
    file = RULES / f"{name}.kif"
    if not file.is_file():
        pytest.skip(f"the public sheet {file} is not here")
    return file


def public_machine(name: str) -> NetworkMachine:
    return NetworkMachine(read_sheet(public_sheet(name)))


def words(term: str) -> list[str]:
    return term.strip("()").split()


def same(_role: str, move: list[str], _fluents: list[str]) -> str:
    return f"({' '.join(move)})" if len(move) > 1 else move[0]


def amazons_move(role: str, move: list[str], fluents: list[str]) -> str:
    return same(role, ["fire" if word == "shoot" else word for word in move], fluents)


def reversi_move(_role: str, move: list[str], _fluents: list[str]) -> str:
    """Translate to the public board, which is upside down and has numbers for columns."""
    return f"(move {'abcdefgh'.index(move[1]) + 1} {9 - int(move[2])})" if len(move) > 1 else "noop"


def chinook_move(role: str, move: list[str], fluents: list[str]) -> str:
    """Translate to the public sheet, which has a board for each colour of squares and names the jumped piece."""
    board = "odd" if f"(turn {role} dark)" in fluents else "even"
    if move == ["noop"]:
        return f"{board}noop"
    columns, (kind, c, q, d, r) = "abcdefgh", move
    if kind == "move":
        return f"({board}move {c} {q} {d} {r})"
    side = 1 if columns[(columns.index(c) + 2) % 8] == d else -1
    return f"({board}jump {c} {q} {columns[(columns.index(c) + side) % 8]} {(int(q) + int(r)) // 2} {d} {r})"


def chinese_checkers_move(_role: str, move: list[str], _fluents: list[str]) -> str:
    """Translate to the public sheet, which numbers each row of the whole star from the left."""
    first = {"a": 1, "b": 1, "c": 3, "d": 2, "e": 1, "f": 2, "g": 3, "h": 1, "i": 1}

    def point(column: int, row: int) -> str:
        letter = "abcdefghi"[column + row - 2]
        return f"{letter}{first[letter] + min(5, column + row - 1) - column}"

    return f"(move {point(int(move[1]), int(move[2]))} {point(int(move[3]), int(move[4]))})" if move[1:] else "noop"


@pytest.mark.parametrize(
    "name", few([name for name, entry in catalogue().items() if entry.public and name not in NEVER_GROUND], 5)
)
def test_counts_agree_with_the_public_sheet(name: str) -> None:
    simulators = []
    for machine in (public_machine(catalogue()[name].public), catalogue_network(name)):
        simulators.append((machine.simulator(), machine.initial()))
    leaves, branching, depth = 1, 1, 0
    while leaves < ENOUGH and leaves * branching <= TOO_MANY:
        depth += 1
        public, ours = (_simulation.perft(simulator, initial, depth, StopFlag()) for simulator, initial in simulators)
        assert ours == public
        branching, leaves = -(-public[-1][0] // leaves), public[-1][0]
    assert depth


@pytest.mark.parametrize("name", NEVER_GROUND)
def test_counts_agree_with_a_public_sheet_that_cannot_be_grounded(name: str) -> None:
    public = ReferenceMachine(read_sheet(public_sheet(catalogue()[name].public)))
    assert perft(catalogue_network(name), 2) == perft(public, 2)


@pytest.mark.parametrize(
    ("name", "translate"),
    few(
        [
            ("gomoku", same),
            ("hex", same),
            ("chinook", chinook_move),
            ("battle", same),
            ("chinese_checkers_small", chinese_checkers_move),
            ("reversi", reversi_move),
            ("lines_of_action", same),
            ("amazons", amazons_move),
        ],
        3,
    ),
)
def test_random_matches_are_the_same(name: str, translate: Translation) -> None:
    public, ours = public_machine(catalogue()[name].public), catalogue_network(name)
    rng = random.Random(name)
    for _ in range(4):
        theirs, state = public.initial(), ours.initial()
        while not ours.terminal(state):
            assert not public.terminal(theirs)
            joint, their_joint, fluents = [], [], ours.fluents(state)
            for role, their_role in zip(ours.roles, public.roles, strict=True):
                named = {translate(role, words(move), fluents): move for move in ours.legal(state, role)}
                assert set(named) == set(public.legal(theirs, their_role))
                their_joint.append(rng.choice(sorted(named)))
                joint.append(named[their_joint[-1]])
            theirs, state = public.next(theirs, their_joint), ours.next(state, joint)
        assert public.terminal(theirs)
        for role, their_role in zip(ours.roles, public.roles, strict=True):
            assert ours.goals(state, role) == public.goals(theirs, their_role)


def seeds(fluents: list[str]) -> dict[tuple[str, str], int]:
    """Return the seeds of all places by owner and place, from the fluents of either kalah sheet."""
    held = {}
    for kind, *rest in map(words, fluents):
        if kind == "seeds":
            held[rest[0], rest[1]] = int(rest[2])
        elif kind == "pit" and rest[0].startswith("pwin"):
            held[rest[0].removeprefix("pwin"), "store"] = int(rest[1][1:])
        elif kind == "pit":
            number = int(rest[0][1:])
            held["south" if number < 7 else "north", str((number - 1) % 6 + 1)] = int(rest[1][1:])
    return held


def test_a_sowing_of_kalah_is_the_public_one_seed_after_seed() -> None:
    public, ours = public_machine("kalaha6x2x4"), catalogue_network("kalah")
    rng = random.Random(7)

    def forced(state: MachineState) -> list[str] | None:
        """Return the joint move of the public sheet that ours does not have: sowing a seed or clearing a house."""
        joint = [rng.choice(public.legal(state, role)) for role in public.roles]
        choice = next((move for move in joint if move != "noop"), "noop")
        return None if choice.startswith("(pick") else joint

    for _ in range(15):
        theirs, state = public.initial(), ours.initial()
        while not ours.terminal(state):
            [player] = [role for role in ours.roles if ours.legal(state, role) != ["noop"]]
            first_pit = 7 if player == "north" else 1
            named = {f"(pick p{int(words(move)[1]) - 1 + first_pit})": move for move in ours.legal(state, player)}
            assert set(named) == set(public.legal(theirs, player))
            pick = rng.choice(sorted(named))
            state = ours.next(state, [named[pick] if role == player else "noop" for role in ours.roles])
            joint: list[str] | None = [pick if role == player else "noop" for role in public.roles]
            while joint:
                theirs = public.next(theirs, joint)
                held = seeds(public.fluents(theirs))
                hands = [int(words(fluent)[2][1:]) for fluent in public.fluents(theirs) if fluent.startswith("(hand")]
                joint = forced(theirs) if sum(hands) else None
            assert seeds(ours.fluents(state)) == held
        while not public.terminal(theirs):
            joint = forced(theirs)
            assert joint, "the public match continues"
            theirs = public.next(theirs, joint)
        for role in ours.roles:
            [score] = public.goals(theirs, role)
            assert ours.goals(state, role) == [100 if score > 50 else score]

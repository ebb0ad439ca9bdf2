"""Breakthrough's evaluation by safe pieces and wins in sight, against a plain version of it, and against the rules."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator

import pytest

from ggp_agent.common.errors import UserError
from ggp_agent.game.native.registry import native_game

GAME = native_game("breakthrough")
SIZE = 8
# By row, from the own one on, and column.
VALUES = [
    [5, 15, 15, 5, 5, 15, 15, 5],
    [2, 3, 3, 3, 3, 3, 3, 2],
    [4, 6, 6, 6, 6, 6, 6, 4],
    [7, 10, 10, 10, 10, 10, 10, 7],
    [11, 15, 15, 15, 15, 15, 15, 11],
    [16, 21, 21, 21, 21, 21, 21, 16],
    [20, 28, 28, 28, 28, 28, 28, 20],
    [36] * 8,
]

Square = tuple[int, int]


def sides(state: bytes) -> tuple[set[Square], set[Square], str]:
    """Return the squares (row, column) of white and black, row 0 at the bottom, and who is to move."""
    found: dict[str, set[Square]] = {"w": set(), "b": set()}
    *lines, mover = GAME.board(state).splitlines()
    for number, *squares in (line.split() for line in lines[:SIZE]):
        for column, letter in enumerate(squares):
            if letter in found:
                found[letter].add((int(number) - 1, column))
    return found["w"], found["b"], mover.split()[0]


def turned(pieces: set[Square]) -> set[Square]:
    return {(SIZE - 1 - row, column) for row, column in pieces}


def attackers(square: Square, pieces: set[Square], up: int) -> int:
    """Count the pieces, which go up (1) or down (-1), that reach a square by a diagonal."""
    row, column = square
    return sum((row - up, column + aside) in pieces for aside in (-1, 1))


def steps_of_runners(mine: set[Square], theirs: set[Square]) -> list[int]:
    """Return how far those of mine have to go, upwards, whom nobody can stop."""
    return [
        SIZE - 1 - row
        for row, column in mine
        if not any(other > row and abs(aside - column) <= other - row for other, aside in theirs)
        and not any(other > row and aside == column for other, aside in mine)
    ]


def sight(mine: set[Square], theirs: set[Square]) -> int:
    """Return 1 where the mover, who goes up, is sure to win, -1 where the other is, 0 where it does not show."""
    nearest = min(SIZE - 1 - row for row, _ in mine)
    takes = {square for square in theirs if attackers(square, mine, 1)}
    if nearest == 1 or (len(theirs) == 1 and takes):
        return 1
    threats = {square for square in theirs if square[0] == 1}
    if len(threats) > 1 or threats - takes:
        return -1
    if any(steps <= min(row for row, _ in theirs) for steps in steps_of_runners(mine, theirs)):
        return 1
    if any(steps < nearest for steps in steps_of_runners(turned(theirs), turned(mine))):
        return -1
    return 0


def worth(mine: set[Square], theirs: set[Square]) -> float:
    """Return the value of the squares of a side that goes up; pieces that are not safe count half."""
    return sum(
        VALUES[square[0]][square[1]] / (1 + (attackers(square, theirs, -1) > attackers(square, mine, 1)))
        for square in mine
    )


def plain(state: bytes) -> float:
    """Return what the evaluation is to say, for white."""
    white, black, mover = sides(state)
    mine, theirs, sign = (white, black, 1) if mover == "white" else (turned(black), turned(white), -1)
    seen = sight(mine, theirs)
    return sign * (seen or math.tanh((worth(mine, theirs) - worth(turned(theirs), turned(mine))) / 100))


def played(count: int, seed: int) -> Iterator[bytes]:
    draw = random.Random(seed)
    for _ in range(count):
        state = GAME.initial
        while not GAME.is_over(state):
            yield state
            state = GAME.play(state, draw.choice(list(GAME.legal(state))))


def scattered(count: int, seed: int) -> Iterator[bytes]:
    draw = random.Random(seed)
    while count:
        squares = draw.sample(range(SIZE * SIZE), draw.randint(2, 12))
        white = draw.randint(1, len(squares) - 1)
        letters = {square: "w" if place < white else "b" for place, square in enumerate(squares)}
        rows = ["".join(letters.get(SIZE * row + column, ".") for column in range(SIZE)) for row in range(SIZE)]
        try:
            state = GAME.read_board("\n".join([*rows, f"{draw.choice(['white', 'black'])} to move"]))
        except UserError:
            continue
        if not GAME.is_over(state):
            count -= 1
            yield state


@pytest.mark.parametrize("positions", [played(8, 1), scattered(1500, 2)], ids=["played", "scattered"])
def test_it_is_the_plain_version(positions: Iterator[bytes]) -> None:
    seen = set()
    for state in positions:
        expected = plain(state)
        assert GAME.evaluate(state, "safety") == pytest.approx(expected, abs=1e-9), GAME.board(state)
        seen.add(expected)
    assert {-1, 1} <= seen and len(seen) > 50


def test_wins_in_sight_are_wins() -> None:
    # A game of breakthrough ends, so this proves them by induction over the moves to come: who has a win in sight
    # has a move that wins or keeps it in sight, and who faces one has no other move.
    claimed = 0
    for state in scattered(1200, 3):
        value = GAME.evaluate(state, "safety")
        if abs(value) < 1:
            continue
        claimed += 1
        _, _, mover = sides(state)
        won = value == (1 if mover == "white" else -1)
        behind = [GAME.play(state, move) for move in GAME.legal(state)]
        kept = [GAME.goals(next)[value < 0] == 100 if GAME.is_over(next) else plain(next) == value for next in behind]
        assert any(kept) if won else all(kept), GAME.board(state)
    assert claimed > 300

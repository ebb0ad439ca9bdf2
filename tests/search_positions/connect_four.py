"""Forced wins in connect four by brute force on bit boards, without rules in GDL: independent of the program.

A board is two numbers of 49 bits, for the player to move and for the opponent; bit 7 * column + row, columns 0..6
and rows 0..5 from below. The seventh bit of a column stays empty, so that lines do not continue in the next one.

    python -m tests.search_positions.connect_four COUNT

prints positions with a forced win in exactly nine plies as TOML.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterable, Iterator
from functools import cache

FULL = sum(0b111111 << 7 * column for column in range(7))


def line(stones: int) -> bool:
    """Return whether there are four stones in a row."""
    for step in (1, 6, 7, 8):
        pairs = stones & stones >> step
        if pairs & pairs >> 2 * step:
            return True
    return False


def drops(mine: int, theirs: int) -> list[tuple[int, int]]:
    """List (column, stone) for the columns with room, the middle first."""
    taken = mine | theirs
    lowest = (taken + sum(1 << 7 * column for column in range(7))) & FULL
    columns = [(column, lowest & 0b1111111 << 7 * column) for column in (3, 2, 4, 1, 5, 0, 6)]
    return [(column, stone) for column, stone in columns if stone]


def board(columns: Iterable[int]) -> tuple[int, int]:
    """Play columns 1..7 in turn from the empty board."""
    mine = theirs = 0
    for column in columns:
        stone = dict(drops(mine, theirs))[column - 1]
        mine, theirs = theirs, mine | stone
    return mine, theirs


@cache
def wins(mine: int, theirs: int, plies: int) -> bool:
    """Return whether the player to move can force a line of four within the given plies."""
    if plies <= 0:
        return False
    stones = [stone for _, stone in drops(mine, theirs)]
    if any(line(mine | stone) for stone in stones):
        return True
    return any(loses(theirs, mine | stone, plies - 1) for stone in stones)


@cache
def loses(mine: int, theirs: int, plies: int) -> bool:
    """Return whether the opponent of the player to move can force a line of four within the given plies."""
    stones = [stone for _, stone in drops(mine, theirs)]
    if plies <= 0 or not stones or any(line(mine | stone) for stone in stones):
        return False
    return all(wins(theirs, mine | stone, plies - 1) for stone in stones)


def winning_columns(columns: Iterable[int], plies: int) -> list[int]:
    """List the columns 1..7 that win by force within some plies."""
    mine, theirs = board(columns)
    return sorted(
        column + 1
        for column, stone in drops(mine, theirs)
        if line(mine | stone) or loses(theirs, mine | stone, plies - 1)
    )


def compose(count: int, plies: int, seed: int) -> Iterator[tuple[list[int], int]]:
    """Yield random positions: the columns 1..7 played so far, and the column that wins within the given plies.

    No column wins within fewer plies, and the opponent does not threaten to win at once.
    """
    draw = random.Random(seed)
    while count > 0:
        columns: list[int] = []
        mine = theirs = 0
        for _ in range(draw.randint(10, 20)):
            column, stone = draw.choice(drops(mine, theirs))
            mine, theirs = theirs, mine | stone
            columns.append(column + 1)
            if line(theirs):
                break
        if line(theirs) or wins(mine, theirs, plies - 2) or loses(mine, theirs, 2):
            continue
        found = winning_columns(columns, plies)
        wins.cache_clear()
        loses.cache_clear()
        if len(found) == 1:
            count -= 1
            yield columns, found[0]


def main() -> None:
    plies = 9
    for columns, answer in compose(int(sys.argv[1]), plies, seed=1):
        print(f'[[position]]\ngame = "connect_four"\nkind = "win"\nplies = {plies}')
        print(f'mover = "{"yellow" if len(columns) % 2 else "red"}"\nanswer = "(drop {answer})"')
        print('line = """\n' + " ".join(f"(drop {column})" for column in columns) + '"""\n', flush=True)


if __name__ == "__main__":
    main()

"""What is known of the hand-coded games from elsewhere; each needs an entry here.

The counts are published or were computed by others. `reference` is the file that `../shared` holds: its moves are
spelled by numbers of squares, row * width + column from the top left.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[2].parent / "shared" / "reference" / "perft_six_games.json"


@dataclass(frozen=True)
class Known:
    """Hold what is known of a game.

    Attributes:
        perft: leaves at depth 1, 2, ...
        twin_depth: the depth to which the twin is counted in tests.
        game, size: of the entry in the file.
        spell: from a move of the file to that of the module.
        letters: from a square of the file to that of the module.
        impossible: texts that are no position, with a part of the complaint.
        not_legal: a misspelt or illegal first move, with a part of the complaint.
    """

    perft: list[int]
    twin_depth: int
    game: str
    size: str
    spell: Callable[[str], str]
    letters: dict[str, str]
    impossible: dict[str, str]
    not_legal: dict[str, str]


def square(number: str, width: int, height: int) -> str:
    """Name a square of the file.

    >>> square("049", 8, 8)
    'b2'
    """
    row, column = divmod(int(number), width)
    return f"{chr(ord('a') + column)}{height - row}"


def from_to(width: int) -> Callable[[str], str]:
    """Spell `049-041` as `b2-b3` on a square board."""
    return lambda move: "-".join(square(part, width, width) for part in move.split("-"))


@cache
def _entries() -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = json.loads(FILE.read_text())["games"]
    return entries


def reference(name: str) -> dict[str, Any] | None:
    """Return the entry of a game in the file; None where the file is absent."""
    if not FILE.exists():
        return None
    known = KNOWN[name]
    return next(entry for entry in _entries() if (entry["game"], entry["size"]) == (known.game, known.size))


def _breakthrough(size: int, perft: list[int]) -> Known:
    def position(*rows: str, mover: str = "white") -> str:
        empty = ["." * size] * (size - len(rows))
        return "\n".join([*rows[:1], *empty, *rows[1:], f"{mover} to move"])

    far, none = "w" + "." * (size - 1), "." * size
    return Known(
        perft=perft,
        twin_depth=3,
        game="breakthrough",
        size=f"{size}x{size}",
        spell=from_to(size),
        letters={"f": "w", "s": "b", ".": "."},
        impossible={
            position(
                "b" * size, "w" * size, "w" * size, "w" * size
            ): f"white has {3 * size} pieces, at most {2 * size}",
            position(far, "b" + none[1:]): "white is on the far row and to move",
            position(none, "w" + none[1:]): "black has no piece and white is to move",
            position("ww" + none[2:], none, "b" + none[1:], none, mover="black"): "white is on the far row twice",
            position(none[1:], "w" + none[1:]): f"row 1 from the top has {size - 1} squares, not {size}",
            position("x" + none[1:], "w" + none[1:]): "has a 'x'; known are .wb",
            position(none, "w" + none[1:], mover="red"): "no role is called red",
            "\n".join([none] * (size - 1) + ["white to move"]): f"the board has {size - 1} rows, not {size}",
            "\n".join([none] * size): "does not say whose turn it is",
        },
        not_legal={
            "a2-a4": "a2-a4 is no move of this game; white has a2-a3",
            "a1-a2": "a1-a2 is not legal here; white has a2-a3",
            "hello": "hello is no move of this game; white has",
            "a2a3": "a2a3 is no move of this game; white has a2-a3",
            "": " is no move of this game; white has",
        },
    )


def _pentalath() -> Known:
    widths = [5, 6, 7, 8, 9, 8, 7, 6, 5]
    first = [2, 1, 1, 0, 0, 0, 1, 1, 2]

    def cell(number: str) -> str:
        row, column = divmod(int(number), 9)
        return f"{chr(ord('a') + column - first[row] + max(0, 4 - row))}{9 - row}"

    def position(*rows: str, moves: int | None = None, mover: str = "white") -> str:
        lines = [*rows, *("." * width for width in widths[len(rows) :])]
        return "\n".join([*lines, *([] if moves is None else [f"moves: {moves}"]), f"{mover} to move"])

    empty = ["." * width for width in widths]
    return Known(
        perft=[61, 3721, 219600, 12740460],
        twin_depth=3,
        game="pentalath",
        size="61 cells",
        spell=cell,
        letters={"f": "w", "s": "b", ".": ".", " ": ""},
        impossible={
            position("wwwww", "bbbbb."): "white has five in a row and is to move",
            position("wb...", "bb...."): "a group of white has no empty cell beside it",
            position("wb...", moves=3): "white is not to move after 3 moves",
            position("wb.wb", moves=2): "there cannot be as many stones after 2 moves, only after 4",
            position("wb...", moves=202): "moves: is followed by a number from 0 to 200, not '202'",
            position("ww...", mover="white"): "black has just moved and has no stone",
            position(mover="black"): "white has just moved and has no stone",
            position(moves=-1): "moves: is followed by a number from 0 to 200, not '-1'",
            position("wb....", "......"): "row 1 from the top has 6 squares, not 5",
            position(*empty[:5], ".......i", *empty[6:], mover="red"): "row 6 from the top has a 'i'; known are .wb",
            position("x....") + "\n": "has a 'x'; known are .wb",
            position(mover="red"): "no role is called red",
            "\n".join([*empty[:8], "white to move"]): "the board has 8 rows, not 9",
            "\n".join(empty): "does not say whose turn it is",
        },
        not_legal={
            "a9": "a9 is no move of this game; white has",
            "e5-e6": "e5-e6 is no move of this game; white has e",
            "hello": "hello is no move of this game; white has",
            "": " is no move of this game; white has",
        },
    )


def _cannon() -> Known:
    def spell(move: str) -> str:
        if move.startswith("x"):
            return "x" + square(move[1:], 10, 10)
        return from_to(10)(move)

    start = [
        *["." * 10, *["b.b.b.b.b."] * 3],
        *["." * 10] * 2,
        *[".w.w.w.w.w"] * 3,
        "." * 10,
    ]

    def position(changes: dict[int, str], *, moves: int | None = None, mover: str = "white") -> str:
        rows = [changes.get(10 - row, line) for row, line in enumerate(start)]
        return "\n".join([*rows, *([] if moves is None else [f"moves: {moves}"]), f"{mover} to move"])

    towns = {1: "....W.....", 10: "....B....."}
    return Known(
        perft=[10, 100, 4150, 174025, 7209020],
        twin_depth=3,
        game="cannon",
        size="10x10",
        spell=spell,
        letters={"f": "w", "s": "b", "F": "W", "S": "B", ".": "."},
        impossible={
            position({**towns, 5: "w" * 10}): "white has 25 soldiers, at most 15 are possible",
            position({**towns, 1: "W...W....."}): "white has two towns",
            position({**towns, 5: "....W.....", 1: "." * 10}): "the town of white is not on its home row",
            position({1: towns[1]}, mover="white"): "black has no town after 2 moves",
            position({}, moves=2): "white has no town after 2 moves",
            position({3: "w.w.w.w.w."}): "soldiers have moved before there were two towns",
            position(towns, moves=3): "white is not to move after 3 moves",
            position({**towns, 4: "." * 10}, moves=4): "this cannot be after 4 moves, only after 12",
            position(towns, moves=1002): "moves: is followed by a number from 0 to 1000, not '1002'",
            position({**towns, 7: "." * 10, 8: "." * 10, 9: "." * 10}): "black has just moved and has no soldier",
            position({**towns, 4: ".w.w.w.w..", 9: "b.b.w.b.b."}): "black has just moved and its town is attacked",
            position({4: "." * 9}): "row 7 from the top has 9 squares, not 10",
            position({5: "x" + "." * 9}): "has a 'x'; known are .wbWB",
            position({}, mover="red"): "no role is called red",
            "\n".join(start): "does not say whose turn it is",
            "\n".join([*start[1:], "white to move"]): "the board has 9 rows, not 10",
        },
        not_legal={
            "b2-b3": "b2-b3 is not legal here; white has",
            "a10": "a10 is no move of this game; white has a1",
            "xa": "xa is no move of this game; white has a1",
            "hello": "hello is no move of this game; white has",
            "": " is no move of this game; white has",
        },
    )


KNOWN = {
    "breakthrough": _breakthrough(8, [22, 484, 11132, 256036, 6182818, 149264638]),
    "breakthrough_6x6": _breakthrough(6, [16, 256, 4308, 71478, 1248290, 21470998]),
    "cannon": _cannon(),
    "pentalath": _pentalath(),
}

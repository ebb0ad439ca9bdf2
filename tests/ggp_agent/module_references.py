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


def _amazons(size: int, perft: list[int]) -> Known:
    name = "6x6, two a side" if size == 6 else f"{size}x{size}"
    each, none = 2 if size == 6 else 4, "." * size
    full, three = "w" * each + none[each:], "xxx" + none[3:]

    def position(*rows: str, mover: str = "white") -> str:
        return "\n".join([*rows, *[none] * (size - len(rows)), f"{mover} to move"])

    black = full.replace("w", "b")
    return Known(
        perft=perft,
        twin_depth=1,
        game="amazons",
        size=name,
        spell=lambda move: "{}-{}/{}".format(*(square(part, size, size) for part in move.split("-"))),
        letters={"f": "w", "s": "b", "x": "x", ".": "."},
        impossible={
            position(full, "b" + black): f"row 2 from the top has {size + 1} squares, not {size}",
            position(full[1:] + ".", black): f"white has {each - 1} amazons, not {each}",
            position(full, black, black): f"black has {2 * each} amazons, not {each}",
            position(full, black, mover="black"): "after 0 arrows it is the turn of white",
            position(full, black, three): "after 3 arrows it is the turn of black",
            position(full, black, "o" + none[1:]): "has a 'o'; known are .wbx",
            position(full, black, mover="red"): "no role is called red",
            "\n".join([none] * size): "does not say whose turn it is",
        },
        not_legal={
            "b1-b6/b2": "b1-b6/b2 is not legal here; white has",
            "a1-a2/a1": "a1-a2/a1 is not legal here; white has",
            "a1-b3/b4": "a1-b3/b4 is no move of this game; white has",
            "a1-b2": "a1-b2 is no move of this game; white has",
            "a1-b2/b2": "a1-b2/b2 is no move of this game; white has",
            "hello": "hello is no move of this game; white has",
            "": " is no move of this game; white has",
        },
    )


KNOWN = {
    "breakthrough": _breakthrough(8, [22, 484, 11132, 256036, 6182818, 149264638]),
    "breakthrough_6x6": _breakthrough(6, [16, 256, 4308, 71478, 1248290, 21470998]),
    "amazons": _amazons(10, [2176, 4307152]),
    "amazons_8x8": _amazons(8, [1232, 1331198]),
    "amazons_6x6": _amazons(6, [360, 106424, 30760978]),
}

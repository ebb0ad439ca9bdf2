"""Reference data of native games from other sources; each game needs an entry here.

The counts are published or were computed by others; the counts of kalah, lines of action and atari go come from the
reference interpreter and the reference sheet. `reference` is the file in `../shared`, with most of the games: it
identifies squares by numbers, row * width + column from the top left.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from places import REFERENCE

FILE = REFERENCE / "perft_six_games.json"


@dataclass(frozen=True)
class Known:
    """The reference data of a game.

    Attributes:
        perft: the number of leaves at depth 1, 2, ...
        sheet_depth: the depth to which tests count the reference sheet; 0 if there is no sheet.
        impossible: texts that are not a position, with a part of the message.
        unknown: texts that are no moves of the game.
        illegal: moves that are not legal in the initial position.
        game, size: the entry in the file; empty if there is none.
        spell: a function that translates a move of the file to the notation of the native game.
        letters: a function that translates a square of the file to the notation of the native game.
        uniform_policy: whether the play-out policy of the game must draw uniformly.
    """

    perft: list[int]
    sheet_depth: int
    impossible: dict[str, str]
    unknown: list[str]
    illegal: list[str] = field(default_factory=list)
    game: str = ""
    size: str = ""
    spell: Callable[[str], str] = str
    letters: dict[str, str] = field(default_factory=dict)
    uniform_policy: bool = False


def square(number: str, width: int, height: int) -> str:
    """Return the name of a square of the file.

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
    """Return the entry of a game in the file; None if the file is absent or has no entry."""
    known = KNOWN[name]
    if not known.game or not FILE.exists():
        return None
    return next(entry for entry in _entries() if (entry["game"], entry["size"]) == (known.game, known.size))


def _breakthrough(size: int, perft: list[int]) -> Known:
    def position(*rows: str, mover: str = "white") -> str:
        empty = ["." * size] * (size - len(rows))
        return "\n".join([*rows[:1], *empty, *rows[1:], f"{mover} to move"])

    far, none = "w" + "." * (size - 1), "." * size
    return Known(
        perft=perft,
        sheet_depth=4,
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
            position("x" + none[1:], "w" + none[1:]): "has a 'x'; allowed are .wb",
            "\n".join([none] * (size - 1) + ["white to move"]): f"the board has {size - 1} rows, not {size}",
        },
        unknown=["a2-a4", "hello", "a2a3", ""],
        illegal=["a1-a2"],
    )


def _checkers_move(move: str) -> str:
    """Spell `025-061-034-052` (from, to, victims) by numbers of dark squares, along a path over the victims."""

    def number(square: int) -> int:
        row, column = divmod(square, 8)
        return 4 * (7 - row) + column // 2 + 1

    start, end, *victims = map(int, move.split("-"))

    def walks(here: int, left: frozenset[int]) -> list[list[int]]:
        if not left:
            return [[]] if here == end else []
        found = []
        for victim in left:
            # A jump goes to the square opposite to its start, and stays on the board.
            if abs(victim // 8 - here // 8) == 1 and abs(victim % 8 - here % 8) == 1:
                landing = 2 * victim - here
                found += [[landing, *rest] for rest in walks(landing, left - {victim})]
        return found

    if not victims:
        return f"{number(start)}-{number(end)}"
    return "x".join(str(number(square)) for square in [start, *walks(start, frozenset(victims))[0]])


def _checkers(game: str, most_quiet: int) -> Known:
    def position(*rows: str, quiet: str = "") -> str:
        empty = ["........"] * (8 - len(rows))
        return "\n".join([*rows[:1], *empty, *rows[1:], quiet, "black to move"])

    men = "w.w.w.w.", ".w.w.w.w", "w.w.w.w."
    return Known(
        perft=[7, 49, 302, 1469, 7361, 36768, 179740, 845931],
        sheet_depth=7,
        game=game,
        size="8x8",
        spell=_checkers_move,
        letters={"f": "b", "F": "B", "s": "w", "S": "W", ".": "."},
        impossible={
            position("w.w.w.w.", *men, ".b......"): "white has 16 pieces, at most 12",
            position("b.......", ".w......"): "black has a man on the far row",
            position("........", ".w.....W", "......b."): "row 7 from the top has a piece on a light square",
            position("........", ".w......"): "white has a man on the far row",
            position("........", ".b......"): "white has no piece and black is to move",
            position(
                "W.......", ".b......", quiet="quiet: 51"
            ): f"is followed by a number from 0 to {most_quiet}, not '51'",
            position("W.......", ".b......", quiet="quiet: many"): f"a number from 0 to {most_quiet}, not 'many'",
            position("W.......", ".b......", quiet="quiet: 2"): "2 quiet turns are impossible without a king",
            position("w.......", ".B......", quiet="quiet: 1"): "1 quiet turns are impossible without a king",
            position("x.......", ".b......"): "has a 'x'; allowed are .bBwW",
            position("W......", ".b......"): "row 1 from the top has 7 squares, not 8",
        },
        unknown=["11-18", "11-16-20", "11x18x11", "33-29", ""],
        illegal=["11x18", "1-6"],
        uniform_policy=True,
    )


def _star_move(move: str) -> str:
    """Spell `015-036` by letters of columns and numbers of rows, from 1 at the top."""
    start, end = (f"{chr(ord('a') + int(cell) % 10)}{int(cell) // 10 + 1}" for cell in move.split("-"))
    return f"{start}-{end}"


def _chinese_checkers() -> Known:
    rows = ["r", "rr", "rrr", *("." * width for width in (10, 9, 8, 7, 8, 9, 10)), "ttt", "tt", "t"]

    def position(*lines: str, moves: str = "moves: 2") -> str:
        return "\n".join([*rows[: 13 - len(lines)], *lines, moves, "red to move"])

    return Known(
        perft=[10, 100, 1620, 26244, 452952, 7817616],
        sheet_depth=5,
        game="chinese_checkers",
        size="73 cells, 13 rows",
        spell=_star_move,
        letters={"f": "r", "s": "t", ".": ".", " ": ""},
        impossible={
            position("t.........", "ttt", "tt", "t"): "teal has 7 pieces, not 6",
            position("tt", "."): "teal has 5 pieces, not 6",
            position("r"): "red has 7 pieces, not 6",
            position("tt"): "row 13 from the top has 2 cells, not 1",
            position("tt", "x"): "has 1 squares, not 10",
            position("tt", "t", moves="moves: 3"): "after 3 moves teal is to move",
            position("tt", "t", moves="moves: 1001"): "moves: is followed by a number from 0 to 1000, not '1001'",
            "\n".join([*rows[1:], "red to move"]): "row 1 from the top has 2 cells, not 1",
        },
        unknown=["f1-f4", "a1-a2", "f1", ""],
        illegal=["f1-e2"],
    )


def _kalah() -> Known:
    def position(north: str = "0  4 4 4 4 4 4", south: str = "4 4 4 4 4 4  0", mover: str = "north to move") -> str:
        return f"      6 5 4 3 2 1\nnorth {north}\nsouth {south}\n      1 2 3 4 5 6\n{mover}"

    return Known(
        perft=[6, 35, 185, 942, 4685, 23169, 113959, 559885, 2743126],
        sheet_depth=7,
        impossible={
            position(north="1  4 4 4 4 4 4"): "there are 49 seeds, not 48",
            position(south="4 4 4 4 4 0  0"): "there are 44 seeds, not 48",
            position(north="0  4 4 4 4 4"): "the line of north has 6 numbers, not 7",
            position(south="4 4 4 4 4 4  0 0"): "the line of south has 8 numbers, not 7",
            position(north="0  4 4 4 4 4 four"): "the line of north has 'four', which is not a number",
            position(north="0  4 4 4 4 4 -4"): "the line of north has '-4', which is not a number",
            position(north="49 0 0 0 0 0 0"): "the line of north has a place with more than 48 seeds",
            position(north="9" * 40 + " 0 0 0 0 0 0"): "the line of north has a place with more than 48 seeds",
            position() + "\nnorth 0 4 4 4 4 4 4": "there are two lines of north",
            "south 4 4 4 4 4 4 24\nsouth to move": "there is no line of north",
            position(mover="north to pass"): "write 'north to move'",
        },
        unknown=["7", "0", "3-", "(sow 3)", ""],
    )


def _lines_of_action() -> Known:
    start = [".bbbbbb.", *["w......w"] * 6, ".bbbbbb."]
    few = ["........"] * 6

    def position(*rows: str, moves: str = "", mover: str = "black") -> str:
        return "\n".join([*(rows or start), moves, f"{mover} to move"])

    return Known(
        perft=[36, 1244, 44952, 1563208],
        sheet_depth=3,
        impossible={
            position("bbbbbbbb", *start[1:]): "black has 14 pieces, at most 12 are possible",
            position(".bbbb..w", *start[1:]): "white has 13 pieces, at most 12 are possible",
            position("........", "w......w", *few): "black has no piece: the game ends with the last one",
            position("b......b", "........", *few): "white has no piece",
            position("b......b", "w......w", *few, moves="moves: 7"): "black is not to move after 7 moves",
            position("b......b", "w......w", *few, moves="moves: 18"): "impossible after 18 moves, it needs",
            position(".bbbbb.b", *start[1:], moves="moves: 0"): "pieces have moved after 0 moves",
            position(".bbbbb.b", *start[1:], moves="moves: 1", mover="black"): "black is not to move after 1 moves",
            position(moves="moves: 51"): "moves: is followed by a number from 0 to 50, not '51'",
            position("........", *start[1:6]): "the board has 6 rows, not 8",
            position(".bbbbbb", *start[1:]): "row 1 from the top has 7 squares, not 8",
            position(".bbbbbx.", *start[1:]): "has a 'x'; allowed are .bw",
        },
        unknown=["b1-c3", "b1", ""],
        illegal=["b1-b2", "a2-c2", "pass"],
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
        sheet_depth=3,
        game="pentalath",
        size="61 cells",
        spell=cell,
        letters={"f": "w", "s": "b", ".": ".", " ": ""},
        impossible={
            position("wwwww", "bbbbb."): "white has five in a row and is to move",
            position("wb...", "bb...."): "a group of white has no empty adjacent cell",
            position("wb...", moves=3): "white is not to move after 3 moves",
            position("wb.wb", moves=2): "stones is impossible after 2 moves, it needs at least 4",
            position("wb...", moves=202): "moves: is followed by a number from 0 to 200, not '202'",
            position("ww...", mover="white"): "black has just moved and has no stone",
            position(mover="black"): "white has just moved and has no stone",
            position(moves=-1): "moves: is followed by a number from 0 to 200, not '-1'",
            position("wb....", "......"): "row 1 from the top has 6 squares, not 5",
            position(*empty[:5], ".......i", *empty[6:], mover="red"): "row 6 from the top has a 'i'; allowed are .wb",
            position("x....") + "\n": "has a 'x'; allowed are .wb",
            "\n".join([*empty[:8], "white to move"]): "the board has 8 rows, not 9",
        },
        unknown=["a9", "e5-e6", "hello", ""],
    )


def _cannon() -> Known:
    def spell(move: str) -> str:
        if move.startswith("x"):
            return "x" + square(move[1:], 10, 10)
        return from_to(10)(move)

    start = [*["." * 10, *["b.b.b.b.b."] * 3], *["." * 10] * 2, *[".w.w.w.w.w"] * 3, "." * 10]

    def position(changes: dict[int, str], *, moves: int | None = None, mover: str = "white") -> str:
        rows = [changes.get(10 - row, line) for row, line in enumerate(start)]
        return "\n".join([*rows, *([] if moves is None else [f"moves: {moves}"]), f"{mover} to move"])

    towns = {1: "....W.....", 10: "....B....."}
    return Known(
        perft=[10, 100, 4150, 174025, 7209020],
        sheet_depth=4,
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
            position({**towns, 4: "." * 10}, moves=4): "this position is impossible after 4 moves, only after 12",
            position(towns, moves=1002): "moves: is followed by a number from 0 to 1000, not '1002'",
            position({**towns, 7: "." * 10, 8: "." * 10, 9: "." * 10}): "black has just moved and has no soldier",
            position({**towns, 4: ".w.w.w.w..", 9: "b.b.w.b.b."}): "black has just moved and its town is attacked",
            position({4: "." * 9}): "row 7 from the top has 9 squares, not 10",
            position({5: "x" + "." * 9}): "has a 'x'; allowed are .wbWB",
            "\n".join([*start[1:], "white to move"]): "the board has 9 rows, not 10",
        },
        unknown=["a10", "xa", "hello", ""],
        illegal=["b2-b3"],
    )


def _gomoku(size: int) -> Known:
    none, points = "." * size, size * size
    four, five = "b" * 4 + none[4:], "b" * 5 + none[5:]

    def position(*rows: str, mover: str = "black") -> str:
        return "\n".join([*rows, *[none] * (size - len(rows)), f"{mover} to move"])

    impossible = {
        position(four): "there are 4 black stones and 0 white ones: black is not to move",
        position("bw" + none[2:], mover="white"): "there are 1 black stones and 1 white ones: white is not to move",
        position(four + "b"): f"row 1 from the top has {size + 1} squares, not {size}",
        position("x" + none[1:]): "has a 'x'; allowed are .bw",
        "\n".join([*[none] * (size - 1), "black to move"]): f"the board has {size - 1} rows, not {size}",
        position(five, five.replace("b", "w")): "black has five in a row and is to move",
        position(five, five.replace("b", "w"), five, five.replace("b", "w"), "b" + none[1:], mover="white"): (
            "white has five in a row and is to move"
        ),
        position(five, "w.www" + none[5:], five, "www.w" + none[5:], "w" + none[1:], mover="white"): (
            "no single stone made the fives of black"
        ),
    }
    return Known(
        perft=[points, points * (points - 1), points * (points - 1) * (points - 2)],
        sheet_depth=2,
        impossible=impossible,
        unknown=[f"a{size + 1}", "a1-a2", "hello", ""],
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
        sheet_depth=2 if size == 6 else 1,
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
            position(full, black, "o" + none[1:]): "has a 'o'; allowed are .wbx",
        },
        unknown=["a1-b3/b4", "a1-b2", "a1-b2/b2", "hello", ""],
        illegal=["b1-b6/b2", "a1-a2/a1"],
    )


def _go(size: int, perft: list[int]) -> Known:
    none = "." * size

    def position(*rows: str, counts: str = "", mover: str = "black") -> str:
        return "\n".join([*rows, *[none] * (size - len(rows)), counts, f"{mover} to move"])

    longest = 2 * size * size
    return Known(
        perft=perft,
        sheet_depth=0,
        impossible={
            position("b" + none[1:], mover="black", counts="moves: 1"): "black is not to move after 1 moves",
            position(
                "bb" + none[2:], mover="white", counts="moves: 1"
            ): "this number of stones and passes is impossible after 1 moves, it needs",
            position("bw" + none[2:], "wb" + none[2:]): "a group of black has no empty adjacent point",
            position(counts=f"moves: {longest + 1}"): f"moves: is followed by a number from 0 to {longest}, not",
            position(counts="passes: 3"): "passes: is followed by a number from 0 to 2, not '3'",
            position(counts="moves: 0\npasses: 2"): "passes is impossible after 0 moves, it needs at least 2",
            position("." + none): f"row 1 from the top has {size + 1} squares, not {size}",
            position("x" + none[1:]): "has a 'x'; allowed are .bw",
            "\n".join([none] * (size - 1) + ["black to move"]): f"the board has {size - 1} rows, not {size}",
        },
        unknown=["z1", "a20", "a1-a2", "tenuki", ""],
    )


def _atari_go() -> Known:
    none = "......."

    def position(*rows: str, mover: str = "black") -> str:
        return "\n".join([*rows, *[none] * (7 - len(rows)), f"{mover} to move"])

    return Known(
        perft=[49, 2352, 110544, 5084656],
        sheet_depth=3,
        impossible={
            position("b......"): "it is not the turn of black with 1 stones of its own and 0 of white",
            position("bw.....", mover="white"): "it is not the turn of white with 1 stones of its own and 1 of black",
            position("........"): "row 1 from the top has 8 squares, not 7",
            position("x......"): "has a 'x'; allowed are .bw",
        },
        unknown=["h1", "pass", ""],
    )


KNOWN = {
    "atari_go": _atari_go(),
    "go_5x5": _go(5, [26, 651, 15650]),
    "go_9x9": _go(9, [82, 6643, 531522]),
    "go_19x19": _go(19, [362, 130683]),
    "breakthrough": _breakthrough(8, [22, 484, 11132, 256036, 6182818, 149264638]),
    "breakthrough_6x6": _breakthrough(6, [16, 256, 4308, 71478, 1248290, 21470998]),
    "checkers": _checkers("checkers", 50),
    "checkers_25": _checkers("", 25),
    "chinese_checkers": _chinese_checkers(),
    "cannon": _cannon(),
    **{f"gomoku_{size}x{size}": _gomoku(size) for size in (5, 7, 9, 11, 15)},
    "kalah": _kalah(),
    "lines_of_action": _lines_of_action(),
    "pentalath": _pentalath(),
    "amazons": _amazons(10, [2176, 4307152]),
    "amazons_8x8": _amazons(8, [1232, 1331198]),
    "amazons_6x6": _amazons(6, [360, 106424, 30760978]),
}

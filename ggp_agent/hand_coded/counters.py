"""Counters of moves: a line of the board here, digits in binary in the rule sheets."""

from __future__ import annotations

import re
from collections.abc import Iterable

_LABEL = "moves: "


def moves_so_far(board: str) -> int:
    """Return the number in the last line but one of a printed board.

    >>> moves_so_far("1 . w\\n  a b\\nmoves: 17\\nblack to move\\n")
    17
    """
    return int(board.splitlines()[-2].removeprefix(_LABEL))


def binary_digits(name: str, number: int) -> list[str]:
    """Return the fluents that stand for the ones of a number.

    >>> binary_digits("played", 5)
    ['(played 0)', '(played 2)']
    """
    return [f"({name} {digit})" for digit in range(number.bit_length()) if number >> digit & 1]


def counted(name: str, fluents: Iterable[str]) -> tuple[int, list[str]]:
    """Return the number that fluents stand for, and the other fluents.

    >>> counted("played", ["(turn white)", "(played 0)", "(played 2)"])
    (5, ['(turn white)'])
    """
    number, others = 0, []
    for fluent in fluents:
        if digit := re.fullmatch(rf"\({name} (\d+)\)", fluent):
            number |= 1 << int(digit[1])
        else:
            others.append(fluent)
    return number, others

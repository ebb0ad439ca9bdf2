"""Checkers: its picture, and its moves in the rule sheet, where each jump is a move."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import ClassVar

from .board_game import BoardGame

_SIZE = 8


class Checkers(BoardGame):
    """The dark squares have the numbers 1 to 32, in the sheet columns and rows: `11-15` is `(move f 3 e 4)`."""

    one_to_one = False
    pieces: ClassVar = {
        "b": "piece black man",
        "B": "piece black king",
        "w": "piece white man",
        "W": "piece white king",
    }
    counter = counted = "quiet"

    @property
    def quiet_limit(self) -> int:
        """The number of turns without a capture or a man's move that is a draw."""
        return int(self.name.partition("_")[2] or 50)

    @property
    def added_rules(self) -> str:
        quiet = f"{self.quiet_limit} turns without a capture or a man's move"
        return f"a draw with one king each and nothing else, or after {quiet}"

    def sheet_moves(self, role: str, move: str) -> tuple[str, ...]:
        return self.sheet_turns(role, move)[0]

    def sheet_turns(self, role: str, move: str) -> list[tuple[str, ...]]:
        if "-" in move:
            start, end = map(int, move.split("-"))
            return [(_sheet_move("move", start, end),)]
        squares = [int(square) for square in move.split("x")]
        victims = frozenset(_between(here, there) for here, there in itertools.pairwise(squares))
        return sorted(_walks(squares[0], squares[-1], victims))

    def cell_name(self, row: int, place: int) -> str:
        return str(_number(place + 1, _SIZE - row))

    def cell_names_by_sheet(self) -> dict[tuple[str, ...], str]:
        return {there: here for there, here in super().cell_names_by_sheet().items() if here != "0"}

    def sheet_cell(self, row: int, place: int) -> str:
        return f"{chr(ord('a') + place)} {_SIZE - row}"

    def turn_fluent(self, role: str) -> str:
        return f"(moved {next(other for other in self.roles if other != role)})"

    def read_turn(self, role: str, moves: Sequence[str]) -> str:
        verb, between = ("move", "-") if moves and moves[0].startswith("(move ") else ("capture", "x")
        squares: list[str] = []
        for move in moves:
            start, end = self.cell_names(move, verb)
            squares += [end] if squares and squares[-1] == start else [start, end]
        # Captures along different ways between the same squares have one name.
        number = self.core.read_move(self.roles.index(role), between.join(squares))
        if number < 0 or len(squares) != len(moves) + 1:
            raise KeyError(squares)
        return self.core.move_text(self.roles.index(role), number)


def _place(number: int) -> tuple[int, int]:
    """Return column and row of a square, from 1; black starts on row 1.

    >>> _place(1), _place(5), _place(32)
    ((2, 1), (1, 2), (7, 8))
    """
    row, place = divmod(number - 1, 4)
    return 2 * place + (2 if row % 2 == 0 else 1), row + 1


def _number(column: int, row: int) -> int:
    """Return the number of a dark square, or 0 for a light square.

    >>> _number(2, 1), _number(7, 8), _number(1, 1)
    (1, 32, 0)
    """
    number = 4 * (row - 1) + (column - 1) // 2 + 1
    return number if _place(number) == (column, row) else 0


def _between(start: int, end: int) -> int:
    """Return the square that a jump captures.

    >>> _between(22, 15)
    18
    """
    (column, row), (to_column, to_row) = _place(start), _place(end)
    return _number((column + to_column) // 2, (row + to_row) // 2)


def _walks(start: int, end: int, victims: frozenset[int]) -> Iterator[tuple[str, ...]]:
    """Yield all sequences of jumps that capture exactly these squares."""
    if not victims:
        if start == end:
            yield ()
        return
    column, row = _place(start)
    for victim in victims:
        over_column, over_row = _place(victim)
        to_column, to_row = 2 * over_column - column, 2 * over_row - row
        if abs(over_column - column) != 1 or abs(over_row - row) != 1:
            continue
        if 1 <= to_column <= _SIZE and 1 <= to_row <= _SIZE:
            landing = _number(to_column, to_row)
            for rest in _walks(landing, end, victims - {victim}):
                yield (_sheet_move("capture", start, landing), *rest)


def _sheet_move(kind: str, start: int, end: int) -> str:
    (column, row), (to_column, to_row) = _place(start), _place(end)
    return f"({kind} {chr(column + 96)} {row} {chr(to_column + 96)} {to_row})"

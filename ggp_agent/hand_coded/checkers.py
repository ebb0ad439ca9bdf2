"""Checkers: how it looks, and what its moves are in the rule sheet, where every jump is a move."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence

from .counters import binary_digits, counted
from .game import GameModule
from .pictures import disc, document

_SHEET_MOVE = re.compile(r"\((move|capture) ([a-h]) ([1-8]) ([a-h]) ([1-8])\)")
_SHEET_PIECE = re.compile(r"\(piece (black|white) (man|king) ([a-h]) ([1-8])\)")
_LETTERS = {("black", "man"): "b", ("black", "king"): "B", ("white", "man"): "w", ("white", "king"): "W"}
_PIECES = {letter: piece for piece, letter in _LETTERS.items()}

_SIZE = 8
_EDGE = 46  # of a square in pictures


class Checkers(GameModule):
    """Number the dark squares from 1 to 32 where the sheet has columns and rows: `11-15` is `(move f 3 e 4)`."""

    one_to_one = False

    def picture(self, state: bytes) -> str:
        width = _SIZE * _EDGE
        parts = [f'<rect width="{width}" height="{width}" fill="#f0d9b5"/>']
        for number in range(1, 33):
            column, row = _place(number)
            x, y = (column - 1) * _EDGE, (_SIZE - row) * _EDGE
            parts.append(f'<rect x="{x}" y="{y}" width="{_EDGE}" height="{_EDGE}" fill="#b58863"/>')
            parts.append(_text(x + 2, y + 9, 9, str(number)))
            kind = self.board_rows(state, _SIZE)[_SIZE - row][column - 1]
            if kind != ".":
                x, y = x + _EDGE // 2, y + _EDGE // 2
                parts.append(disc(x, y, dark=kind in "bB"))
                if kind in "BW":
                    parts.append(f'<circle cx="{x}" cy="{y}" r="8" fill="none" stroke="#c03030" stroke-width="3"/>')
        # Whose turn it is, and how many turns were quiet.
        parts.append(_text(4, width + 17, 14, ", ".join(reversed(self.board(state).splitlines()[_SIZE:]))))
        return document(width, width + 24, parts)

    def sheet_moves(self, role: str, move: str) -> tuple[str, ...]:
        return self.sheet_turns(role, move)[0]

    def sheet_turns(self, role: str, move: str) -> list[tuple[str, ...]]:
        if "-" in move:
            start, end = map(int, move.split("-"))
            return [(_sheet_move("move", start, end),)]
        squares = [int(square) for square in move.split("x")]
        victims = frozenset(_between(here, there) for here, there in itertools.pairwise(squares))
        return sorted(_walks(squares[0], squares[-1], victims))

    def turn(self, role: str, moves: Sequence[str]) -> str:
        read = [_SHEET_MOVE.fullmatch(move) for move in moves]
        squares: list[int] = []
        for part in read:
            start, end = (_number(part[2], part[3]), _number(part[4], part[5])) if part else (0, 0)
            squares += [end] if squares and squares[-1] == start else [start, end]
        between = "-" if read and read[0] and read[0][1] == "move" else "x"
        # The same move has one name, whatever its way.
        number = self.core.read_move(self.roles.index(role), between.join(map(str, squares)))
        if number < 0 or len(squares) != len(moves) + 1:
            raise ValueError(f"{' '.join(moves)} is no turn of checkers")
        return self.core.move_text(self.roles.index(role), number)

    def sheet_fluents(self, state: bytes) -> frozenset[str]:
        waiting = next(role for role in self.roles if role != self.mover(state))
        pieces = [
            f"(piece {' '.join(_PIECES[kind])} {chr(column + 97)} {_SIZE - row})"
            for row, line in enumerate(self.board_rows(state, _SIZE))
            for column, kind in enumerate(line)
            if kind != "."
        ]
        quiet = next((int(line[6:]) for line in self.board(state).splitlines() if line.startswith("quiet:")), 0)
        return frozenset([f"(moved {waiting})", *pieces, *binary_digits("quiet", quiet)])

    def state_of(self, fluents: Iterable[str]) -> bytes:
        rows = [["."] * _SIZE for _ in range(_SIZE)]
        movers = []
        quiet, others = counted("quiet", fluents)
        for fluent in others:
            if piece := _SHEET_PIECE.fullmatch(fluent):
                rows[_SIZE - int(piece[4])][ord(piece[3]) - 97] = _LETTERS[piece[1], piece[2]]
            elif fluent in ("(moved black)", "(moved white)"):
                movers.append("white" if fluent == "(moved black)" else "black")
            elif fluent.startswith("(captor "):
                raise ValueError(f"the fluent {fluent} holds within a turn alone")
            else:
                raise ValueError(f"the fluent {fluent} holds in no state of checkers")
        return self.position(rows, movers, f"quiet: {quiet}")


def _place(number: int) -> tuple[int, int]:
    """Return column and row of a square, from 1; black sits below row 1.

    >>> _place(1), _place(5), _place(32)
    ((2, 1), (1, 2), (7, 8))
    """
    row, place = divmod(number - 1, 4)
    return 2 * place + (2 if row % 2 == 0 else 1), row + 1


def _number(column: str, row: str) -> int:
    """Return the number of a dark square; 0 for a light one.

    >>> _number("b", "1"), _number("g", "8"), _number("a", "1")
    (1, 32, 0)
    """
    place = ord(column) - 96, int(row)
    number = 4 * (place[1] - 1) + (place[0] - 1) // 2 + 1
    return number if _place(number) == place else 0


def _between(start: int, end: int) -> int:
    """Return the square that a jump passes.

    >>> _between(22, 15)
    18
    """
    (column, row), (to_column, to_row) = _place(start), _place(end)
    return _number(chr((column + to_column) // 2 + 96), str((row + to_row) // 2))


def _walks(start: int, end: int, victims: frozenset[int]) -> Iterator[tuple[str, ...]]:
    """Yield all walks of jumps over certain squares."""
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
            landing = _number(chr(to_column + 96), str(to_row))
            for rest in _walks(landing, end, victims - {victim}):
                yield (_sheet_move("capture", start, landing), *rest)


def _sheet_move(kind: str, start: int, end: int) -> str:
    (column, row), (to_column, to_row) = _place(start), _place(end)
    return f"({kind} {chr(column + 96)} {row} {chr(to_column + 96)} {to_row})"


def _text(x: int, y: int, size: int, text: str) -> str:
    return f'<text x="{x}" y="{y}" font-family="sans-serif" font-size="{size}" fill="#402810">{text}</text>'

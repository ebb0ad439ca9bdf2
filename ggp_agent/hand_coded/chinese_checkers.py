"""Chinese checkers: how it looks, and what its moves are in the rule sheet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from .counters import binary_digits, counted, moves_so_far
from .game import GameModule
from .pictures import disc, document

_MOVE = re.compile(r"([a-j])(\d+)-([a-j])(\d+)")
_SHEET_MOVE = re.compile(r"\(move (\d) (\d+) (\d) (\d+)\)")
_SHEET_PIECE = re.compile(r"\(piece (red|teal) (\d) (\d+)\)")

# First and last column of each row, from the tip where red starts.
_ROWS = ((5, 5), (4, 5), (4, 6), (0, 9), (1, 9), (1, 8), (2, 8), (1, 8), (1, 9), (0, 9), (4, 6), (4, 5), (5, 5))
_EDGE = 36  # from cell to cell in pictures


class ChineseCheckers(GameModule):
    """Name cells by letter of column and number of row from 1; the sheet counts both from 0: `f1-e2` is `5 0 4 1`."""

    def picture(self, state: bytes) -> str:
        parts = []
        pieces = self._pieces(state)
        for row, (first, last) in enumerate(_ROWS):
            y = 24 + row * _EDGE * 7 // 8
            parts.append(_text(4, y + 4, f"{row + 1}"))
            for column in range(first, last + 1):
                x = 44 + column * _EDGE + (_EDGE // 2 if row % 2 else 0)
                parts.append(f'<circle cx="{x}" cy="{y}" r="12" fill="#f0d9b5" stroke="#806040"/>')
                if (column, row) in pieces:
                    parts.append(disc(x, y, dark=pieces[column, row] == "red"))
        *_, moves, turn = self.board(state).splitlines()
        height = 40 + len(_ROWS) * _EDGE * 7 // 8
        parts += [_text(40 + column * _EDGE, height - 22, chr(97 + column)) for column in range(10)]
        parts.append(_text(4, height + 8, f"{turn} (red is dark), {moves}"))
        return document(11 * _EDGE + 44, height + 16, parts)

    def sheet_moves(self, role: str, move: str) -> tuple[str, ...]:
        column, row, to_column, to_row = _MOVE.fullmatch(move).groups()  # type: ignore[union-attr]
        return (f"(move {ord(column) - 97} {int(row) - 1} {ord(to_column) - 97} {int(to_row) - 1})",)

    def turn(self, role: str, moves: Sequence[str]) -> str:
        read = _SHEET_MOVE.fullmatch(moves[0]) if len(moves) == 1 else None
        if read is None:
            raise ValueError(f"{' '.join(moves)} is no turn of chinese checkers")
        column, row, to_column, to_row = map(int, read.groups())
        return f"{chr(column + 97)}{row + 1}-{chr(to_column + 97)}{to_row + 1}"

    def sheet_fluents(self, state: bytes) -> frozenset[str]:
        pieces = [f"(piece {role} {column} {row})" for (column, row), role in self._pieces(state).items()]
        moves = binary_digits("moves", moves_so_far(self.board(state)))
        return frozenset([f"(turn {self.mover(state)})", *pieces, *moves])

    def state_of(self, fluents: Iterable[str]) -> bytes:
        rows = [["."] * (last - first + 1) for first, last in _ROWS]
        turns = []
        moves, others = counted("moves", fluents)
        for fluent in others:
            if piece := _SHEET_PIECE.fullmatch(fluent):
                column, row = int(piece[2]), int(piece[3])
                if row >= len(_ROWS) or not _ROWS[row][0] <= column <= _ROWS[row][1]:
                    raise ValueError(f"the fluent {fluent} is beyond the board")
                rows[row][column - _ROWS[row][0]] = piece[1][0]
            elif fluent in ("(turn red)", "(turn teal)"):
                turns.append(fluent[6:-1])
            else:
                raise ValueError(f"the fluent {fluent} holds in no state of chinese checkers")
        return self.position(rows, turns, f"moves: {moves}")

    def _pieces(self, state: bytes) -> dict[tuple[int, int], str]:
        """Return the role of the piece on each occupied (column, row)."""
        lines = [line.split()[1:] for line in self.board(state).splitlines()[: len(_ROWS)]]
        return {
            (first + place, row): self.roles["rt".index(kind)]
            for row, ((first, _), line) in enumerate(zip(_ROWS, lines, strict=True))
            for place, kind in enumerate(line)
            if kind != "."
        }


def _text(x: int, y: int, text: str) -> str:
    return f'<text x="{x}" y="{y}" font-family="sans-serif" font-size="13" fill="#606060">{text}</text>'

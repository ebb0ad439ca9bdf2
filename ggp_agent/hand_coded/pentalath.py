"""Pentalath: how it looks, and what its moves are in the rule sheet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from .counters import binary_digits, counted, moves_so_far
from .game import GameModule
from .pictures import disc, hexagon_board

_SHEET_MOVE = re.compile(r"\(place (\d) (\d)\)")
_SHEET_STONE = re.compile(r"\(stone (white|black) (\d) (\d)\)")
# The lengths of the rows from the top, and the column of each one's first cell in the sheet.
_WIDTHS = (5, 6, 7, 8, 9, 8, 7, 6, 5)
_FIRST = (2, 1, 1, 0, 0, 0, 1, 1, 2)


class Pentalath(GameModule):
    """Name cells by line and row, `e5` in the middle; the sheet by column and row from the top: `(place 4 4)`."""

    def picture(self, state: bytes) -> str:
        return hexagon_board(self._rows(state), lambda kind, x, y: disc(x, y, dark=kind == "b"))

    def sheet_moves(self, role: str, move: str) -> tuple[str, ...]:
        row = 9 - int(move[1:])
        # Rows in the lower half begin with line a.
        column = _FIRST[row] + ord(move[0]) - ord("a") - max(0, 4 - row)
        return (f"(place {column} {row})",)

    def turn(self, role: str, moves: Sequence[str]) -> str:
        read = _SHEET_MOVE.fullmatch(moves[0]) if len(moves) == 1 else None
        if read is None:
            raise ValueError(f"{' '.join(moves)} is no turn of pentalath")
        row, place = self._cell(read[1], read[2])
        return f"{chr(ord('a') + place + max(0, 4 - row))}{9 - row}"

    def sheet_fluents(self, state: bytes) -> frozenset[str]:
        names = {"w": "white", "b": "black"}
        stones = [
            f"(stone {names[kind]} {_FIRST[row] + place} {row})"
            for row, line in enumerate(self._rows(state))
            for place, kind in enumerate(line)
            if kind != "."
        ]
        return frozenset(
            [f"(turn {self.mover(state)})", *stones, *binary_digits("played", moves_so_far(self.board(state)))]
        )

    def state_of(self, fluents: Iterable[str]) -> bytes:
        rows = [["."] * width for width in _WIDTHS]
        turns = []
        played, others = counted("played", fluents)
        for fluent in others:
            if stone := _SHEET_STONE.fullmatch(fluent):
                row, place = self._cell(stone[2], stone[3])
                rows[row][place] = stone[1][0]
            elif fluent in ("(turn white)", "(turn black)"):
                turns.append(fluent[6:-1])
            else:
                raise ValueError(f"the fluent {fluent} holds in no state of pentalath")
        return self.position(rows, turns, f"moves: {played}")

    @staticmethod
    def _cell(column: str, row: str) -> tuple[int, int]:
        """Return row and place in the row of a cell of the sheet."""
        place = int(column) - _FIRST[int(row)] if int(row) < len(_FIRST) else -1
        if not (place >= 0 and place < _WIDTHS[int(row)]):
            raise ValueError(f"no cell of pentalath has column {column} and row {row}")
        return int(row), place

    def _rows(self, state: bytes) -> list[str]:
        lines = self.board(state).splitlines()[: len(_WIDTHS)]
        return ["".join(line.split()[1 : width + 1]) for line, width in zip(lines, _WIDTHS, strict=True)]

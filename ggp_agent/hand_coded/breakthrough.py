"""Breakthrough: how it looks, and what its moves are in the rule sheet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from .game import GameModule
from .pictures import disc, square_board

_MOVE = re.compile(r"([a-z])(\d+)[-x]([a-z])(\d+)")
_SHEET_MOVE = re.compile(r"\(move (\d+) (\d+) (\d+) (\d+)\)")
_SHEET_PIECE = re.compile(r"\(piece (white|black) (\d+) (\d+)\)")


class Breakthrough(GameModule):
    """Name squares by numbers of column and row, as the sheet does: `a2-b3` is `(move 1 2 2 3)`."""

    def picture(self, state: bytes) -> str:
        return square_board(self.board_rows(state, self.core.size), lambda kind, x, y: disc(x, y, dark=kind == "b"))

    def sheet_moves(self, role: str, move: str) -> tuple[str, ...]:
        column, row, to_column, to_row = _MOVE.fullmatch(move).groups()  # type: ignore[union-attr]
        return (f"(move {ord(column) - 96} {row} {ord(to_column) - 96} {to_row})",)

    def turn(self, role: str, moves: Sequence[str]) -> str:
        read = _SHEET_MOVE.fullmatch(moves[0]) if len(moves) == 1 else None
        if read is None:
            raise ValueError(f"{' '.join(moves)} is no turn of breakthrough")
        column, row, to_column, to_row = map(int, read.groups())
        return f"{chr(column + 96)}{row}-{chr(to_column + 96)}{to_row}"

    def sheet_fluents(self, state: bytes) -> frozenset[str]:
        names = {"w": "white", "b": "black"}
        pieces = [
            f"(piece {names[kind]} {column} {row})"
            for row, line in enumerate(reversed(self.board_rows(state, self.core.size)), start=1)
            for column, kind in enumerate(line, start=1)
            if kind != "."
        ]
        return frozenset([f"(turn {self.mover(state)})", *pieces])

    def state_of(self, fluents: Iterable[str]) -> bytes:
        size = self.core.size
        rows = [["."] * size for _ in range(size)]
        turns = []
        for fluent in fluents:
            if piece := _SHEET_PIECE.fullmatch(fluent):
                column, row = int(piece[2]), int(piece[3])
                if not (1 <= column <= size and 1 <= row <= size):
                    raise ValueError(f"the fluent {fluent} is beyond the board")
                rows[size - row][column - 1] = piece[1][0]
            elif fluent in ("(turn white)", "(turn black)"):
                turns.append(fluent[6:-1])
            else:
                raise ValueError(f"the fluent {fluent} holds in no state of breakthrough")
        return self.position(rows, turns)

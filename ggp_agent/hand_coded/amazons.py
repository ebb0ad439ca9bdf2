"""Amazons: how it looks, and what its turns are in the rule sheet, where moving and shooting are two moves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from .game import GameModule
from .pictures import cross, disc, square_board

_MOVE = re.compile(r"([a-z])(\d+)-([a-z])(\d+)/([a-z])(\d+)")
_SHEET_MOVE = re.compile(r"\(move (\d+) (\d+) (\d+) (\d+)\)")
_SHEET_SHOT = re.compile(r"\(shoot (\d+) (\d+)\)")
_SHEET_AMAZON = re.compile(r"\(amazon (white|black) (\d+) (\d+)\)")
_SHEET_ARROW = re.compile(r"\(arrow (\d+) (\d+)\)")
_SHEET_TURN = re.compile(r"\(turn (white|black) move\)")


class Amazons(GameModule):
    """Name squares by numbers of column and row, as the sheet does: `d1-d7/g7` is `(move 4 1 4 7)`, `(shoot 7 7)`."""

    one_to_one = False

    def picture(self, state: bytes) -> str:
        def piece(kind: str, x: int, y: int) -> str:
            return cross(x, y) if kind == "x" else disc(x, y, dark=kind == "b")

        return square_board(self.board_rows(state, self.core.size), piece)

    def sheet_moves(self, role: str, move: str) -> tuple[str, ...]:
        parts = _MOVE.fullmatch(move).groups()  # type: ignore[union-attr]
        column, to_column, shot_column = (ord(letter) - 96 for letter in parts[::2])
        row, to_row, shot_row = parts[1::2]
        return f"(move {column} {row} {to_column} {to_row})", f"(shoot {shot_column} {shot_row})"

    def turn(self, role: str, moves: Sequence[str]) -> str:
        if len(moves) == 2:
            move, shot = _SHEET_MOVE.fullmatch(moves[0]), _SHEET_SHOT.fullmatch(moves[1])
            if move is not None and shot is not None:
                column, row, to_column, to_row = map(int, move.groups())
                shot_column, shot_row = map(int, shot.groups())
                return f"{_name(column, row)}-{_name(to_column, to_row)}/{_name(shot_column, shot_row)}"
        raise ValueError(f"{' '.join(moves)} is no turn of amazons")

    def sheet_fluents(self, state: bytes) -> frozenset[str]:
        names = {"w": "amazon white", "b": "amazon black", "x": "arrow"}
        pieces = [
            f"({names[kind]} {column} {row})"
            for row, line in enumerate(reversed(self.board_rows(state, self.core.size)), start=1)
            for column, kind in enumerate(line, start=1)
            if kind != "."
        ]
        return frozenset([f"(turn {self.mover(state)} move)", *pieces])

    def state_of(self, fluents: Iterable[str]) -> bytes:
        size = self.core.size
        rows = [["."] * size for _ in range(size)]
        turns = []
        for fluent in fluents:
            if amazon := _SHEET_AMAZON.fullmatch(fluent):
                kind, column, row = amazon[1][0], int(amazon[2]), int(amazon[3])
            elif arrow := _SHEET_ARROW.fullmatch(fluent):
                kind, column, row = "x", int(arrow[1]), int(arrow[2])
            elif turn := _SHEET_TURN.fullmatch(fluent):
                turns.append(turn[1])
                continue
            else:
                raise ValueError(f"the fluent {fluent} holds in no state between the turns of amazons")
            if not (1 <= column <= size and 1 <= row <= size):
                raise ValueError(f"the fluent {fluent} is beyond the board")
            if rows[size - row][column - 1] != ".":
                raise ValueError(f"the square of the fluent {fluent} is taken")
            rows[size - row][column - 1] = kind
        return self.position(rows, turns)


def _name(column: int, row: int) -> str:
    return f"{chr(column + 96)}{row}"

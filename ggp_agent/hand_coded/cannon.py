"""Cannon: how it looks, and what its moves are in the rule sheet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from .counters import binary_digits, counted, moves_so_far
from .game import GameModule
from .pictures import disc, square_board, tower

_MOVE = re.compile(r"([a-j])(\d+)[-x]([a-j])(\d+)")
_SHEET_MOVE = re.compile(r"\(move ([a-j]) (\d+) ([a-j]) (\d+)\)")
_SHEET_SHOT = re.compile(r"\(shoot ([a-j]) (\d+)\)")
_SHEET_TOWN = re.compile(r"\(found ([a-j])\)")
_SHEET_PIECE = re.compile(r"\(soldier (white|black) ([a-j]) (\d+)\)")
_SHEET_TOWN_STANDS = re.compile(r"\(town (white|black) ([a-j])\)")
_SIZE = 10
_HOME = {"white": 1, "black": _SIZE}


class Cannon(GameModule):
    """Name squares as the sheet does: `b2-b3` is `(move b 2 b 3)`, `xc7` is `(shoot c 7)`, `e1` is `(found e)`."""

    def picture(self, state: bytes) -> str:
        def piece(kind: str, x: int, y: int) -> str:
            return (tower if kind.isupper() else disc)(x, y, dark=kind in "bB")

        return square_board(self.board_rows(state, _SIZE), piece, plain=True)

    def sheet_moves(self, role: str, move: str) -> tuple[str, ...]:
        if read := _MOVE.fullmatch(move):
            return (f"(move {' '.join(read.groups())})",)
        if move.startswith("x"):
            return (f"(shoot {move[1]} {move[2:]})",)
        return (f"(found {move[0]})",)

    def turn(self, role: str, moves: Sequence[str]) -> str:
        move = moves[0] if len(moves) == 1 else ""
        if read := _SHEET_MOVE.fullmatch(move):
            return f"{read[1]}{read[2]}-{read[3]}{read[4]}"
        if read := _SHEET_SHOT.fullmatch(move):
            return f"x{read[1]}{read[2]}"
        if read := _SHEET_TOWN.fullmatch(move):
            return f"{read[1]}{_HOME[role]}"
        raise ValueError(f"{' '.join(moves)} is no turn of cannon")

    def sheet_fluents(self, state: bytes) -> frozenset[str]:
        names = {"w": "white", "b": "black"}
        pieces = []
        for row, line in enumerate(reversed(self.board_rows(state, _SIZE)), start=1):
            for column, kind in zip("abcdefghij", line, strict=True):
                if kind in names:
                    pieces.append(f"(soldier {names[kind]} {column} {row})")
                elif kind != ".":
                    pieces.append(f"(town {names[kind.lower()]} {column})")
        moves = binary_digits("moves", moves_so_far(self.board(state)))
        return frozenset([f"(turn {self.mover(state)})", *pieces, *moves])

    def state_of(self, fluents: Iterable[str]) -> bytes:
        rows = [["."] * _SIZE for _ in range(_SIZE)]
        turns = []
        moves, others = counted("moves", fluents)
        for fluent in others:
            if piece := _SHEET_PIECE.fullmatch(fluent):
                if not 1 <= int(piece[3]) <= _SIZE:
                    raise ValueError(f"the fluent {fluent} is beyond the board")
                rows[_SIZE - int(piece[3])][ord(piece[2]) - ord("a")] = piece[1][0]
            elif town := _SHEET_TOWN_STANDS.fullmatch(fluent):
                rows[_SIZE - _HOME[town[1]]][ord(town[2]) - ord("a")] = town[1][0].upper()
            elif fluent in ("(turn white)", "(turn black)"):
                turns.append(fluent[6:-1])
            else:
                raise ValueError(f"the fluent {fluent} holds in no state of cannon")
        return self.position(rows, turns, f"moves: {moves}")

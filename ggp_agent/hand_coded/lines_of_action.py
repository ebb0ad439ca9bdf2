"""Lines of Action: how it looks, and what its moves are in the rule sheet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from .counters import moves_so_far
from .game import GameModule
from .pictures import disc, square_board

_MOVE = re.compile(r"([a-h])([1-8])[-x]([a-h])([1-8])")
_SHEET_MOVE = re.compile(r"\(move ([a-h]) ([1-8]) ([a-h]) ([1-8])\)")
_SHEET_PIECE = re.compile(r"\(piece (black|white) ([a-h]) ([1-8])\)")
_SHEET_TURNS = re.compile(r"\(turns (\d+)\)")
_SIZE = 8
# To pass is the move of a role that waits, in the sheet.
_PASS, _SHEET_PASS = "pass", "noop"


class LinesOfAction(GameModule):
    """Name squares by letter and number: `b1-b3` is `(move b 1 b 3)` in the sheet, `pass` is `noop`."""

    def picture(self, state: bytes) -> str:
        return square_board(self.board_rows(state, _SIZE), lambda kind, x, y: disc(x, y, dark=kind == "b"))

    def sheet_moves(self, role: str, move: str) -> tuple[str, ...]:
        if move == _PASS:
            return (_SHEET_PASS,)
        return (f"(move {' '.join(_MOVE.fullmatch(move).groups())})",)  # type: ignore[union-attr]

    def turn(self, role: str, moves: Sequence[str]) -> str:
        if tuple(moves) == (_SHEET_PASS,):
            return _PASS
        read = _SHEET_MOVE.fullmatch(moves[0]) if len(moves) == 1 else None
        if read is None:
            raise ValueError(f"{' '.join(moves)} is no turn of lines of action")
        return f"{read[1]}{read[2]}-{read[3]}{read[4]}"

    def sheet_fluents(self, state: bytes) -> frozenset[str]:
        names = {"w": "white", "b": "black"}
        pieces = [
            f"(piece {names[kind]} {column} {row})"
            for row, line in enumerate(reversed(self.board_rows(state, _SIZE)), start=1)
            for column, kind in zip("abcdefgh", line, strict=True)
            if kind != "."
        ]
        return frozenset([f"(turn {self.mover(state)})", f"(turns {moves_so_far(self.board(state))})", *pieces])

    def state_of(self, fluents: Iterable[str]) -> bytes:
        rows = [["."] * _SIZE for _ in range(_SIZE)]
        movers, turns = [], []
        for fluent in fluents:
            if piece := _SHEET_PIECE.fullmatch(fluent):
                rows[_SIZE - int(piece[3])][ord(piece[2]) - ord("a")] = piece[1][0]
            elif fluent in ("(turn black)", "(turn white)"):
                movers.append(fluent[6:-1])
            elif count := _SHEET_TURNS.fullmatch(fluent):
                turns.append(count[1])
            else:
                raise ValueError(f"the fluent {fluent} holds in no state of lines of action")
        if len(turns) != 1:
            raise ValueError(f"there is one number of turns, not {len(turns)}")
        return self.position(rows, movers, f"moves: {turns[0]}")

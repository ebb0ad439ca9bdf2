"""Native games on a board: a state of the reference sheet has the contents of the cells, a turn and a counter."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

from ... import _games
from .native_game import NativeGame

# Maximal number of binary digits of a counter.
_DIGITS = 16


class BoardGame(NativeGame):
    """Convert states cell by cell. A cell is its row from the top and its place in the row, both from 0."""

    # The fluent of the sheet, without the cell, for each letter of a printed board: `w` is `piece white`.
    pieces: ClassVar[Mapping[str, str]]
    counter = ""
    counter_has_digits = True
    counted = "moves"

    def __init__(self, core: _games.Module) -> None:
        super().__init__(core)
        cells = [(row, place) for row, width in enumerate(self.widths()) for place in range(width)]
        self._sheet_cells = {self.cell_name(*cell): self.sheet_cell(*cell) for cell in cells}
        self._cell_names = {there: here for here, there in self._sheet_cells.items()}
        self._standing = {self.fluent(letter, *cell): (letter, cell) for letter in self.pieces for cell in cells}
        self._turns = {self.turn_fluent(role): role for role in self.roles}
        digits = range(_DIGITS if self.counter and self.counter_has_digits else 0)
        self._digits = {f"({self.counter} {digit})": 1 << digit for digit in digits}

    # ---- defined by each game; by default a square board, whose sheet uses numbers from 1

    def widths(self) -> Sequence[int]:
        """Return the number of cells of each row."""
        return [self.core.size] * self.core.size

    def cell_name(self, row: int, place: int) -> str:
        """Return the name of a cell in moves of the native game."""
        return f"{chr(ord('a') + place)}{self.core.size - row}"

    def sheet_cell(self, row: int, place: int) -> str:
        """Return the name of a cell in the sheet: its column and its row."""
        return f"{place + 1} {self.core.size - row}"

    def fluent(self, letter: str, row: int, place: int) -> str:
        """Return the fluent of the sheet for a piece on a cell."""
        return f"({self.pieces[letter]} {self.sheet_cell(row, place)})"

    def turn_fluent(self, role: str) -> str:
        """Return the fluent of the sheet for the turn of a role."""
        return f"(turn {role})"

    @abstractmethod
    def read_turn(self, role: str, moves: Sequence[str]) -> str:
        """Return the same as `turn`; a KeyError means that the words are not moves."""

    # ---- the same for all games

    def known_fluents(self) -> list[str]:
        return [*self._standing, *self._turns, *self._digits]

    def cell_names_by_sheet(self) -> dict[tuple[str, ...], str]:
        return {tuple(there.split()): here for there, here in self._cell_names.items()}

    def rows(self, state: bytes) -> list[str]:
        """Return the contents of the rows of a printed board: one character per cell, without labels."""
        lines = self.board(state).splitlines()
        return ["".join(line.split()[1 : width + 1]) for line, width in zip(lines, self.widths(), strict=False)]

    def sheet_cells(self, *names: str) -> str:
        """Return cells in the words of the sheet."""
        return " ".join(self._sheet_cells[name] for name in names)

    def cell_names(self, move: str, verb: str, count: int = 2) -> list[str]:
        """Return the names of the cells of a move of the sheet."""
        head, *words = move.strip("()").split()
        if head != verb or len(words) != 2 * count:
            raise KeyError(move)
        return [self._cell_names[" ".join(pair)] for pair in zip(words[::2], words[1::2], strict=True)]

    def turn(self, role: str, moves: Sequence[str]) -> str:
        try:
            return self.read_turn(role, moves)
        except KeyError:
            raise ValueError(f"{' '.join(moves)} is not a turn of {self.name}") from None

    def list_fluents(self) -> list[str]:
        board = [*self._standing, *self._turns]
        return board + [f"({self.counter} {number})" for number in range(self.core.fluents - len(board))]

    def state_of(self, fluents: Iterable[str]) -> bytes:
        rows = [["."] * width for width in self.widths()]
        movers: list[str] = []
        counts: list[int] = []
        for fluent in fluents:
            if fluent in self._standing:
                letter, (row, place) = self._standing[fluent]
                if rows[row][place] != ".":
                    raise ValueError(f"{fluent}: another fluent describes the same cell")
                rows[row][place] = letter
            elif fluent in self._turns:
                movers.append(self._turns[fluent])
            elif fluent in self._digits:
                counts.append(self._digits[fluent])
            elif self.counter and not self.counter_has_digits and (number := self._number(fluent)) is not None:
                counts.append(number)
            else:
                raise ValueError(f"{fluent} is false in all states between two turns of {self.name}")
        if len(movers) != 1:
            raise ValueError(f"one role must have the turn, not {len(movers)}")
        if self.counter and not self.counter_has_digits and len(counts) != 1:
            raise ValueError(f"{self.counter} must have one number, not {len(counts)}")
        counted = [f"{self.counted}: {sum(counts)}"] if self.counter else []
        return self.core.read_board("\n".join([*map("".join, rows), *counted, f"{movers[0]} to move"]))

    def _number(self, fluent: str) -> int | None:
        words = fluent.strip("()").split()
        return int(words[1]) if len(words) == 2 and words[0] == self.counter and words[1].isdecimal() else None

"""Hand-coded games on a board: a position in the reference sheet is what stands on each cell, a turn and a counter."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

from ... import _games
from .native_game import NativeGame

# Binary digits of a counter of moves, at most.
_DIGITS = 16


class BoardGame(NativeGame):
    """Tell positions cell by cell. A cell is its row from the top and its place in the row, both from 0.

    Attributes:
        pieces: what the sheet says of each letter of a printed board, without the cell, such as `w`: `piece white`.
        counter: what the sheet calls the counter that it keeps; empty where it keeps none.
        counter_has_digits: whether it tells the binary digits that are 1, each in a fluent, or the number in one.
        counted: what a printed board calls it.
    """

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

    # ---- what a game has of its own; by default a board of squares, in the sheet with numbers from 1

    def widths(self) -> Sequence[int]:
        """Return the number of cells of each row."""
        return [self.core.size] * self.core.size

    def cell_name(self, row: int, place: int) -> str:
        """Return what a cell is called in moves of the module."""
        return f"{chr(ord('a') + place)}{self.core.size - row}"

    def sheet_cell(self, row: int, place: int) -> str:
        """Return what a cell is called in the sheet: its column and its row."""
        return f"{place + 1} {self.core.size - row}"

    def fluent(self, letter: str, row: int, place: int) -> str:
        """Return what the sheet says where a piece stands on a cell."""
        return f"({self.pieces[letter]} {self.sheet_cell(row, place)})"

    def turn_fluent(self, role: str) -> str:
        """Return what the sheet says where it is the turn of a role."""
        return f"(turn {role})"

    @abstractmethod
    def read_turn(self, role: str, moves: Sequence[str]) -> str:
        """Do what `turn` does; it may leave a KeyError for words that are none."""

    # ---- what all have

    def known_fluents(self) -> list[str]:
        return [*self._standing, *self._turns, *self._digits]

    def cell_names_by_sheet(self) -> dict[tuple[str, ...], str]:
        return {tuple(there.split()): here for there, here in self._cell_names.items()}

    def rows(self, state: bytes) -> list[str]:
        """Return what stands on the rows of a printed board: one character a cell, without the labels."""
        lines = self.board(state).splitlines()
        return ["".join(line.split()[1 : width + 1]) for line, width in zip(lines, self.widths(), strict=False)]

    def sheet_cells(self, *names: str) -> str:
        """Return cells in the words of the sheet."""
        return " ".join(self._sheet_cells[name] for name in names)

    def cell_names(self, move: str, verb: str, count: int = 2) -> list[str]:
        """Return the names of the cells of a move of the sheet.

        Raises:
            KeyError: it is no such move of so many cells, or names others.
        """
        head, *words = move.strip("()").split()
        if head != verb or len(words) != 2 * count:
            raise KeyError(move)
        return [self._cell_names[" ".join(pair)] for pair in zip(words[::2], words[1::2], strict=True)]

    def turn(self, role: str, moves: Sequence[str]) -> str:
        try:
            return self.read_turn(role, moves)
        except KeyError:
            raise ValueError(f"{' '.join(moves)} is no turn of {self.name}") from None

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
                    raise ValueError(f"the cell of the fluent {fluent} is taken")
                rows[row][place] = letter
            elif fluent in self._turns:
                movers.append(self._turns[fluent])
            elif fluent in self._digits:
                counts.append(self._digits[fluent])
            elif self.counter and not self.counter_has_digits and (number := self._number(fluent)) is not None:
                counts.append(number)
            else:
                raise ValueError(f"the fluent {fluent} holds in no state between two turns of {self.name}")
        if len(movers) != 1:
            raise ValueError(f"it is the turn of one role, not of {len(movers)}")
        if self.counter and not self.counter_has_digits and len(counts) != 1:
            raise ValueError(f"there is one number of {self.counter}, not {len(counts)}")
        counted = [f"{self.counted}: {sum(counts)}"] if self.counter else []
        return self.core.read_board("\n".join([*map("".join, rows), *counted, f"{movers[0]} to move"]))

    def _number(self, fluent: str) -> int | None:
        words = fluent.strip("()").split()
        return int(words[1]) if len(words) == 2 and words[0] == self.counter and words[1].isdecimal() else None

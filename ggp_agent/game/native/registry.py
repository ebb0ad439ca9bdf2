"""All native games and their adapters. A new game needs a class here, and a line in `csrc/games/registry.cpp`."""

from __future__ import annotations

import difflib
import itertools
import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import ClassVar

from ... import _games
from ...common.errors import UserError
from .native_game import NativeGame

# Maximal number of binary digits of a counter.
_DIGITS = 16


class BoardGame(NativeGame):
    """Convert states cell by cell. A cell is its row from the top and its place in the row, both from 0.

    Attributes:
        pieces: the fluent of the sheet, without the cell, for each letter of a printed board: `w` is `piece white`.
        counter: the name of the counter in the sheet; empty if there is none.
        counter_has_digits: True if the sheet has a fluent for each binary digit that is 1; False if one for the number.
        counted: the name of the counter in a printed board.
    """

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


# In the sheet, a pass is the move of the waiting role.
_LINES_OF_ACTION_PASS, _SHEET_PASS = "pass", "noop"


class LinesOfAction(BoardGame):
    """A square has a letter and a number: `b1-b3` is `(move b 1 b 3)` in the sheet, `pass` is `noop`."""

    pieces: ClassVar = {"w": "piece white", "b": "piece black"}
    counter = "turns"
    counter_has_digits = False
    has_terms = False  # a pass and the move of the waiting role would have the same term

    def sheet_cell(self, row: int, place: int) -> str:
        return f"{chr(ord('a') + place)} {self.core.size - row}"

    @property
    def added_rules(self) -> str:
        return f"a draw after {self.move_limit} turns of both players together"

    @property
    def move_limit(self) -> int:
        return 50

    def sheet_moves(self, role: str, move: str) -> tuple[str, ...]:
        return (
            _SHEET_PASS if move == _LINES_OF_ACTION_PASS else f"(move {self.sheet_cells(*re.split('[-x]', move))})",
        )

    def read_turn(self, role: str, moves: Sequence[str]) -> str:
        return (
            _LINES_OF_ACTION_PASS
            if tuple(moves) == (_SHEET_PASS,)
            else "-".join(self.cell_names(" ".join(moves), "move"))
        )


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


_HOUSES, _SEEDS = 6, 48
_SHEET_MOVE = re.compile(r"\(sow ([1-6])\)")
_SHEET_SEEDS = re.compile(r"\(seeds (north|south) ([1-6]|store) (\d+)\)")
_PLACES = [*(str(house) for house in range(1, _HOUSES + 1)), "store"]


class Kalah(NativeGame):
    """A move is the number of a house: `3` is `(sow 3)` in the sheet; `3+` moves again, `3x` captures seeds."""

    def sheet_moves(self, role: str, move: str) -> tuple[str, ...]:
        return (f"(sow {move[0]})",)

    def turn(self, role: str, moves: Sequence[str]) -> str:
        read = _SHEET_MOVE.fullmatch(moves[0]) if len(moves) == 1 else None
        if read is None:
            raise ValueError(f"{' '.join(moves)} is not a turn of kalah")
        return read[1]

    def list_fluents(self) -> list[str]:
        numbers = range(_SEEDS + 1)
        seeds = [f"(seeds {role} {place} {number})" for role in self.roles for place in _PLACES for number in numbers]
        return [*seeds, *(f"(turn {role})" for role in self.roles)]

    def state_of(self, fluents: Iterable[str]) -> bytes:
        sides: dict[str, dict[str, str]] = {role: {} for role in self.roles}
        turns = []
        for fluent in fluents:
            if read := _SHEET_SEEDS.fullmatch(fluent):
                if sides[read[1]].setdefault(read[2], read[3]) != read[3]:
                    raise ValueError(f"{read[1]} has two numbers of seeds in {read[2]}")
            elif fluent in ("(turn north)", "(turn south)"):
                turns.append(fluent[6:-1])
            else:
                raise ValueError(f"{fluent} is false in all states of kalah")
        for role, seeds in sides.items():
            if missing := [place for place in _PLACES if place not in seeds]:
                raise ValueError(f"{role} has no number of seeds in {missing[0]}")
        north, south = ([seeds[place] for place in _PLACES] for seeds in sides.values())
        rows = [f"north {' '.join(reversed(north))}", f"south {' '.join(south)}"]
        if len(turns) != 1:
            raise ValueError(f"one role must have the turn, not {len(turns)}")
        return self.core.read_board("\n".join([*rows, f"{turns[0]} to move"]))

    def _seeds(self, state: bytes) -> tuple[dict[str, int], dict[str, int]]:
        """Return the seeds of north and south, by place."""
        _, north, south, *_ = self.board(state).splitlines()
        of_north, of_south = ([int(number) for number in line.split()[1:]] for line in (north, south))
        return dict(zip(_PLACES, reversed(of_north), strict=True)), dict(zip(_PLACES, of_south, strict=True))


# The lengths of the rows from the top, and the column in the sheet of the first cell of each row.
_WIDTHS = (5, 6, 7, 8, 9, 8, 7, 6, 5)
_FIRST = (2, 1, 1, 0, 0, 0, 1, 1, 2)


class Pentalath(BoardGame):
    """A cell has a line and a row, `e5` in the centre; in the sheet column and row from the top: `(place 4 4)`."""

    pieces: ClassVar = {"w": "stone white", "b": "stone black"}
    counter = "played"

    @property
    def added_rules(self) -> str:
        return f"a draw after {self.move_limit} moves"

    @property
    def move_limit(self) -> int:
        return 200

    def widths(self) -> Sequence[int]:
        return _WIDTHS

    def cell_name(self, row: int, place: int) -> str:
        # Rows in the lower half begin with line a.
        return f"{chr(ord('a') + place + max(0, 4 - row))}{9 - row}"

    def sheet_cell(self, row: int, place: int) -> str:
        return f"{_FIRST[row] + place} {row}"

    def sheet_moves(self, role: str, move: str) -> tuple[str, ...]:
        return (f"(place {self.sheet_cells(move)})",)

    def read_turn(self, role: str, moves: Sequence[str]) -> str:
        return self.cell_names(" ".join(moves), "place", 1)[0]


_HOME = {"white": 1, "black": 10}


class Cannon(BoardGame):
    """A square is named as in the sheet: `b2-b3` is `(move b 2 b 3)`, `xc7` is `(shoot c 7)`, `e1` is `(found e)`."""

    pieces: ClassVar = {"w": "soldier white", "b": "soldier black", "W": "town white", "B": "town black"}
    counter = "moves"

    @property
    def added_rules(self) -> str:
        return f"a draw after {self.move_limit:,} moves"

    @property
    def move_limit(self) -> int:
        return 1000

    def sheet_cell(self, row: int, place: int) -> str:
        return f"{chr(ord('a') + place)} {self.core.size - row}"

    def sheet_moves(self, role: str, move: str) -> tuple[str, ...]:
        if move.startswith("x"):
            return (f"(shoot {self.sheet_cells(move[1:])})",)
        squares = re.split("[-x]", move)
        return (f"(move {self.sheet_cells(*squares)})" if len(squares) == 2 else f"(found {move[0]})",)

    def read_turn(self, role: str, moves: Sequence[str]) -> str:
        move = " ".join(moves)
        if move.startswith("(shoot "):
            return f"x{self.cell_names(move, 'shoot', 1)[0]}"
        if move.startswith("(found "):
            return self.cell_names(move.replace(")", f" {_HOME[role]})"), "found", 1)[0]
        return "-".join(self.cell_names(move, "move"))


# First and last column of each row, from the corner of red.
_ROWS = ((5, 5), (4, 5), (4, 6), (0, 9), (1, 9), (1, 8), (2, 8), (1, 8), (1, 9), (0, 9), (4, 6), (4, 5), (5, 5))


class ChineseCheckers(BoardGame):
    """A cell has a letter for the column and a row from 1; the sheet counts both from 0: `f1-e2` is `5 0 4 1`."""

    pieces: ClassVar = {"r": "piece red", "t": "piece teal"}
    counter = "moves"

    @property
    def added_rules(self) -> str:
        return f"no stone goes back a row; a draw after {self.move_limit:,} moves"

    @property
    def move_limit(self) -> int:
        return 1000

    def widths(self) -> Sequence[int]:
        return [last - first + 1 for first, last in _ROWS]

    def cell_name(self, row: int, place: int) -> str:
        return f"{chr(ord('a') + _ROWS[row][0] + place)}{row + 1}"

    def sheet_cell(self, row: int, place: int) -> str:
        return f"{_ROWS[row][0] + place} {row}"

    def sheet_moves(self, role: str, move: str) -> tuple[str, ...]:
        return (f"(move {self.sheet_cells(*move.split('-'))})",)

    def read_turn(self, role: str, moves: Sequence[str]) -> str:
        return "-".join(self.cell_names(" ".join(moves), "move"))


_PASS = "pass"


class Go(BoardGame):
    """A point has a letter and a number, `c3`; fluents and moves have the form of a sheet: `(place 3 3)`, `pass`.

    Fluents contain the stones, the turn and the number of moves, but not earlier states and passes (superko).
    """

    pieces: ClassVar = {"b": "stone black", "w": "stone white"}
    counter = "moves"
    counter_has_digits = False

    @property
    def added_rules(self) -> str:
        return f"a game ends after {self.move_limit} moves, two for each point, and is scored in that position"

    @property
    def move_limit(self) -> int:
        return 2 * self.core.size**2

    def sheet_moves(self, role: str, move: str) -> tuple[str, ...]:
        return (_PASS if move == _PASS else f"(place {self.sheet_cells(move)})",)

    def read_turn(self, role: str, moves: Sequence[str]) -> str:
        return _PASS if tuple(moves) == (_PASS,) else self.cell_names(" ".join(moves), "place", 1)[0]


class Amazons(BoardGame):
    """A square of the sheet has the numbers of column and row: `d1-d7/g7` is `(move 4 1 4 7)`, `(shoot 7 7)`."""

    one_to_one = False
    pieces: ClassVar = {"w": "amazon white", "b": "amazon black", "x": "arrow"}

    def turn_fluent(self, role: str) -> str:
        return f"(turn {role} move)"

    def sheet_moves(self, role: str, move: str) -> tuple[str, ...]:
        start, end, shot = re.split("[-/]", move)
        return f"(move {self.sheet_cells(start, end)})", f"(shoot {self.sheet_cells(shot)})"

    def read_turn(self, role: str, moves: Sequence[str]) -> str:
        move, shot = moves if len(moves) == 2 else ("()", "()")
        return f"{'-'.join(self.cell_names(move, 'move'))}/{self.cell_names(shot, 'shoot', 1)[0]}"


class Breakthrough(BoardGame):
    """A square of the sheet has the numbers of column and row: `a2-b3` is `(move 1 2 2 3)`."""

    pieces: ClassVar = {"w": "piece white", "b": "piece black"}

    @property
    def added_rules(self) -> str:
        return "capturing all enemies wins, too"

    def sheet_moves(self, role: str, move: str) -> tuple[str, ...]:
        return (f"(move {self.sheet_cells(*re.split('[-x]', move))})",)

    def read_turn(self, role: str, moves: Sequence[str]) -> str:
        return "-".join(self.cell_names(" ".join(moves), "move"))


class Gomoku(BoardGame):
    """A point has a letter and a number, in the sheet column and row: `h8` is `(place 8 8)`."""

    pieces: ClassVar = {"b": "stone black", "w": "stone white"}

    def sheet_moves(self, role: str, move: str) -> tuple[str, ...]:
        return (f"(place {self.sheet_cells(move)})",)

    def read_turn(self, role: str, moves: Sequence[str]) -> str:
        return self.cell_names(" ".join(moves), "place", 1)[0]


class AtariGo(BoardGame):
    """A point has a letter and a number: `c4` is `(place 3 4)` in the sheet."""

    pieces: ClassVar = {"b": "stone black", "w": "stone white"}

    def sheet_moves(self, role: str, move: str) -> tuple[str, ...]:
        return (f"(place {self.sheet_cells(move)})",)

    def read_turn(self, role: str, moves: Sequence[str]) -> str:
        return self.cell_names(" ".join(moves), "place", 1)[0]


_CLASSES: dict[str, type[NativeGame]] = {
    "amazons": Amazons,
    "amazons_8x8": Amazons,
    "amazons_6x6": Amazons,
    "atari_go": AtariGo,
    "breakthrough": Breakthrough,
    "breakthrough_6x6": Breakthrough,
    "cannon": Cannon,
    "checkers": Checkers,
    "checkers_25": Checkers,
    "chinese_checkers": ChineseCheckers,
    "go_19x19": Go,
    "go_9x9": Go,
    "go_5x5": Go,
    **{f"gomoku_{size}x{size}": Gomoku for size in (5, 7, 9, 11, 15)},
    "kalah": Kalah,
    "lines_of_action": LinesOfAction,
    "pentalath": Pentalath,
}


@cache
def native_games() -> dict[str, NativeGame]:
    """Return all native games by name.

    >>> [name for name in native_games() if name.startswith("break")]
    ['breakthrough', 'breakthrough_6x6']
    """
    return {name: _CLASSES[name](core) for name, core in _games.modules().items()}


def native_game(name: str) -> NativeGame:
    """Return the native game with this name."""
    if name not in native_games():
        sizes = [each for each in native_games() if each.startswith(f"{name}_")]
        near = sizes or difflib.get_close_matches(name, native_games(), n=3, cutoff=0.6)
        advice = f"did you mean {' or '.join(f'fast:{each}' for each in near)}?" if near else "native games: "
        raise UserError(f"no native game is called {name!r}; {advice}{'' if near else ', '.join(native_games())}")
    return native_games()[name]

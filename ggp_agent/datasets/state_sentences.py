"""States as English sentences, one for each fluent; a sentence about a cell names the cell and its content.

Different states have different sentences: a sentence has one meaning, and only one kind of fluent has no sentence, the
content of an empty cell. A cell without any fluent then has a sentence of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from gdl import CompiledMachine
from gdl.language.parse import parse_term
from gdl.language.terms import arguments, relation, to_kif
from kif_games import Guide

from ..common.errors import UserError
from ..game.drawing.board import fluent_board, known_fluents
from ..game.drawing.grid_board import Grid, read_fluent
from ..game.drawing.map_board import MapBoard
from .board_cells import BoardCells

# Maximal number of relations in the explanation of sentences.
_MAX_EXAMPLES = 60
# The rank of an example with an empty cell, which has no sentence; larger than all other ranks.
_EMPTY_RANK = 100

_DIGITS = re.compile(r"([0-9]+)")


class StateSentences:
    """Describe the states of one game.

    >>> from gdl import load_machine, parse_sheet
    >>> from kif_games import rules
    >>> machine = load_machine(parse_sheet(rules("tic_tac_toe")), "network")
    >>> words = StateSentences(machine)
    >>> words.sentences(["(turn x)", "(marked o 2 2)", "(marked x 1 3)"])
    ('1,3: x.', '2,2: o.', 'turn is x.')
    >>> print(words.explanation)
    The board has the columns 1 to 3 and the rows 1 to 3.
    A cell without a sentence is empty: no fluent describes it.
    "1,2: o." means the fluent (marked o 1 2).
    "turn is o." means the fluent (turn o).
    """

    def __init__(
        self, machine: CompiledMachine, guide: Guide | None = None, rename: Callable[[str], str] = str
    ) -> None:
        self._rename = rename
        initial = machine.fluents(machine.initial())
        known = list(dict.fromkeys([*known_fluents(machine), *initial]))
        board = fluent_board(known, initial, guide)
        self._cells = BoardCells(board, known) if isinstance(board, Grid | MapBoard) and board.placings else None
        self._known: dict[str, str] = {}
        self._meanings: dict[str, str] = {}
        self.explanation = self._explained(known)  # the meaning of the sentences, which is the same for all states

    def sentences(self, fluents: Iterable[str]) -> tuple[str, ...]:
        """Return the sentences of a state: first of cells, then others, each in alphabetical order."""
        cells = self._cells
        described: dict[tuple[str, ...], list[tuple[str, tuple[str, ...]]]] = {}
        others = []
        for fluent in fluents:
            found = cells.read(fluent) if cells is not None else None
            if found is None:
                others.append(self._sentence(fluent))
            else:
                described.setdefault(found.cell, []).append((fluent, found.content))
        on_cells = []
        if cells is not None:
            for cell in dict.fromkeys((*cells.cells, *described)):
                contents = described.get(cell, [])
                if not contents and cells.default is not None:
                    on_cells.append(self._checked(f"{cells.name(cell, self._rename)} has no fluent.", str(cell)))
                elif [content for _, content in contents] != [cells.default] or cell not in cells.cells:
                    on_cells += [self._sentence(fluent) for fluent, _ in contents]
        return (*sorted(on_cells, key=_naturally), *sorted(others, key=_naturally))

    def _sentence(self, fluent: str) -> str:
        known = self._known.get(fluent)
        if known is None:
            known = self._known[fluent] = self._checked(self._made(fluent), fluent)
        return known

    def _checked(self, sentence: str, meaning: str) -> str:
        """Return the sentence; it must have one meaning."""
        other = self._meanings.setdefault(sentence.lower(), meaning)
        if other != meaning:
            raise UserError(f"the sentence {sentence!r} means both {other} and {meaning}; use --states kif")
        return sentence

    def _made(self, fluent: str) -> str:
        found = self._cells.read(fluent) if self._cells is not None else None
        if self._cells is not None and found is not None:
            return f"{self._cells.name(found.cell, self._rename)}: {' '.join(map(self._rename, found.content))}."
        name, *of = map(self._rename, _parts(fluent))
        if not of:
            return f"{name} holds."
        *of, value = of
        return f"{name} of {', '.join(of)} is {value}." if of else f"{name} is {value}."

    def _explained(self, known: Sequence[str]) -> str:
        lines = [] if self._cells is None else [self._cells.title(self._rename)]
        best: dict[tuple[str, int], tuple[int, str]] = {}
        for fluent in known:
            found = self._cells.read(fluent) if self._cells is not None else None
            parts = _parts(fluent)
            # An example with different coordinates shows their order.
            rank = 0 if found is None else len(found.cell) - len(set(found.cell))
            if self._cells is not None and found is not None and found.content == self._cells.default:
                rank = _EMPTY_RANK
            best[parts[0], len(parts)] = min(best.get((parts[0], len(parts)), (rank, fluent)), (rank, fluent))
        if self._cells is not None:
            lines.append(self._explained_empty(known))
        examples = [fluent for rank, fluent in best.values() if rank < _EMPTY_RANK][:_MAX_EXAMPLES]
        return "\n".join(
            [*lines, *(f'"{self._sentence(each)}" means the fluent {self._rename(each)}.' for each in examples)]
        )

    def _explained_empty(self, known: Sequence[str]) -> str:
        """Explain the meaning of a cell without a sentence."""
        assert self._cells is not None
        for fluent in known:
            found = self._cells.read(fluent)
            if found is not None and found.content == self._cells.default:
                name = self._cells.name(found.cell, self._rename)
                return f"A cell without a sentence is empty; for {name} this means the fluent {self._rename(fluent)}."
        return "A cell without a sentence is empty: no fluent describes it."


def _parts(fluent: str) -> tuple[str, ...]:
    """Return the relation of a fluent and its arguments as KIF."""
    if read := read_fluent(fluent):
        return (read[0], *read[1])
    term = parse_term(fluent)
    return (relation(term)[0], *map(to_kif, arguments(term)))


def _naturally(sentence: str) -> list[tuple[int, str]]:
    """Return a key that sorts numbers in texts by value.

    >>> sorted(["a10 is x.", "a9 is x."], key=_naturally)
    ['a9 is x.', 'a10 is x.']
    """
    return [(int(part) if part.isdecimal() else 0, part) for part in _DIGITS.split(sentence)]

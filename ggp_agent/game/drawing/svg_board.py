"""States of any game as SVG, with the other fluents as groups; used by pages, records and documents.

The board is a map of the catalogue or a grid found in the fluents, as in the terminal. Fluents that describe no cell
are listed next to it, grouped by relation. Without a board all fluents are listed, with marks for new and removed
fluents. All text from the rules is escaped, so that a sheet cannot insert markup.

What a role knows in a game with hidden information is drawn from the probabilities of the fluents: fluents that hold in
all possible states as usual, other fluents faintly with their probability.

>>> fluents = ["(cell 1 1 x)", "(cell 1 2 blank)", "(cell 2 1 o)", "(cell 2 2 blank)", "(control x)"]
>>> board = SvgBoard.of(["x", "o"], fluents, fluents)
>>> picture = board.picture(fluents)
>>> picture.svg[:4], [group.document() for group in picture.facts]
('<svg', [{'name': 'control', 'items': [{'text': 'x', 'mark': ''}]}])
>>> board.cells_of("(mark 2 2)"), board.cells_of("noop")
(['2,2'], [])
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Self

from gdl import RuleSheet
from kif_games import Guide

from .board import fluent_board
from .grid_board import Grid
from .layout import Layout, layout_of_grid, layout_of_map, renamed
from .map_board import MapBoard
from .neighbours import slant_by_rules
from .picture import shown_facts
from .pieces import Pieces
from .probable_pieces import faint_piece, percent

_UNIT = 40
# Free space around the centres of the outermost cells and labels, and the width of a letter, in cells.
_AROUND_CELLS, _AROUND_LABELS, _OF_A_LETTER = 0.72, 0.4, 0.13
_LIGHT, _DARK, _EDGE = "#f3e6cb", "#e0c9a0", "#a98f60"
_FROM, _TO, _CHANGED = "#f7dc7a", "#f3c232", "#8a5a00"
_LABEL, _BEYOND = "#5c5138", "#faf3e3"
# Maximal number of contents drawn on one cell.
_MOST_PIECES = 4
_PLACES = ((0, 0, 1.0), (-9, 0, 0.55), (9, 0, 0.55), (-9, -9, 0.5), (9, -9, 0.5), (-9, 9, 0.5), (9, 9, 0.5))
# Maximal number of listed fluents of a relation.
_LISTED = 400

_WORD = re.compile(r"[^()\s]+")


@dataclass(frozen=True, slots=True)
class FactGroup:
    """The fluents of one relation that describe no cell, each with a mark.

    The marks are `+` for a new fluent, `-` for a removed one, `?` for one that holds in some possible states only, and
    otherwise empty.
    """

    name: str
    items: tuple[tuple[str, str], ...]

    def document(self) -> dict[str, Any]:
        """Return the group as JSON; a long list is cut, with a note."""
        items = [{"text": text, "mark": mark} for text, mark in self.items[:_LISTED]]
        if len(self.items) > _LISTED:
            items.append({"text": f"and {len(self.items) - _LISTED} more", "mark": ""})
        return {"name": self.name, "items": items}


@dataclass(frozen=True, slots=True)
class Picture:
    """One drawn state: its board as SVG (empty if there is none), and the fluents that describe no cell."""

    svg: str
    facts: tuple[FactGroup, ...]


class SvgBoard:
    """Draw the states of one game.

    Args:
        board: the board; None if there is none.
        layout: the layout of its cells.
        roles: the roles of the game, in order.
        counters: the counters of the game, as in `Guide`.
        names: the names of cells, by their coordinates, if they are not the coordinates.
    """

    def __init__(
        self,
        board: Grid | MapBoard | None,
        layout: Layout,
        roles: Sequence[str],
        counters: Mapping[str, str],
        names: Mapping[tuple[str, ...], str] | None = None,
    ) -> None:
        if names:
            of_cells = {number: names[key] for key, number in _numbers_of(board).items() if key in names}
            layout = renamed(layout, of_cells)
        self._board = board
        self._layout = layout
        self._counters = counters
        # The first square of this row is dark, as in chess.
        self._lowest = max((cell.y for cell in layout.cells), default=0.0)
        self._pieces = Pieces(roles, board.signs if board else (), board.signs if board else None)
        self._numbers = _numbers_of(board)
        self._longest_key = max(map(len, self._numbers), default=0)

    @classmethod
    def of(
        cls,
        roles: Sequence[str],
        known: Iterable[str],
        initial: Sequence[str],
        guide: Guide | None = None,
        sheet: RuleSheet | None = None,
        names: Mapping[tuple[str, ...], str] | None = None,
    ) -> Self:
        """Return the best available board of a game.

        Args:
            roles: the roles of the game, in order.
            known: the known fluents that may become true.
            initial: the fluents of the initial state.
            guide: the guide of the game in the catalogue.
            sheet: the rules, which may define six neighbours of a cell.
            names: the names of cells, by their coordinates, if they are not the coordinates.
        """
        board = fluent_board(known, initial, guide)
        counters = {} if guide is None else guide.counters
        if isinstance(board, MapBoard):
            return cls(board, layout_of_map(board), roles, counters, names)
        if isinstance(board, Grid):
            slant = 0 if sheet is None else slant_by_rules(sheet, board)
            return cls(board, layout_of_grid(board, slant), roles, counters, names)
        return cls(None, Layout("square", ()), roles, counters)

    @property
    def cell_names(self) -> frozenset[str]:
        """The names of the cells."""
        return frozenset(cell.name for cell in self._layout.cells)

    def picture(
        self, fluents: Sequence[str], before: Sequence[str] | None = None, touched: Sequence[str] = ()
    ) -> Picture:
        """Draw a state.

        Args:
            fluents: the true fluents.
            before: the fluents of the state before; differences are marked.
            touched: the cells of the last move, from the first to the last.
        """
        held, others = self._held(fluents)
        earlier, gone = self._held(fluents if before is None else before)
        changed = {number for number in {*held, *earlier} if sorted(held[number]) != sorted(earlier[number])}
        facts = _grouped(others, gone, self._counters)
        if self._board is None:
            return Picture("", facts)
        return Picture(self._svg(held, changed, touched), facts)

    def picture_of_possible(self, probabilities: Mapping[str, float], touched: Sequence[str] = ()) -> Picture:
        """Draw what is known of a state.

        >>> fluents = [f"(cell {x} {y} {z})" for x in "12" for y in "12" for z in ("x", "o", "b")]
        >>> board = SvgBoard.of(["x", "o"], fluents, fluents)
        >>> picture = board.picture_of_possible({"(cell 1 1 x)": 0.25, "(cell 1 2 o)": 1, "(turn x)": 0.5})
        >>> 'aria-label="1,1: x 25%"' in picture.svg, 'aria-label="1,2: o"' in picture.svg
        (True, True)
        >>> [group.document() for group in picture.facts]
        [{'name': 'turn', 'items': [{'text': 'x: 50%', 'mark': '?'}]}]

        Args:
            probabilities: the probability of each fluent that may hold, as `fluent_probabilities` returns them.
            touched: the cells of the last move, from the first to the last.
        """
        shares: dict[int, dict[tuple[str, ...], float]] = {}
        certain: list[str] = []
        uncertain: list[tuple[str, float]] = []
        for fluent, probability in probabilities.items():
            placed, others = self._placed([fluent])
            for number, contents in placed.items():
                shares.setdefault(number, {}).update(dict.fromkeys(contents, probability))
            if others and probability == 1:
                certain.append(fluent)
            elif others:
                uncertain.append((fluent, probability))
        facts = _grouped(certain, [], self._counters, uncertain)
        if self._board is None:
            return Picture("", facts)
        held = {
            number: sorted(shares.get(number, {}), key=lambda content: -shares[number][content])
            for number in range(len(self._layout.cells))
        }
        return Picture(self._svg(held, (), touched, shares), facts)

    def cells_of(self, move: str, role: str = "") -> list[str]:
        """Return the cells that a move names, in order.

        If the move alone names none, the role and the move together may name one, as in games in which each role has
        its own cells.
        """
        words = _WORD.findall(move)[1:] if move.startswith("(") else []
        return self._named(words) or (self._named([role, *words]) if role and words else [])

    def _named(self, words: Sequence[str]) -> list[str]:
        cells, place = [], 0
        while place < len(words):
            longest = min(self._longest_key, len(words) - place)
            sizes = (size for size in range(longest, 0, -1) if tuple(words[place : place + size]) in self._numbers)
            size = next(sizes, 0)
            if size:
                cells.append(self._layout.cells[self._numbers[tuple(words[place : place + size])]].name)
            place += size or 1
        return cells

    def column_of(self, move: str) -> list[str]:
        """Return the cells of a column, from below, if a move names only this column; else nothing.

        >>> fluents = [f"(cell {x} {y} b)" for x in "123" for y in "12"]
        >>> SvgBoard.of(["red"], fluents, fluents).column_of("(drop 3)")
        ['3,1', '3,2']
        """
        words = _WORD.findall(move)[1:] if move.startswith("(") else []
        if not isinstance(self._board, Grid) or len(words) != 1 or (words[0],) in self._numbers:
            return []
        if words[0] not in self._board.columns:
            return []
        start = self._board.columns.index(words[0]) * len(self._board.rows)
        return [cell.name for cell in self._layout.cells[start : start + len(self._board.rows)]]

    def _held(self, fluents: Iterable[str]) -> tuple[dict[int, list[tuple[str, ...]]], list[str]]:
        """Return the contents of each cell, by number, without contents that mean empty; and the other fluents."""
        placed, others = self._placed(fluents)
        return {number: placed.get(number, []) for number in range(len(self._layout.cells))}, others

    def _placed(self, fluents: Iterable[str]) -> tuple[dict[int, list[tuple[str, ...]]], list[str]]:
        """Return the same as `_held`, without cells that no fluent describes."""
        if self._board is None:
            return {}, list(fluents)
        if isinstance(self._board, Grid):
            by_name, others = self._board.contents(fluents)
            found = {_number_in(self._board, place): contents for place, contents in by_name.items()}
        else:
            found, others = self._board.contents(fluents)
        return {
            number: [each for each in contents if not self._pieces.is_empty(each)] for number, contents in found.items()
        }, others

    # ---- drawing

    def _svg(
        self,
        held: Mapping[int, list[tuple[str, ...]]],
        changed: Collection[int],
        touched: Sequence[str],
        shares: Mapping[int, Mapping[tuple[str, ...], float]] | None = None,
    ) -> str:
        """Return the board as SVG; `shares` are the probabilities of the contents of cells, 1 by default."""
        cells = self._layout.cells
        around = [(cell.x, cell.y, _AROUND_CELLS) for cell in cells]
        around += [(x, y, _AROUND_LABELS) for _, x, y in self._layout.labels]
        ends = [(x, free) for x, _, free in around]
        ends += [(x, _OF_A_LETTER * len(text)) for text, x, _ in self._layout.labels]
        left, top = _at(min(x - free for x, free in ends)), _at(min(y - free for _, y, free in around))
        width = _at(max(x + free for x, free in ends)) - left
        height = _at(max(y + free for _, y, free in around)) - top
        box = f"{left:g} {top:g} {width:g} {height:g}"
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" class="board" role="group" '
            f'aria-label="board of {len(cells)} cells">',
            f'<rect x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}" fill="{_BEYOND}"/>',
        ]
        for start, end in self._layout.lines:
            (x, y), (x2, y2) = ((_at(cells[each].x), _at(cells[each].y)) for each in (start, end))
            parts.append(f'<path d="M{x} {y}L{x2} {y2}" stroke="{_EDGE}" stroke-width="3"/>')
        order = {name: place for place, name in enumerate(touched)}
        for number, cell in enumerate(cells):
            mark = None if cell.name not in order else _TO if order[cell.name] == len(order) - 1 else _FROM
            drawn = {} if shares is None else shares.get(number, {})
            parts.append(self._cell(number, held[number], mark, number in changed, drawn))
        for text, x, y in self._layout.labels:
            parts.append(_label(_at(x), _at(y), text))
        return "\n".join([*parts, "</svg>\n"])

    def _cell(
        self,
        number: int,
        contents: list[tuple[str, ...]],
        mark: str | None,
        changed: bool,
        shares: Mapping[tuple[str, ...], float],
    ) -> str:
        cell = self._layout.cells[number]
        x, y = _at(cell.x), _at(cell.y)
        words = ", ".join(" ".join([*each, *percent(shares.get(each, 1))]) for each in contents) or "empty"
        name = escape(f"{cell.name}: {words}", quote=True)
        dark = self._layout.shape == "square" and round(cell.x + self._lowest - cell.y) % 2 == 0
        fill = mark or (_DARK if dark else _LIGHT)
        parts = [
            f'<g class="cell" data-cell="{escape(cell.name, quote=True)}" transform="translate({x} {y})" '
            f'aria-label="{name}">',
            f"<title>{name}</title>",
            _ground(self._layout.shape, fill),
        ]
        if changed and contents:
            parts.append(f'<circle r="17" fill="none" stroke="{_CHANGED}" stroke-width="1.5" stroke-dasharray="3 3"/>')
        elif changed:
            parts.append(f'<circle r="4" fill="{_CHANGED}" fill-opacity="0.55"/>')
        shown = contents[:_MOST_PIECES]
        places = _PLACES[:1] if len(shown) == 1 else _PLACES[1:3] if len(shown) == 2 else _PLACES[3:]
        for content, (dx, dy, size) in zip(shown, places, strict=False):
            piece = self._pieces.draw(content)
            share = shares.get(content, 1)
            if share == 1:
                parts.append(f'<g transform="translate({dx} {dy}) scale({size})">{piece}</g>')
            else:
                parts.append(faint_piece(piece, share, dx, dy, size))
        return "".join([*parts, "</g>"])


def _number_in(grid: Grid, place: tuple[str, str]) -> int:
    """Return the number of a cell, by its column and row."""
    return grid.columns.index(place[0]) * len(grid.rows) + grid.rows.index(place[1])


def _numbers_of(board: Grid | MapBoard | None) -> dict[tuple[str, ...], int]:
    """Return the numbers of the cells by their coordinates in the rules."""
    if isinstance(board, MapBoard):
        return board.places
    if board is None:
        return {}
    return {
        (row, column) if board.turned else (column, row): x * len(board.rows) + y
        for x, column in enumerate(board.columns)
        for y, row in enumerate(board.rows)
    }


def _grouped(
    others: Sequence[str],
    gone: Sequence[str],
    counters: Mapping[str, str],
    uncertain: Sequence[tuple[str, float]] | None = None,
) -> tuple[FactGroup, ...]:
    """Group fluents by relation; mark new and removed fluents, or `uncertain` fluents with their probabilities."""
    now, earlier = _read(others, counters), _read(gone, counters)
    groups: dict[str, list[tuple[str, str]]] = {}
    for name, text in now:
        groups.setdefault(name, []).append((text, "" if (name, text) in earlier or uncertain is not None else "+"))
    for fluent, share in uncertain or ():
        ((name, text),) = _read([fluent], {})
        groups.setdefault(name, []).append((": ".join(filter(None, (text, *percent(share)))), "?"))
    for name, text in earlier:
        if (name, text) not in now:
            groups.setdefault(name, []).append((text, "-"))
    return tuple(FactGroup(name, tuple(items)) for name, items in groups.items())


def _read(fluents: Sequence[str], counters: Mapping[str, str]) -> dict[tuple[str, str], None]:
    """Return relation and arguments of each fluent; combine the digits of counters."""
    if counters:
        fluents = shown_facts(fluents, counters)
    found: dict[tuple[str, str], None] = {}
    for fluent in fluents:
        inside = fluent[1:-1] if fluent.startswith("(") and fluent.endswith(")") else fluent
        name, _, rest = inside.partition(" ")
        found[name, rest] = None
    return found


def _ground(shape: str, fill: str) -> str:
    if shape == "square":
        return f'<rect class="ground" x="-20" y="-20" width="40" height="40" fill="{fill}" stroke="{_EDGE}"/>'
    if shape == "point":
        return f'<circle class="ground" r="11" fill="{fill}" stroke="{_EDGE}" stroke-width="2"/>'
    points = "0,-23.1 20,-11.5 20,11.5 0,23.1 -20,11.5 -20,-11.5"
    return f'<polygon class="ground" points="{points}" fill="{fill}" stroke="{_EDGE}"/>'


def _label(x: float, y: float, text: str) -> str:
    return (
        f'<text x="{x}" y="{y}" font-family="system-ui, sans-serif" font-size="12" text-anchor="middle" '
        f'dominant-baseline="central" fill="{_LABEL}">{escape(text)}</text>'
    )


def _at(place: float) -> float:
    return round(place * _UNIT, 1)

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
from typing import Self

from gdl import RuleSheet
from kif_games import Guide

from .appearance import Appearance
from .board import fluent_board
from .board_ground import CHANGED, Ground, at
from .fact_groups import FactGroup, grouped
from .grid_board import EMPTY, Grid
from .layout import Layout, layout_of_grid, layout_of_map, oriented, renamed
from .map_board import MapBoard
from .neighbours import linked_cells, slant_by_rules
from .pieces import Pieces, PieceStyle
from .probable_pieces import faint_piece, percent
from .recognised_kind import recognised_kind

# Free space around the centres of the outermost cells and labels, and the width of a letter, in cells.
_AROUND_CELLS, _AROUND_LABELS, _OF_A_LETTER = 0.72, 0.4, 0.13
# Captions: their places by the shape of the cells, and their size.
_CAPTION = {"square": (-14, -14.5), "hexagon": (0, 16), "point": (0, 0)}
_CAPTION_SIZE = 7.5
# Pieces above a caption: the distance upwards, and the size.
_ABOVE_CAPTION, _WITH_CAPTION = 3, 0.85
# Maximal number of contents drawn on one cell.
_MOST_PIECES = 4
_PLACES = ((0, 0, 1.0), (-9, 0, 0.55), (9, 0, 0.55), (-9, -9, 0.5), (9, -9, 0.5), (-9, 9, 0.5), (9, 9, 0.5))
_WORD = re.compile(r"[^()\s]+")


@dataclass(frozen=True, slots=True)
class Picture:
    """One drawn state: its board as SVG (empty if there is none), and the fluents that describe no cell."""

    svg: str
    facts: tuple[FactGroup, ...]


class SvgBoard:
    """Draw the states of one game."""

    def __init__(
        self,
        board: Grid | MapBoard | None,
        layout: Layout,
        ground: Ground,
        pieces: Pieces,
        counters: Mapping[str, str],
    ) -> None:
        self._board = board
        self._layout = layout
        self._ground = ground
        self._pieces = pieces
        self._counters = counters
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
        appearance: Appearance | None = None,
    ) -> Self:
        """Return the best available board of a game."""
        found = fluent_board(known, initial, guide)
        board = found if isinstance(found, Grid | MapBoard) else None
        counters = {} if guide is None else guide.counters
        layout = Layout("square", ())
        if isinstance(board, MapBoard):
            layout = layout_of_map(board, _links(board, guide, sheet))
        elif isinstance(board, Grid):
            layout = layout_of_grid(board, 0 if sheet is None else slant_by_rules(sheet, board))
        if names:
            layout = renamed(layout, {number: names[key] for key, number in _numbers_of(board).items() if key in names})
        appearance = appearance or Appearance()
        layout = oriented(layout, appearance.orientation)
        signs = {} if board is None else board.signs
        empty = {content for content, sign in signs.items() if sign == EMPTY}
        kind = appearance.kind(recognised_kind(signs, layout.shape, empty, sheet))
        style = PieceStyle(kind.man, kind.ground == "pits", appearance.colours, appearance.symbols)
        pieces = Pieces(roles, signs, signs, style)
        ground = Ground(
            layout,
            kind,
            is_odd_dark=_stand_on_odd(board, layout, pieces, initial),
            edges={side: pieces.paint((role,)) for side, role in appearance.edges.items()},
            tall=appearance.tall,
            shaded=appearance.shaded,
        )
        return cls(board, layout, ground, pieces, counters)

    @property
    def cell_names(self) -> frozenset[str]:
        """The names of the cells."""
        return frozenset(cell.name for cell in self._layout.cells)

    @property
    def piece_words(self) -> list[str]:
        """The words of the pieces for the symbols of an appearance, in alphabetical order."""
        return self._pieces.words

    @property
    def shades(self) -> dict[str, tuple[str, str]]:
        """The colours of the board for light and dark pages, by their keys in an appearance."""
        return self._ground.shades

    def picture(
        self, fluents: Sequence[str], before: Sequence[str] | None = None, touched: Sequence[str] = ()
    ) -> Picture:
        """Draw a state."""
        held, others = self._held(fluents)
        earlier, gone = self._held(fluents if before is None else before)
        changed = {number for number in {*held, *earlier} if sorted(held[number]) != sorted(earlier[number])}
        facts = grouped(others, gone, self._counters)
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
        facts = grouped(certain, [], self._counters, uncertain)
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

    def empty_of(self, names: Sequence[str], fluents: Iterable[str]) -> list[str]:
        """Return the cells of `names` that are empty in a state, in the same order."""
        held, _ = self._held(fluents)
        empty = {cell.name for number, cell in enumerate(self._layout.cells) if not held[number]}
        return [name for name in names if name in empty]

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
        left, top, width, height = self._box()
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left:g} {top:g} {width:g} {height:g}" class="board" '
            f'role="group" aria-label="board of {len(cells)} cells">',
            self._ground.style(),
            *self._ground.behind(left, top, width, height),
        ]
        order = {name: place for place, name in enumerate(touched)}
        for number, cell in enumerate(cells):
            mark = "" if cell.name not in order else "to" if order[cell.name] == len(order) - 1 else "from"
            drawn = {} if shares is None else shares.get(number, {})
            parts.append(self._cell(number, held[number], mark, number in changed, drawn))
        parts += self._ground.before()
        parts += [self._text(at(x), at(y), text, 12) for text, x, y in self._layout.labels]
        return "\n".join([*parts, "</svg>\n"])

    def _box(self) -> tuple[float, float, float, float]:
        """Return the view box: left, top, width and height."""
        around = [(cell.x, cell.y, _AROUND_CELLS) for cell in self._layout.cells]
        around += [(x, y, _AROUND_LABELS) for _, x, y in self._layout.labels]
        ends = [(x, free) for x, _, free in around]
        ends += [(x, _OF_A_LETTER * len(text)) for text, x, _ in self._layout.labels]
        left, top = at(min(x - free for x, free in ends)), at(min(y - free for _, y, free in around))
        return left, top, at(max(x + free for x, free in ends)) - left, at(max(y + f for _, y, f in around)) - top

    def _text(self, x: float, y: float, text: str, size: float) -> str:
        return (
            f'<text x="{x:g}" y="{y:g}" font-family="system-ui, sans-serif" font-size="{size:g}" text-anchor="middle" '
            f'dominant-baseline="central" class="b4" fill="{self._ground.label_colour}">{escape(text)}</text>'
        )

    def _cell(
        self,
        number: int,
        contents: list[tuple[str, ...]],
        mark: str,
        changed: bool,
        shares: Mapping[tuple[str, ...], float],
    ) -> str:
        cell = self._layout.cells[number]
        x, y = at(cell.x), at(cell.y)
        words = ", ".join(" ".join([*each, *percent(shares.get(each, 1))]) for each in contents) or "empty"
        name = escape(f"{cell.name}: {words}", quote=True)
        parts = [
            f'<g class="cell" data-cell="{escape(cell.name, quote=True)}" transform="translate({x} {y})" '
            f'aria-label="{name}">',
            f"<title>{name}</title>",
            self._ground.cell(number, mark),
        ]
        if changed and contents:
            parts.append(
                f'<circle r="18" class="changed" fill="none" stroke="{CHANGED}" stroke-width="1.5" '
                'stroke-dasharray="3 3"/>'
            )
        elif changed:
            parts.append(f'<circle r="4" fill="{CHANGED}" fill-opacity="0.55"/>')
        if caption := self._layout.captions.get(number):
            parts.append(self._text(*_CAPTION[self._layout.shape], caption, _CAPTION_SIZE))
        shown = contents[:_MOST_PIECES]
        places = _PLACES[:1] if len(shown) == 1 else _PLACES[1:3] if len(shown) == 2 else _PLACES[3:]
        for content, (dx, dy, size) in zip(shown, places, strict=False):
            piece = self._pieces.draw(content)
            share = shares.get(content, 1)
            if caption and self._layout.shape == "hexagon":
                dy, size = dy - _ABOVE_CAPTION, size * _WITH_CAPTION
            if share == 1:
                parts.append(f'<g transform="translate({dx} {dy}) scale({size})">{piece}</g>')
            else:
                parts.append(faint_piece(piece, share, dx, dy, size))
        return "".join([*parts, "</g>"])


def _links(board: MapBoard, guide: Guide | None, sheet: RuleSheet | None) -> list[tuple[int, int]]:
    """Return the pairs of cells that lines join by the rules; none if the guide names no relation for them."""
    if guide is None or sheet is None or not guide.links:
        return []
    return linked_cells(sheet, guide.links, board.places)


def _stand_on_odd(board: Grid | MapBoard | None, layout: Layout, pieces: Pieces, initial: Sequence[str]) -> bool:
    """Return True if all pieces stand initially on squares of the colour that the lower left corner does not have."""
    if not isinstance(board, Grid):
        return False
    held, _ = board.contents(initial)
    lowest = max(cell.y for cell in layout.cells)
    cells = [
        layout.cells[_number_in(board, place)]
        for place, contents in held.items()
        if not all(map(pieces.is_empty, contents))
    ]
    return bool(cells) and all(round(cell.x + lowest - cell.y) % 2 for cell in cells)


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

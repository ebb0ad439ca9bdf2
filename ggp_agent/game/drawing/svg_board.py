"""States of any game as SVG, with the other fluents as groups; used by pages, records and documents.

The board is a map of the catalogue or a grid found in the fluents, as in the terminal. Fluents that describe no cell
are listed next to it, grouped by relation, with marks for new fluents. Without a board all fluents are listed. All text
from the rules is escaped, so that a sheet cannot insert markup.

What a role knows in a game with hidden information is drawn from the probabilities of the fluents: fluents that hold in
all possible states as usual, other fluents faintly with their probability.

>>> fluents = ["(cell 1 1 x)", "(cell 1 2 blank)", "(cell 2 1 o)", "(cell 2 2 blank)", "(best_of 3)"]
>>> board = SvgBoard.of(["x", "o"], fluents, fluents)
>>> picture = board.picture(fluents)
>>> picture.svg[:4], [group.document() for group in picture.facts]
('<svg', [{'name': 'best of', 'items': [{'text': '3', 'mark': ''}]}])
>>> board.cells_of("(mark 2 2)"), board.cells_of("noop")
(['2,2'], [])

The kind of board of a game without an appearance, recognised by its fluents and moves.

Only kinds that the rules show are chosen: lines for marks `x` and `o`, a frame if all moves drop a disc into a column,
a draughts board for men and kings. All other boards of squares are chessboards.

>>> recognised_kind([("x",), ("o",), ("b",)], "square", {("b",)})
'paper'
>>> recognised_kind([("red",)], "hexagon", set())
'honeycomb'

The fluents that describe no cell, grouped by relation.

>>> labels = {"taken": "captures", "step": ""}
>>> [group.document() for group in grouped(["(taken 1)", "(step 3)"], ["(taken 0)"], {}, labels)]
[{'name': 'captures', 'items': [{'text': '1', 'mark': '+'}]}]
"""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Self

from gdl import GdlError, RuleSheet
from gdl.language.playable import dependencies
from gdl.language.terms import Compound, relation
from gdl.machines.evaluation_plan import print_ground
from gdl.machines.rule_evaluation import Evaluation, StoppedError
from kif_games import Guide

from .appearance import Appearance
from .board import MapBoard, fluent_board
from .board_ground import CHANGED, Ground, at
from .edges import Edges
from .grid_board import EMPTY, CellBoard, Grid
from .layout import Layout, Shape, layout_of_grid, layout_of_map, oriented, renamed, slant_of
from .picture import shown_facts
from .pieces import Pieces, PieceStyle
from .symbols import card

# The opacity of a piece with probability 0 and 1.
_FAINT, _PLAIN = 0.3, 0.75


def percent(probability: float) -> list[str]:
    """Return a probability as text; nothing for 1.

    >>> percent(0.254), percent(0.001), percent(0.999), percent(1)
    (['25%'], ['<1%'], ['>99%'], [])
    """
    if probability == 1:
        return []
    rounded = round(100 * probability)
    return ["<1%" if rounded < 1 else ">99%" if rounded > 99 else f"{rounded}%"]


def faint_piece(piece: str, probability: float, x: float, y: float, size: float, ink: str) -> str:
    """Return the SVG of a piece with its probability below it."""
    opacity = round(_FAINT + (_PLAIN - _FAINT) * probability, 2)
    return (
        f'<g transform="translate({x} {y - 4 * size:g}) scale({0.8 * size:g})" opacity="{opacity}">{piece}</g>'
        f'<text x="{x}" y="{y + 12 * size:g}" font-family="system-ui, sans-serif" font-size="{10 * size:g}" '
        f'font-weight="600" text-anchor="middle" dominant-baseline="central" class="b4" fill="{ink}">'
        f"{escape(percent(probability)[0])}</text>"
    )


# Maximal number of listed fluents of a relation.
_LISTED = 400
# Fluents that pages show in other words: the role to move, and the number of turns.
_HIDDEN_LABELS = dict.fromkeys(("control", "turn", "turns", "step"), "")


@dataclass(frozen=True, slots=True)
class FactGroup:
    """The fluents of one relation that describe no cell, each with a mark.

    The marks are `+` for a new fluent, `?` for one that holds in some possible states only, and otherwise empty.
    """

    name: str
    items: tuple[tuple[str, str], ...]

    def document(self) -> dict[str, Any]:
        """Return the group as JSON; a long list is cut, with a note."""
        items = [{"text": text, "mark": mark} for text, mark in self.items[:_LISTED]]
        if len(self.items) > _LISTED:
            items.append({"text": f"and {len(self.items) - _LISTED} more", "mark": ""})
        return {"name": self.name, "items": items}


def grouped(
    others: Sequence[str],
    before: Sequence[str],
    counters: Mapping[str, str],
    labels: Mapping[str, str],
    uncertain: Sequence[tuple[str, float]] | None = None,
) -> tuple[FactGroup, ...]:
    """Group fluents by relation; mark new fluents, or `uncertain` fluents with their probabilities."""
    now, earlier = _read(others, counters), _read(before, counters)
    groups: dict[str, list[tuple[str, str]]] = {}
    for name, text in now:
        groups.setdefault(name, []).append((text, "" if (name, text) in earlier or uncertain is not None else "+"))
    for fluent, share in uncertain or ():
        ((name, text),) = _read([fluent], {})
        groups.setdefault(name, []).append((": ".join(filter(None, (text, *percent(share)))), "?"))
    labelled = {name: labels.get(name, name.replace("_", " ")) for name in groups}
    return tuple(FactGroup(label, tuple(groups[name])) for name, label in labelled.items() if label)


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


_Words = tuple[str, ...]

_KING, _MEN, _MARKS = "king", {"man", "men", "checker", "pawn"}, {"x", "o"}
# Words of moves that drop a piece into a column, and of moves that do nothing.
_DROPS, _NOTHING = {"drop"}, {"noop", "pass", "wait"}


def recognised_kind(
    contents: Iterable[_Words], shape: Shape, empty: Collection[_Words], sheet: RuleSheet | None = None
) -> str:
    """Return the name of a kind of board."""
    if shape != "square":
        return "honeycomb"
    shown = [each for each in contents if each not in empty]
    last = {content[-1].lower() for content in shown}
    if last and last <= _MARKS:
        return "paper"
    if last and all(word.isdigit() for word in last):
        return "squares"
    if _KING in last and last & _MEN and last <= _MEN | {_KING}:
        return "draughts"
    return "frame" if sheet is not None and _drops_only(sheet) else "chess"


def _drops_only(sheet: RuleSheet) -> bool:
    """Return True if all moves are drops into a column, or nothing."""
    found: set[str] = set()
    for rule in sheet.rules:
        head = rule.head.sentence
        if not isinstance(head, Compound) or relation(head) != ("legal", 2):
            continue
        move = head.args[1]
        if isinstance(move, Compound) and len(move.args) == 1:
            found.add(move.name)
        elif move not in _NOTHING:
            return False
    return bool(found) and found <= _DROPS


# Neighbours of cells as defined by relations that do not depend on the state: they show hexagons, and lines of a map.
#
# Rules of games on hexagons describe neighbours with a relation such as `(edge ?c ?r ?d ?s)`. All relations that do not
# depend on the state are evaluated in the order of their names. The first one whose arguments contain two cells of the
# grid, with the steps of hexagons, decides. The lines of a map are the pairs of cells of the relation that its guide
# names.

# Keywords: relations that depend on the state or on moves, or define them.
_CHANGING = {"true", "does", "next", "legal", "goal", "terminal", "init", "role", "base", "input"}
# Numbers of arguments for two cells, perhaps with a direction or a player.
_ARITIES = (4, 5)
# Time limit in seconds of processor time for all relations.
_SECONDS = 0.5


def slant_by_rules(sheet: RuleSheet, grid: Grid) -> int:
    """Return the shift of rows of the grid, as `slant_of` does; 0 if the rules define no neighbours."""
    wanted = sorted(each for each in _constant_relations(sheet) if each[1] in _ARITIES)
    until = time.thread_time() + _SECONDS
    for name, arity in wanted:
        arguments = _arguments_of(sheet, name, arity, until)
        for first in range(arity - 3):
            offsets = {_offset(grid, each[first : first + 4]) for each in arguments}
            if None not in offsets and (slant := slant_of(each for each in offsets if each)):
                return slant
    return 0


def linked_cells(sheet: RuleSheet, relation_name: str, places: Mapping[tuple[str, ...], int]) -> list[tuple[int, int]]:
    """Return the pairs of cells that a relation of two arguments contains, by number; each pair once."""
    until = time.thread_time() + _SECONDS
    pairs = [
        (places[start,], places[end,])
        for start, end in _arguments_of(sheet, relation_name, 2, until)
        if (start,) in places and (end,) in places
    ]
    return sorted({(min(pair), max(pair)) for pair in pairs})


def _arguments_of(sheet: RuleSheet, name: str, arity: int, until: float) -> list[tuple[str, ...]]:
    """Return the arguments with which a relation holds; none if it cannot be evaluated without a state, or in time."""
    evaluation = Evaluation(sheet)
    try:
        with evaluation.stopped_by(lambda: time.thread_time() > until):
            answers = evaluation.query((name, *range(arity)))
    except (GdlError, RecursionError, StoppedError):
        return []
    return [tuple(map(print_ground, answer[1:])) for answer in answers]


def _constant_relations(sheet: RuleSheet) -> set[tuple[str, int]]:
    """Return the relations that do not depend on the state."""
    uses = dependencies(sheet)
    changing = {each for each in uses if each[0] in _CHANGING}
    grown = True
    while grown:
        more = {
            head
            for head, used in uses.items()
            if head not in changing and any(each in changing or each[0] in ("true", "does") for each in used)
        }
        changing |= more
        grown = bool(more)
    return set(uses) - changing


def _offset(grid: Grid, words: tuple[str, ...]) -> tuple[int, int] | None:
    """Return the step from the first to the second cell; None if the words are not two cells."""
    here, there = words[:2], words[2:]
    if grid.turned:
        here, there = here[::-1], there[::-1]
    try:
        return (
            grid.columns.index(there[0]) - grid.columns.index(here[0]),
            grid.rows.index(there[1]) - grid.rows.index(here[1]),
        )
    except ValueError:
        return None


# Free space around the centres of the outermost cells and labels, and the width of a letter, in cells.
_AROUND_CELLS, _AROUND_LABELS, _OF_A_LETTER = 0.72, 0.4, 0.13
# Captions: their places by the shape of the cells, and their size.
_CAPTION = {"square": (-14, -14.5), "hexagon": (0, 16), "point": (0, 0)}
_CAPTION_SIZE = 7.5
# A longer caption is centred.
_SHORT_CAPTION = 3
# Pieces above a caption: the distance upwards, and the size.
_ABOVE_CAPTION, _WITH_CAPTION = 3, 0.85
# Maximal number of contents drawn on one cell; a question mark stands for more possible ones.
_MAX_PIECES = 4
_PLACES = ((0, 0, 1.0), (-9, 0, 0.55), (9, 0, 0.55), (-9, -9, 0.5), (9, -9, 0.5), (-9, 9, 0.5), (9, 9, 0.5))
_WORD = re.compile(r"[^()\s]+")
# Lines, walls and signs between cells, on light and on dark pages.
_LINES = 'fill="none" stroke="#22211e" stroke-width="5"'
_DARK_LINES = "<style>@media (prefers-color-scheme:dark){.board .stroke{stroke:#f4f1e8}}</style>"


@dataclass(frozen=True, slots=True)
class Picture:
    """One drawn state: its board as SVG (empty if there is none), and the fluents that describe no cell."""

    svg: str
    facts: tuple[FactGroup, ...]

    def document(self) -> dict[str, Any]:
        """Return the picture as JSON types."""
        return {"svg": self.svg, "facts": [group.document() for group in self.facts]}


class SvgBoard:
    """Draw the states of one game."""

    def __init__(
        self,
        board: CellBoard,
        layout: Layout,
        ground: Ground,
        pieces: Pieces,
        edges: Edges,
        labels: Mapping[str, str],
    ) -> None:
        self._board = board
        self._edges = edges
        self._layout = layout
        self._ground = ground
        self._pieces = pieces
        self._labels = labels
        self._longest_key = max(map(len, board.places), default=0)

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
        known = list(known)
        board = fluent_board(known, initial, guide)
        layout = Layout("square", ())
        if isinstance(board, MapBoard):
            layout = layout_of_map(board, _links(board, guide, sheet))
        elif isinstance(board, Grid):
            layout = layout_of_grid(board, 0 if sheet is None else slant_by_rules(sheet, board))
        if names:
            layout = renamed(layout, {number: names[key] for key, number in board.places.items() if key in names})
        appearance = appearance or Appearance()
        layout = oriented(layout, appearance.orientation)
        edges = Edges()
        if isinstance(board, Grid) and layout.shape == "square" and appearance.orientation == "standard":
            edges = Edges.of(known, board.columns, board.rows)
        for content in [each for each in board.signs if each[0] in edges.names]:
            del board.signs[content]
        signs = board.signs
        empty = {content for content, sign in signs.items() if sign == EMPTY}
        is_table = bool(board.placings) and all(each.keyed for each in board.placings.values())
        kind = appearance.kind("table" if is_table else recognised_kind(signs, layout.shape, empty, sheet))
        style = PieceStyle(
            kind.man, kind.ground == "pits", kind.ground == "slots", appearance.colours, appearance.symbols
        )
        pieces = Pieces(roles, signs, signs, style)
        ground = Ground(
            layout,
            kind,
            is_odd_dark=_stand_on_odd(board, layout, pieces, initial),
            edges={side: pieces.paint((role,)) for side, role in appearance.edges.items()},
            tall=appearance.tall,
            shaded=appearance.shaded,
        )
        labels = (_HIDDEN_LABELS if layout.cells else {}) | ({} if guide is None else guide.labels)
        return cls(board, layout, ground, pieces, edges, labels)

    @property
    def cell_names(self) -> frozenset[str]:
        """The names of the cells."""
        return frozenset(cell.name for cell in self._layout.cells)

    @property
    def legend(self) -> dict[str, str]:
        """The meaning of each letter on a disc."""
        return self._pieces.legend(self._board.signs)

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
        facts = grouped(others, gone, self._board.counters, self._labels)
        touched = [*touched, *self._reached(held, earlier, touched)]
        return Picture(self._svg(held, changed, touched, lines=self._lines(fluents)), facts)

    def _reached(
        self, held: Mapping[int, list[_Words]], earlier: Mapping[int, list[_Words]], touched: Sequence[str]
    ) -> list[str]:
        """Return the cell to which a piece went if its move names only the cell that the piece left."""
        numbers = {cell.name: number for number, cell in enumerate(self._layout.cells)}
        last = numbers.get(touched[-1]) if touched else None
        if last is None or held[last]:
            return []
        new = {name: held[number] for name, number in numbers.items() if held[number] and not earlier[number]}
        reached = [name for name, contents in new.items() if contents == earlier[last]]
        return reached if len(reached) == 1 else []

    def picture_of_possible(self, probabilities: Mapping[str, float], touched: Sequence[str] = ()) -> Picture:
        """Draw what is known of a state.

        >>> fluents = [f"(cell {x} {y} {z})" for x in "12" for y in "12" for z in ("x", "o", "b")]
        >>> board = SvgBoard.of(["x", "o"], fluents, fluents)
        >>> picture = board.picture_of_possible({"(cell 1 1 x)": 0.25, "(cell 1 2 o)": 1, "(die 6)": 0.5})
        >>> 'aria-label="1,1: x 25%"' in picture.svg, 'aria-label="1,2: o"' in picture.svg
        (True, True)
        >>> [group.document() for group in picture.facts]
        [{'name': 'die', 'items': [{'text': '6: 50%', 'mark': '?'}]}]
        """
        shares: dict[int, dict[tuple[str, ...], float]] = {}
        certain: list[str] = []
        uncertain: list[tuple[str, float]] = []
        edges = list(filter(self._edges.include, probabilities))
        uncertain += [(fluent, probabilities[fluent]) for fluent in edges if probabilities[fluent] < 1]
        for fluent, probability in probabilities.items():
            placed, others = self._placed([fluent])
            for number, contents in placed.items():
                shares.setdefault(number, {}).update(dict.fromkeys(contents, probability))
            if others and probability == 1:
                certain.append(fluent)
            elif others:
                uncertain.append((fluent, probability))
        facts = grouped(certain, [], self._board.counters, self._labels, uncertain)
        held = {
            number: sorted(shares.get(number, {}), key=lambda content: -shares[number][content])
            for number in range(len(self._layout.cells))
        }
        lines = self._lines(fluent for fluent in edges if probabilities[fluent] == 1)
        return Picture(self._svg(held, (), touched, shares, lines), facts)

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
            sizes = (size for size in range(longest, 0, -1) if tuple(words[place : place + size]) in self._board.places)
            size = next(sizes, 0)
            if size:
                cells.append(self._layout.cells[self._board.places[tuple(words[place : place + size])]].name)
            place += size or 1
        return cells

    def column_of(self, move: str) -> list[str]:
        """Return the cells of a column, from below, if a move names only this column; else nothing.

        >>> fluents = [f"(cell {x} {y} b)" for x in "123" for y in "12"]
        >>> SvgBoard.of(["red"], fluents, fluents).column_of("(drop 3)")
        ['3,1', '3,2']
        """
        words = _WORD.findall(move)[1:] if move.startswith("(") else []
        if not isinstance(self._board, Grid) or len(words) != 1 or (words[0],) in self._board.places:
            return []
        if words[0] not in self._board.columns:
            return []
        start = self._board.columns.index(words[0]) * len(self._board.rows)
        return [cell.name for cell in self._layout.cells[start : start + len(self._board.rows)]]

    def lowest_empty(self, move: str, fluents: Iterable[str]) -> list[str]:
        """Return the lowest empty cell of the column that a move names; nothing if the move names no column."""
        held, _ = self._held(fluents)
        empty = {cell.name for number, cell in enumerate(self._layout.cells) if not held[number]}
        return [name for name in self.column_of(move) if name in empty][:1]

    def _held(self, fluents: Iterable[str]) -> tuple[dict[int, list[tuple[str, ...]]], list[str]]:
        """Return the contents of each cell, by number, without contents that mean empty; and the other fluents."""
        placed, others = self._placed(fluents)
        return {number: placed.get(number, []) for number in range(len(self._layout.cells))}, others

    def _placed(self, fluents: Iterable[str]) -> tuple[dict[int, list[tuple[str, ...]]], list[str]]:
        """Return the same as `_held`, without cells that no fluent describes."""
        found, others = self._board.contents(each for each in fluents if not self._edges.include(each))
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
        lines: str = "",
    ) -> str:
        """Return the board as SVG, empty without cells; `shares` are the probabilities of contents, 1 by default."""
        cells = self._layout.cells
        if not cells:
            return ""
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
        parts += [*self._ground.before(), *filter(None, [lines])]
        parts += [self._text(at(x), at(y), text, 12) for text, x, y in self._layout.labels]
        return "\n".join([*parts, "</svg>\n"])

    def _lines(self, fluents: Iterable[str]) -> str:
        """Return the lines, walls and signs that are true."""
        path = self._edges.path(fluents)
        return f'{_DARK_LINES}<path d="{path}" class="stroke" {_LINES} stroke-linecap="round"/>' if path else ""

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
        caption = self._layout.captions.get(number)
        # On hexagons, pieces and their rings stand above the caption.
        up, scale = (_ABOVE_CAPTION, _WITH_CAPTION) if caption and self._layout.shape == "hexagon" else (0, 1.0)
        if changed and contents:
            ring = f'<circle cy="{-up}" r="{18 * scale:g}"'
            parts.append(f'{ring} fill="none" stroke="#fff" stroke-width="3.5" stroke-opacity="0.8"/>')
            parts.append(
                f'{ring} class="changed" fill="none" stroke="{CHANGED}" stroke-width="2.5" stroke-dasharray="6 3"/>'
            )
        elif changed:
            parts.append(f'<circle r="4" fill="{CHANGED}" fill-opacity="0.55"/>')
        if caption:
            x, y = _CAPTION[self._layout.shape]
            parts.append(self._text(x if len(caption) <= _SHORT_CAPTION else 0, y, caption, _CAPTION_SIZE))
        shown = [(each, piece) for each in contents if (piece := self._pieces.draw(each))]
        if shares and len(shown) > _MAX_PIECES:
            shown = [((), card("?"))]
        places = _PLACES[:1] if len(shown) == 1 else _PLACES[1:3] if len(shown) == 2 else _PLACES[3:]
        for (content, piece), (dx, dy, size) in zip(shown, places, strict=False):
            share = shares.get(content, 1)
            dy, size = dy - up, size * scale
            if share == 1:
                parts.append(f'<g transform="translate({dx} {dy}) scale({size})">{piece}</g>')
            else:
                parts.append(faint_piece(piece, share, dx, dy, size, self._ground.label_colour))
        return "".join([*parts, "</g>"])


def _links(board: MapBoard, guide: Guide | None, sheet: RuleSheet | None) -> list[tuple[int, int]]:
    """Return the pairs of cells that lines join by the rules; none if the guide names no relation for them."""
    if guide is None or sheet is None or not guide.links:
        return []
    return linked_cells(sheet, guide.links, board.places)


def _stand_on_odd(board: CellBoard, layout: Layout, pieces: Pieces, initial: Sequence[str]) -> bool:
    """Return True if all pieces stand initially on squares of the colour that the lower left corner does not have."""
    if not isinstance(board, Grid):
        return False
    held, _ = board.contents(initial)
    lowest = max(cell.y for cell in layout.cells)
    cells = [layout.cells[number] for number, contents in held.items() if not all(map(pieces.is_empty, contents))]
    return bool(cells) and all(round(cell.x + lowest - cell.y) % 2 for cell in cells)

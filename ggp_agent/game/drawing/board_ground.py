"""The ground of a board as SVG: the space around the cells, the cells, and the lines between them.

Each colour has a class, `b0` to `b4`, so that a page can replace it in dark mode: the surround, the cells, every second
cell or the frame (fills), the lines (strokes), and the labels (fills). A picture in a file replaces them itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .appearance import SHADES, BoardKind
from .layout import ROW, Layout
from .symbols import Paint

UNIT = 40
# The colours of the first and last cell of a move, and of changes.
FROM, TO, CHANGED = "#f7dc7a", "#f3c232", "#8a5a00"
_DARK_FROM, _DARK_TO, _DARK_CHANGED, _DARK_EDGE = "#9c8130", "#c39a24", "#ffd56b", "#b5ad9c"
# The rules of the classes, in dark mode.
_RULES = (
    ".board .b0{fill:var(--b0)}.board .b1{fill:var(--b1)}.board .b2{fill:var(--b2)}.board .b3{stroke:var(--b3)}"
    f".board .b4{{fill:var(--b4)}}.board .from{{fill:{_DARK_FROM}}}.board .to{{fill:{_DARK_TO}}}"
    f".board .changed{{stroke:{_DARK_CHANGED}}}.board .dim{{stroke:{_DARK_EDGE}}}"
    ".board .thin,.board .edge{filter:brightness(1.5)}"
)
# The corners of a hexagon around its centre, from the top to the right, and the sides after each corner.
_CORNERS = ((0.0, -23.1), (20.0, -11.5), (20.0, 11.5), (0.0, 23.1), (-20.0, 11.5), (-20.0, -11.5))
# The steps to the neighbours of a hexagon across these sides, in cells.
_ACROSS = ((0.5, -ROW), (1.0, 0.0), (0.5, ROW), (-0.5, ROW), (-1.0, 0.0), (-0.5, -ROW))
# The sides of a cell, as places in `_ACROSS`, that belong to each edge of a board of hexagons.
_OF_EDGE = {"top": (5, 0), "bottom": (2, 3), "left": (4, 3), "right": (1, 0)}
# Marked points of boards of lines, from the edge, by the number of lines.
_STARS = {9: (2, 4, 6), 13: (3, 6, 9), 15: (3, 7, 11), 19: (3, 9, 15)}


class Ground:
    """Draw the ground of the boards of one game."""

    def __init__(
        self,
        layout: Layout,
        kind: BoardKind,
        *,
        is_odd_dark: bool = False,
        edges: Mapping[str, Paint] | None = None,
        tall: Iterable[str] = (),
        shaded: Iterable[str] = (),
    ) -> None:
        self._layout = layout
        self._kind = kind
        self._is_odd_dark = is_odd_dark
        self._edges = edges or {}
        self._tall = frozenset(tall)
        self._shaded = frozenset(shaded)
        self._lowest = max((cell.y for cell in layout.cells), default=0.0)
        dark = kind.dark or kind.light
        self._colours = (kind.surround, kind.light, dark, kind.line, kind.label)

    @property
    def label_colour(self) -> str:
        """The colour of labels and captions, in light mode."""
        return self._kind.label[0]

    @property
    def shades(self) -> dict[str, tuple[str, str]]:
        """The colours for light and dark pages, by their keys in an appearance."""
        return {name: getattr(self._kind, name) or self._kind.light for name in SHADES}

    def style(self) -> str:
        """Return the element `style`, which replaces the colours in dark mode."""
        colours = "".join(f";--b{number}:{dark}" for number, (_, dark) in enumerate(self._colours))
        return f"<style>@media (prefers-color-scheme:dark){{.board{{{colours}}}{_RULES}}}</style>"

    def behind(self, left: float, top: float, width: float, height: float) -> list[str]:
        """Return the parts behind the cells; the arguments are the view box."""
        surround, _, dark, line, _ = (light for light, _ in self._colours)
        box = f'x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}"'
        parts = [f'<rect {box} rx="6" class="b0" fill="{surround}"/>']
        cells = self._layout.cells
        if self._layout.shape == "square" and self._kind.ground in ("holes", "pits"):
            x, y = at(min(cell.x for cell in cells)) - 22, at(min(cell.y for cell in cells)) - 22
            across, down = at(max(cell.x for cell in cells)) + 22 - x, at(self._lowest) + 22 - y
            parts.append(
                f'<rect x="{x:g}" y="{y:g}" width="{across:g}" height="{down:g}" rx="10" class="b2 b3" fill="{dark}" '
                f'stroke="{line}" stroke-width="2"/>'
            )
        if self._layout.shape == "square" and self._kind.ground == "points":
            parts += self._grid_lines()
        for start, end in self._layout.lines:
            ends = [(at(cells[each].x), at(cells[each].y)) for each in (start, end)]
            parts.append(_line(*ends[0], *ends[1], line, 3))
        return parts

    def before(self) -> list[str]:
        """Return the parts in front of the cells: lines between them, and coloured edges."""
        if self._layout.shape == "square" and self._kind.ground == "lines":
            return [self._lines_between()]
        return self._coloured_edges() if self._layout.shape == "hexagon" else []

    def cell(self, number: int, mark: str) -> str:
        """Return the ground of a cell around its centre; `mark` is a class: `from`, `to`, or empty."""
        cell, shape, ground = self._layout.cells[number], self._layout.shape, self._kind.ground
        is_dark = (round(cell.x + self._lowest - cell.y) % 2 == 0) != self._is_odd_dark
        shade = 2 if (shape == "square" and ground == "checkered" and is_dark) or cell.name in self._shaded else 1
        fill = {"from": FROM, "to": TO}.get(mark) or self._colours[shade][0]
        classes = f'class="ground b3 {mark or f"b{shade}"}"'
        colours = f'fill="{fill}" stroke="{self._kind.line[0]}"'
        if shape == "hexagon":
            return f'<polygon {classes} points="{self._corners()}" {colours}/>'
        if shape == "point":
            return f'<circle {classes} r="11" {colours} stroke-width="2"/>'
        if ground == "slots":
            return f'<rect {classes} x="-16" y="-19" width="32" height="38" rx="5" {colours} stroke-dasharray="3 2"/>'
        if ground in ("holes", "pits"):
            if cell.name in self._tall:
                return f'<rect {classes} x="-17" y="-56" width="34" height="112" rx="17" {colours} stroke-width="1.5"/>'
            return f'<circle {classes} r="17" {colours} stroke-width="1.5"/>'
        if ground == "points":
            opacity = 0.75 if mark else 0
            return (
                f'<rect class="ground {mark or "b1"}" x="-19" y="-19" width="38" height="38" rx="6" fill="{fill}" '
                f'fill-opacity="{opacity}"/>'
            )
        if ground == "lines":
            return f'<rect class="ground {mark or "b1"}" x="-20" y="-20" width="40" height="40" fill="{fill}"/>'
        return f'<rect {classes} x="-20" y="-20" width="40" height="40" {colours}/>'

    def _corners(self) -> str:
        corners = [(y, x) for x, y in _CORNERS] if self._layout.is_transposed else _CORNERS
        return " ".join(f"{x:g},{y:g}" for x, y in corners)

    def _grid_lines(self) -> list[str]:
        """Return a line for each row and column through the centres of the cells, and the marked points."""
        columns = sorted({cell.x for cell in self._layout.cells})
        rows = sorted({cell.y for cell in self._layout.cells})
        line = self._kind.line[0]
        parts = [_line(at(x), at(rows[0]), at(x), at(rows[-1]), line, 1.2) for x in columns]
        parts += [_line(at(columns[0]), at(y), at(columns[-1]), at(y), line, 1.2) for y in rows]
        stars = _STARS.get(len(columns), ()) if len(columns) == len(rows) else ()
        at_star = [(at(columns[x]), at(rows[y])) for x in stars for y in stars]
        return parts + [
            f'<path d="M{x:g} {y:g}h0" class="b3" stroke="{line}" stroke-width="6" stroke-linecap="round"/>'
            for x, y in at_star
        ]

    def _lines_between(self) -> str:
        """Return the lines between neighbouring cells."""
        taken = {(round(cell.x, 2), round(cell.y, 2)) for cell in self._layout.cells}
        strokes = []
        for cell in self._layout.cells:
            x, y = round(cell.x, 2), round(cell.y, 2)
            if (round(x + 1, 2), y) in taken:
                strokes.append(f"M{at(x) + 20:g} {at(y) - 20:g}v40")
            if (x, round(y + 1, 2)) in taken:
                strokes.append(f"M{at(x) - 20:g} {at(y) + 20:g}h40")
        return (
            f'<path d="{"".join(strokes)}" class="b3" fill="none" stroke="{self._kind.line[0]}" stroke-width="2.5" '
            'stroke-linecap="round"/>'
        )

    def _coloured_edges(self) -> list[str]:
        """Return a thick line for each side of the board that belongs to a role."""
        cells = self._layout.cells
        taken = {(round(cell.x, 1), round(cell.y, 1)) for cell in cells}
        outlines: dict[str, list[str]] = {}
        for cell in cells:
            for side, (dx, dy) in enumerate(_ACROSS):
                if self._layout.is_transposed or (round(cell.x + dx, 1), round(cell.y + dy, 1)) in taken:
                    continue
                edges = [
                    edge for edge, sides in _OF_EDGE.items() if side in sides and self._is_at(edge, cell.x, cell.y)
                ]
                if edges and edges[0] in self._edges:
                    (x, y), (x2, y2) = _CORNERS[side], _CORNERS[(side + 1) % 6]
                    x, x2, y, y2 = x + at(cell.x), x2 + at(cell.x), y + at(cell.y), y2 + at(cell.y)
                    outlines.setdefault(edges[0], []).append(f"M{x:g} {y:g}L{x2:g} {y2:g}")
        return [
            f'<path d="{"".join(strokes)}" class="edge" fill="none" stroke="{self._edges[edge].fill}" '
            'stroke-width="5" stroke-linecap="round"/>'
            for edge, strokes in outlines.items()
        ]

    def _is_at(self, edge: str, x: float, y: float) -> bool:
        """Return True if a cell lies at an edge: of its row, or of all rows."""
        cells = self._layout.cells
        if edge in ("top", "bottom"):
            ends = [cell.y for cell in cells]
            return abs(y - (min(ends) if edge == "top" else max(ends))) < 0.1
        row = [cell.x for cell in cells if abs(cell.y - y) < 0.1]
        return x == (min(row) if edge == "left" else max(row))


def at(place: float) -> float:
    """Return a place in units of the picture."""
    return round(place * UNIT, 1)


def _line(x: float, y: float, x2: float, y2: float, colour: str, width: float) -> str:
    return f'<path d="M{x:g} {y:g}L{x2:g} {y2:g}" class="b3" stroke="{colour}" stroke-width="{width:g}"/>'

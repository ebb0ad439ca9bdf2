"""Boards as SVG."""

from __future__ import annotations

from collections.abc import Callable, Sequence

_SQUARE = 40
_MARGIN = 24
_LIGHT, _DARK = "#f0d9b5", "#b58863"


def square_board(rows: Sequence[str], piece: Callable[[str, int, int], str], *, plain: bool = False) -> str:
    """Draw a board of squares with letters below and numbers on the left.

    Args:
        rows: the rows from the top, one character per square; `.` is empty.
        piece: a function that draws a character, given the centre of its square.
        plain: True to draw all squares in the same colour.
    """
    height, width = len(rows), len(rows[0])
    parts = []
    for row, line in enumerate(rows):
        y = row * _SQUARE + _MARGIN // 2
        label_y = y + _SQUARE // 2
        parts.append(_label(_MARGIN // 2, label_y, str(height - row)))
        for column, kind in enumerate(line):
            x = column * _SQUARE + _MARGIN
            fill = _LIGHT if plain or (row + column) % 2 == 0 else _DARK
            parts.append(f'<rect x="{x}" y="{y}" width="{_SQUARE}" height="{_SQUARE}" fill="{fill}" stroke="#806040"/>')
            if kind != ".":
                parts.append(piece(kind, x + _SQUARE // 2, y + _SQUARE // 2))
    below = height * _SQUARE + _MARGIN
    for column in range(width):
        parts.append(_label(column * _SQUARE + _MARGIN + _SQUARE // 2, below, chr(ord("a") + column)))
    return document(width * _SQUARE + _MARGIN + _MARGIN // 2, below + _MARGIN // 2, parts)


def hexagon_board(rows: Sequence[str], piece: Callable[[str, int, int], str]) -> str:
    """Draw a board of hexagons with centred rows, numbers on the left, and letters for the diagonal lines.

    Args:
        rows: the rows from the top, one character per cell; `.` is empty.
        piece: a function that draws a character, given the centre of its cell.
    """
    widest, height = max(map(len, rows)), len(rows)
    step = round(_SQUARE * 3**0.5 / 2)
    left, corner = _MARGIN + _SQUARE, round(_SQUARE / 3**0.5)
    parts = []
    letter = ord("a") + widest
    for row, line in enumerate(rows):
        start, y = left + (widest - len(line)) * _SQUARE // 2, row * step + _SQUARE
        parts.append(_label(start - _SQUARE, y, str(height - row)))
        for column, kind in enumerate(line):
            x = start + column * _SQUARE
            parts.append(_hexagon(x, y, corner))
            if kind != ".":
                parts.append(piece(kind, x, y))
        if row and len(line) < len(rows[row - 1]):
            letter -= 1
            parts.append(_label(start + len(line) * _SQUARE, y, chr(letter)))
    below = height * step + _SQUARE
    start = left + (widest - len(rows[-1]) + 1) * _SQUARE // 2
    for column in range(len(rows[-1])):
        parts.append(_label(start + column * _SQUARE, below, chr(ord("a") + column)))
    return document((widest + 1) * _SQUARE + 2 * _MARGIN, below + _MARGIN, parts)


def disc(x: int, y: int, *, dark: bool) -> str:
    """Draw a round piece with its centre at a point."""
    fill, edge = ("#303030", "#000000") if dark else ("#fafafa", "#404040")
    return f'<circle cx="{x}" cy="{y}" r="{_SQUARE * 3 // 8}" fill="{fill}" stroke="{edge}" stroke-width="2"/>'


def tower(x: int, y: int, *, dark: bool) -> str:
    """Draw a square tower with its centre at a point."""
    fill, edge = ("#303030", "#000000") if dark else ("#fafafa", "#404040")
    part = _SQUARE // 8
    outline = f"M{x - 3 * part} {y + 3 * part}v{-6 * part}h{2 * part}v{part}h{2 * part}v{-part}h{2 * part}v{6 * part}z"
    return f'<path d="{outline}" fill="{fill}" stroke="{edge}" stroke-width="2"/>'


def cross(x: int, y: int) -> str:
    """Draw a cross over a blocked square, given its centre."""
    a = _SQUARE // 4
    lines = f"M{x - a} {y - a}L{x + a} {y + a}M{x - a} {y + a}L{x + a} {y - a}"
    return f'<path d="{lines}" stroke="#602020" stroke-width="5" stroke-linecap="round"/>'


def document(width: int, height: int, parts: Sequence[str]) -> str:
    """Return the SVG document of some parts."""
    inside = "\n".join(parts)
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">\n{inside}\n</svg>\n'


def _hexagon(x: int, y: int, corner: int) -> str:
    half, side = _SQUARE // 2, corner // 2
    ends = [(0, -corner), (half, -side), (half, side), (0, corner), (-half, side), (-half, -side)]
    points = " ".join(f"{x + dx},{y + dy}" for dx, dy in ends)
    return f'<polygon points="{points}" fill="{_LIGHT}" stroke="#806040"/>'


def _label(x: int, y: int, text: str) -> str:
    return (
        f'<text x="{x}" y="{y}" font-family="sans-serif" font-size="14" text-anchor="middle" '
        f'dominant-baseline="central" fill="#606060">{text}</text>'
    )

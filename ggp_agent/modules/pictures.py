"""Boards as SVG."""

from __future__ import annotations

from collections.abc import Callable, Sequence

_SQUARE = 40
_MARGIN = 24
_LIGHT, _DARK = "#f0d9b5", "#b58863"


def square_board(rows: Sequence[str], piece: Callable[[str, int, int], str], *, plain: bool = False) -> str:
    """Draw a board of squares with letters below and numbers at the left.

    Args:
        rows: from the top, one character a square; `.` is empty.
        piece: draws what a character stands for, around the middle of its square.
        plain: all squares alike, rather than light and dark in turn.
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


def disc(x: int, y: int, *, dark: bool) -> str:
    """Draw a round piece around a point."""
    fill, edge = ("#303030", "#000000") if dark else ("#fafafa", "#404040")
    return f'<circle cx="{x}" cy="{y}" r="{_SQUARE * 3 // 8}" fill="{fill}" stroke="{edge}" stroke-width="2"/>'


def cross(x: int, y: int) -> str:
    """Cross out a square that nothing enters any more, around its middle."""
    a = _SQUARE // 4
    lines = f"M{x - a} {y - a}L{x + a} {y + a}M{x - a} {y + a}L{x + a} {y - a}"
    return f'<path d="{lines}" stroke="#602020" stroke-width="5" stroke-linecap="round"/>'


def document(width: int, height: int, parts: Sequence[str]) -> str:
    """Put the parts of a picture together."""
    inside = "\n".join(parts)
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">\n{inside}\n</svg>\n'


def _label(x: int, y: int, text: str) -> str:
    return (
        f'<text x="{x}" y="{y}" font-family="sans-serif" font-size="14" text-anchor="middle" '
        f'dominant-baseline="central" fill="#606060">{text}</text>'
    )

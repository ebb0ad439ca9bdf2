"""Pieces that may be on a cell, in games with hidden information: faint, with their probability."""

from __future__ import annotations

from html import escape

# The opacity of a piece with probability 0 and 1.
_FAINT, _PLAIN = 0.3, 0.75
_INK = "#5c5138"


def percent(probability: float) -> list[str]:
    """Return a probability as text; nothing for 1.

    >>> percent(0.254), percent(0.001), percent(0.999), percent(1)
    (['25%'], ['<1%'], ['>99%'], [])
    """
    if probability == 1:
        return []
    rounded = round(100 * probability)
    return ["<1%" if rounded < 1 else ">99%" if rounded > 99 else f"{rounded}%"]


def faint_piece(piece: str, probability: float, x: float, y: float, size: float) -> str:
    """Return the SVG of a piece with its probability below it."""
    opacity = round(_FAINT + (_PLAIN - _FAINT) * probability, 2)
    return (
        f'<g transform="translate({x} {y - 4 * size:g}) scale({0.8 * size:g})" opacity="{opacity}">{piece}</g>'
        f'<text x="{x}" y="{y + 12 * size:g}" font-family="system-ui, sans-serif" font-size="{5 + 5 * size:g}" '
        f'font-weight="600" text-anchor="middle" dominant-baseline="central" class="b4" fill="{_INK}">'
        f"{escape(percent(probability)[0])}</text>"
    )

"""A chart of the Elo ratings with their 95 % intervals, as SVG for the HTML report and the web page.

Horizontal positions are percentages, so the chart is as wide as its page while the text keeps its size. Colours come
from the classes `zero`, `interval` and `mark` in the style sheet of the page.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from ...common.terminal_text import printable
from .standings import PlayerResult, Standings

# Heights in pixels: of a player, of the axis below; and of the text line above the interval.
_ROW, _AXIS, _TEXT = 46, 22, 15
# Margin at both sides of the scale, in per cent.
_MARGIN = 2.0
# Minimal number of Elo points on the scale.
_MIN_SPAN = 20.0


def rating_chart(results: Standings) -> str:
    """Return the chart; empty if fewer than two players have a rating."""
    rated = [one for one in results.players if one.rating is not None]
    if len(rated) < 2:
        return ""
    ends = [end for one in rated if one.rating is not None for end in one.rating.interval]
    middle, span = (min(ends) + max(ends)) / 2, max(max(ends) - min(ends), _MIN_SPAN)

    def across(elo: float) -> float:
        return 50 + (elo - middle) / span * (100 - 2 * _MARGIN)

    height = _ROW * len(rated) + _AXIS
    label = "Elo ratings with 95 % intervals: " + ", ".join(map(_summary, rated))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="100%" height="{height}" class="ratings" role="img" '
        f'aria-label="{_text(label)}">',
        f'<rect class="zero" x="{across(0):.2f}%" y="0" width="1" height="{height - _AXIS}"/>',
    ]
    for number, one in enumerate(rated):
        parts += _row(one, _ROW * number, across)
    for elo, anchor in ((min(ends), "start"), (0.0, "middle"), (max(ends), "end")):
        where = f'x="{across(elo):.2f}%" y="{height - 4}" text-anchor="{anchor}"'
        parts.append(f'<text class="axis" {where}>{_signed(elo)}</text>')
    return "\n".join([*parts, "</svg>"])


def _row(one: PlayerResult, top: int, across: Callable[[float], float]) -> list[str]:
    """Return the name, the rating and the interval of one player."""
    assert one.rating is not None
    low, high = one.rating.interval
    left, right = across(low), across(high)
    line = top + _TEXT + 14
    return [
        f'<text x="0" y="{top + _TEXT}">{_text(one.name)}</text>',
        f'<text x="100%" y="{top + _TEXT}" text-anchor="end">{_numbers(one)}</text>',
        f'<rect class="interval" x="{left:.2f}%" y="{line - 2}" width="{right - left:.2f}%" height="4" rx="2"/>',
        f'<rect class="mark" x="{across(one.rating.elo):.2f}%" y="{line - 6}" width="6" height="12" rx="2" '
        'transform="translate(-3 0)"/>',
    ]


def _numbers(one: PlayerResult) -> str:
    assert one.rating is not None
    low, high = one.rating.interval
    return f"{_signed(one.rating.elo)} ({_signed(low)} to {_signed(high)})"


def _signed(elo: float) -> str:
    """Return a rounded number with its sign; 0 has none."""
    return f"{round(elo):+d}" if round(elo) else "0"


def _summary(one: PlayerResult) -> str:
    return f"{one.name} {_numbers(one)}"


def _text(text: str) -> str:
    """Escape a foreign text: no markup, no control characters."""
    return escape(printable(text))

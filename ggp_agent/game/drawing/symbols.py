"""The symbols of pieces: SVG around the origin, in a square of size 40, in the colours of the piece.

>>> from ggp_agent.game.drawing.symbols import COLOURS
>>> drawn("ring", COLOURS["red"])
'<circle r="11" class="thin" fill="none" stroke="#c23a2b" stroke-width="5.5" stroke-linecap="round"/>'
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import TypeAlias

# Inks on light and on dark pieces.
_ON_LIGHT, _ON_DARK = "#22211e", "#ffffff"
# Limits of the luminance of pieces, 0..255.
_BLACK_BELOW, _DIM_BELOW, _LIGHT_ABOVE = 60, 130, 150


@dataclass(frozen=True, slots=True)
class Paint:
    """The colours of a piece: inside, edge, and text."""

    fill: str
    edge: str
    ink: str

    @property
    def is_black(self) -> bool:
        """True if the piece is nearly black."""
        return _luminance(self.fill) < _BLACK_BELOW

    @property
    def is_dim(self) -> bool:
        """True if the piece needs a light edge on a dark board."""
        return _luminance(self.fill) < _DIM_BELOW


COLOURS = {
    "white": Paint("#fdfcf7", "#3b3a36", _ON_LIGHT),
    "light": Paint("#fdfcf7", "#3b3a36", _ON_LIGHT),
    "black": Paint("#2e2d2b", "#0c0c0b", _ON_DARK),
    "dark": Paint("#2e2d2b", "#0c0c0b", _ON_DARK),
    "red": Paint("#c23a2b", "#6d1a10", _ON_DARK),
    "blue": Paint("#2b62ad", "#12315c", _ON_DARK),
    "green": Paint("#2f7d3c", "#123f1a", _ON_DARK),
    "yellow": Paint("#f4c531", "#7d5f07", _ON_LIGHT),
    "teal": Paint("#137a77", "#063e3c", _ON_DARK),
    "orange": Paint("#e0801f", "#753d05", _ON_LIGHT),
    "purple": Paint("#7b4a9e", "#3c1e52", _ON_DARK),
    "pink": Paint("#e79ab6", "#7f3350", _ON_LIGHT),
    "brown": Paint("#7a4f2b", "#3c2410", _ON_DARK),
    "grey": Paint("#8a8881", "#454440", _ON_DARK),
    "gray": Paint("#8a8881", "#454440", _ON_DARK),
}

# The colours of cards, dice, and tiles with numbers.
PAPER = Paint("#fffdf6", "#8d7a55", _ON_LIGHT)


def paint_of(colour: str) -> Paint:
    """Return the paint of a colour: a name of `COLOURS`, or `#rrggbb`.

    >>> COLOURS["white"].fill, paint_of("#ffee00").ink
    ('#fdfcf7', '#22211e')
    """
    if colour in COLOURS:
        return COLOURS[colour]
    edge = "".join(f"{int(colour[place : place + 2], 16) * 45 // 100:02x}" for place in (1, 3, 5))
    return Paint(colour, f"#{edge}", _ON_LIGHT if _luminance(colour) > _LIGHT_ABOVE else _ON_DARK)


def _luminance(colour: str) -> float:
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return 0.299 * red + 0.587 * green + 0.114 * blue


_Symbol: TypeAlias = Callable[[Paint], str]

# Outlines of chess pieces around the origin, in a square of size 28.
_CHESS = {
    "pawn": "M0 -11a5 5 0 0 1 3 9L7 10H-7L-3 -2A5 5 0 0 1 0 -11Z",
    "rook": "M-8 -11h4v3h2.5v-3h3v3H4v-3h4v7l-3 3v7l3 4H-8l3-4v-7l-3-3Z",
    "bishop": "M0 -12c5 4 6 8 3 12l4 10H-7l4-10c-3-4-2-8 3-12Z",
    "knight": "M-6 10c0-7 5-8 4-12l-6 3-2-3 6-8 2-3 2 3c6 1 7 8 6 20Z",
    "queen": "M-11 -8l5 7 2-10 4 9 4-9 2 10 5-7-4 18H-7Z",
    "king": "M-1.5 -13h3v3h3v3h-3v3c5-3 10 0 8 5l-3 9h-13l-3-9c-2-5 3-8 8-5v-3h-3v-3h3Z",
}
CHESS_NAMES = frozenset(_CHESS)
_CROWN = "M-8 5L-9 -4L-4 0L0 -7L4 0L9 -4L8 5Z"
_SHEEP = (
    "M-9 -6a5 5 0 0 1 7 -4a6 6 0 0 1 9 1a5 5 0 0 1 4 7a5 5 0 0 1 -2 7v7h-4v-5h-9v5h-4v-6a5 5 0 0 1 -4 -6"
    "a5 5 0 0 1 3 -6Z"
)
_WOLF = "M-12 -14L-5 -8H5L12 -14L11 0L5 6L0 13L-5 6L-11 0Z"
_HULL = "M-15 1H15L10 11H-10Z"
_APPLE = "M0 -6c4 -4 12 -2 12 6c0 7 -5 13 -9 13c-1 0 -2 -1 -3 -1s-2 1 -3 1c-4 0 -9 -6 -9 -13c0 -8 8 -10 12 -6Z"
_LAMP = "M-4 6c0 -4 -6 -6 -6 -11a10 10 0 0 1 20 0c0 5 -6 7 -6 11Z"
_FLAME = "M0 -15c2 6 10 9 10 18a10 10 0 0 1 -20 0c0 -5 4 -6 4 -11c3 1 4 3 4 5c2 -3 3 -7 2 -12Z"


_SUITS = {"spade": "♠", "heart": "♥", "diamond": "♦", "club": "♣"}
_NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_RANKS = {"ace": "A", "king": "K", "queen": "Q", "jack": "J"} | {
    word: str(number) for number, word in enumerate(_NUMBERS, 2)
}
_RED = "#b3261e"
# The places of the pips of a die, by their number.
_PIPS = {1: "22", 2: "1133", 3: "112233", 4: "11133133", 5: "1113223133", 6: "111213313233"}


def _of_card(word: str) -> tuple[str, str]:
    """Return the rank and the suit that the words of a card name; empty without one.

    >>> _of_card("hearts_king"), _of_card("ten_of_clubs"), _of_card("goblin")
    (('K', '♥'), ('10', '♣'), ('', ''))
    """
    words = word.lower().replace("-", "_").split("_")
    rank = next((_RANKS[each] for each in words if each in _RANKS), "")
    return rank, next((_SUITS[each.rstrip("s")] for each in words if each.rstrip("s") in _SUITS), "")


def is_card(word: str) -> bool:
    """Return whether a word names a rank or a suit of playing cards."""
    return any(_of_card(word))


def card(words: str) -> str:
    """Return a playing card with rank and suit; other words are written on the card, one in a line."""
    rank, suit = _of_card(words)
    lines = list(filter(None, (rank, suit))) or words.replace("_", " ").split()[:3]
    size = min([22, 32 / len(lines), *(34 / len(line) for line in lines)])
    ink = _RED if suit in ("♥", "♦") else _ON_LIGHT
    start = -size * (len(lines) - 1) / 2
    written = (
        f'<text y="{start + size * number:.1f}" text-anchor="middle" dominant-baseline="central" fill="{ink}" '
        f'font-family="system-ui, sans-serif" font-weight="600" font-size="{size:.1f}">{escape(line)}</text>'
        for number, line in enumerate(lines)
    )
    return f'<rect x="-13.5" y="-18" width="27" height="36" rx="4" {_edged(PAPER)}/>' + "".join(written)


def die(pips: int) -> str:
    """Return a die with 1 to 6 pips."""
    places = zip(_PIPS[pips][::2], _PIPS[pips][1::2], strict=True)
    circles = (f'<circle cx="{8 * int(x) - 16}" cy="{8 * int(y) - 16}" r="2.8" fill="{_ON_LIGHT}"/>' for x, y in places)
    return _tile(PAPER) + "".join(circles)


def in_a_row(symbols: Sequence[str]) -> str:
    """Return symbols side by side, smaller if there are several."""
    if len(symbols) == 1:
        return symbols[0]
    size = 0.85 / len(symbols)
    starts = [40 * size * (place - (len(symbols) - 1) / 2) for place in range(len(symbols))]
    return "".join(
        f'<g transform="translate({x:.1f} 0) scale({size:.2f})">{symbol}</g>'
        for x, symbol in zip(starts, symbols, strict=True)
    )


def text(words: str, ink: str) -> str:
    """Return centred text, at most four characters for a disc."""
    size = {1: 18, 2: 15, 3: 12}.get(len(words), 10)
    return (
        f'<text text-anchor="middle" dominant-baseline="central" font-family="system-ui, sans-serif" '
        f'font-weight="600" font-size="{size}" fill="{ink}">{escape(words)}</text>'
    )


def drawn(name: str, paint: Paint) -> str:
    """Return a symbol in the colours of a piece; text that is the name of no symbol is written on a disc."""
    return SYMBOLS[name](paint) if name in SYMBOLS else SYMBOLS["disc"](paint) + text(name, paint.ink)


def _edged(paint: Paint, width: float = 1.6) -> str:
    kind = 'class="dim" ' if paint.is_dim else ""
    return f'{kind}fill="{paint.fill}" stroke="{paint.edge}" stroke-width="{width}"'


def _path(outline: str) -> _Symbol:
    return lambda paint: f'<path d="{outline}" {_edged(paint)} stroke-linejoin="round"/>'


def _chess(name: str) -> _Symbol:
    return lambda paint: f'<path d="{_CHESS[name]}" transform="scale(1.28)" {_edged(paint)} stroke-linejoin="round"/>'


def _disc(paint: Paint) -> str:
    return f'<circle r="14" {_edged(paint)}/>'


def _man(paint: Paint) -> str:
    ring = paint.ink if paint.is_black else paint.edge
    return f'{_disc(paint)}<circle r="9" fill="none" stroke="{ring}" stroke-opacity="0.45"/>'


def _stone(paint: Paint) -> str:
    """Draw a stone with a reflection of light."""
    shine = '<path d="M-10 -4A10.5 10.5 0 0 1 -2 -11" fill="none" stroke="#ffffff" stroke-opacity="{}" {}/>'
    width = 'stroke-width="2.4" stroke-linecap="round"'
    return f'<circle r="16" {_edged(paint, 1.2)}/>' + shine.format(0.4 if paint.is_black else 0.85, width)


def _crowned(paint: Paint) -> str:
    return f'{_disc(paint)}<path d="{_CROWN}" fill="{paint.ink}"/>'


def _tile(paint: Paint) -> str:
    return f'<rect x="-15" y="-15" width="30" height="30" rx="6" {_edged(paint)}/>'


def _block(_: Paint) -> str:
    return (
        '<rect x="-15" y="-15" width="30" height="30" rx="4" fill="#57544c"/>'
        '<path d="M-7 -7L7 7M-7 7L7 -7" stroke="#f4efe2" stroke-width="4" stroke-linecap="round"/>'
    )


def _line_of(paint: Paint, width: float) -> str:
    kind = 'class="thin" ' if paint.is_dim else ""
    return f'{kind}fill="none" stroke="{paint.fill}" stroke-width="{width}" stroke-linecap="round"'


def _cross(paint: Paint) -> str:
    return f'<path d="M-10 -10L10 10M-10 10L10 -10" {_line_of(paint, 5.5)}/>'


def _ring(paint: Paint) -> str:
    return f'<circle r="11" {_line_of(paint, 5.5)}/>'


def _small(symbol: _Symbol) -> _Symbol:
    return lambda paint: f'<g transform="translate(11 -11) scale(0.45)">{symbol(paint)}</g>'


def _dot(paint: Paint) -> str:
    return f'<circle cx="13" cy="13" r="4.5" fill="{paint.fill}" stroke="{paint.edge}"/>'


def _arrow(_: Paint) -> str:
    """Draw a burnt square: a flame."""
    flame = f'<path d="{_FLAME}" fill="#d4601c" stroke="#7a2c06" stroke-width="1.4" stroke-linejoin="round"/>'
    return flame + '<path d="M0 0c2 3 5 5 5 8a5 5 0 0 1 -10 0c0 -3 4 -4 5 -8Z" fill="#ffd35c"/>'


def _apple(_: Paint) -> str:
    return (
        f'<path d="{_APPLE}" fill="#d0392b" stroke="#7a1710" stroke-width="1.4"/>'
        '<path d="M0 -5c0 -4 1 -7 4 -9" fill="none" stroke="#5b3a1a" stroke-width="2" stroke-linecap="round"/>'
        '<path d="M2 -9c2 -5 7 -5 9 -4c-1 4 -5 6 -9 4Z" fill="#4c8f3a"/>'
    )


def _lamp(_: Paint) -> str:
    return (
        '<circle cy="-4" r="17" fill="#ffe27a" fill-opacity="0.35"/>'
        f'<path d="{_LAMP}" fill="#ffdf66" stroke="#8a6508" stroke-width="1.4"/>'
        '<path d="M-4 9h8M-3 12.5h6" stroke="#cfd4da" stroke-width="2.4" stroke-linecap="round"/>'
    )


def _car(_: Paint) -> str:
    body = '<path d="M-15 6V0L-9 -2L-5 -9H6L10 -2L15 0V6Z" fill="#c23a2b" stroke="#6d1a10" stroke-width="1.4"/>'
    wheels = '<circle cx="-8" cy="7" r="4" fill="#22211e"/><circle cx="8" cy="7" r="4" fill="#22211e"/>'
    return f'{body}<path d="M-4 -3L-2 -7H5L7 -3Z" fill="#e8f1f6"/>{wheels}'


def _door(_: Paint) -> str:
    """Draw an open door."""
    frame = '<path d="M-5 -12H12V16H-5Z" fill="#3a2a18" stroke="#8a6236" stroke-width="2"/>'
    return f'{frame}<path d="M-5 -12L-12 -8V19L-5 16Z" fill="#b98a54" stroke="#6e4a20" stroke-width="1.2"/>'


def _person(paint: Paint) -> str:
    return f'<circle cy="-7" r="6.5" {_edged(paint)}/><path d="M-11 14c0 -16 22 -16 22 0Z" {_edged(paint)}/>'


def _sheep(paint: Paint) -> str:
    face = '<path d="M8 -8c5 -2 8 1 8 4c0 3 -5 5 -8 3Z" fill="#3b3a36"/>'
    return f'<path d="{_SHEEP}" {_edged(paint)} stroke-linejoin="round"/>{face}'


def _wolf(paint: Paint) -> str:
    eyes = '<path d="M-7 -3l4 2M7 -3l-4 2M-2 9h4" stroke="#ffffff" stroke-width="2.2" stroke-linecap="round"/>'
    return f'<path d="{_WOLF}" {_edged(paint)} stroke-linejoin="round"/>{eyes}'


def _ship(paint: Paint) -> str:
    mast = f'<path d="M-6 1v-6h12v6M0 -5v-8h6v4h-6" {_edged(paint)} stroke-linejoin="round"/>'
    return f'{mast}<path d="{_HULL}" {_edged(paint)} stroke-linejoin="round"/>'


def _shot(paint: Paint) -> str:
    ring = f'<circle r="9" {_line_of(paint, 2.6)}/>'
    return f'{ring}<path d="M0 -14v8M0 14v-8M-14 0h8M14 0h-8" {_line_of(paint, 2.6)}/>'


SYMBOLS: dict[str, _Symbol] = {
    "man": _man,
    "stone": _stone,
    "disc": _disc,
    "crown": _crowned,
    "tile": _tile,
    "block": _block,
    **{name: _chess(name) for name in _CHESS},
    "x": _cross,
    "o": _ring,
    "small_x": _small(_cross),
    "small_o": _small(_ring),
    "ring": _ring,
    "dot": _dot,
    "arrow": _arrow,
    "apple": _apple,
    "lamp": _lamp,
    "car": _car,
    "door": _door,
    "person": _person,
    "sheep": _sheep,
    "wolf": _wolf,
    "ship": _ship,
    "shot": _shot,
    "none": lambda _: "",
}

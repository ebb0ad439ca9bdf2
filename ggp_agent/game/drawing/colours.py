"""The colours of pieces.

>>> COLOURS["white"].fill, paint_of("#ffee00").ink
('#fdfcf7', '#22211e')
"""

from __future__ import annotations

from dataclasses import dataclass

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


def paint_of(colour: str) -> Paint:
    """Return the paint of a colour: a name of `COLOURS`, or `#rrggbb`."""
    if colour in COLOURS:
        return COLOURS[colour]
    edge = "".join(f"{int(colour[place : place + 2], 16) * 45 // 100:02x}" for place in (1, 3, 5))
    return Paint(colour, f"#{edge}", _ON_LIGHT if _luminance(colour) > _LIGHT_ABOVE else _ON_DARK)


def _luminance(colour: str) -> float:
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return 0.299 * red + 0.587 * green + 0.114 * blue

"""The picture of a cell's content: the colour shows the owner, the shape shows the kind.

Both are derived from the words of the fluents. The owner is a role's name, a colour, or a role's first letter before
the letter of a chess piece (`wn`). The other words are the kind: a chess piece, a man, a king, a number, an obstacle.
A kind without a shape is written on a disc, so that colour is never the only difference.

>>> pieces = Pieces(["white", "black"], [("white", "man"), ("black", "king")])
>>> pieces.owner(("white", "man")), pieces.kind(("white", "man")), pieces.is_empty(("b",))
('white', 'man', False)
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from .grid_board import EMPTY

_Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Paint:
    """The colours of a piece: inside, edge, and text."""

    fill: str
    edge: str
    ink: str


_COLOURS = {
    "white": Paint("#fdfcf7", "#3b3a36", "#22211e"),
    "light": Paint("#fdfcf7", "#3b3a36", "#22211e"),
    "black": Paint("#2e2d2b", "#0c0c0b", "#ffffff"),
    "dark": Paint("#2e2d2b", "#0c0c0b", "#ffffff"),
    "red": Paint("#c23a2b", "#6d1a10", "#ffffff"),
    "blue": Paint("#2b62ad", "#12315c", "#ffffff"),
    "green": Paint("#2f7d3c", "#123f1a", "#ffffff"),
    "yellow": Paint("#f4c531", "#7d5f07", "#22211e"),
    "teal": Paint("#137a77", "#063e3c", "#ffffff"),
    "orange": Paint("#e0801f", "#753d05", "#22211e"),
    "purple": Paint("#7b4a9e", "#3c1e52", "#ffffff"),
    "pink": Paint("#e79ab6", "#7f3350", "#22211e"),
    "brown": Paint("#7a4f2b", "#3c2410", "#ffffff"),
    "grey": Paint("#8a8881", "#454440", "#22211e"),
    "gray": Paint("#8a8881", "#454440", "#22211e"),
}
# For roles whose names are not colours, in order; for pieces without an owner.
_FOR_ROLES = ("red", "blue", "green", "purple", "orange", "teal")
_FOR_WORDS = ("grey", "yellow", "teal", "orange", "purple", "pink", "brown", "green")

_MEN = {"", "man", "men", "stone", "disc", "disk", "piece", "checker", "mark", "token", "chip", "soldier", "pebble"}
_SOLID = {"wall", "block", "blocked", "burnt", "burned", "arrow", "hole", "obstacle", "fire", "out", "dead"}
_LETTERS = {"p": "pawn", "n": "knight", "b": "bishop", "r": "rook", "q": "queen", "k": "king"}
_NAMES = set(_LETTERS.values())
_LONGEST_SIGN = 4

# Outlines around the origin, in a square of size 28.
_SHAPES = {
    "pawn": "M0 -11a5 5 0 0 1 3 9L7 10H-7L-3 -2A5 5 0 0 1 0 -11Z",
    "rook": "M-8 -11h4v3h2.5v-3h3v3H4v-3h4v7l-3 3v7l3 4H-8l3-4v-7l-3-3Z",
    "bishop": "M0 -12c5 4 6 8 3 12l4 10H-7l4-10c-3-4-2-8 3-12Z",
    "knight": "M-6 10c0-7 5-8 4-12l-6 3-2-3 6-8 2-3 2 3c6 1 7 8 6 20Z",
    "queen": "M-11 -8l5 7 2-10 4 9 4-9 2 10 5-7-4 18H-7Z",
    "king": "M-1.5 -13h3v3h3v3h-3v3c5-3 10 0 8 5l-3 9h-13l-3-9c-2-5 3-8 8-5v-3h-3v-3h3Z",
    "crown": "M-8 5L-9 -4L-4 0L0 -7L4 0L9 -4L8 5Z",
}


class Pieces:
    """Draw the pieces of one game.

    Args:
        roles: the roles of the game, in order.
        contents: all possible contents of a cell.
        signs: short texts for the contents.
    """

    def __init__(self, roles: Sequence[str], contents: Iterable[_Words], signs: Mapping[_Words, str] | None = None):
        self._signs = signs or {}
        self._paints = _paints_of(roles)
        self._roles = {role.lower(): role for role in roles}
        initials = [role[0].lower() for role in roles if role]
        self._initials = {role[0].lower(): role for role in roles if role and initials.count(role[0].lower()) == 1}
        kinds = {self._read(content)[1] for content in contents}
        self._is_chess = len(kinds & _NAMES) > 2

    def is_empty(self, content: _Words) -> bool:
        """Return True if the content means an empty cell."""
        return self._signs.get(content) == EMPTY or content[-1:] in (("blank",), ("empty",))

    def owner(self, content: _Words) -> str | None:
        """Return the owner: a role, a colour, or None."""
        return self._read(content)[0]

    def kind(self, content: _Words) -> str:
        """Return the kind: the words without the owner."""
        return self._read(content)[1]

    def paint(self, content: _Words) -> Paint:
        """Return the colours of a piece."""
        owner, kind = self._read(content)
        if owner in self._paints:
            return self._paints[owner]
        for word in (owner, *content):
            if word in _COLOURS:
                return _COLOURS[word]
        return _COLOURS[_FOR_WORDS[zlib.crc32(kind.encode()) % len(_FOR_WORDS)]]

    def draw(self, content: _Words) -> str:
        """Return the SVG of a piece around the origin, in a square of size 40."""
        paint, kind = self.paint(content), self.kind(content)
        colours = f'fill="{paint.fill}" stroke="{paint.edge}" stroke-width="1.6"'
        if kind in ("x", "o") and content == (kind,):
            return _mark(kind, paint)
        if kind in _SOLID:
            return (
                '<rect x="-15" y="-15" width="30" height="30" rx="4" fill="#57544c"/>'
                '<path d="M-7 -7L7 7M-7 7L7 -7" stroke="#f4efe2" stroke-width="4" stroke-linecap="round"/>'
            )
        if kind in _NAMES and (self._is_chess or kind not in ("pawn", "king")):
            return f'<path d="{_SHAPES[kind]}" transform="scale(1.28)" {colours} stroke-linejoin="round"/>'
        disc = f'<circle r="14" {colours}/>'
        if kind in _MEN or kind == "pawn":
            return f'{disc}<circle r="9" fill="none" stroke="{paint.edge}" stroke-opacity="0.45"/>'
        if kind in ("king", "crown"):
            return f'{disc}<path d="{_SHAPES["crown"]}" fill="{paint.ink}"/>'
        if kind.lstrip("-").isdigit() and self.owner(content) is None:
            tile = '<rect x="-15" y="-15" width="30" height="30" rx="6" fill="#fffdf6" stroke="#8d7a55"/>'
            return tile + _text(kind, "#22211e")
        sign = kind if len(kind) <= _LONGEST_SIGN - 1 else self._short(content, kind)
        return disc + _text(sign, paint.ink)

    def _short(self, content: _Words, kind: str) -> str:
        sign = self._signs.get(content, kind)
        return sign if len(sign) <= _LONGEST_SIGN else kind[:_LONGEST_SIGN]

    def _read(self, content: _Words) -> tuple[str | None, str]:
        """Split the content into owner and kind."""
        for place, word in enumerate(content):
            if word.lower() in self._roles:
                others = [*content[:place], *content[place + 1 :]]
                owner = self._roles[word.lower()]
                return owner, " ".join(others) if others or word.lower() not in ("x", "o") else word.lower()
        for place, word in enumerate(content):
            rest = " ".join([*content[:place], *content[place + 1 :]])
            name = next((each for each in (*self._roles, *_COLOURS) if word.lower().startswith(each)), None)
            if name is not None and len(name) > 1:
                kind = word[len(name) :].lstrip("_-").lower()
                return self._roles.get(name, name), " ".join(filter(None, (rest, kind)))
            role = self._initials.get(word[:1].lower())
            if role is not None and len(word) <= 2 and (word[1:] in _LETTERS or word[1:].isdigit() or word[1:] == ""):
                return role, " ".join(filter(None, (rest, _LETTERS.get(word[1:], word[1:]))))
        return None, " ".join(content)


def _paints_of(roles: Collection[str]) -> dict[str, Paint]:
    """Assign a different colour to each role."""
    named = {role: role.lower() for role in roles if role.lower() in _COLOURS}
    free = [colour for colour in _FOR_ROLES if colour not in named.values()]
    others = [role for role in roles if role not in named]
    named |= {role: free[place % len(free)] for place, role in enumerate(others)}
    return {role: _COLOURS[colour] for role, colour in named.items()}


def _mark(kind: str, paint: Paint) -> str:
    line = f'fill="none" stroke="{paint.fill}" stroke-width="5.5" stroke-linecap="round"'
    return f'<path d="M-10 -10L10 10M-10 10L10 -10" {line}/>' if kind == "x" else f'<circle r="11" {line}/>'


def _text(text: str, ink: str) -> str:
    size = {1: 18, 2: 15, 3: 12}.get(len(text), 10)
    return (
        f'<text text-anchor="middle" dominant-baseline="central" font-family="system-ui, sans-serif" '
        f'font-weight="600" font-size="{size}" fill="{ink}">{escape(text)}</text>'
    )

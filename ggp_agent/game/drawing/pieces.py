"""The picture of a cell's content: the colour shows the owner, the shape shows the kind.

Both are derived from the words of the fluents. The owner is a role's name, a colour, or a role's first letter before
the letter of a chess piece (`wn`). The other words are the kind: a chess piece, a man, a king, a number, an obstacle.
A kind without a shape is written on a disc, so that colour is never the only difference.

>>> pieces = Pieces(["white", "black"], [("white", "man"), ("black", "king")])
>>> pieces.owner(("white", "man")), pieces.kind(("white", "man")), pieces.is_empty(("b",))
('white', 'man', False)
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from .cards import is_of_dice
from .grid_board import EMPTY
from .symbols import CHESS_NAMES, COLOURS, PAPER, Paint, card, die, drawn, in_a_row, paint_of, text

_Words = tuple[str, ...]

# For roles whose names are not colours, in order; for pieces without an owner.
_FOR_ROLES = ("red", "blue", "green", "purple", "orange", "teal")
_FOR_WORDS = ("grey", "yellow", "teal", "orange", "purple", "pink", "brown", "green")

_MEN = {"", "man", "men", "stone", "disc", "disk", "piece", "checker", "mark", "token", "chip", "soldier", "pebble"}
_SOLID = {"wall", "block", "blocked", "burnt", "burned", "arrow", "hole", "obstacle", "fire", "out", "dead"}
_CHESS_COLOURS = {"w": "white", "b": "black"}
_LETTERS = {"p": "pawn", "n": "knight", "b": "bishop", "r": "rook", "q": "queen", "k": "king"}


# Maximal number of digits on a piece, and of seeds that are drawn one by one.
_MAX_DIGITS, _MAX_SEEDS = 3, 24


@dataclass(frozen=True, slots=True)
class PieceStyle:
    """The style of the pieces of one game."""

    man: str = "man"  # the symbol of a piece without another word
    seeds: bool = False  # whether numbers without an owner are drawn as seeds
    cards: bool = False  # whether words without an owner are drawn as cards
    colours: Mapping[str, str] = field(default_factory=dict)  # the colours of pieces, by words, as in `Appearance`
    symbols: Mapping[str, str] = field(default_factory=dict)  # the symbols of pieces, by words, as in `Appearance`


class Pieces:
    """Draw the pieces of one game."""

    def __init__(
        self,
        roles: Sequence[str],
        contents: Iterable[_Words],
        signs: Mapping[_Words, str] | None = None,
        style: PieceStyle | None = None,
    ) -> None:
        self._signs = signs or {}
        self._style = style or PieceStyle()
        self._paints = _paints_of(roles)
        self._roles = {role.lower(): role for role in roles}
        initials = [role[0].lower() for role in roles if role]
        self._initials = {role[0].lower(): role for role in roles if role and initials.count(role[0].lower()) == 1}
        kinds = {self._read(content)[1] for content in contents}
        shown = {self.kind(content) for content in contents if not self.is_empty(content)}
        self._words = sorted({"piece" if kind in _MEN else kind for kind in shown if not kind.isdigit()})
        self._is_chess = len(kinds & CHESS_NAMES) > 2
        self._letters = letters_of(kinds)

    @property
    def words(self) -> list[str]:
        """The kinds of pieces as keys of `Appearance.symbols`, in alphabetical order."""
        return self._words

    def is_empty(self, content: _Words) -> bool:
        """Return True if the content means an empty cell; no men of an owner are empty, too."""
        owner, kind = self._read(content)
        is_none = owner is not None and kind == "0" and len(content) > 1
        return is_none or self._signs.get(content) == EMPTY or content[-1:] in (("blank",), ("empty",))

    def owner(self, content: _Words) -> str | None:
        """Return the owner: a role, a colour, or None."""
        return self._read(content)[0]

    def kind(self, content: _Words) -> str:
        """Return the kind: the words without the owner."""
        return self._read(content)[1]

    def paint(self, content: _Words) -> Paint:
        """Return the colours of a piece."""
        owner, kind = self._read(content)
        chosen = next(
            (self._style.colours[word] for word in (owner or "", *content) if word in self._style.colours), None
        )
        if chosen is not None:
            return paint_of(chosen)
        if owner in self._paints:
            return self._paints[owner]
        for word in (owner, *content):
            if word in COLOURS:
                return COLOURS[word]
        return COLOURS[_FOR_WORDS[zlib.crc32(kind.encode()) % len(_FOR_WORDS)]]

    def draw(self, content: _Words) -> str:
        """Return the SVG of a piece around the origin, in a square of size 40."""
        if _is_of_dice(content):
            return in_a_row([die(int(pips)) for pips in content[1:]])
        paint, kind = self.paint(content), self.kind(content)
        if self._style.cards and len(content) > 1 and COLOURS.keys() >= {*content}:
            return in_a_row([drawn(self._style.man, COLOURS[word]) for word in content])
        if self._style.cards and self.owner(content) is None and kind not in self._style.symbols:
            return card(kind)
        symbol = self._symbol(content, kind)
        if symbol:
            return drawn(symbol, paint)
        if kind.lstrip("-").isdigit() and self.owner(content) is None:
            return _seeds(int(kind)) if self._style.seeds else drawn("tile", PAPER) + text(kind, PAPER.ink)
        return drawn("disc", paint) + text(self._letters.get(kind) or kind[:2], paint.ink)

    def legend(self, contents: Iterable[_Words]) -> dict[str, str]:
        """Return the meaning of each letter on a disc; cards have their words, and dice no letters."""
        on_discs = [] if self._style.cards else [each for each in contents if not _is_of_dice(each)]
        kinds = {
            self.kind(each) for each in on_discs if not self.is_empty(each) and not self._symbol(each, self.kind(each))
        }
        return {self._letters.get(kind) or kind[:2]: kind for kind in sorted(kinds) if not kind.lstrip("-").isdigit()}

    def _symbol(self, content: _Words, kind: str) -> str:
        """Return the name of the symbol of a piece; empty if its words have no symbol."""
        is_man = kind in _MEN
        chosen = [" ".join(content), kind, *["piece"] * is_man]
        found = next((self._style.symbols[each] for each in chosen if each in self._style.symbols), "")
        if found:
            return found
        if kind in ("x", "o") and content == (kind,):
            return kind
        if kind in _SOLID:
            return "block"
        if kind in CHESS_NAMES and (self._is_chess or kind not in ("pawn", "king")):
            return kind
        if is_man or kind == "pawn":
            return self._style.man
        return "crown" if kind in ("king", "crown") else ""

    def _read(self, content: _Words) -> tuple[str | None, str]:
        """Split the content into owner and kind."""
        for place, word in enumerate(content):
            if word.lower() in self._roles:
                others = [*content[:place], *content[place + 1 :]]
                owner = self._roles[word.lower()]
                return owner, " ".join(others) if others or word.lower() not in ("x", "o") else word.lower()
        for place, word in enumerate(content):
            rest = " ".join([*content[:place], *content[place + 1 :]])
            name = next((each for each in (*self._roles, *COLOURS) if word.lower().startswith(each)), None)
            if name is not None and len(name) > 1:
                kind = word[len(name) :].lstrip("_-").lower()
                return self._roles.get(name, name), " ".join(filter(None, (rest, kind)))
            role = self._initials.get(word[:1].lower())
            if role is None and word[1:] in _LETTERS:
                role = _CHESS_COLOURS.get(word[:1])
            if role is not None and len(word) <= 2 and (word[1:] in _LETTERS or word[1:].isdigit() or word[1:] == ""):
                return role, " ".join(filter(None, (rest, _LETTERS.get(word[1:], word[1:]))))
        return None, " ".join(content)


def _is_of_dice(content: _Words) -> bool:
    return is_of_dice(content[0]) and len(content) > 1 and {*content[1:]} <= {*"123456"}


def letters_of(kinds: Iterable[str]) -> dict[str, str]:
    """Return at most two letters for each kind of piece, all different if possible; numbers have up to three digits.

    >>> letters_of(["goblin", "giant", "ice wall", "troll", "123"])
    {'123': '123', 'giant': 'Gi', 'goblin': 'Go', 'ice wall': 'Iw', 'troll': 'T'}
    """
    found: dict[str, str] = {}
    ordered = sorted(each for each in kinds if each)
    starts = [each[0].lower() for each in ordered]
    for kind in ordered:
        first, *others = kind.split()
        if len(kind) <= 2 or (kind.isdigit() and len(kind) <= _MAX_DIGITS):
            found[kind] = kind
            continue
        choices = [first[0]] * (starts.count(kind[0].lower()) == 1 and not others)
        choices += [first[0] + others[-1][0]] if others else []
        choices += [first[0] + letter for letter in first[1:]]
        words = (each[0].upper() + each[1:].lower() for each in choices)
        found[kind] = next((each for each in words if each not in found.values()), kind[:2])
    return found


def _seeds(count: int) -> str:
    """Return some seeds in a pit, and their number below."""
    golden = math.pi * (3 - math.sqrt(5))
    parts = []
    for number in range(min(count, _MAX_SEEDS)):
        distance = 2.6 * math.sqrt(number + 0.6)
        x, y = distance * math.cos(number * golden), distance * math.sin(number * golden) - 5
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.3" fill="#efe6d2" stroke="#6b5a3c" stroke-width="0.7"/>')
    parts.append(
        f'<text y="10.5" text-anchor="middle" dominant-baseline="central" font-family="system-ui, sans-serif" '
        f'font-weight="700" font-size="10.5" class="b4" fill="#5c4626">{count}</text>'
    )
    return "".join(parts)


def _paints_of(roles: Collection[str]) -> dict[str, Paint]:
    """Assign a different colour to each role."""
    named = {role: role.lower() for role in roles if role.lower() in COLOURS}
    free = [colour for colour in _FOR_ROLES if colour not in named.values()]
    others = [role for role in roles if role not in named]
    named |= {role: free[place % len(free)] for place, role in enumerate(others)}
    return {role: COLOURS[colour] for role, colour in named.items()}

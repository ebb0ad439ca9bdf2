"""The appearance of a game in pictures: kind of board, colours, symbols and orientation.

A game of the catalogue has its appearance in `kif_games/appearance.toml`, a sheet `NAME.kif` of a user in the file
`NAME.toml` next to it. Without an appearance the kind of board is chosen from the fluents and moves of the rules.

>>> appearance = read_section(Appearance, {"board": "go", "colours": {"first": "black"}}, "my.toml")
>>> appearance.board, appearance.kind().ground
('go', 'points')
>>> read_section(Appearance, {"board": "goo"}, "my.toml")  # doctest: +ELLIPSIS
Traceback (most recent call last):
...
ggp_agent.common.errors.UserError: my.toml: board must be chess, draughts, go, ... or honeycomb, not "goo"; ...
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from kif_games import appearance, boards

from ...common.toml_file import parse_toml, read_small_text
from ...common.toml_schema import (
    Array,
    Flag,
    Named,
    NonEmptyText,
    Section,
    ValueKind,
    Word,
    key,
    must,
    near_to,
    read_section,
)
from .symbols import COLOURS, SYMBOLS

# The suffix of the file with the appearance of a sheet.
SUFFIX = ".toml"
GROUNDS = ("checkered", "plain", "lines", "points", "holes", "pits", "slots")
ORIENTATIONS = ("standard", "rows_down", "half_turn", "matrix")
SIDES = ("left", "right", "top", "bottom")
# The keys of the colours of a board, as opposed to the colours of its pieces.
SHADES = ("light", "dark", "line", "surround", "label")
# The words that a form offers, by key; colours and symbols may be others, too.
CHOICES = {
    "boards": [*boards()],
    "orientations": [*ORIENTATIONS],
    "colours": [each for each in COLOURS if each != "gray"],
    "symbols": [*SYMBOLS],
}
# The longest text that is a symbol.
_MAX_TEXT = 2

_HEX = re.compile(r"#[0-9a-fA-F]{6}")


class Colour(ValueKind):
    """The name of a colour of pieces, or `#rrggbb`."""

    words, types = f"#rrggbb or one of {', '.join(COLOURS)}", (str,)

    def read(self, value: Any, name: str) -> str:
        colour: str = super().read(value, name)
        if colour not in COLOURS and not _HEX.fullmatch(colour):
            raise ValueError(must(name, self.words, colour) + near_to(colour, COLOURS))
        return colour


class Shades(ValueKind):
    """A colour `#rrggbb`, or an array of two: for light and for dark pages."""

    words, types = "a colour #rrggbb, or an array of two for light and dark pages", (str, list)

    def read(self, value: Any, name: str) -> tuple[str, str]:
        super().read(value, name)
        shades = (value, value) if isinstance(value, str) else tuple(value)
        if len(shades) != 2 or not all(isinstance(each, str) and _HEX.fullmatch(each) for each in shades):
            raise ValueError(must(name, self.words, value))
        return shades[0], shades[1]

    def check(self, value: Any, name: str) -> None:
        self.read(list(value), name)


class SymbolName(ValueKind):
    """The name of a symbol, or one or two characters."""

    words, types = f"one or two characters, or one of {', '.join(SYMBOLS)}", (str,)

    def read(self, value: Any, name: str) -> str:
        symbol: str = super().read(value, name)
        if symbol not in SYMBOLS and not 1 <= len(symbol.strip()) <= _MAX_TEXT:
            raise ValueError(must(name, self.words, symbol) + near_to(symbol, SYMBOLS))
        return symbol


@dataclass(frozen=True, kw_only=True)
class BoardKind(Section):
    """One kind of board; each colour is a pair: for light and for dark pages."""

    ground: str = key(Word(*GROUNDS))
    man: str = key(Word(*SYMBOLS), "man")
    light: tuple[str, str] = key(Shades())
    dark: tuple[str, str] | None = key(Shades(), None)
    line: tuple[str, str] = key(Shades())
    surround: tuple[str, str] = key(Shades())
    label: tuple[str, str] = key(Shades())


@dataclass(frozen=True, kw_only=True)
class Appearance(Section):
    """The appearance of one game."""

    board: str | None = key(Word(*boards()), None)  # the kind of board; None to choose it by the fluents and moves
    # The direction of the coordinates, one of `ORIENTATIONS`. light, dark, line, surround, label: colours that
    # replace the colours of the kind.
    orientation: str = key(Word(*ORIENTATIONS), "standard")
    light: tuple[str, str] | None = key(Shades(), None)
    dark: tuple[str, str] | None = key(Shades(), None)
    line: tuple[str, str] | None = key(Shades(), None)
    surround: tuple[str, str] | None = key(Shades(), None)
    label: tuple[str, str] | None = key(Shades(), None)
    # The colours of pieces, by the name of their role or another word of the fluent.
    colours: dict[str, str] = field(
        default_factory=dict, metadata={"kind": Named(Colour(), "colours, by words of fluents"), "help": ""}
    )
    # The symbols of pieces, by the words of their fluents; `piece` is a piece without another word.
    symbols: dict[str, str] = field(
        default_factory=dict, metadata={"kind": Named(SymbolName(), "symbols, by words of fluents"), "help": ""}
    )
    # The roles whose colours mark the edges of a board of hexagons, by side.
    edges: dict[str, str] = field(
        default_factory=dict, metadata={"kind": Named(NonEmptyText(), "roles, by side"), "help": ""}
    )
    # The names of cells that are drawn three cells high.
    tall: tuple[str, ...] = key(Array(NonEmptyText(), of="names of cells"), ())
    # The names of cells that have the colour `dark`.
    shaded: tuple[str, ...] = key(Array(NonEmptyText(), of="names of cells"), ())
    # Whether the column letters of a native game leave out i, as on Go boards.
    skips_i: bool = key(Flag(), False)

    def __post_init__(self) -> None:
        super().__post_init__()
        for side in self.edges:
            if side not in SIDES:
                raise ValueError(must("a key of edges", f"one of {', '.join(SIDES)}", side) + near_to(side, SIDES))

    def kind(self, otherwise: str = "chess") -> BoardKind:
        """Return the kind of board with the colours of this appearance; `otherwise` is the kind if none is chosen."""
        return replace(
            _kind(self.board or otherwise), **{name: getattr(self, name) for name in SHADES if getattr(self, name)}
        )


@cache
def _kind(name: str) -> BoardKind:
    return read_section(BoardKind, boards()[name], f"the kind of board {name}")


def appearance_of(name: str) -> Appearance | None:
    """Return the appearance of a game in `kif_games/appearance.toml`; None if it has none."""
    found = appearance(name)
    return read_section(Appearance, found, f"the appearance of {name}") if found else None


def read_appearance(text: str, source: str) -> Appearance:
    """Read an appearance written in TOML."""
    return read_section(Appearance, parse_toml(text, source), source)


def appearance_beside(sheet: Path) -> Appearance | None:
    """Return the appearance in the file `NAME.toml` next to a sheet `NAME.kif`; None if there is no such file."""
    path = sheet.with_suffix(SUFFIX)
    if path == sheet or not path.is_file():
        return None
    return read_appearance(read_small_text(path, "the appearance", "TOML"), str(path))


def appearance_for(sheet: Path | None, name: str) -> Appearance | None:
    """Return the appearance of a game: of the file next to its sheet, or of the catalogue; None without one.

    >>> appearance_for(None, "reversi").board, appearance_for(None, "")
    ('felt', None)
    """
    own = None if sheet is None else appearance_beside(sheet)
    return own or (appearance_of(name) if name else None)

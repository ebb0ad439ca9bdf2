"""The catalogue of the rule sheets in this folder: data of each game that is available without reading its rules.

A game is a file `NAME.kif` in this folder, a table `[NAME]` in `catalogue.toml`, and a table in `guide.toml`, which
explains how to play.
"""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Entry:
    """One game of the catalogue.

    Attributes:
        name: the name of the sheet without `.kif`; commands accept it as GAME.
        title: the usual name of the game.
        roles: the roles in the order of the sheet.
        kind: number of players and order of moves, such as `two-player, alternating`.
        board: the size of the board, such as `7x6` (columns, rows) or `19 hexagons`.
        description: one sentence.
        max_turns: the maximal number of joint moves of a match.
        public: the sheet of the public game repository with the same perft counts; empty if there is none.
        hidden: whether the sheet hides information from the roles (GDL-II).
        group: the group of similar games: `lines`, `races`, `draughts`, `territory`, `battles`, `puzzles` or `hidden`.
        also: other names of the game.
        differs: intended differences from that sheet, with reasons; empty if there are none.
    """

    name: str
    title: str
    roles: tuple[str, ...]
    kind: str
    board: str
    description: str
    max_turns: int
    public: str = ""
    differs: str = ""
    hidden: bool = False
    group: str = ""
    also: tuple[str, ...] = ()

    @property
    def simultaneous(self) -> bool:
        """Whether several players move in one turn."""
        return "simultaneous" in self.kind


@dataclass(frozen=True, slots=True)
class Guide:
    """How to play one game of the catalogue, for people; moves stand in `backquotes`.

    Attributes:
        goal: the winning condition, and the values of results.
        moves: the moves of a player in a turn, and how to type them.
        end: the condition that ends the game.
        map: the board as text, with the coordinates of its cells, such as `3,12` or `a7`; empty if it is a grid with
            the first row at the bottom.
        links: a relation of the rules whose pairs of cells of the map are joined by lines in pictures; empty for none.
        native_moves: the moves of the native game, if a move of the native game is several moves of the sheet.
        counters: relations that are digits of one number, with their kind: `binary` or `decimal` (`tens` and `ones`).
        labels: the words that stand for a relation beside a board; empty words hide its fluents.
    """

    goal: str
    moves: str
    end: str
    map: str = ""
    links: str = ""
    native_moves: str = ""
    counters: dict[str, str] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)


class UnknownGameError(KeyError):
    """Report a name that is not in the catalogue; the message offers the closest ones."""

    def __init__(self, name: str, known: list[str]) -> None:
        close = get_close_matches(name.lower(), known, n=3, cutoff=0.7)
        hint = f"did you mean {' or '.join(close)}?" if close else f"the catalogue has {', '.join(known)}"
        self.name = name
        self.message = f"no game is called {name!r}; {hint}"
        super().__init__(self.message)

    def __str__(self) -> str:
        return self.message


def catalogue() -> dict[str, Entry]:
    """Return all games by name, in the order of the catalogue.

    >>> catalogue()["lights_out"].kind
    'one-player'
    """
    return dict(_entries())


def guide(name: str) -> Guide:
    """Return the explanation of a game for players.

    Raises:
        UnknownGameError: the catalogue has no game of this name.

    >>> guide("connect_four").end
    'The game ends with the first line of four, or when all seven columns are full.'
    """
    if name not in _entries():
        raise UnknownGameError(name, list(_entries()))
    table = _tables("guide.toml")[name]
    prose = {key: " ".join(table[key].split()) for key in ("goal", "moves", "end")}
    prose["native_moves"] = " ".join(table.get("native_moves", "").split())
    drawn = {"map": table.get("map", "").rstrip("\n"), "links": table.get("links", "")}
    return Guide(**prose, **drawn, counters=table.get("counters", {}), labels=table.get("labels", {}))


def appearance(name: str) -> dict[str, Any]:
    """Return the appearance of a game in pictures, as in `appearance.toml`; empty if it has none.

    Args:
        name: the name of a sheet, or of a native game without a sheet.

    >>> appearance("reversi"), appearance("unknown")
    ({'board': 'felt'}, {})
    """
    return dict(_tables("appearance.toml")["games"].get(name, {}))


def boards() -> dict[str, dict[str, Any]]:
    """Return the kinds of boards, by name, as in `appearance.toml`.

    >>> boards()["go"]["ground"]
    'points'
    """
    return dict(_tables("appearance.toml")["boards"])


def path(name: str) -> Path:
    """Return the path of the rule sheet of a game.

    Raises:
        UnknownGameError: the catalogue has no game of this name.

    >>> path("orchard").name
    'orchard.kif'
    >>> path("conect_four")
    Traceback (most recent call last):
    kif_games.catalogue.UnknownGameError: no game is called 'conect_four'; did you mean connect_four?
    """
    file = f"{name}.kif"
    if file not in os.listdir(_FOLDER):  # faster than reading the tables, which have the same names
        raise UnknownGameError(name, list(_entries()))
    return _FOLDER / file


def rules(name: str) -> str:
    """Return the text of the rule sheet of a game.

    Raises:
        UnknownGameError: the catalogue has no game of this name.
    """
    return path(name).read_text(encoding="utf-8")


@cache
def _tables(file: str) -> dict[str, dict[str, Any]]:
    return tomllib.loads((_FOLDER / file).read_text(encoding="utf-8"))


@cache
def _entries() -> dict[str, Entry]:
    return {
        name: Entry(
            name=name,
            title=table["title"],
            roles=tuple(table["roles"]),
            kind=table["kind"],
            board=table["board"],
            description=table["description"],
            max_turns=table["max_turns"],
            public=table.get("public", ""),
            differs=table.get("differs", ""),
            hidden=table.get("hidden", False),
            group=table["group"],
            also=tuple(table.get("also", ())),
        )
        for name, table in _tables("catalogue.toml").items()
    }

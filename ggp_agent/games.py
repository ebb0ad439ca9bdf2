"""From the word GAME of a command line to the rules of a game, and from these to a machine.

>>> load_game("fast:breakthrough_6x6").machine().kind
'module'
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, overload

from gdl import RuleSheet, parse_sheet
from gdl.compile.kept_sheets import kept_sheet
from gdl.language.parse import read_text
from gdl.language.playable import require_playable

from .errors import UserError, describe_os_error

if TYPE_CHECKING:
    from gdl import CompiledMachine, StateMachine
    from kif_games import Guide

    from .state import State

# The role that chance plays, not a player.
RANDOM_ROLE = "random"


def is_chance(role: str) -> bool:
    """Tell whether a role is chance; sheets spell it as they like.

    >>> is_chance("Random"), is_chance("white")
    (True, False)
    """
    return role.lower() == RANDOM_ROLE


def roles_to_play(roles: Iterable[str]) -> tuple[str, ...]:
    """Return the roles that players take: all but chance, in order.

    >>> roles_to_play(("dealer", "random", "guest"))
    ('dealer', 'guest')
    """
    return tuple(role for role in roles if not is_chance(role))


# The end of the names of rule sheets.
SUFFIX = ".kif"

# What stands before the name of a hand-coded game.
MODULE_PREFIX = "fast:"

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://\S*")


@dataclass(frozen=True, slots=True)
class Game:
    """The rules of one game, and what it is called.

    Attributes:
        name: a short name, fit for file names and match identifiers.
        sheet: its rules; at least one says what is a role.
        address: where the rules are from, in a form that changes when they change: the URL of their version in a
            repository, or else their name and digest.
        module: the name of the hand-coded game that is played instead of the rules, which are its reference sheet;
            where it has none they name the roles alone.
    """

    name: str
    sheet: RuleSheet
    address: str
    module: str | None = None

    @property
    def word(self) -> str:
        """What a user calls it: a name of the catalogue, that of a file, or `fast:` and the name of a module."""
        return self.name if self.module is None else MODULE_PREFIX + self.module

    @property
    def digest(self) -> str:
        """What changes when the rules change, wherever they are from."""
        return _digest(self.sheet)

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles, in the order of the rules; that of chance is one."""
        return self.sheet.roles()

    @property
    def guide(self) -> Guide | None:
        """What the catalogue tells people of the game; None where it does not have just these rules."""
        from kif_games import catalogue, guide

        from .hand_coded import module

        name = self.name if self.module is None else module(self.module).reference_sheet
        if name not in catalogue() or _digest(_from_catalogue(name)) != self.digest:
            return None
        return guide(name)

    def initial_state(self, kind: Literal["any", "network", "reasoner"] = "any") -> State:
        """Return the position that the game begins with.

        Args:
            kind: of its machine, as below.

        Raises:
            GdlError, UserError: as `machine`.
        """
        from .state import State

        machine = self.machine(kind)
        return State(self, machine, machine.initial())

    @property
    def has_rules(self) -> bool:
        """Whether there is a rule sheet, as for all but some hand-coded games."""
        from .hand_coded import module

        return self.module is None or bool(module(self.module).reference_sheet)

    @overload
    def machine(self, kind: Literal["any", "network", "reasoner"] = "any") -> CompiledMachine: ...
    @overload
    def machine(self, kind: str) -> StateMachine: ...
    def machine(self, kind: str = "any") -> StateMachine:
        """Build a machine: the hand-coded module if that was asked for, or else one for the rules.

        Args:
            kind: as for `gdl.load_machine`.

        Raises:
            GdlError: the rules describe no game that can be played, or none that a machine of this kind can play.
            UserError: a module was asked for together with another kind of machine.
        """
        if self.module is None:
            from gdl import load_machine  # reads in the compiler

            return load_machine(self.sheet, kind)
        if kind != "any":
            require_rules(self)
            raise UserError(f"{self.word} is a machine of its own; a {kind} is made of its rules, {self.sheet.source}")
        from .hand_coded import ModuleMachine, module

        return ModuleMachine(module(self.module))


def load_game(word: str | Path) -> Game:
    """Find the game that a word names, or whose rules it is.

    It is the path of a `.kif` file, a name of the catalogue, `fast:` and the name of a hand-coded game, the URL of a
    rule sheet or of a game in a repository (see `game_repository`), or the text of a rule sheet, which has a
    parenthesis.

    >>> load_game("connect_four").roles
    ('red', 'yellow')

    Raises:
        UserError: there is no such game, its file cannot be read, or there is nothing at the URL.
        GdlError: its text is no KIF, or no game that can be played: no rules, no roles, hidden information.
    """
    if is_url(word):
        return _from_web(str(word))
    if isinstance(word, str) and "(" in word and not word.endswith(SUFFIX):
        return game_of_text(word)
    word = os.fspath(word)
    if word.startswith(MODULE_PREFIX):
        return _hand_coded(word.removeprefix(MODULE_PREFIX))
    path = Path(word)
    try:
        if word.endswith(SUFFIX) or os.sep in word or path.is_file():
            return _game(path.stem, _from_file(path))
    except OSError as error:
        raise UserError(describe_os_error(error)) from None
    return _game(word, _from_catalogue(word))


def is_url(word: str | Path) -> bool:
    """Tell whether a word leads to the web.

    >>> is_url("http://games.ggp.org/base/games/ticTacToe/"), is_url("games/ticTacToe.kif"), is_url("fast:kalah")
    (True, False, False)
    """
    return isinstance(word, str) and _URL.fullmatch(word) is not None


def sheet_text(word: str) -> str:
    """Return the text of a rule sheet, whatever it says.

    Args:
        word: the path of a file, or a URL as for `load_game`.

    Raises:
        OSError: the file cannot be read.
        UserError: there is no sheet at the URL.
    """
    if not is_url(word):
        return read_text(word)
    from .game_repository import fetch_game

    return fetch_game(word).text


def game_of_text(text: str, name: str = "") -> Game:
    """Return the game whose rules a text says; the name is its own, also in messages.

    Raises:
        GdlError: the text is no KIF, or no game that can be played.
    """
    return _game(name or "game", parse_sheet(text, source=name or "<text>"))


def _game(name: str, sheet: RuleSheet, address: str = "") -> Game:
    require_playable(sheet)
    return Game(safe_name(name), sheet, address or f"ggp-agent:{safe_name(name)}:sha256-{_digest(sheet)}")


def _from_web(url: str) -> Game:
    from .game_repository import fetch_game  # reads in what speaks HTTP

    found = fetch_game(url)
    return _game(found.name, kept_sheet(found.text, source=found.source), found.address)


def require_rules(game: Game) -> None:
    """Refuse a hand-coded game that has no rule sheet, for what is done with rules.

    Raises:
        UserError: it has none.
    """
    if not game.has_rules:
        raise UserError(
            f"{game.word} has no rule sheet, which this needs; play, search, arena, bench and perft do without"
        )


def safe_name(text: str) -> str:
    """Keep what may stand in a file name and in one word of a message.

    >>> safe_name("my game (v2)")
    'my_game_v2'
    """
    words = "".join(c if c.isascii() and (c.isalnum() or c in "-_.") else " " for c in text).split()
    return "_".join(words).strip(".") or "game"


def _digest(sheet: RuleSheet) -> str:
    return hashlib.sha256(str(sheet).encode()).hexdigest()[:16]


def _hand_coded(name: str) -> Game:
    from .hand_coded import module

    game = module(name)
    short = safe_name(f"fast_{name}")
    if not game.reference_sheet:
        return Game(short, game.sheet(), f"ggp-agent:{short}", name)
    rules = load_game(game.reference_sheet)
    return Game(short, rules.sheet, rules.address, name)


def _from_file(path: Path) -> RuleSheet:
    from kif_games import catalogue

    if path.is_dir():
        raise UserError(f"{path}: this is a directory; give the path of a .kif file")
    if not path.exists() and (near := _near(path.name, [*catalogue(), *_files_beside(path)])):
        raise UserError(f"{path}: no such file or directory; did you mean {near}?")
    return kept_sheet(read_text(path), source=str(path))


def _from_catalogue(name: str) -> RuleSheet:
    from kif_games import UnknownGameError, catalogue, rules

    try:
        text = rules(name)
    except UnknownGameError:
        beside = Path(f"{name}{SUFFIX}")
        if beside.is_file():
            raise UserError(f"no game of the catalogue is called {name!r}; did you mean {beside}, the file?") from None
        near = _near(name, [*catalogue(), *_files_beside(beside)])
        advice = f"did you mean {near}?" if near else "'ggp-agent games' lists them"
        raise UserError(f"no game is called {name!r}; {advice}") from None
    return kept_sheet(text, source=name)


def _near(name: str, names: list[str]) -> str:
    """Name those that look like a name, of files without the end `.kif`; empty where none does."""
    import difflib  # only for mistakes

    stems = {each.removesuffix(SUFFIX).lower(): each for each in reversed(names)}
    found = difflib.get_close_matches(name.removesuffix(SUFFIX).lower(), stems, n=3, cutoff=0.65)
    return " or ".join(stems[each] for each in found)


def _files_beside(path: Path) -> list[str]:
    """List the rule sheets in the folder of a file, as paths of the same kind."""
    return sorted(str(path.with_name(each.name)) for each in path.parent.glob(f"*{SUFFIX}"))

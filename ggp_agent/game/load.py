"""Find a game by the word GAME of a command line, and create its state machine.

>>> load_game("fast:breakthrough_6x6").machine().kind
'module'
"""

from __future__ import annotations

import difflib
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from gdl import RuleSheet, parse_sheet
from gdl.compile.kept_sheets import kept_sheet
from gdl.language.parse import read_text
from gdl.language.playable import require_playable
from kif_games import UnknownGameError, catalogue, path

from ..common.errors import UserError, describe_os_error, require_type
from .game import NATIVE_PREFIX, Game, rules_digest
from .native.registry import native_game, native_games

if TYPE_CHECKING:
    from .repository import FetchedGame

# The suffix of rule sheets in KIF, and of all rule sheets: the others usually have infix notation.
SUFFIX = ".kif"
SUFFIXES = (SUFFIX, ".hrf", ".gdl", ".pl", ".rules")

# Number of similar names that a message suggests.
_MAX_NEAR = 3

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://\S*")


def load_game(word: str | Path) -> Game:
    """Find the game that a word names.

    Args:
        word: the path of a rule sheet (`.kif`, or infix notation in a file such as `.hrf`), a name of the catalogue,
            `fast:` and the name of a native game, the URL of a rule sheet or of a game in a repository (see
            `repository`), or the text of a rule sheet.

    >>> load_game("connect_four").roles
    ('red', 'yellow')

    Raises:
        UserError: there is no such game, its file cannot be read, or there is nothing at the URL.
        GdlError: the text is not GDL, or is not a playable game, for instance without roles.
        ArgumentTypeError: the word is neither a text nor a path.
    """
    require_type(word, (str, os.PathLike), "word", "the name, path, URL or text of a game")
    if is_url(word):
        return _from_web(str(word))
    if isinstance(word, str) and "(" in word and not word.endswith(SUFFIXES):
        return game_of_text(word)
    word = os.fspath(word)
    if word.startswith(NATIVE_PREFIX):
        return _native(word.removeprefix(NATIVE_PREFIX))
    file = Path(word)
    try:
        if word.endswith(SUFFIXES) or os.sep in word or file.is_file():
            return _from_file(file)
    except OSError as error:
        raise UserError(describe_os_error(error)) from None
    return _game(word, kept_sheet(read_text(_path_in_catalogue(word)), source=word))


def is_url(word: str | Path) -> bool:
    """Return True if a word is a URL.

    >>> is_url("http://games.ggp.org/base/games/ticTacToe/"), is_url("games/ticTacToe.kif"), is_url("fast:kalah")
    (True, False, False)
    """
    return isinstance(word, str) and _URL.fullmatch(word) is not None


def sheet_text(word: str) -> str:
    """Return the text of a rule sheet without checking it.

    Args:
        word: the path of a file, a name of the catalogue, or a URL as for `load_game`.

    Raises:
        OSError: the file cannot be read.
        UserError: there is no sheet at the URL.
    """
    return _fetched(word).text if is_url(word) else read_text(sheet_path(word))


def sheet_path(word: str) -> Path:
    """Return the path of a rule sheet, given by its path or its name in the catalogue.

    Raises:
        UserError: the word is neither the path of a file nor a name of the catalogue.
    """
    file = Path(word)
    return file if file.suffix or os.sep in word or file.exists() else _path_in_catalogue(word)


def game_of_text(text: str, name: str = "") -> Game:
    """Return the game of a rule sheet given as text.

    Args:
        text: the rules.
        name: the name of the game, also for messages.

    Raises:
        GdlError: the text is not KIF, or is not a playable game.
    """
    return _game(name or "game", parse_sheet(text, source=name or "<text>"), text=text)


def _game(name: str, sheet: RuleSheet, address: str = "", text: str = "", path: Path | None = None) -> Game:
    require_playable(sheet)
    name = safe_name(name)
    return Game(name, sheet, address or f"ggp-agent:{name}:sha256-{rules_digest(sheet)}", text=text, path=path)


def _fetched(url: str) -> FetchedGame:
    from .repository import fetch_game  # imports requests, which local games do not need

    return fetch_game(url)


def _from_web(url: str) -> Game:
    found = _fetched(url)
    return _game(found.name, kept_sheet(found.text, source=found.source), found.address, found.text)


def safe_name(text: str) -> str:
    """Return a name without characters that are invalid in file names and match messages.

    >>> safe_name("my game (v2)")
    'my_game_v2'
    """
    words = "".join(c if c.isascii() and (c.isalnum() or c in "-_.") else " " for c in text).split()
    return "_".join(words).strip(".") or "game"


def _native(name: str) -> Game:
    game = native_game(name)
    short = safe_name(f"fast_{name}")
    if not game.reference_sheet:
        return Game(short, game.sheet(), f"ggp-agent:{short}", name)
    rules = load_game(game.reference_sheet)
    return Game(short, rules.sheet, rules.address, name)


def _from_file(path: Path) -> Game:
    if path.is_dir():
        raise UserError(f"{path}: this is a directory; give the path of a .kif file")
    if not path.exists() and (near := _near(path.name, [*catalogue(), *_files_beside(path)])):
        raise UserError(f"{path}: no such file or directory; did you mean {near}?")
    text = read_text(path)
    return _game(path.stem, kept_sheet(text, source=str(path)), text=text, path=path)


def _path_in_catalogue(name: str) -> Path:
    try:
        return path(name)
    except UnknownGameError:
        beside = Path(f"{name}{SUFFIX}")
        if beside.is_file():
            raise UserError(f"the catalogue has no game {name!r}; did you mean the file {beside}?") from None
        native = [f"{NATIVE_PREFIX}{each}" for each in native_games() if each not in catalogue()]
        near = _near(name, [*catalogue(), *_files_beside(beside), *native])
        advice = f"did you mean {near}?" if near else "'ggp-agent games' lists them"
        raise UserError(f"no game is called {name!r}; {advice}") from None


def _near(name: str, names: list[str]) -> str:
    """Return the names that are similar to a name, compared without `.kif` and `fast:`."""
    stems = {each.removesuffix(SUFFIX).removeprefix(NATIVE_PREFIX).lower(): each for each in reversed(names)}
    wanted = name.removesuffix(SUFFIX).lower()
    close, fairly_close = (
        difflib.get_close_matches(wanted, stems, n=_MAX_NEAR, cutoff=cutoff) for cutoff in (0.65, 0.6)
    )
    found = close or fairly_close
    # Names that contain the whole word, such as go_9x9 for go; names that begin with it come first.
    parts = sorted((stem for stem in stems if wanted in stem.split("_")), key=lambda stem: not stem.startswith(wanted))
    return " or ".join(stems[each] for each in list(dict.fromkeys([*parts, *found]))[:_MAX_NEAR])


def _files_beside(path: Path) -> list[str]:
    """List the rule sheets in the folder of a file."""
    return sorted(str(path.with_name(each.name)) for each in path.parent.glob("*") if each.suffix in SUFFIXES)

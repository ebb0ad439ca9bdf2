"""`ggp-agent games`: list the games of the catalogue or of a repository on the web."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from kif_games import catalogue

from ..common.report import print_result
from ..common.terminal_text import amount, columns_of_terminal, fitted_table, json_text, wrapped
from ..game.drawing.board import Board
from ..game.game import NATIVE_PREFIX
from ..game.load import load_game
from ..game.native.registry import native_games
from ..game.roles import is_chance, roles_to_play
from ._arguments import add_option, add_shared

if TYPE_CHECKING:
    from kif_games import Entry

DESCRIPTION = """\
List the games of the catalogue: name, board, roles, order of moves, and the title if the terminal is wide enough.

'in turn': players move one after the other. 'again': a player may move several times in a row. 'together': all players
move at the same time. 'chance': a role called random plays, too. 'fast': the game also exists as a native game,
fast:NAME.

With a NAME only this game is shown, with its first position. 'ggp-agent rules NAME' shows how to play it.

With --from the games of a repository on the web are listed, such as one of GGP-Base or a folder of games on a plain web
server. Every command accepts the printed URL as its GAME.
"""

EPILOG = """\
examples:
  ggp-agent games
  ggp-agent games hex
  ggp-agent games --json
  ggp-agent games --from http://games.ggp.org/base/
"""


_HEAD = ("game", "board", "roles", "moves", "kind", "title")
_REPOSITORY_HEAD = ("game", "URL", "roles", "version", "title")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument("name", metavar="NAME", nargs="?", help="a game of the catalogue (default: all)")
    add_option(chosen, "--from", "URL", "list a repository on the web instead", dest="repository")
    add_shared(parser, "--no-cache", "--json")


def run(args: argparse.Namespace) -> int:
    """Print the catalogue, or one game."""
    if args.repository is not None:
        return _list_repository(args.repository, args.json)
    if args.name is not None:
        return _show(args.name, args.json)
    fast = {native.reference_sheet: name for name, native in native_games().items()}
    entries = list(catalogue().values())
    rows = [
        (
            entry.name,
            entry.board,
            " ".join(roles_to_play(entry.roles)),
            _order(entry),
            "fast" if entry.name in fast else "hidden" if entry.hidden else "",
            entry.title,
        )
        for entry in entries
    ]
    parts = (
        fitted_table(_HEAD, rows, (), columns_of_terminal(), ["title"])[0],
        "'ggp-agent rules GAME' shows its rules, 'ggp-agent play GAME' plays it.",
    )
    document = {"games": [_document(entry, fast) for entry in entries]}
    print_result(document, parts, as_json=args.json, ensure_ascii=False, indent=1)
    return 0


def _list_repository(url: str, as_json: bool) -> int:
    """Print the games of a repository on the web."""
    from ..game.repository_index import list_repository  # imports requests, which the catalogue does not need

    games = list_repository(url)
    rows = [(game.name, game.url, " ".join(game.roles), game.version, game.title) for game in games]
    parts = (
        fitted_table(_REPOSITORY_HEAD, rows, ("version",), columns_of_terminal(), ["title", "roles", "version"])[0],
        f"{amount(len(games), 'game')}; every command accepts a URL as its GAME.",
    )
    document = {"repository": url, "games": [game.document() for game in games]}
    print_result(document, parts, as_json=as_json, indent=1)
    return 0


def _show(name: str, as_json: bool) -> int:
    """Print one game, with its first position."""
    game = load_game(name)
    machine = game.machine()
    board = Board(machine, game.guide)
    drawing = board.draw(machine.initial())
    fast = {native.reference_sheet: word for word, native in native_games().items()}
    entry = catalogue().get(name)
    if as_json:
        document = {"name": game.name, "roles": list(machine.roles)} if entry is None else _document(entry, fast)
        print(json_text({**document, "legend": board.legend, "picture": str(drawing)}, ensure_ascii=False, indent=1))
        return 0
    if entry is not None:
        print(f"{entry.title}: {entry.description}")
        print(f"{entry.kind}, {entry.board}, at most {amount(entry.max_turns, 'turn')}; roles {', '.join(entry.roles)}")
        if name in fast:
            print(f"also a native game: fast:{fast[name]}")
    if board.legend:
        print("\n".join(wrapped(board.legend, columns_of_terminal())))
    print(drawing)
    return 0


def _order(entry: Entry) -> str:
    chance = ", chance" if any(map(is_chance, entry.roles)) else ""
    if entry.simultaneous:
        return f"together{chance}"
    if entry.kind.startswith("one-player"):
        return f"alone{chance}"
    return f"in turn{', again' if 'extra' in entry.kind else ''}{chance}"


def _document(entry: Entry, fast: dict[str, str]) -> dict[str, Any]:
    played = list(roles_to_play(entry.roles))
    return {
        "name": entry.name,
        "title": entry.title,
        "description": entry.description,
        "roles": list(entry.roles),
        "players": len(played),
        "kind": entry.kind,
        "simultaneous": entry.simultaneous,
        "chance": len(played) < len(entry.roles),
        "hidden": entry.hidden,
        "board": entry.board,
        "max_turns": entry.max_turns,
        "fast": NATIVE_PREFIX + fast[entry.name] if entry.name in fast else None,
    }

"""`ggp-agent rules`: show how to play a game."""

from __future__ import annotations

import argparse
import shutil

from kif_games import catalogue

from ..common.terminal_text import json_text, wrapped
from ..game.drawing.board import Board
from ..game.load import load_game
from ..ui.terminal.introduction import introduction, paragraphs
from ._arguments import add_game_argument, add_shared

DESCRIPTION = """\
Show how to play GAME: the goal, the moves, the end, how to type moves, and the first position.

Games of the catalogue have a written description. For other rule sheets the roles, some moves and the first position
are shown.
"""

EPILOG = """\
examples:
  ggp-agent rules breakthrough
  ggp-agent rules my_game.kif
  ggp-agent rules fast:checkers --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_game_argument(parser)
    add_shared(parser, "--no-cache", "--json")


def run(args: argparse.Namespace) -> int:
    """Print the rules."""
    game = load_game(args.game)
    start = game.initial_state()
    guide = game.guide
    guide_text = introduction(start)
    board = Board(start.machine, guide)
    drawing = board.draw(start.packed)
    name = game.name if game.module is None else game.name.removeprefix("fast_")
    title = catalogue()[name].title if guide is not None and name in catalogue() else game.name
    if args.json:
        document = {
            "game": game.name,
            "title": title,
            "roles": list(start.roles),
            "goal": guide_text.goal,
            "moves": guide_text.moves,
            "end": guide_text.end,
            "example": guide_text.example,
            "typing": guide_text.typing,
            "legend": board.legend,
            "picture": str(drawing),
        }
        print(json_text(document, ensure_ascii=False, indent=1))
        return 0
    print(f"{title}: {', '.join(start.roles)}")
    print("\n".join(paragraphs(guide_text.parts(), shutil.get_terminal_size().columns)))
    if board.legend:
        print("\n".join(wrapped(board.legend, shutil.get_terminal_size().columns)))
    print(drawing)
    return 0

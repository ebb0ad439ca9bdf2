"""`ggp-agent equivalent`: decide whether two rule sheets are the same game."""

from __future__ import annotations

import argparse
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from ..common.report import print_result
from ..common.terminal_text import amount
from ..game.game import require_rules
from ..game.load import load_game
from ..verify.equivalence import MAX_POSITIONS, MAX_SECONDS, Equivalence, compare_machines, same_rules
from ._arguments import add_game_argument, add_option, add_shared

if TYPE_CHECKING:
    from ..game.game import Game

DESCRIPTION = """\
Decide whether A and B are the same game.

If renaming symbols and reordering rules turns one sheet into the other, the games are the same, and the renaming is
printed. Otherwise both games are played in lockstep, all lines of one turn first, then all lines of two turns, and so
on. The first position in which the end, the goals, the legal moves or the percepts differ is printed with the line that
leads to it: a shortest line, unless random games found it. If all reachable positions agree, the games are the same. A
large game is compared up to --positions and --seconds, and then by random games until the time is over.

Moves are matched by name. If B has other names, list them with --names. A native game stands for its rule sheet.

The exit status is 1 if the games differ, and 0 if no difference was found.
"""

EPILOG = """\
examples:
  ggp-agent equivalent connect_four my_connect_four.kif
  ggp-agent equivalent tic_tac_toe other.kif --names x=white,o=black,mark=put
  ggp-agent equivalent checkers public_checkers.kif --seconds 120 --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_game_argument(parser, "first")
    add_game_argument(parser, "second")
    add_option(parser, "--names", "OLD=NEW,...", "names in B of symbols of A", {}, type=symbol_names)
    add_option(parser, "--positions", "count", "compare at most N positions before random games", MAX_POSITIONS)
    add_option(parser, "--seconds", "seconds", "time limit of the comparison", MAX_SECONDS)
    add_option(parser, "--seed", "integer", "seed of the random games", 1)
    add_shared(parser, "--no-cache", "--json")


def symbol_names(text: str) -> dict[str, str]:
    """Read pairs of symbols.

    >>> symbol_names("x=white,o=black")
    {'x': 'white', 'o': 'black'}
    """
    names: dict[str, str] = {}
    for pair in text.split(","):
        old, equals, new = (part.strip() for part in pair.partition("="))
        if not (old and equals and new) or set(pair) & set("()?"):
            raise argparse.ArgumentTypeError(f"{pair.strip()!r} is not OLD=NEW with two symbols, such as x=white")
        if old in names:
            raise argparse.ArgumentTypeError(f"{old} has two names: {names[old]} and {new}")
        if new in names.values():
            raise argparse.ArgumentTypeError(f"two symbols have the name {new}")
        names[old] = new
    return names


def run(args: argparse.Namespace) -> int:
    """Compare and print the result."""
    games = _sheet_of(args.first), _sheet_of(args.second)
    names = None if args.names else same_rules(games[0].sheet, games[1].sheet)
    if names is not None:
        found = Equivalence("same rules", names)
    else:
        found = compare_machines(
            games[0].machine(),
            games[1].machine(),
            names=args.names,
            labels=_labels(args.first, args.second),
            max_positions=args.positions,
            max_seconds=args.seconds,
            seed=args.seed,
        )
    document = {"first": args.first, "second": args.second, **asdict(found)}
    print_result(document, _lines(found), as_json=args.json)
    return 1 if found.verdict == "different" else 0


def _sheet_of(word: str) -> Game:
    """Return the game of a word; for a native game, the game of its rule sheet."""
    game = load_game(word)
    require_rules(game)
    return replace(game, module=None)


def _labels(first: str, second: str) -> tuple[str, str]:
    """Return short names of the games."""
    names = first.rsplit("/", 1)[-1], second.rsplit("/", 1)[-1]
    return names if names[0] != names[1] else (first, second)


def _lines(found: Equivalence) -> list[str]:
    if found.verdict == "same rules":
        lines = ["the same game: renaming symbols and reordering rules turns one sheet into the other"]
        return [*lines, *[f"  {old} = {new}" for old, new in found.names.items()]]
    if found.verdict == "same game":
        return [f"the same game: all {found.positions:,} reachable positions agree"]
    if found.verdict == "no difference found":
        return [
            f"no difference found: all lines up to {_turns(found.depth)} agree, and so do "
            f"{amount(found.random_games, 'random game')} ({amount(found.positions, 'position')})"
        ]
    shorter = "" if found.is_shortest else f"; all lines up to {_turns(found.depth)} agree"
    where = f"after {_turns(len(found.line))}" if found.line else "in the initial position"
    lines = [f"different games {where}: {found.difference}{shorter}"]
    lines += [f"{number:>4}. {'  '.join(joint)}" for number, joint in enumerate(found.line, start=1)]
    if not found.line and found.difference.startswith("legal moves") and not found.names:
        lines.append("moves are matched by name; if the names differ, list them with --names OLD=NEW,...")
    return lines


def _turns(count: int) -> str:
    return amount(max(count, 0), "turn")

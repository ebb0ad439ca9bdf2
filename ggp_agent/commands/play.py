"""`ggp-agent play`: play against the agent in the terminal."""

from __future__ import annotations

import argparse
import contextlib
import io
import random
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..arena.role_players import KnowingPlayer
from ..common.errors import UserError
from ..common.processes import cores
from ..common.progress import plain_console
from ..common.terminal_text import amount
from ..game.load import load_game
from ..game.roles import is_chance, roles_to_play
from ..game.sheet_errors import note_sheet_errors
from ..mcts.configurations import read_player_configuration
from ..mcts.limits import Limits
from ..mcts.searcher import Searcher
from ..prepare.preparation import as_chosen
from ..ui.terminal.game_in_play import GameInPlay, player_of
from ..ui.terminal.game_record import GameRecord
from ..ui.terminal.session import PlaySession
from ._arguments import add_config_option, add_game_argument, add_option, add_output, add_shared

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..game.game import State
    from ..mcts.config import SearchConfig

DESCRIPTION = """\
Play GAME against the agent in the terminal: the board is shown as text, moves are chosen by number or typed.

You play the first role, or the roles of --role; the agent plays the others, and a role called 'random' is chance. A
role with a single legal move makes it automatically. Besides moves you may type '?' for the agent's candidates, 'undo',
'save FILE', 'load FILE', 'draw FILE', 'moves', 'board', 'rules', 'help' and 'quit'. Ctrl-C and Ctrl-D quit, too. The
game is stored as a match record from its first turn.

In a game with hidden information you play one role. You see its moves and percepts, and at the end everything. Such a
game has no record, and '?', 'undo', 'board', 'save', 'load' and 'draw' are not available.
"""

EPILOG = """\
examples:
  ggp-agent play connect_four
  ggp-agent play fast:breakthrough --role black --seconds 2
  ggp-agent play tic_tac_toe --role x --role o
  ggp-agent play my_game.kif --watch --config mine.toml
  ggp-agent play kuhn_poker --role second --seconds 1
"""

DEFAULT_SECONDS = 5.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_game_argument(parser)
    who = parser.add_mutually_exclusive_group()
    add_option(who, "--role", "NAME", "a role that you play; repeatable (default: the first)", action="append")
    add_option(who, "--watch", "flag", "the agent plays all roles")
    add_option(parser, "--seconds", "seconds", f"seconds per move (default: {DEFAULT_SECONDS:g} without --simulations)")
    add_option(parser, "--simulations", "count", "maximal simulations for each move of the agent")
    add_config_option(parser)
    add_option(parser, "--resume", "RECORD", "continue the game of this match record")
    keeping = parser.add_mutually_exclusive_group()
    add_output(parser, "--record", group=keeping, continues="resume", help="the record (default: matches/<match>.json)")
    add_option(keeping, "--no-record", "flag", "write no record")
    add_option(parser, "--seed", "integer", "seed of the search and of chance (default: random)")
    add_shared(parser, "--no-cache")


def run(args: argparse.Namespace) -> int:
    """Play until the user quits."""
    game = load_game(args.game)
    start = game.initial_state()
    machine = start.machine
    note_sheet_errors(game)
    persons = [] if args.watch else _persons(game.name, machine.roles, args.role)
    seconds = args.seconds
    if seconds is None and args.simulations is None:
        seconds = DEFAULT_SECONDS
    if machine.hides_information:
        play_of, searcher = _hidden_game(args, start, persons), None
    else:
        play_of, searcher = _open_game(args, start, persons)
    record = None
    if searcher is not None and (args.record is not None or (not args.no_record and game.has_rules)):
        path = None if args.record is None else Path(args.record)
        players = [play_of.players[role] for role in machine.roles]
        record = GameRecord(path, start, players, seconds or 0.0, _note)
    session = PlaySession(
        play_of,
        searcher,
        limits=Limits(simulations=args.simulations, seconds=seconds),
        record=record,
        console=plain_console(stderr=False),
        read=_reader(),
    )
    if args.resume is not None:
        session.load(Path(args.resume))
    try:
        session.run()
    except KeyboardInterrupt:
        played = len(play_of.turns)
        kept = f"; the record so far: {record.path}" if record is not None and record.path is not None else ""
        print(f"interrupted after {amount(played, 'turn')}{kept}", file=sys.stderr)
        raise
    if record is not None and record.path is not None:
        print(f"record: {record.path}")
    return 0


def _open_game(args: argparse.Namespace, start: State, persons: Sequence[str]) -> tuple[GameInPlay, Searcher]:
    """Return a game whose state all roles know, and the search of the agent."""
    machine = start.machine
    config, _ = as_chosen(machine, _configuration(args))
    try:
        searcher = Searcher(machine, config)
    except ValueError as error:
        raise UserError(f"{args.game}: {error}") from None
    players = {role: player_of(role, persons) for role in machine.roles}
    return GameInPlay(start, players, searcher=searcher, seed=config.seed), searcher


def _hidden_game(args: argparse.Namespace, start: State, persons: Sequence[str]) -> GameInPlay:
    """Return a game with hidden information, with a player for each role."""
    game, machine = start.game, start.machine
    for name in ("resume", "record"):
        if getattr(args, name) is not None:
            raise UserError(f"{game.word} hides information: play has no --{name} for such games")
    if len(persons) != 1:
        raise UserError(f"{game.word} hides information: one person plays one role; give --role once, without --watch")
    config = read_player_configuration(args.config)
    if without := config.keys_without_effect(hides_information=True):
        raise UserError(f"--config: no effect in {game.word}, which hides information: {', '.join(without)}")
    seeds = random.Random(random.getrandbits(63) if args.seed is None else args.seed)
    knowing = {
        role: KnowingPlayer(start, number, config.hidden, seeds.getrandbits(63))
        for number, role in enumerate(machine.roles)
        if not is_chance(role)
    }
    players = {role: player_of(role, persons) for role in machine.roles}
    return GameInPlay(start, players, knowing=knowing, seed=seeds.getrandbits(63))


def _configuration(args: argparse.Namespace) -> SearchConfig:
    """Return the search configuration with the seed of the command line; by default it uses all cores."""
    config = read_player_configuration(args.config)
    seed = args.seed if args.seed is not None else random.getrandbits(63)
    try:
        return replace(config, seed=seed, threads=config.threads or cores())
    except ValueError as error:
        raise UserError(str(error)) from None


def _note(text: str) -> None:
    print(text, file=sys.stderr)


def _persons(game: str, roles: Sequence[str], named: Sequence[str] | None) -> list[str]:
    """Return the roles that persons play; raise a UserError for an unknown role."""
    played = {role.lower(): role for role in roles_to_play(roles)}
    if named is None:
        return list(played.values())[:1]
    for name in named:
        if name.lower() not in played:
            raise UserError(f"{game} has no role {name} for a person; its roles: {', '.join(played.values())}")
    return [played[name.lower()] for name in named]


def _reader() -> Callable[[str], str]:
    """Return a function that reads a line: with editing and history on a terminal, without prompts otherwise."""

    def ask(prompt: str) -> str:
        try:
            return input(prompt)
        except (EOFError, KeyboardInterrupt):
            print()
            raise

    def take(prompt: str) -> str:
        line = sys.stdin.readline() if sys.stdin is not None else ""
        if not line:
            raise EOFError
        return line.rstrip("\n")

    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    if sys.stdin is None or not sys.stdin.isatty():
        return take
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401 - gives `input` its editing
    return ask

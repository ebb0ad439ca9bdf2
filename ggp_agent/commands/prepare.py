"""`ggp-agent prepare`: choose a search configuration in advance, for a game or for every rule sheet of a folder."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from ..common.errors import EXIT_INTERRUPTED
from ..common.interrupts import interrupts_repeated
from ..common.processes import cores
from ..common.terminal_text import json_text, say
from ..game.game import require_perfect_information
from ..game.load import load_game
from ..game.native.native_machine import machine_to_play
from ..prepare.choice import ChoiceStore
from ..prepare.preparation import prepare_beforehand
from ._arguments import add_option, add_shared
from ._collection import prepare_all

if TYPE_CHECKING:
    from gdl import CompiledMachine

    from ..arena.scores import Score
    from ..game.game import Game
    from ..prepare.choice import Choice

DESCRIPTION = """\
Compile GAME and choose a search configuration for it, as a player does in the startclock of its first match: find an
evaluation of its states, then let a few configurations, with and without the evaluation, play short test games against
the default. A candidate is chosen if it is better with high probability. The choice is stored in the cache and replaces
an earlier choice. It is used in all matches of the game, even if the names in the rules are scrambled.

The output shows the configurations in the notation of 'ggp-agent arena --a', for longer comparisons.

With --all every .kif file of FOLDER is prepared, and a line is printed for each. A rule sheet that was prepared before
with the same --cpu-seconds or more is skipped. So after an interruption the same command resumes. Sheets that cannot be
prepared are reported and counted; the exit status is then 1 if a sheet has errors, 2 if a file cannot be read.
"""

EPILOG = """\
examples:
  ggp-agent prepare reversi
  ggp-agent prepare my_game.kif --cpu-seconds 120 --json
  ggp-agent prepare --all my_games --cpu-seconds 60
"""

DEFAULT_SECONDS = 20.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    named = parser.add_mutually_exclusive_group(required=True)
    named.add_argument("game", metavar="GAME", nargs="?", help="a .kif file, a name of the catalogue, or fast:NAME")
    add_option(named, "--all", "FOLDER", "prepare all .kif files of a folder; a repeated run resumes")
    add_option(parser, "--cpu-seconds", "seconds", "processor time on each core and for each game", DEFAULT_SECONDS)
    add_option(parser, "--jobs", "count", "threads for test games (default: one per core)")
    add_shared(parser, "--seed", default=1)
    add_shared(parser, "--no-cache", "--json")


@interrupts_repeated()
def run(args: argparse.Namespace) -> int:
    """Choose configurations, store and print them."""
    return _prepare_one(args) if args.all is None else prepare_all(args)


def _prepare_one(args: argparse.Namespace) -> int:
    game = load_game(args.game)
    require_perfect_information(game, "prepare")
    machine = game.machine()
    try:
        found = prepare_beforehand(machine, seconds=args.cpu_seconds, jobs=args.jobs or cores(), seed=args.seed)
    except KeyboardInterrupt:
        print(f"interrupted: no configuration was chosen for {game.word}", file=sys.stderr)
        return EXIT_INTERRUPTED
    if args.json:
        print(json_text(found.document(game.word)))
        return 0
    if found.evaluation is not None:
        print(f"{game.word}: {found.evaluation}")
    _print(game.word, found.choice, kept=found.kept)
    _print_what_plays(game, machine, kept=found.kept)
    return 0


def _print_what_plays(game: Game, machine: CompiledMachine, *, kept: bool) -> None:
    """Print what players use if it is not the configuration chosen now."""
    recognised = machine_to_play(game.sheet) if game.module is None else None
    if recognised is not None:
        word = f"fast:{recognised.module.name}"
        print(f"players play these rules by {word}; to prepare it: ggp-agent prepare {word}")
    elif not kept and (known := ChoiceStore().read(machine)) is not None:
        print(f"the earlier choice stays: {known}")


def _print(game: str, choice: Choice, *, kept: bool) -> None:
    """Print the test games and the result."""
    if not choice.obstacle or any(trial.score.games for trial in choice.trials):
        width = max(len(trial.word) for trial in choice.trials)
        print(f"{'candidate':<{width}}  expected  {'score in test games':<29}  with longer moves")
        for trial in choice.trials:
            short, longer = _shown(trial.score), _shown(trial.longer)
            if trial.longer.games:
                longer += f" at {trial.longer_ms:.3g} ms"
            expected = f"{100 * trial.prior[0] / sum(trial.prior):8.0f}"
            print(f"{trial.word:<{width}}  {expected}  {short:<29}  {trial.dropped or longer}".rstrip())
    say(f"{game}: {choice}")
    print(f"{choice.cpu_seconds:.1f} CPU-s of random and test games; {'stored' if kept else 'not stored'}")


def _shown(score: Score) -> str:
    if not score.games:
        return "-"
    low, high = (100 * end for end in score.interval)
    return f"{100 * score.share:5.1f} ({low:.1f} .. {high:.1f}) of {score.games}"

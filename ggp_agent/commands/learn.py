"""`ggp-agent learn`: train a network for a game by self-play."""

from __future__ import annotations

import argparse
import contextlib
import functools
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from gdl import NetworkMachine

from ..common.errors import EXIT_INTERRUPTED, UserError
from ..common.interrupts import stopped_by_signals
from ..common.processes import cores
from ..common.ray_cluster import connected_cluster
from ..common.report import print_result
from ..common.terminal_text import printable
from ..evaluation.learned_network import SUFFIX, LearnedNetwork, LearnedStore
from ..game.game import require_perfect_information
from ..game.load import load_game, safe_name
from ..learning.checkpoint import CheckpointError, CheckpointFolder
from ..learning.learn import LearningDisplay
from ..learning.learner import Learner, learnable_machine
from ..learning.options import LearningOptions
from ..learning.self_play_cluster import SelfPlayCluster
from ._arguments import add_game_argument, add_option, add_output, add_shared, advised

if TYPE_CHECKING:
    from ..game.game import Game

DESCRIPTION = """\
Train a network for GAME by self-play. The network estimates who wins and which moves are good; the search uses both
(configuration 'learned'). Any game that is played as a network of gates can be learned, with one or several roles.

The trained network is stored beside the compiled game. It is found again for the same rules with other names.
Every minute a checkpoint is written to the folder --state. A run that was interrupted or killed continues with
--resume. With --ray all cores of a Ray cluster play the games, and this machine trains. Learning ends early if the
networks do not become stronger and the error in new games does not fall.
"""

EPILOG = """\
examples:
  ggp-agent learn breakthrough --minutes 5
  ggp-agent arena breakthrough --a learned --b default --games 60 \\
      --milliseconds 100
  ggp-agent learn my_game.kif --minutes 60 --state runs/my_game
  ggp-agent learn my_game.kif --minutes 60 --state runs/my_game --resume
  ggp-agent learn breakthrough --minutes 60 --ray auto
  ggp-agent learn breakthrough --export breakthrough.npz
  ggp-agent learn breakthrough --import breakthrough.npz
"""

DEFAULT_MINUTES = 5.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_game_argument(parser, native=False)
    add_option(parser, "--minutes", "minutes", "processor time of each thread or worker", DEFAULT_MINUTES)
    add_option(parser, "--threads", "count", "threads (default: one per core)")
    add_shared(parser, "--ray")
    add_option(parser, "--state", "FOLDER", "folder of the checkpoints (default: learning/GAME)")
    add_option(parser, "--resume", "flag", "continue from the checkpoint in that folder")
    add_option(parser, "--hidden", "count", "units of the first layer (default: 64, then 128 and 256)")
    add_shared(parser, "--seed", default=1)
    moving = parser.add_mutually_exclusive_group()
    add_output(parser, "--export", group=moving, help="write the stored network to a .npz file, and stop")
    add_option(moving, "--import", "FILE", "store the network in a .npz file, and stop", dest="given")
    add_shared(parser, "--no-cache")
    add_option(parser, "--quiet", "flag", "print no progress")
    add_shared(parser, "--json")


def run(args: argparse.Namespace) -> int:
    """Learn, or move a network between the store and a file."""
    game = load_game(args.game)
    require_perfect_information(game, "learn")
    machine = learnable_machine(game)
    if args.export is not None:
        return _export(game, machine, Path(args.export))
    if args.given is not None:
        network = LearnedNetwork.load(args.given)
        network.require_game(machine, args.given)
        LearnedStore().write(machine, network)
        print(f"{game.word}: stored a network of {network.training}")
        return 0
    return _learn(args, game, machine)


def _export(game: Game, machine: NetworkMachine, path: Path) -> int:
    network = LearnedStore().read(machine)
    if network is None:
        raise UserError(f"no network was learned for {game.word}: run ggp-agent learn {game.word} first")
    if path.suffix != SUFFIX:
        raise UserError(f"--export {path}: the name of a learned network ends in {SUFFIX}")
    network.save(path)
    print(f"{path}: a network of {network.training}")
    return 0


def _learn(args: argparse.Namespace, game: Game, machine: NetworkMachine) -> int:
    if args.ray is not None and args.threads is not None:
        raise UserError(f"--threads {args.threads}: a cluster uses all of its cores; leave out --threads")
    folder = Path(args.state) if args.state is not None else Path("learning") / safe_name(game.name)
    if not args.resume and CheckpointFolder(folder).exists:
        raise UserError(f"{folder} contains a checkpoint: continue it with --resume, or name another folder by --state")
    if args.resume and not CheckpointFolder(folder).exists:
        raise UserError(f"{folder} contains no checkpoint to resume")
    options = LearningOptions(
        minutes=args.minutes, threads=args.threads or cores(), hidden1=args.hidden, seed=args.seed
    )
    with contextlib.ExitStack() as stack:
        start_games = None
        if args.ray is not None:
            cluster = stack.enter_context(connected_cluster(args.ray))
            start_games = functools.partial(SelfPlayCluster, cluster)
        learner = Learner(machine, options, folder, resume=args.resume, start_games=start_games)
        if learner.is_over:
            used = f"{learner.counts.cpu_seconds / 60:.3g} CPU-minutes"
            raise UserError(
                f"{folder}: the run ended after {used}, because its time was up or nothing improved; give more "
                "--minutes, or name another folder by --state"
            )
        with stopped_by_signals() as stopping, LearningDisplay(quiet=args.quiet or args.json) as display:
            try:
                network = learner.run(display.generation_ended, stopping.is_set)
            except CheckpointError as error:
                raise UserError(f"{error}; {_saved(machine, learner.network())}") from None
    interrupted = stopping.is_set()
    if not interrupted:
        with advised(f"learned,evaluation.name=none,evaluation.file={folder / 'network.npz'} uses it"):
            LearnedStore().write(machine, network)
    gain = second_half_gain(network)
    document = {
        "game": game.word,
        "folder": str(folder),
        "interrupted": interrupted,
        "second_half_elo": gain,
        **asdict(network.training),
    }
    lines = [f"{game.word}: {network.training}"]
    if gain is not None:
        lines.append(f"the second half of the training brought {gain:+.0f} Elo; twice the time may bring as much again")
    lines.append(f"to play with it: ggp-agent play {game.word} --config learned")
    lines.append(f"to measure it: ggp-agent arena {game.word} --a learned --b default --milliseconds 200 --games 40")
    print_result(document, () if interrupted else map(printable, lines), as_json=args.json)
    if interrupted:
        found = f"{folder} contains the checkpoint; run the same command with --resume"
        print(f"interrupted: {found if learner.counts.generation else 'nothing was learned yet'}", file=sys.stderr)
        return EXIT_INTERRUPTED
    return 0


def second_half_gain(network: LearnedNetwork) -> float | None:
    """Return the Elo that the second half of the training brought; None if the first half has no test games."""
    earlier = [point.elo for point in network.course if point.cpu_seconds <= network.training.cpu_seconds / 2]
    return network.training.elo - earlier[-1] if earlier and earlier[-1] else None


def _saved(machine: NetworkMachine, network: LearnedNetwork) -> str:
    """Store the network of a run without a checkpoint, and return in words what was stored."""
    store = LearnedStore()
    stored = store.read(machine)
    if stored is not None and stored.training.cpu_seconds >= network.training.cpu_seconds:
        return "the stored network stays, because its training was longer"
    try:
        store.write(machine, network)
    except UserError as error:
        return str(error)
    return "the network learned so far is stored, and --config learned uses it"

"""`ggp-agent search --exact-playouts`: the scores to which random play-outs of a position converge."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gdl.files import write_whole

from ..common.charts import format_of, require_charts
from ..common.errors import UserError
from ..common.terminal_text import json_text
from ..experiments.random_playouts import best_moves, exact_scores, sampled_scores
from ..experiments.random_playouts_chart import draw_convergence
from ._arguments import add_option, add_output, refuse_options

if TYPE_CHECKING:
    from fractions import Fraction

    from gdl import CompiledMachine, MachineState

# Play-outs of a chart by default, and its number of points.
_PLAYOUTS = 10_000
_POINTS = 500


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_option(
        parser, "--exact-playouts", "count", "exact scores of random play-outs, minimax in DEPTH plies", metavar="DEPTH"
    )
    add_output(
        parser,
        "--chart",
        help="draw mean goals and visits of the moves over the simulations, or with --exact-playouts how random "
        "play-outs converge to these scores (.svg, .png, .pdf)",
    )


def run(args: argparse.Namespace, machine: CompiledMachine, state: MachineState) -> int:
    """Compute and print the scores, and draw the chart if requested."""
    depth: int = args.exact_playouts
    refuse_options(args, "--exact-playouts does not search", "config", "seconds", "in_flight", "tree", "plan_seconds")
    if args.chart is None:
        refuse_options(args, "--exact-playouts plays at random only for --chart", "simulations", "seed")
    else:
        require_charts(Path(args.chart))
        if depth > 2:
            raise UserError(f"--chart shows searches of depth 1 and 2, not {depth}")
    if machine.terminal(state):
        raise UserError(f"{args.game}: the game is over in this position: there is no move to score")
    found = exact_scores(machine, state, depth=depth)
    if args.chart is not None:
        playouts = args.simulations or _PLAYOUTS
        every = max(1, playouts // _POINTS)
        averages = list(sampled_scores(machine, state, playouts, depth=depth, seed=args.seed or 1, every=every))
        title = f"{args.game}: random play-out search, depth {depth}"
        ((_, scores),) = found.items()
        path = Path(args.chart)
        write_whole(path, draw_convergence(averages, scores, title, format_of(path)))
    if args.json:
        print(json_text(_document(args.game, depth, found)))
        return 0
    for role, scores in found.items():
        best = best_moves(scores)
        for move, score in sorted(scores.items(), key=lambda entry: (-entry[1], entry[0])):
            print(f"{role}: {move}  {score}  ({float(score):.4f}){'  best' if move in best else ''}")
    if not found:
        print("no role has a choice in this position")
    return 0


def _document(game: str, depth: int, found: dict[str, dict[str, Fraction]]) -> dict[str, Any]:
    return {
        "game": game,
        "depth": depth,
        "moves": [
            {"role": role, "move": move, "score": float(score), "exact": str(score)}
            for role, scores in found.items()
            for move, score in scores.items()
        ],
    }

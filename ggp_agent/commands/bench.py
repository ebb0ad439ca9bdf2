"""`ggp-agent bench`: speeds of games."""

from __future__ import annotations

import argparse

from ._arguments import positive_seconds

SUMMARY = "measure load time, play-outs and search per CPU-second"

DESCRIPTION = """\
Measure games: CPU-seconds from rule text to first legal moves, peak memory, uniformly random play-outs and states per
CPU-second, search simulations per CPU-second, all from the initial state and on one thread. Each game is measured in
a process of its own.

The kernel is the widest that this machine has; the environment variable GGP_AGENT_KERNEL (portable, avx2 or avx512)
chooses another for every command, and --kernel for this one.
"""

EPILOG = """\
examples:
  ggp-agent bench connect_four breakthrough
  ggp-agent bench my_game.kif --seconds 5 --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    parser.add_argument("games", metavar="GAME", nargs="+", help="a .kif file or a name of the catalogue")
    parser.add_argument(
        "--seconds", type=positive_seconds, default=2.0, metavar="S", help="CPU-seconds per measurement (default: 2)"
    )
    parser.add_argument(
        "--lanes",
        type=int,
        choices=(64, 128, 256, 512),
        help="states that advance together (default: what suits the kernel)",
    )
    parser.add_argument(
        "--kernel", choices=("portable", "avx2", "avx512"), help="instruction set (default: the widest here)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """Measure one game after the other."""
    import dataclasses
    import functools
    import json

    from ..bench import bench
    from ..errors import UserError
    from ..games import load_game
    from ..workers import process_pool

    for word in args.games:
        load_game(word)  # a mistake in any of them is told before the first is measured
    measure = functools.partial(bench, seconds=args.seconds, lanes=args.lanes, kernel=args.kernel)
    results = []
    if not args.json:
        _print_row("game", "kernel", "load s", "memory MB", "play-outs/s", "states/s", "length", "search/s")
    with process_pool(1, fresh=True) as pool:
        for word in args.games:
            try:
                result = pool.submit(measure, word).result()
            except ValueError as error:
                raise UserError(str(error)) from None
            results.append(dataclasses.asdict(result))
            if not args.json:
                _print_row(
                    result.game,
                    f"{result.kernel or result.machine} {result.lanes}",
                    f"{result.load_cpu_s:.2f}",
                    f"{result.peak_rss_mb:.0f}",
                    f"{result.playouts_per_cpu_s:,.0f}",
                    f"{result.states_per_cpu_s:,.0f}",
                    f"{result.mean_length:.2f}",
                    "-" if result.simulations_per_cpu_s is None else f"{result.simulations_per_cpu_s:,.0f}",
                )
    if args.json:
        print(json.dumps(results[0] if len(results) == 1 else results))
    return 0


def _print_row(game: str, *cells: str) -> None:
    widths = (13, 7, 10, 13, 13, 8, 11)
    print(f"{game:<22}" + "".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True)), flush=True)

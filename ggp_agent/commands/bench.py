"""`ggp-agent bench`: measure the speed of games."""

from __future__ import annotations

import argparse
import datetime
import functools
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from gdl import GdlError
from gdl.files import write_whole

from ..bench.bench_record import BenchRecord, read_records, this_host, to_csv
from ..bench.bench_report import (
    BenchDisplay,
    against_document,
    calibration_line,
    draw_chart,
    print_comparison,
    unsteadiness,
)
from ..bench.compare import compare
from ..bench.measure import bench
from ..common.charts import format_of, require_charts
from ..common.errors import UserError, report
from ..common.interrupts import interrupts_repeated
from ..common.pipe_worker import WorkerDiedError, run_alone
from ..common.terminal_text import json_text
from ..common.version import __version__
from ._arguments import add_games_argument, add_option, add_output, add_shared, words_of_games

if TYPE_CHECKING:
    from collections.abc import Sequence

DESCRIPTION = """\
Measure games: CPU-seconds from rule text to first legal moves (less if the game is in the cache), peak memory,
uniformly random play-outs and states per CPU-second, and search simulations per CPU-second, from the initial state and
on one thread. Each game is measured in its own process. If a game cannot be measured, an error is printed on stderr,
the other games are still measured, and the exit status is 2.

The default kernel is the widest that this machine supports. The environment variable GGP_AGENT_KERNEL (portable, avx2
or avx512) selects another one in every command, and --kernel in this command.

After a short warm-up each speed is measured --repeats times, in --cpu-seconds in total. The output shows the median
and the spread, from the slowest to the fastest repeat, in per cent of the median.

The search becomes slower as its tree grows, and the trees of a repeat are small (0.4 s by default).
--search-cpu-seconds adds the speed of longer searches: one of the given CPU-seconds in each repeat. Another tree is
searched only if the game is solved earlier.

The calibration score is the speed of this machine for a fixed amount of work; it is 1.0 on the development machine.
Play-outs divided by the score can be compared between machines. It is measured before and after each game.
"""

EPILOG = """\
examples:
  ggp-agent bench connect_four breakthrough
  ggp-agent bench my_game.kif --cpu-seconds 5 --json > before.json
  ggp-agent bench my_game.kif --cpu-seconds 5 --against before.json
  ggp-agent bench connect_four --search-cpu-seconds 3 --repeats 3
  ggp-agent bench --catalogue --csv bench/results.csv --chart bench/speeds.svg
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_games_argument(parser)
    add_option(parser, "--cpu-seconds", "seconds", "CPU-seconds of all repeats, for play-outs and search each", 2.0)
    add_option(parser, "--repeats", "count", "measurements of each speed", 5)
    add_option(parser, "--search-cpu-seconds", "seconds", "also measure a search of S CPU-seconds in each repeat")
    add_option(parser, "--lanes", "integer", "lanes (default: by kernel)", metavar=None, choices=(64, 128, 256, 512))
    add_option(parser, "--kernel", ("portable", "avx2", "avx512"), "instruction set (default: the widest here)")
    add_shared(parser, "--no-cache")
    add_option(parser, "--against", "FILE", "compare with an earlier run, as printed by --json or --csv")
    add_output(parser, "--csv", help="also write the figures as CSV")
    add_output(parser, "--chart", help="also draw a bar chart: .svg, .png or .pdf (needs matplotlib)")
    add_shared(parser, "--json")


@interrupts_repeated()
def run(args: argparse.Namespace) -> int:
    """Measure the games one by one, then print, write and compare the results."""
    words = words_of_games(args)
    if args.chart is not None:
        require_charts(Path(args.chart))
    earlier = read_records(Path(args.against)) if args.against is not None else None

    records: list[BenchRecord] = []
    try:
        status = _measure(args, words, records)
    except KeyboardInterrupt:
        print(f"interrupted after {len(records)} of {len(words)} games", file=sys.stderr)
        if args.json and records:
            print(json_text([record.document() for record in records]))
        raise
    comparison = compare(earlier, records) if earlier is not None else None
    if args.json:
        documents = [{**record.document(), **against_document(comparison, record.result.game)} for record in records]
        if len(words) > 1:
            print(json_text(documents))
        elif documents:
            print(json_text(documents[0]))
    elif records:
        print(calibration_line(records))
        if comparison is not None and earlier is not None:
            print_comparison(comparison, earlier, records)
    if records and args.csv is not None:
        write_whole(Path(args.csv), to_csv(records).encode())
    if records and args.chart is not None:
        write_whole(Path(args.chart), draw_chart(records, format_of(Path(args.chart))))
    if warning := unsteadiness(records):
        print(f"warning: {warning}", file=sys.stderr)
    return status


def _measure(args: argparse.Namespace, words: Sequence[str], records: list[BenchRecord]) -> int:
    """Measure each game in its own process and append its record; return the exit status."""
    host = this_host()
    date = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    status = 0
    with BenchDisplay(len(words), quiet=args.json) as display:
        for word in words:
            display.show(word)
            measure = functools.partial(
                bench,
                word,
                seconds=args.cpu_seconds,
                repeats=args.repeats,
                search_seconds=args.search_cpu_seconds,
                lanes=args.lanes,
                kernel=args.kernel,
            )
            try:
                record = BenchRecord(run_alone(measure), host, date, __version__)
            except (GdlError, UserError, OSError) as error:
                status = report(error)
                display.advance()
            except (ValueError, RuntimeError, MemoryError, WorkerDiedError) as error:
                status = report(UserError(f"{word}: {error or type(error).__name__}"))
                display.advance()
            else:
                records.append(record)
                display.measured(record)
    return status

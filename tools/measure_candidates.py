"""Play the test games behind the priors of candidates: python tools/measure_candidates.py play FOLDER, then check.

`play` plays games between candidates of the preparation and the default in every sheet of a folder, measures the
features of its games, and adds a line for each sheet to ggp_agent/prepare/scored_sheets.csv, except for small games. It
skips the sheets that the file contains, so it can be interrupted. `check` prints how well the lines of the other sheets
predict the scores of each sheet, and what they would choose for it.
"""

from __future__ import annotations

import argparse
import csv
import math
import random
import re
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.special import betaln

from gdl import GdlError, NetworkMachine
from ggp_agent.arena.scores import Score
from ggp_agent.common.errors import UserError
from ggp_agent.evaluation import LEARNED
from ggp_agent.game.load import load_game
from ggp_agent.game.roles import roles_to_play
from ggp_agent.mcts.config import SearchConfig
from ggp_agent.prepare.candidates import configured
from ggp_agent.prepare.choice import WinProbability
from ggp_agent.prepare.game_features import measure_features
from ggp_agent.prepare.preparer import (
    FEATURES,
    PLAYED,
    RESULTS,
    RoundPlayer,
    RoundStoppedError,
    ScoredSheets,
    opening_plies,
    rounds,
)

FILE = Path(__file__).parents[1] / "ggp_agent" / "prepare" / "scored_sheets.csv"
COUNTS = [f"{name}_{result}" for name in PLAYED for result in RESULTS]
# The columns that tools/measure_learning.py fills.
NETWORK_COUNTS = [f"{LEARNED}_{result}" for result in RESULTS]
COLUMNS = ["game", *FEATURES, *COUNTS, *NETWORK_COUNTS]

# The most rounds of a candidate in one sheet, and the processor time for features.
MAX_ROUNDS = 20
FEATURES_SECONDS = 3.0
# The product of the mean number of turns and the logarithm of the mean number of moves below which a game is small:
# every configuration proves its positions, so that its scores say nothing about other games.
MIN_SIZE = 40.0
# The smallest number of sheets for a check.
MIN_SHEETS = 10

Floats = npt.NDArray[np.float64]


def play_sheet(
    path: Path, milliseconds: float, seconds: float, stopped: Callable[[], bool]
) -> dict[str, str | float] | None:
    """Return the line of one sheet; None if `stopped` returned true.

    Raises:
        GdlError: the sheet is wrong or too large.
        ValueError: the game has one role or is small, or its features cannot be measured.
    """
    machine = NetworkMachine(load_game(str(path)).sheet)
    if len(roles_to_play(machine.roles)) < 2:
        raise ValueError("the game has one role")
    features = measure_features(machine, seconds=FEATURES_SECONDS)
    if features is None:
        raise ValueError("its features cannot be measured")
    if math.exp(features.length) * features.branching < MIN_SIZE:
        raise ValueError("the game is small")
    base = SearchConfig()
    began, plies = time.thread_time(), opening_plies(machine)
    players = {
        name: RoundPlayer(
            machine,
            configured(word, base),
            base,
            milliseconds=milliseconds,
            plies=plies,
            stopped=lambda: stopped() or time.thread_time() - began > 3 * seconds,
        )
        for name, word in PLAYED.items()
    }
    plans = {name: rounds(machine, seed=11) for name in PLAYED}
    scores = dict.fromkeys(PLAYED, Score())
    try:
        for _ in range(MAX_ROUNDS):
            for name, player in players.items():
                scores[name] += player.play(next(plans[name]))
            if time.thread_time() - began > seconds:
                break
    except RoundStoppedError:
        if stopped():
            return None
    if not all(score.games for score in scores.values()):
        raise ValueError("its games take too long")
    counts = [count for score in scores.values() for count in (score.wins, score.draws, score.losses)]
    return {"game": path.stem, **asdict(features), **dict(zip(COUNTS, counts, strict=True))}


def play(args: argparse.Namespace) -> int:
    """Play the games of all sheets that the file does not contain, in random order."""
    if not args.folder.is_dir():
        print(f"{args.folder}: no such folder", file=sys.stderr)
        return 2
    if not args.file.exists():
        args.file.write_text(",".join(COLUMNS) + "\n")
    with args.file.open(newline="") as file:
        reader = csv.DictReader(file)
        if reader.fieldnames != COLUMNS:
            print(f"{args.file}: the file has other columns than test games", file=sys.stderr)
            return 2
        known = {row["game"] for row in reader}
    paths = [path for path in sorted(args.folder.glob("*.kif")) if path.stem not in known]
    random.Random(args.seed).shuffle(paths)
    writing, interrupted = threading.Lock(), threading.Event()

    def work(path: Path) -> None:
        try:
            row = (
                None if interrupted.is_set() else play_sheet(path, args.milliseconds, args.seconds, interrupted.is_set)
            )
        except (GdlError, UserError, ValueError) as error:
            print(f"{path.stem}: left out: {error}", flush=True)
            return
        if row is None:
            return
        with writing, args.file.open("a", newline="") as file:
            csv.DictWriter(file, COLUMNS, lineterminator="\n").writerow(
                {name: f"{value:.4g}" if isinstance(value, float) else value for name, value in row.items()}
            )
        print(f"{path.stem}: {sum(int(row[name]) for name in COUNTS)} games", flush=True)

    with ThreadPoolExecutor(args.jobs) as workers:
        try:
            list(workers.map(work, paths))
            sort_lines(args.file)
        except KeyboardInterrupt:
            interrupted.set()
            print("interrupted; run the same command again to continue", file=sys.stderr)
            return 130
    return 0


def sort_lines(path: Path) -> None:
    """Sort the lines of a file below the first one; an interruption leaves the old or the new file."""
    head, *lines = path.read_text().splitlines(keepends=True)
    beside = path.with_suffix(".sorted")
    beside.write_text("".join([head, *sorted(lines)]))
    beside.replace(path)


def family(name: str) -> str:
    """Return the beginning of a name that the variants of a game share.

    >>> family("breakthroughSmallHoles"), family("ggpbasetest__ticTacToe"), family("tictactoe_3d_2player")
    ('break', 'ticta', 'ticta')
    """
    return re.sub("[^a-z]", "", name.rpartition("__")[2].lower())[:5]


def log_likelihood(wins: Floats, losses: Floats, points: Floats, games: Floats) -> float:
    """Return the logarithm of the beta-binomial probability of all scores, without constant terms."""
    return float((betaln(wins + points, losses + games - points) - betaln(wins, losses)).sum())


def check_sheets(games: ScoredSheets, known: Callable[[int], npt.NDArray[np.bool_]], title: str) -> None:
    """Print what the known sheets predict and choose for each sheet.

    Args:
        games: the test games.
        known: function from the number of a sheet to the mask of the sheets that predict it, [sheets].
        title: the first cell of the line.
    """
    sheets = range(len(games.names))
    weights = np.array([games.similarities(games.features[sheet]) * known(sheet) for sheet in sheets])
    chosen: dict[int, tuple[float, float]] = {}
    gain = 0.0
    for name in PLAYED:
        points, counts = games.points[name], games.games[name]
        priors = np.array([games.prior(name, weights[sheet]) for sheet in sheets])
        mean = points.sum() / counts.sum()
        constant = max(
            log_likelihood(np.full(len(points), s * mean), np.full(len(points), s * (1 - mean)), points, counts)
            for s in np.geomspace(1, 60, 40)
        )
        gain += log_likelihood(priors[:, 0], priors[:, 1], points, counts) - constant
        for sheet in sheets:
            belief = WinProbability(*priors[sheet])
            if belief.is_better() and belief.mean > chosen.get(sheet, (0.0, 0.0))[0]:
                chosen[sheet] = belief.mean, points[sheet] / counts[sheet]
    scores = [score for _, score in chosen.values()]
    every = [chosen[sheet][1] if sheet in chosen else 0.5 for sheet in sheets]
    print(
        f"| {title} | {gain:.1f} | {len(chosen)} of {len(games.names)} | {100 * np.mean(scores):.1f} "
        f"| {sum(score < 0.5 for score in scores)} | {100 * np.mean(every):.1f} |"
    )


def check(args: argparse.Namespace) -> int:
    """Print the cross-validation of the priors."""
    if not args.file.is_file():
        print(f"{args.file}: no such file", file=sys.stderr)
        return 2
    try:
        games = ScoredSheets.read(args.file.read_text())
    except (KeyError, TypeError, ValueError):
        print(f"{args.file}: it contains no test games, or lines in another form", file=sys.stderr)
        return 2
    if len(games.names) < MIN_SHEETS:
        print(
            f"{args.file}: {len(games.names)} sheets are too few for a check, which takes {MIN_SHEETS}",
            file=sys.stderr,
        )
        return 2
    families = np.array([family(name) for name in games.names])
    numbers = np.arange(len(games.names))
    for name, word in PLAYED.items():
        share = 100 * games.points[name].sum() / games.games[name].sum()
        print(f"{word}: {share:.1f} % of {games.games[name].sum():.0f} games in {len(games.names)} sheets")
    print("\n| predicted from | gain in log-likelihood | chosen | their score | below 50 % | score of all sheets |")
    print("|---|---:|---:|---:|---:|---:|")
    check_sheets(games, lambda sheet: numbers != sheet, "all other sheets")
    check_sheets(games, lambda sheet: families != families[sheet], "sheets of other families")
    return 0


def main() -> int:
    """Read the command line, and play or check."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    player = commands.add_parser("play", help="play the test games of a folder of rule sheets")
    player.add_argument("folder", type=Path, metavar="FOLDER", help="rule sheets; games of one role are left out")
    player.add_argument(
        "--milliseconds", type=float, default=20.0, metavar="M", help="CPU time of a move (default: 20)"
    )
    player.add_argument("--seconds", type=float, default=20.0, metavar="S", help="CPU time of a sheet (default: 20)")
    player.add_argument("--jobs", type=int, default=1, metavar="N", help="sheets at once (default: 1)")
    player.add_argument("--seed", type=int, default=7, metavar="K", help="seed of the order of the sheets (default: 7)")
    player.set_defaults(run=play)
    checker = commands.add_parser("check", help="print how well the file predicts each of its sheets")
    checker.set_defaults(run=check)
    for command in (player, checker):
        command.add_argument("--file", type=Path, default=FILE, metavar="F", help="the file of test games")
    args = parser.parse_args()
    result: int = args.run(args)
    return result


if __name__ == "__main__":
    sys.exit(main())

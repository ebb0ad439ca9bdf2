"""Measure what learning brings: python tools/measure_learning.py FOLDER GAME ... [--seconds S ...]

For each game and each time a network is learned with one thread, as in a match, and plays against the default
configuration. The Markdown table has the score of the network in percent and its 95 % interval (Wilson). Networks and
scores are kept in FOLDER, so the same command continues an interrupted run, and more games extend the table. --update
writes the scores into ggp_agent/prepare/scored_sheets.csv, by which preparation predicts the scores of networks.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import sys
from pathlib import Path

from measure_candidates import COLUMNS, FILE, NETWORK_COUNTS

from gdl import GdlError
from ggp_agent.arena.comparison import arena
from ggp_agent.arena.scores import Score
from ggp_agent.common.errors import UserError
from ggp_agent.evaluation.learned_network import LearnedNetwork, add_learned
from ggp_agent.game.load import load_game
from ggp_agent.learning.learner import Learner, learnable_machine
from ggp_agent.learning.options import LearningOptions
from ggp_agent.mcts.config import SearchConfig
from ggp_agent.mcts.configurations import read_configuration


def measured(game: str, seconds: float, args: argparse.Namespace) -> Score:
    """Return the score of a network of some CPU-seconds against the default; both are read from the folder if known."""
    # The whole argument, because a public sheet and a game of the catalogue may have one name.
    kept = args.folder / f"{re.sub(r'[^A-Za-z0-9_.-]+', '_', game)}-{seconds:g}-{args.seed}"
    result = Path(f"{kept}-{args.games}-{args.milliseconds:g}.json")
    if result.is_file():
        return Score(**json.loads(result.read_text()))
    machine = learnable_machine(load_game(game))
    path = Path(f"{kept}.npz")
    if not path.is_file():
        Learner(machine, LearningOptions(minutes=seconds / 60, seed=args.seed)).run().save(path)
    add_learned(machine, LearnedNetwork.load(path))
    network = read_configuration("learned")
    score = arena(
        machine,
        network,
        SearchConfig(),
        games=args.games,
        milliseconds=args.milliseconds,
        opening_plies=2,
        seed=args.seed,
    ).score
    result.write_text(json.dumps({"wins": score.wins, "draws": score.draws, "losses": score.losses}))
    return score


def cell(score: Score) -> str:
    """Return a score in percent with its interval.

    >>> cell(Score(wins=15, draws=2, losses=3))
    '80.0 (58.4 .. 91.9)'
    """
    low, high = score.interval
    return f"{100 * score.share:.1f} ({100 * low:.1f} .. {100 * high:.1f})"


def update(game: str, score: Score) -> None:
    """Write a score into the row of its sheet.

    Raises:
        UserError: the file has no such row.
    """
    with FILE.open(newline="") as file:
        rows = list(csv.DictReader(file))
    row = next((row for row in rows if row["game"] == Path(game).stem), None)
    if row is None:
        raise UserError(f"{FILE.name} has no row of {Path(game).stem}; tools/measure_candidates.py adds rows")
    row.update(zip(NETWORK_COUNTS, map(str, (score.wins, score.draws, score.losses)), strict=True))
    beside = FILE.with_suffix(".updated")
    with beside.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    beside.replace(FILE)


def main() -> int:
    """Read the command line, and print a row for each game."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="folder of networks and scores")
    parser.add_argument("games_to_learn", nargs="+", metavar="GAME", help="a .kif file or a name of the catalogue")
    parser.add_argument(
        "--seconds", type=float, nargs="+", default=[5, 20, 80], metavar="S", help="CPU-seconds (default: 5 20 80)"
    )
    parser.add_argument("--games", type=int, default=20, metavar="N", help="games of each cell, even (default: 20)")
    parser.add_argument(
        "--milliseconds", type=float, default=200, metavar="M", help="CPU time of a move (default: 200)"
    )
    parser.add_argument("--seed", type=int, default=1, metavar="K", help="seed of all random numbers (default: 1)")
    parser.add_argument("--update", action="store_true", help="write the scores into the file of preparation")
    args = parser.parse_args()
    if args.update and len(args.seconds) != 1:
        parser.error("--update needs one time of --seconds")
    if min(*args.seconds, args.milliseconds) <= 0 or args.games < 2 or args.games % 2:
        parser.error("times must be above 0, and the number of games even and above 0")
    print("| game | " + " | ".join(f"{each:g} s" for each in args.seconds) + " |")
    print("|---|" + "---:|" * len(args.seconds))
    try:
        args.folder.mkdir(parents=True, exist_ok=True)
        for game in args.games_to_learn:
            scores = [measured(game, each, args) for each in args.seconds]
            print(f"| {Path(game).stem} | " + " | ".join(map(cell, scores)) + " |", flush=True)
            if args.update:
                update(game, scores[0])
    except (UserError, GdlError, ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted; run the same command again to continue", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())

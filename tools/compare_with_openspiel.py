"""Compare play-outs and search per CPU-second with OpenSpiel: python tools/compare_with_openspiel.py [GAME ...]

Needed: OpenSpiel (pip install open_spiel). Both programs are measured in this process, alternately, on one thread.
OpenSpiel plays its own games in C++; ggp-agent plays rule sheets. Play-outs are uniformly random from the initial
position. A search starts with an empty tree and has one random play-out per simulation. OpenSpiel is called through
its C++ search (`MCTSBot`), so Python takes no part in the measured work.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from dataclasses import dataclass, field
from typing import Any

from gdl import StopFlag
from gdl._simulation import RandomPlayouts
from ggp_agent.game.load import load_game
from ggp_agent.mcts.config import SearchConfig
from ggp_agent.mcts.searcher import Searcher

# Games that both programs have: the name of the rule sheet and OpenSpiel's name.
GAMES = {
    "tic_tac_toe": "tic_tac_toe",
    "connect_four": "connect_four",
    "breakthrough": "breakthrough",
    "reversi": "othello",
    "hex": "hex(board_size=9)",
    "gomoku": "gomoku",
    "amazons": "amazons",
    "checkers": "checkers",
}
# OpenSpiel's defaults: exploration constant and memory limit of a tree.
EXPLORATION = 2.0
MEMORY_MB = 1000


@dataclass
class Speeds:
    """Collect the speeds of one program, one entry per round.

    Attributes:
        playouts: random play-outs per CPU-second.
        simulations: simulations of the search per CPU-second.
    """

    playouts: list[float] = field(default_factory=list)
    simulations: list[float] = field(default_factory=list)


class Ours:
    """Measure ggp-agent on a rule sheet."""

    def __init__(self, sheet: str) -> None:
        """Compile the rules."""
        self._machine = load_game(sheet).machine()
        self._playouts = RandomPlayouts(self._machine.simulator(), 1)

    def measure(self, speeds: Speeds, seconds: float, seed: int) -> None:
        """Add one measurement of play-outs and search, each of `seconds` CPU-seconds."""
        ended, _, _, cpu = self._playouts.run(seconds, StopFlag())[:4]
        speeds.playouts.append(ended / cpu)
        searcher = Searcher(self._machine, SearchConfig(seed=seed, threads=1))
        start = time.process_time()
        done = searcher.run(cpu_seconds=seconds).simulations
        speeds.simulations.append(done / (time.process_time() - start))


class Theirs:
    """Measure OpenSpiel's C++ search."""

    def __init__(self, pyspiel: Any, name: str) -> None:
        """Load the game."""
        self._pyspiel = pyspiel
        self._game = pyspiel.load_game(name)

    def measure(self, speeds: Speeds, seconds: float, seed: int) -> None:
        """Add one measurement of play-outs and search, each of about `seconds` CPU-seconds."""
        speeds.playouts.append(self._speed(seconds, seed, as_playouts=True))
        speeds.simulations.append(self._speed(seconds, seed, as_playouts=False))

    def _speed(self, seconds: float, seed: int, *, as_playouts: bool) -> float:
        count = 100
        while (spent := self._spent(count, seed, as_playouts)) < seconds / 10:
            count *= 4
        count = max(count, int(count * seconds / spent))
        return count / self._spent(count, seed, as_playouts)

    def _spent(self, count: int, seed: int, as_playouts: bool) -> float:
        """Return the CPU-seconds of `count` play-outs of the root (one simulation), or of `count` simulations."""
        rollouts, simulations = (count, 1) if as_playouts else (1, count)
        evaluator = self._pyspiel.RandomRolloutEvaluator(rollouts, seed)
        bot = self._pyspiel.MCTSBot(self._game, evaluator, EXPLORATION, simulations, MEMORY_MB, False, seed, False)
        state = self._game.new_initial_state()
        start = time.process_time()
        bot.mcts_search(state)
        return time.process_time() - start


def compare(pyspiel: Any, sheet: str, rounds: int, seconds: float) -> tuple[Speeds, Speeds]:
    """Measure a game alternately with both programs.

    Args:
        pyspiel: the module of OpenSpiel.
        sheet: a key of `GAMES`.
        rounds: the number of measurements of each program.
        seconds: CPU-seconds of one measurement.

    Returns:
        The speeds of ggp-agent and of OpenSpiel.
    """
    ours, theirs = Ours(sheet), Theirs(pyspiel, GAMES[sheet])
    ours_speeds, theirs_speeds = Speeds(), Speeds()
    for seed in range(1, rounds + 1):
        ours.measure(ours_speeds, seconds, seed)
        theirs.measure(theirs_speeds, seconds, seed)
    return ours_speeds, theirs_speeds


def main(arguments: list[str] | None = None) -> int:
    """Measure the games and print a Markdown table; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"one of {', '.join(GAMES)} (default: all)")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="measurements of each program (default: 3)")
    parser.add_argument("--seconds", type=float, default=1.5, metavar="S", help="CPU-seconds of each (default: 1.5)")
    args = parser.parse_args(arguments)
    if unknown := [game for game in args.games if game not in GAMES]:
        parser.error(f"unknown game {unknown[0]}; the games of both programs are {', '.join(GAMES)}")
    if args.rounds < 1 or args.seconds <= 0:
        parser.error("--rounds and --seconds must be positive")
    try:
        import pyspiel
    except ImportError:
        print("OpenSpiel is not installed; install it with: pip install open_spiel", file=sys.stderr)
        return 2
    titles = ("play-outs/s", "OpenSpiel", "ratio", "simulations/s", "OpenSpiel", "ratio")
    print(f"| game | {' | '.join(titles)} |\n|---|{'---:|' * len(titles)}", flush=True)
    ratios: list[tuple[float, float]] = []
    for game in args.games or GAMES:
        medians = [
            (statistics.median(each.playouts), statistics.median(each.simulations))
            for each in compare(pyspiel, game, args.rounds, args.seconds)
        ]
        ours, theirs = medians
        ratios.append((ours[0] / theirs[0], ours[1] / theirs[1]))
        cells = [f"{ours[n]:,.0f} | {theirs[n]:,.0f} | {ratios[-1][n]:.1f}" for n in (0, 1)]
        print(f"| {game} | {' | '.join(cells)} |", flush=True)
    means = [statistics.geometric_mean(column) for column in zip(*ratios, strict=True)]
    print(f"| geometric mean | | | {means[0]:.1f} | | | {means[1]:.1f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())

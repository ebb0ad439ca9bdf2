"""Compare exact and observed chances that a search marks losing moves: python tools/predict_marks.py SIZE ...

The heuristic strategies of Li ("Prediction Distortion in Monte Carlo Tree Search and an Improved Algorithm", 2018,
Section 5.3) examine a move only if it is marked: a simulation that began with the move was lost within k plies. For the
losing moves of positions of Gomoku with a sudden death of level k the Markdown table has

    n              the number of visits of the move in a search, mean
    q              the exact probability that a uniformly random game after the move is lost within k plies, mean
    min(1, n q)    a bound of the probability of a mark if n is at most the number of replies plus 1, mean
    1 - (1 - q)^n  the probability of a mark in n independent random games, mean
    marked         the share of moves that the search has marked

for all losing moves, for the moves that the bound is valid for, and for the moves with the best average. The study
`sudden_death` has the same positions and searches. --show N prints a position instead, and what searches with other
seeds play there.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import mean
from typing import Any

from rich.console import Console
from rich.progress import track

from gdl import CompiledMachine
from ggp_agent import _search
from ggp_agent.arena.match_result import MatchPlan
from ggp_agent.arena.positions import PositionFinder, SuddenPosition, position_stream
from ggp_agent.arena.scores import wilson_interval
from ggp_agent.game.game import State
from ggp_agent.game.load import load_game
from ggp_agent.mcts.config import SearchConfig
from ggp_agent.mcts.configurations import read_configuration
from ggp_agent.mcts.limits import Limits

SEED = 2018
# The search of the study `sudden_death`.
PLAIN = (
    "in_flight=1,selection.formula=ucb1,selection.exploration=1,playout.decisive=false,solver.enabled=false,"
    "final_move=score"
)
Cell = tuple[int, int]


# ---- the exact probability


def completing(stones: Collection[Cell], cells: Iterable[Cell]) -> set[Cell]:
    """Return the cells with which stones have exactly five in a row."""
    return {cell for cell in cells if any(_run(stones, cell, step) == 5 for step in ((0, 1), (1, 0), (1, 1), (1, -1)))}


def _run(stones: Collection[Cell], cell: Cell, step: Cell) -> int:
    length = 1
    for sign in (1, -1):
        row, column = cell
        while (row := row + sign * step[0], column := column + sign * step[1]) in stones:
            length += 1
    return length


class Stones:
    """The stones of a position without a move that wins at once for the mover."""

    def __init__(self, own: set[Cell], other: set[Cell], empty: set[Cell]) -> None:
        self._own, self._empty = own, empty
        self._at_once = completing(other, empty)
        self._threats = {cell: completing(other | {cell}, empty - {cell}) for cell in empty - self._at_once}

    def loss_within(self, move: Cell, plies: int) -> float:
        """Return the probability that uniformly random play after a move loses within 2 or 4 plies, with the move.

        Sum over the replies o, the second moves x of the mover and the second replies p: o does not win, x does not win
        (it is not in `saving`), and p wins.
        """
        n = len(self._empty) - 1
        share = len(self._at_once - {move}) / n
        if plies == 2 or n < 3:
            return share
        saving = completing(self._own | {move}, self._empty - {move})
        games = 0
        for reply in self._empty - self._at_once - {move}:
            threats = self._threats[reply] - {move}
            seconds = n - 1 - len(saving - {reply})
            games += len(threats) * seconds - len(threats - saving)
        return share + games / (n * (n - 1) * (n - 2))


# ---- positions and searches


@dataclass(frozen=True, slots=True)
class LosingMove:
    """A losing move of a position after a search."""

    visits: int
    chance: float  # q
    replies: int  # number of legal replies
    marked: bool
    best: bool  # whether a search without examined moves plays it

    @property
    def bound(self) -> float:
        """The bound n q of the probability of a mark, for at most replies + 1 visits."""
        return min(1.0, self.visits * self.chance)

    @property
    def independent(self) -> float:
        """The probability of a mark in as many independent random games as visits."""
        return 1 - (1 - self.chance) ** self.visits


def position(finder: PositionFinder, kind: str, number: int) -> tuple[MatchPlan, SuddenPosition]:
    """Return a position of the study, and the plan with the seed of its search."""
    plan = MatchPlan(number, number // 2, SEED, (0, 1))
    return plan, finder.find(kind, position_stream(plan, kind))


def stones_of(found: SuddenPosition, size: int) -> Stones:
    """Return the stones of a position, from the moves before it; a move is the number of its cell."""
    placed: tuple[set[Cell], set[Cell]] = set(), set()
    for ply, joint in enumerate(found.line):
        placed[ply % 2].add(divmod(joint[ply % 2], size))
    cells = {divmod(number, size) for number in range(size * size)}
    return Stones(placed[found.mover], placed[1 - found.mover], cells - placed[0] - placed[1])


def rows_after(machine: CompiledMachine, found: SuddenPosition, config: SearchConfig, simulations: int) -> Any:
    """Return the statistics of the moves of a position after a search."""
    searcher = _search.Searcher(machine.simulator(64), config)
    searcher.set_root(found.state)
    return searcher.run(Limits(simulations=simulations)).roles[found.mover].moves


def losing_moves(size: int, level: int, positions: int, simulations: int) -> Iterator[LosingMove]:
    """Search positions with a sudden death and yield their losing moves.

    All marked moves are examined at the end of the search, so the marked moves are the moves that are proven lost then.
    """
    machine = load_game(f"fast:gomoku_{size}x{size}").machine()
    finder = PositionFinder(machine)
    config = read_configuration(
        f"{PLAIN},sudden_death.strategy=midway,sudden_death.every={simulations},sudden_death.death_percent=100,"
        f"sudden_death.plies={level}"
    )
    for number in track(
        range(positions), f"{size}x{size}, level {level}", console=Console(stderr=True), transient=True
    ):
        plan, found = position(finder, f"death-{level}", number)
        seed = position_stream(plan, "search").getrandbits(63)
        rows = rows_after(machine, found, replace(config, seed=seed), simulations)
        stones = stones_of(found, size)
        best = int(max(rows, key=lambda row: row["mean"])["move"])
        for row in rows:
            if (move := int(row["move"])) not in found.right:
                chance = stones.loss_within(divmod(move, size), level)
                yield LosingMove(int(row["visits"]), chance, found.moves - 1, bool(row["highest"] < 50), move == best)


# ---- the table


def line(words: str, moves: Sequence[LosingMove]) -> str:
    """Return a row of the table."""
    if not moves:
        return f"| {words} | 0 | | | | | |"
    marked = sum(move.marked for move in moves) / len(moves)
    low, high = (100 * end for end in wilson_interval(marked, len(moves)))
    return (
        f"| {words} | {len(moves):,} | {mean(move.visits for move in moves):.0f} | "
        f"{mean(move.chance for move in moves):.5f} | {100 * mean(move.bound for move in moves):.1f} | "
        f"{100 * mean(move.independent for move in moves):.1f} | "
        f"{100 * marked:.1f} ({low:.1f} .. {high:.1f}) |"
    )


def show(size: int, level: int, number: int, simulations: int, seeds: int) -> None:
    """Print a position, the chance of each losing move, and how often each strategy plays a losing move."""
    game = load_game(f"fast:gomoku_{size}x{size}")
    machine = game.machine()
    _, found = position(PositionFinder(machine), f"death-{level}", number)
    print(State(game, machine, found.state))
    name = machine.move_name
    print("moves so far: " + " ".join(name(ply % 2, joint[ply % 2]) for ply, joint in enumerate(found.line)))
    print("moves that do not lose: " + " ".join(name(found.mover, move) for move in sorted(found.right)))
    stones = stones_of(found, size)
    for words in ("off", "midway", "final", "triggered"):
        played: Counter[int] = Counter()
        config = read_configuration(
            f"{PLAIN},sudden_death.strategy={words},sudden_death.death_percent=100,sudden_death.win_percent=100,"
            f"sudden_death.plies={level}"
        )
        for seed in range(seeds):
            rows = rows_after(machine, found, replace(config, seed=seed), simulations)
            played[int(rows["move"][0])] += 1
        losing = {move: times for move, times in played.most_common() if move not in found.right}
        print(f"{words}: a losing move with {sum(losing.values())} of {seeds} seeds")
        for move, times in list(losing.items())[:3]:
            print(f"    {name(found.mover, move)} {times}, q = {stones.loss_within(divmod(move, size), level):.6f}")


def main() -> None:
    """Run the script."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="+", type=int, choices=(5, 7, 9, 11, 15), metavar="SIZE", help="5, 7, 9, 11, 15")
    parser.add_argument("--positions", type=int, default=200, help="number of positions of each size and level")
    parser.add_argument("--simulations", type=int, default=10_000)
    parser.add_argument("--show", type=int, metavar="N", help="print position N of level 4 of the first size")
    parser.add_argument("--seeds", type=int, default=100, help="number of searches with --show")
    args = parser.parse_args()
    if args.show is not None:
        show(args.sizes[0], 4, args.show, args.simulations, args.seeds)
        return
    print("| board | level | losing moves | number | n | q | min(1, n q), % | 1 - (1 - q)^n, % | marked, % |")
    print("|---|---:|---|---:|---:|---:|---:|---:|---:|")
    for level in (2, 4):
        for size in args.sizes:
            moves = list(losing_moves(size, level, args.positions, args.simulations))
            few = [move for move in moves if move.visits <= move.replies + 1]
            best = [move for move in moves if move.best]
            for words, some in (("all", moves), ("n at most replies + 1", few), ("best average", best)):
                print(line(f"{size}x{size} | {level} | {words}", some), flush=True)


if __name__ == "__main__":
    main()

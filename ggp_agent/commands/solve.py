"""`ggp-agent solve`: find the best line of a game of one role."""

from __future__ import annotations

import argparse
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

from gdl import GdlLimitError, StopFlag, load_machine
from gdl.machines.reference import OddGoals

from ..common.errors import EXIT_INTERRUPTED, UserError
from ..common.report import print_result
from ..common.terminal_text import amount
from ..game.game import require_perfect_information
from ..game.load import load_game
from ..puzzles import MEMORY_MB
from ..puzzles.circuit import UnservedError
from ..puzzles.solution import require_puzzle, solve
from ._arguments import add_game_argument, add_option, add_shared

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gdl import RuleSheet, StateMachine
    from gdl.machines.reference import OddGoal

    from ..game.game import Game
    from ..puzzles.solution import Solution

DESCRIPTION = """\
Search for the line of moves with the highest goal in a game of one role without chance. Several solvers run at the same
time, each in its own process. The search ends when a line is proven best, or after --seconds. Every line is checked by
the rules before it is printed.

With --all-ways every solver runs until it ends or the time is over, and its result and time are printed.
"""

EPILOG = """\
examples:
  ggp-agent solve eight_puzzle
  ggp-agent solve my_puzzle.kif --seconds 300 --all-ways
  ggp-agent solve my_puzzle.kif --json
"""

DEFAULT_SECONDS = 60.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_game_argument(parser, native=False)
    add_option(parser, "--seconds", "seconds", "time limit in seconds, including compilation", DEFAULT_SECONDS)
    add_option(parser, "--all-ways", "flag", "run every solver to its end, and print its result")
    add_option(parser, "--memory-mb", "count", "memory limit of each solver", MEMORY_MB, metavar="MB")
    add_shared(parser, "--no-cache", "--json")


def run(args: argparse.Namespace) -> int:
    """Solve and print the best known line, also after Ctrl-C."""
    until = time.monotonic() + args.seconds
    game = load_game(args.game)
    require_perfect_information(game, "solve")
    require_puzzle(game.word, game.sheet)
    machine = _network(game, args.seconds)
    known: list[Solution] = []
    interrupted = False
    started = time.monotonic()
    try:
        left = max(until - started, 0.0)
        solution = solve(machine, left, all_ways=args.all_ways, memory_mb=args.memory_mb, begun=known.append)
    except KeyboardInterrupt:
        if not known:
            raise
        solution, interrupted = known[0], True
    except UnservedError as error:
        raise UserError(f"{game.word}: {error}") from None
    seconds = time.monotonic() - started
    document = {**_document(game, solution), "searched_seconds": seconds, "interrupted": interrupted}
    print_result(document, _lines(game, solution, seconds, all_ways=args.all_ways), as_json=args.json)
    for odd in _odd_goals(machine, game.sheet, solution.moves or ()):
        print(odd, file=sys.stderr)
    return EXIT_INTERRUPTED if interrupted else 0


def _odd_goals(machine: StateMachine, sheet: RuleSheet, moves: Sequence[str]) -> list[OddGoal]:
    """Return the goal values outside 0..100 at the end of a line."""
    state = machine.initial()
    for move in moves:
        state = machine.next(state, [move])
    return OddGoals(sheet).of(machine, state)


def _network(game: Game, seconds: float) -> StateMachine:
    """Compile a game."""
    stop = StopFlag()
    timer = threading.Timer(seconds, stop.set)
    timer.daemon = True
    timer.start()
    try:
        return load_machine(game.sheet, "network", stop=stop)
    except GdlLimitError as error:
        if stop.is_set:
            raise UserError(f"{game.word}: compiling the rules takes longer than --seconds {seconds:g}") from None
        raise UserError(f"{game.word}: the rules are too large for a network: {error.message}") from None
    finally:
        timer.cancel()


def _document(game: Game, solution: Solution) -> dict[str, Any]:
    """Return the result as a JSON document."""
    return {
        "game": game.word,
        "goal": solution.goal if solution.moves is not None else None,
        "proven": solution.proven,
        "ceiling": solution.ceiling,
        "moves": solution.moves,
        "way": solution.way or None,
        "seconds": solution.seconds if solution.moves is not None else None,
        "ways": [
            {
                "way": name,
                "goal": way.goal,
                "seconds": way.seconds,
                "cpu_seconds": way.cpu_s,
                "ended": way.ended,
                "reason": way.reason or None,
            }
            for name, way in solution.ways.items()
        ],
    }


def _lines(game: Game, solution: Solution, seconds: float, *, all_ways: bool) -> Iterator[str]:
    yield f"{game.word}: {_result(solution, seconds)}"
    if solution.moves:
        yield f"line: {' '.join(solution.moves)}"
    for name, way in solution.ways.items():
        if all_ways or (solution.moves is None and way.reason):
            yield f"{name}: {way}"


def _result(solution: Solution, seconds: float) -> str:
    """Describe the result in one sentence."""
    if solution.moves is None:
        if solution.proven:
            return "no line ends with a goal above 0 (proven)"
        return f"no line with a goal above 0 was found in {seconds:.1f} s; the goal is at most {solution.ceiling}"
    count = len(solution.moves)
    found = f"{amount(count, 'move')}, found by the {solution.way} in {solution.seconds:.1f} s"
    if solution.proven:
        return f"goal {solution.goal}, proven best; {found}"
    return f"goal {solution.goal}, not proven best (at most {solution.ceiling}); {found}, searched {seconds:.1f} s"

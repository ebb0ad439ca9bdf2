"""`ggp-agent search`: analyse a position."""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from gdl.files import write_whole
from gdl.language.goals import may_have_odd_goals

from ..common.charts import format_of, require_charts
from ..common.errors import UserError
from ..common.terminal_text import amount, columns_of_terminal, json_text, wrapped
from ..experiments.search_course import SearchCourse, search_with_course
from ..experiments.search_course_chart import draw_courses
from ..game.load import load_game
from ..game.move_list import read_moves, read_position
from ..mcts.configurations import read_configuration
from ..mcts.search_display import choosing_roles, live_line, moves_table
from ..mcts.search_tree import tree_json
from ..mcts.searcher import Searcher
from . import _exact_playouts, _hidden_search, _plan
from ._arguments import (
    add_config_option,
    add_game_argument,
    add_option,
    add_output,
    add_shared,
    refuse_options,
)

if TYPE_CHECKING:
    from gdl import CompiledMachine, MachineState

    from ..mcts.config import SearchConfig
    from ..mcts.search_result import SearchResult

DESCRIPTION = """\
Search from the initial state of GAME, or from the state after a line of moves, and print for each move: visits, value
(the mean goal, 0 to 100), proven bounds of the goal, and the line of best moves. A search by a learned network also
prints the network's probability of each move.

Moves follow each other, with or without commas, and are written as in `play`: (drop 4), drop 4 or b2-b3. If at most one
role has a choice, its move alone makes the turn; otherwise a turn consists of one move of every role, in the order of
the roles. The search stops at the first limit, or with Ctrl-C.

In a game of one role without chance, the solvers of `solve` search for a plan at the same time: the line of moves with
the highest goal. A match follows it, so its first move is the best move.

--tree FILE.json writes the most visited nodes of the tree. --chart FILE draws the mean goals and visits of the moves
over the simulations.

With --exact-playouts nothing is searched: the program computes the expected score, -1 to 1, of random play-outs after
each move.

In a game with hidden information, --role names the role that searches and --history what it has observed. The command
prints the states that the role considers possible with their probabilities, and its mixed strategy.
"""

EPILOG = """\
examples:
  ggp-agent search connect_four --seconds 2
  ggp-agent search tic_tac_toe --moves "(mark 2 2) (mark 1 1)" --seed 7
  ggp-agent search connect_four --moves "drop 4, drop 4" --tree tree.json
  ggp-agent search my_game.kif --config mine.toml --json
  ggp-agent search reversi --config playout.policy=rank,memory_mb=4096
  ggp-agent search connect_four --simulations 20000 --chart moves.svg
  ggp-agent search tic_tac_toe --moves "(mark 2 2)" --exact-playouts 1
  ggp-agent search kuhn_poker --role first --history "noop ((dealt jack))"
"""

DEFAULT_SECONDS = 5.0
DEFAULT_TREE_NODES = 1_000
# Moves of a role that the table shows.
_ROWS = 30


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_game_argument(parser)
    add_option(parser, "--moves", "LINE", "the moves that lead to the position", "")
    add_shared(parser, "--position")
    add_option(parser, "--simulations", "count", "stop after N simulations")
    add_option(parser, "--seconds", "seconds", f"search S seconds (default: {DEFAULT_SECONDS:g} without --simulations)")
    add_option(parser, "--seed", "integer", "seed of all random numbers (default: the seed of the configuration)")
    add_config_option(parser)
    add_option(parser, "--in-flight", "count", "simulations in progress at once, at most 512")
    add_output(parser, "--tree", metavar="FILE.json", help="write the most visited nodes of the tree as JSON")
    add_option(parser, "--tree-nodes", "count", f"with --tree: at most N nodes (default: {DEFAULT_TREE_NODES:,})")
    _plan.add_options(parser)
    _exact_playouts.add_options(parser)
    _hidden_search.add_options(parser)
    add_shared(parser, "--json")


def run(args: argparse.Namespace) -> int:
    """Search and print the result, also after Ctrl-C."""
    config = _configuration(args)
    game = load_game(args.game)
    machine = game.machine()
    if machine.hides_information:
        return _hidden_search.run(args, game, machine)
    _hidden_search.refuse_hidden_options(args)
    if args.tree is None:
        refuse_options(args, "--tree is not given", "tree_nodes")
    if without := config.keys_without_effect(hides_information=False):
        raise UserError(f"--config: no effect in {args.game}, which does not hide information: {', '.join(without)}")
    if len(machine.roles) > 1:
        refuse_options(args, f"{args.game} has {len(machine.roles)} roles", "plan_seconds")
    state = machine.initial() if args.position is None else read_position(machine, Path(args.position))
    line = read_moves(machine, args.moves, state)
    for joint in line:
        state = machine.next(state, joint)
    if args.exact_playouts is not None:
        return _exact_playouts.run(args, machine, state)
    if args.chart is not None:
        require_charts(Path(args.chart))
        if args.simulations is None or args.seconds is not None:
            raise UserError("--chart needs --simulations N without --seconds: the number of simulations is its axis")
    try:
        searcher = Searcher(machine, config)
    except ValueError as error:
        raise UserError(f"{args.game}: {error}") from None
    searcher.set_root(state)
    with _plan.planning(game.word, searcher, machine, line, _plan.seconds_of(args)) as planning:
        course, cpu_seconds, interrupted = _search(args, searcher, planning)
    found = searcher.statistics()
    if course is not None:
        found = replace(found, simulations=course.simulations, seconds=course.seconds)
        path = Path(args.chart)
        write_whole(path, draw_courses(course.moves, f"Moves of {game.word}", format_of(path)))
    if args.tree is not None:
        nodes = searcher.tree(args.tree_nodes or DEFAULT_TREE_NODES)
        write_whole(Path(args.tree), tree_json(nodes, game.word, machine.roles, found.simulations).encode())
    if args.json:
        document = {
            "game": game.word,
            "roles": machine.roles,
            "line": line,
            **_document(searcher, found, cpu_seconds),
            **planning.document(),
            "interrupted": interrupted,
        }
        print(json_text(document))
    else:
        _print(game.word, machine, searcher, line, found, _speed(found, cpu_seconds), planning)
    return 130 if interrupted else 0


def _search(
    args: argparse.Namespace, searcher: Searcher, planning: _plan.Planning
) -> tuple[SearchCourse | None, float, bool]:
    """Search the tree and wait for the plan."""
    course = None
    seconds = args.seconds
    if seconds is None and args.simulations is None:
        seconds = DEFAULT_SECONDS
    interrupted = False
    with live_line(searcher) as show:
        started = time.process_time()
        try:
            stopped = planning.beside(show)
            if args.chart is not None:
                course = search_with_course(searcher, args.simulations, stopped)
            else:
                searcher.run(simulations=args.simulations, seconds=seconds, stopped=stopped)
        except KeyboardInterrupt:
            interrupted = True
        cpu_seconds = time.process_time() - started
    try:
        planning.settle(waits=not interrupted)
    except KeyboardInterrupt:
        interrupted = True
    return course, cpu_seconds, interrupted


def _configuration(args: argparse.Namespace) -> SearchConfig:
    """Read the configuration and apply the arguments that change it."""
    config = read_configuration(args.config)
    changes = {"seed": args.seed, "in_flight": args.in_flight}
    try:
        return replace(config, **{name: value for name, value in changes.items() if value is not None})
    except ValueError as error:
        raise UserError(str(error)) from None


def _speed(found: SearchResult, cpu_seconds: float) -> float:
    """Return the simulations per second of processor time, 0 if the clock of the processor has not moved yet."""
    return found.simulations / cpu_seconds if cpu_seconds else 0.0


def _document(searcher: Searcher, found: SearchResult, cpu_seconds: float) -> dict[str, Any]:
    """Return the result as a JSON document."""
    choosing = choosing_roles(found)
    return {
        "terminal": found.terminal,
        "moves": [
            {
                "role": role,
                "move": move.move,
                "visits": move.visits,
                "value": move.value,
                "bounds": move.bounds,
                "reply": move.reply,
                "probability": move.probability,
            }
            for role in choosing
            for move in found.moves[role]
        ],
        "best": next((found.moves[role][0].move for role in choosing), None),
        "best_joint": found.best,
        "principal_variation": found.principal_variation,
        "values": found.values,
        "bounds": found.bounds,
        "simulations": found.simulations,
        "simulations_per_cpu_s": _speed(found, cpu_seconds),
        "seconds": found.seconds,
        "cpu_seconds": cpu_seconds,
        "depth": found.max_depth,
        "nodes": found.nodes,
        "tree_bytes": found.tree_bytes,
        "tree_hash": f"{searcher.tree_hash():016x}",
        "seed": searcher.config.seed,
        "in_flight": searcher.in_flight,
    }


def _print(
    game: str,
    machine: CompiledMachine,
    searcher: Searcher,
    line: list[tuple[str, ...]],
    found: SearchResult,
    speed: float,
    planning: _plan.Planning,
) -> None:
    console = Console(highlight=False, markup=False, soft_wrap=True)

    def say(text: str) -> None:
        console.print("\n".join(wrapped(text, columns_of_terminal(), "  ")))

    turns = f" after {amount(len(line), 'turn')}" if line else ""
    if found.terminal:
        goals = ", ".join(f"{role} {value:g}" for role, value in found.values.items())
        stuck = [] if machine.terminal(searcher.root) else _without_moves(machine, searcher.root)
        reason = f"{' and '.join(stuck)} cannot move, which ends the game" if stuck else "the game is over"
        say(f"{game}{turns}: {reason}, goals: {goals}")
        return
    expected = ", ".join(_goal_text(value, found.bounds[role], role) for role, value in found.values.items())
    known = f"expected goals: {expected}" if found.visits else "no simulations yet"
    say(f"{game}{turns}; {known}")
    for role in choosing_roles(found):
        moves = found.moves[role]
        console.print(moves_table(found, role, _ROWS))
        if len(moves) > _ROWS:
            say(f"and {amount(len(moves) - _ROWS, 'more move')}")
    if found.principal_variation:
        say(f"best line: {_variation(machine, searcher, found)}")
    for sentence in planning.sentences():
        say(sentence)
    if may_have_odd_goals(machine.sheet):
        say("the rules may give odd goals: a number outside 0 to 100 counts as the nearer limit, a word is ignored")
    rate = f", {speed:,.0f} per CPU-second" if speed else ""
    say(
        f"{amount(found.simulations, 'simulation')} in {found.seconds:.2f} s{rate}; "
        f"depth {found.max_depth}, {amount(found.nodes, 'node')}, {found.tree_bytes / 1e6:.1f} MB, "
        f"tree {searcher.tree_hash():016x}"
    )


def _without_moves(machine: CompiledMachine, state: MachineState) -> list[str]:
    """List the roles without a legal move."""
    return [role for role in machine.roles if not machine.legal(state, role)]


def _goal_text(value: float, bounds: tuple[int, int], role: str) -> str:
    """Format the expected goal of a role.

    >>> [_goal_text(62.5, bounds, "x") for bounds in ((0, 100), (50, 50))]
    ['x 62.5', 'x 50 (proven)']
    """
    low, high = bounds
    return f"{role} {low} (proven)" if low == high else f"{role} {value:.1f}"


def _variation(machine: CompiledMachine, searcher: Searcher, found: SearchResult) -> str:
    """Format the best line: for each turn the moves of the roles that had a choice."""
    shown = []
    state = searcher.root
    for joint in found.principal_variation:
        choosing = [
            move for role, move in zip(machine.roles, joint, strict=True) if len(machine.legal(state, role)) > 1
        ]
        shown.append(" with ".join(choosing or joint))
        state = machine.next(state, joint)
    return ", ".join(shown)

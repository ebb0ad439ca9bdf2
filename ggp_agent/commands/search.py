"""`ggp-agent search`: analyse a position."""

from __future__ import annotations

import argparse
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.text import Text

from gdl.files import write_whole
from gdl.language.goals import may_have_odd_goals

from ..common.charts import format_of, require_charts
from ..common.errors import EXIT_INTERRUPTED, UserError
from ..common.progress import ProgressDisplay, plain_table
from ..common.report import print_result
from ..common.terminal_text import amount
from ..experiments.random_playouts import best_moves, draw_convergence, exact_scores, sampled_scores
from ..experiments.search_course import SearchCourse, draw_courses, search_with_course
from ..game.game import State
from ..game.load import load_game
from ..game.move_list import read_moves, read_position
from ..hidden.hidden_searcher import METHODS, HiddenResult, HiddenSearcher
from ..mcts.configurations import read_configuration, require_used_evaluation
from ..mcts.search_display import moves_table, progress_text
from ..mcts.search_result import choosing_roles
from ..mcts.search_tree import tree_json
from ..mcts.searcher import Searcher
from ..puzzles.planning import Planning
from ._arguments import (
    add_config_option,
    add_game_argument,
    add_option,
    add_output,
    add_shared,
    read_history,
    refuse_options,
    seconds_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.table import Table

    from gdl import CompiledMachine

    from ..game.game import Game
    from ..hidden.equilibrium import Turns
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

DEFAULT_SECONDS, _PLAN_SECONDS, _OBSERVE_SECONDS = 5.0, 20.0, 1.0
DEFAULT_TREE_NODES = 1_000
# Moves of a role and possible states that are printed, and states in a JSON document.
_ROWS, _STATES, _STATES_OF_JSON = 30, 5, 100
# Play-outs of a chart by default, and its number of points.
_PLAYOUTS, _POINTS = 10_000, 500

# Options for games without hidden information only, and for games with hidden information only.
_OPEN_OPTIONS = (
    *("config", "moves", "position", "chart", "exact_playouts", "in_flight"),
    *("tree", "tree_nodes", "plan_seconds"),
)
_HIDDEN_OPTIONS = "role", "history", "method", "observe_seconds"


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
    add_option(
        parser,
        "--plan-seconds",
        "seconds or 0",
        "games of one role: also search for a plan until one is proven best, at most S seconds or as long as the "
        f"tree search; 0: tree search only (default: {_PLAN_SECONDS:g})",
    )
    add_option(
        parser, "--exact-playouts", "count", "exact scores of random play-outs, minimax in DEPTH plies", metavar="DEPTH"
    )
    add_output(
        parser,
        "--chart",
        help="draw mean goals and visits of the moves over the simulations, or with --exact-playouts how random "
        "play-outs converge to these scores (.svg, .png, .pdf)",
    )
    _add_hidden_options(parser.add_argument_group("games with hidden information"))
    add_shared(parser, "--json")


def _add_hidden_options(group: argparse._ArgumentGroup) -> None:
    add_option(group, "--role", "R", "the role that searches")
    add_option(group, "--history", "TURNS", 'moves and percepts of the role so far: "(choose 1) () noop ((open 3))"')
    add_option(
        group,
        "--method",
        METHODS,
        "search over information states, online outcome sampling of whole games, or uniform play-outs from "
        f"possible states (default: {METHODS[0]})",
    )
    add_option(group, "--observe-seconds", "seconds", f"limit to find states of a turn (default: {_OBSERVE_SECONDS:g})")


def run(args: argparse.Namespace) -> int:
    """Search and print the result, also after Ctrl-C."""
    config = _configuration(args)
    game = load_game(args.game)
    machine = game.machine()
    if machine.hides_information:
        refuse_options(args, f"{args.game} hides information", *_OPEN_OPTIONS)
        return _search_hidden(args, game, machine)
    refuse_options(args, f"{args.game} does not hide information", *_HIDDEN_OPTIONS)
    if args.tree is None:
        refuse_options(args, "--tree is not given", "tree_nodes")
    if without := config.keys_without_effect(hides_information=False):
        raise UserError(f"--config: no effect in {args.game}, which does not hide information: {', '.join(without)}")
    if len(machine.roles) > 1:
        refuse_options(args, f"{args.game} has {len(machine.roles)} roles", "plan_seconds")
    packed = machine.initial() if args.position is None else read_position(machine, Path(args.position))
    line = read_moves(machine, args.moves, packed)
    state = State(game, machine, packed)
    for joint in line:
        state = state.play(*joint)
    if args.exact_playouts is not None:
        return _score_exactly(args, state)
    return _search_open(args, config, state, line)


# ---- games without hidden information


def _search_open(args: argparse.Namespace, config: SearchConfig, state: State, line: list[tuple[str, ...]]) -> int:
    game = state.game
    if args.chart is not None:
        require_charts(Path(args.chart))
        if args.simulations is None or args.seconds is not None:
            raise UserError("--chart needs --simulations N without --seconds: the number of simulations is its axis")
    try:
        searcher = state.searcher(config)
    except ValueError as error:
        raise UserError(f"{args.game}: {error}") from None
    plan_seconds = _PLAN_SECONDS if args.plan_seconds is None else args.plan_seconds
    with Planning(searcher, state, line, plan_seconds) as plans:
        course, cpu_seconds, interrupted = _search(args, searcher, plans)
    found = searcher.statistics()
    if course is not None:
        found = replace(found, simulations=course.simulations, seconds=course.seconds)
        path = Path(args.chart)
        write_whole(path, draw_courses(course.moves, f"Moves of {game.word}", format_of(path)))
    if args.tree is not None:
        nodes = searcher.tree(args.tree_nodes or DEFAULT_TREE_NODES)
        write_whole(Path(args.tree), tree_json(nodes, game.word, state.roles, found.simulations).encode())
    document = {
        "game": game.word,
        "roles": state.roles,
        "line": line,
        **_document(searcher, found, cpu_seconds),
        **plans.document(),
        "interrupted": interrupted,
    }
    parts = _parts(state, line, found, document, plans)
    print_result(document, parts, as_json=args.json)
    return EXIT_INTERRUPTED if interrupted else 0


def _search(args: argparse.Namespace, searcher: Searcher, plans: Planning) -> tuple[SearchCourse | None, float, bool]:
    """Search the tree and wait for the plan."""
    course = None
    interrupted = False
    with ProgressDisplay() as display:
        show = display.watcher(lambda: progress_text(searcher))
        started = time.process_time()
        try:
            stopped = plans.beside(show)
            if args.chart is not None:
                course = search_with_course(searcher, args.simulations, stopped)
            else:
                seconds = seconds_of(args, DEFAULT_SECONDS)
                searcher.run(simulations=args.simulations, seconds=seconds, stopped=stopped)
        except KeyboardInterrupt:
            interrupted = True
        cpu_seconds = time.process_time() - started
    try:
        plans.settle(waits=not interrupted)
    except KeyboardInterrupt:
        interrupted = True
    return course, cpu_seconds, interrupted


def _configuration(args: argparse.Namespace) -> SearchConfig:
    """Read the configuration and apply the arguments that change it."""
    config = read_configuration(args.config)
    require_used_evaluation(config, args.config)
    changes = {"seed": args.seed, "in_flight": args.in_flight}
    try:
        return replace(config, **{name: value for name, value in changes.items() if value is not None})
    except ValueError as error:
        raise UserError(str(error)) from None


def _document(searcher: Searcher, found: SearchResult, cpu_seconds: float) -> dict[str, Any]:
    """Return the result as a JSON document."""
    choosing = choosing_roles(found)
    return {
        "terminal": found.terminal,
        "moves": [{"role": role, **asdict(move)} for role in choosing for move in found.moves[role]],
        "best": next((found.moves[role][0].move for role in choosing), None),
        "best_joint": found.best,
        "principal_variation": found.principal_variation,
        "values": found.values,
        "bounds": found.bounds,
        "simulations": found.simulations,
        # 0 if the clock of the processor has not moved yet
        "simulations_per_cpu_s": found.simulations / cpu_seconds if cpu_seconds else 0.0,
        "seconds": found.seconds,
        "cpu_seconds": cpu_seconds,
        "depth": found.max_depth,
        "nodes": found.nodes,
        "tree_bytes": found.tree_bytes,
        "tree_hash": f"{searcher.tree_hash():016x}",
        "seed": searcher.config.seed,
        "in_flight": searcher.in_flight,
    }


def _parts(
    state: State,
    line: list[tuple[str, ...]],
    found: SearchResult,
    document: dict[str, Any],
    plans: Planning,
) -> Iterator[str | Table]:
    game = state.game.word
    turns = f" after {amount(len(line), 'turn')}" if line else ""
    if found.terminal:
        goals = ", ".join(f"{role} {value:g}" for role, value in found.values.items())
        stuck = [] if state.is_terminal else [role for role, moves in state.legal_moves().items() if not moves]
        reason = f"{' and '.join(stuck)} cannot move, which ends the game" if stuck else "the game is over"
        yield f"{game}{turns}: {reason}, goals: {goals}"
        return
    expected = ", ".join(_goal_text(value, found.bounds[role], role) for role, value in found.values.items())
    known = f"expected goals: {expected}" if found.visits else "no simulations yet"
    yield f"{game}{turns}; {known}"
    for role in choosing_roles(found):
        moves = found.moves[role]
        yield moves_table(found, role, _ROWS)
        if len(moves) > _ROWS:
            yield f"and {amount(len(moves) - _ROWS, 'more move')}"
    if found.principal_variation:
        yield f"best line: {_variation(state, found)}"
    yield from plans.sentences()
    if may_have_odd_goals(state.machine.sheet):
        yield "the rules may give odd goals: a number outside 0 to 100 counts as the nearer limit, a word is ignored"
    speed = document["simulations_per_cpu_s"]
    rate = f", {speed:,.0f} per CPU-second" if speed else ""
    yield (
        f"{amount(found.simulations, 'simulation')} in {found.seconds:.2f} s{rate}; "
        f"depth {found.max_depth}, {amount(found.nodes, 'node')}, {found.tree_bytes / 1e6:.1f} MB, "
        f"tree {document['tree_hash']}"
    )


def _goal_text(value: float, bounds: tuple[int, int], role: str) -> str:
    """Format the expected goal of a role.

    >>> [_goal_text(62.5, bounds, "x") for bounds in ((0, 100), (50, 50))]
    ['x 62.5', 'x 50 (proven)']
    """
    low, high = bounds
    return f"{role} {low} (proven)" if low == high else f"{role} {value:.1f}"


def _variation(state: State, found: SearchResult) -> str:
    """Format the best line: for each turn the moves of the roles that had a choice."""
    shown = []
    for joint in found.principal_variation:
        choosing = state.choosing
        shown.append(
            " with ".join([move for role, move in zip(state.roles, joint, strict=True) if role in choosing] or joint)
        )
        state = state.play(*joint)
    return ", ".join(shown)


# ---- exact scores of random play-outs


def _score_exactly(args: argparse.Namespace, state: State) -> int:
    """Compute and print the scores to which random play-outs converge, and draw the chart if requested."""
    depth: int = args.exact_playouts
    refuse_options(args, "--exact-playouts does not search", "config", "seconds", "in_flight", "tree", "plan_seconds")
    if args.chart is None:
        refuse_options(args, "--exact-playouts plays at random only for --chart", "simulations", "seed")
    else:
        require_charts(Path(args.chart))
        if depth > 2:
            raise UserError(f"--chart shows searches of depth 1 and 2, not {depth}")
    if state.is_terminal:
        raise UserError(f"{args.game}: the game is over in this position: there is no move to score")
    found = exact_scores(state.machine, state.packed, depth=depth)
    if args.chart is not None:
        playouts = args.simulations or _PLAYOUTS
        every = max(1, playouts // _POINTS)
        averages = list(
            sampled_scores(state.machine, state.packed, playouts, depth=depth, seed=args.seed or 1, every=every)
        )
        title = f"{args.game}: random play-out search, depth {depth}"
        ((_, scores),) = found.items()
        path = Path(args.chart)
        write_whole(path, draw_convergence(averages, scores, title, format_of(path)))
    moves = [
        {"role": role, "move": move, "score": float(score), "exact": str(score)}
        for role, scores in found.items()
        for move, score in scores.items()
    ]
    lines = [
        f"{role}: {move}  {score}  ({float(score):.4f}){'  best' if move in best_moves(scores) else ''}"
        for role, scores in found.items()
        for move, score in sorted(scores.items(), key=lambda entry: (-entry[1], entry[0]))
    ]
    document = {"game": args.game, "depth": depth, "moves": moves}
    print_result(document, lines or ["no role has a choice in this position"], as_json=args.json)
    return 0


# ---- games with hidden information


def _search_hidden(args: argparse.Namespace, game: Game, machine: CompiledMachine) -> int:
    """Search for one role and print what it knows and its strategy, also after Ctrl-C."""
    if args.role is None:
        raise UserError(f"{args.game} hides information; name the role that searches: --role ROLE")
    turns = read_history(args)
    method: Any = args.method or METHODS[0]
    searcher = HiddenSearcher(game, args.role, method=method, seed=args.seed or 0, machine=machine)
    for number, (move, percepts) in enumerate(turns, 1):
        _observe(searcher, move, percepts, f"--history, turn {number}", args.observe_seconds or _OBSERVE_SECONDS)
    interrupted = False
    try:
        found = searcher.run(simulations=args.simulations, seconds=seconds_of(args, DEFAULT_SECONDS))
    except KeyboardInterrupt:
        interrupted = True
        found = searcher.run(simulations=0)
    document = {**_hidden_document(game, searcher, turns, found), "interrupted": interrupted}
    print_result(document, _hidden_parts(game, searcher, turns, found), as_json=args.json)
    return EXIT_INTERRUPTED if interrupted else 0


def _observe(searcher: HiddenSearcher, move: str, percepts: Sequence[str], where: str, seconds: float) -> None:
    """Process a turn of the history."""
    role = searcher.belief.role
    legal = dict(searcher.belief.moves())
    try:
        unknown = searcher.observe(move, percepts, seconds=seconds)
    except ValueError:
        known = ", ".join(list(legal)[:3])
        raise UserError(f"{where}: {role} has no move {move}; it has {known or 'none'}") from None
    if unknown:
        raise UserError(f"{where}: no rule gives {role} the percept {unknown[0]}")
    if searcher.belief.is_empty:
        raise UserError(
            f"{where}: no state that was found in {seconds:g} s agrees with the move {move} and the percepts "
            f"({' '.join(percepts)})"
        )


def _hidden_document(game: Game, searcher: HiddenSearcher, turns: Turns, found: HiddenResult) -> dict[str, Any]:
    """Return what a role knows and its strategy as a JSON document."""
    states = searcher.belief.states()
    return {
        "game": game.word,
        "role": searcher.belief.role,
        "history": [{"move": move, "percepts": percepts} for move, percepts in turns],
        "possible_states": len(states),
        "complete": searcher.belief.is_complete,
        "states": [
            {"probability": probability, "fluents": state.fluents} for state, probability in states[:_STATES_OF_JSON]
        ],
        "moves": list(map(asdict, found.strategy)),
        "move": found.move,
        "exact": found.exact,
        "simulations": found.simulations,
        "seconds": found.seconds,
    }


def _hidden_parts(game: Game, searcher: HiddenSearcher, turns: Turns, found: HiddenResult) -> Iterator[str | Table]:
    belief = searcher.belief
    states = belief.states()
    after = f" after {amount(len(turns), 'turn')}" if turns else ""
    sample = "" if belief.is_complete else "at least "
    yield f"{game.word}{after}; {belief.role} considers {sample}{amount(len(states), 'state')} possible"
    for state, probability in states[:_STATES]:
        yield f"{100 * probability:5.1f} %  {' '.join(state.fluents)}"
    if len(states) > _STATES:
        yield f"and {amount(len(states) - _STATES, 'more state')}"
    yield _strategy_table(belief.role, found)
    if len(found.strategy) > _ROWS:
        yield f"and {amount(len(found.strategy) - _ROWS, 'more move')}"
    if found.exact:
        yield f"exact values, found in {found.seconds:.2f} s"
    else:
        yield f"{amount(found.simulations, 'simulation')} in {found.seconds:.2f} s"


def _strategy_table(role: str, found: HiddenResult) -> Table:
    """Return a table of the moves: how often each is to be played, and its value."""
    unsure = any(each.legal < 1 for each in found.strategy)
    heads = (role, "play", "value", "visits", *(["legal"] if unsure else []))
    table = plain_table(*heads, header_style="bold")
    for each in found.strategy[:_ROWS]:
        legal = [f"{100 * each.legal:.1f} %"] if unsure else []
        value = f"{each.value:.1f}" if found.exact or each.visits > 0 else "-"
        table.add_row(Text(each.move), f"{100 * each.probability:.1f} %", value, f"{each.visits:,}", *legal)
    return table

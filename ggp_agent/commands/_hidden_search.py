"""`ggp-agent search` for games with hidden information: what a role knows, and its mixed strategy."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..common.errors import UserError
from ..common.terminal_text import amount, columns_of_terminal, json_text, wrapped
from ..game.game import Game
from ..hidden.hidden_searcher import METHODS, HiddenResult, HiddenSearcher
from ..hidden.role_belief import Belief
from ..protocol.message_text import MessageTextError, split
from ._arguments import add_option, refuse_options

if TYPE_CHECKING:
    from gdl import CompiledMachine

DEFAULT_SECONDS = 5.0
_OBSERVE_SECONDS = 1.0
# Moves and possible states that are printed, and states in a JSON document.
_ROWS, _STATES, _STATES_OF_JSON = 30, 5, 100
# Options for games without hidden information only, and for games with hidden information only.
_OPEN_OPTIONS = (
    *("config", "moves", "position", "chart", "exact_playouts", "in_flight"),
    *("tree", "tree_nodes", "plan_seconds"),
)
_HIDDEN_OPTIONS = "role", "history", "method", "observe_seconds"


@dataclass(frozen=True, slots=True)
class ObservedTurn:
    """A turn as a role observes it."""

    move: str  # the move of the role
    percepts: tuple[str, ...]  # the percepts of the role


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for games with hidden information."""
    group = parser.add_argument_group("games with hidden information")
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


def refuse_hidden_options(args: argparse.Namespace) -> None:
    """Refuse options for games with hidden information in another game."""
    refuse_options(args, f"{args.game} does not hide information", *_HIDDEN_OPTIONS)


def read_history(text: str) -> list[ObservedTurn]:
    """Read what a role has observed.

    >>> read_history("(choose 1) () noop ((open 3))")
    [ObservedTurn(move='(choose 1)', percepts=()), ObservedTurn(move='noop', percepts=('(open 3)',))]
    """
    try:
        items = list(split(text))
        if len(items) % 2:
            raise UserError("--history: the last move has no list of percepts; () is the empty list")
        turns = []
        for number, (move, percepts) in enumerate(zip(items[::2], items[1::2], strict=True), 1):
            if not percepts.is_list:
                raise UserError(f"--history: {percepts} in turn {number} is not a list of percepts, as in (a (b 1))")
            turns.append(ObservedTurn(str(move), tuple(map(str, percepts.items()))))
    except MessageTextError as error:
        raise UserError(f"--history: {error}") from None
    return turns


def run(args: argparse.Namespace, game: Game, machine: CompiledMachine) -> int:
    """Search for one role and print what it knows and its strategy, also after Ctrl-C."""
    refuse_options(args, f"{args.game} hides information", *_OPEN_OPTIONS)
    if args.role is None:
        raise UserError(f"{args.game} hides information; name the role that searches: --role ROLE")
    turns = read_history(args.history or "")
    method: Any = args.method or METHODS[0]
    searcher = HiddenSearcher(game, args.role, method=method, seed=args.seed or 0, machine=machine)
    for number, turn in enumerate(turns, 1):
        _observe(searcher, turn, number, args.observe_seconds or _OBSERVE_SECONDS)
    seconds = args.seconds
    if seconds is None and args.simulations is None:
        seconds = DEFAULT_SECONDS
    interrupted = False
    try:
        found = searcher.run(simulations=args.simulations, seconds=seconds)
    except KeyboardInterrupt:
        interrupted = True
        found = searcher.run(simulations=0)
    if args.json:
        print(json_text(_document(game, searcher.belief, turns, found) | {"interrupted": interrupted}))
    else:
        _print(game, searcher.belief, turns, found)
    return 130 if interrupted else 0


def _observe(searcher: HiddenSearcher, turn: ObservedTurn, number: int, seconds: float) -> None:
    """Process a turn of the history."""
    role = searcher.belief.role
    where = f"--history, turn {number}"
    legal = dict(searcher.belief.moves())
    try:
        unknown = searcher.observe(turn.move, turn.percepts, seconds=seconds)
    except ValueError:
        known = ", ".join(list(legal)[:3])
        raise UserError(f"{where}: {role} has no move {turn.move}; it has {known or 'none'}") from None
    if unknown:
        raise UserError(f"{where}: no rule gives {role} the percept {unknown[0]}")
    if searcher.belief.is_empty:
        raise UserError(
            f"{where}: no state that was found in {seconds:g} s agrees with the move {turn.move} and the percepts "
            f"({' '.join(turn.percepts)})"
        )


def _document(game: Game, belief: Belief, turns: list[ObservedTurn], found: HiddenResult) -> dict[str, Any]:
    """Return what a role knows and its strategy as a JSON document."""
    states = belief.states()
    return {
        "game": game.word,
        "role": belief.role,
        "history": [{"move": turn.move, "percepts": turn.percepts} for turn in turns],
        "possible_states": len(states),
        "complete": belief.is_complete,
        "states": [
            {"probability": probability, "fluents": state.fluents} for state, probability in states[:_STATES_OF_JSON]
        ],
        "moves": [
            {
                "move": each.move,
                "probability": each.probability,
                "value": each.value,
                "visits": each.visits,
                "legal": each.legal,
            }
            for each in found.strategy
        ],
        "move": found.move,
        "exact": found.exact,
        "simulations": found.simulations,
        "seconds": found.seconds,
    }


def _print(game: Game, belief: Belief, turns: list[ObservedTurn], found: HiddenResult) -> None:
    console = Console(highlight=False, markup=False, soft_wrap=True)

    def say(text: str) -> None:
        console.print("\n".join(wrapped(text, columns_of_terminal(), "  ")))

    states = belief.states()
    after = f" after {amount(len(turns), 'turn')}" if turns else ""
    sample = "" if belief.is_complete else "at least "
    say(f"{game.word}{after}; {belief.role} considers {sample}{amount(len(states), 'state')} possible")
    for state, probability in states[:_STATES]:
        say(f"{100 * probability:5.1f} %  {' '.join(state.fluents)}")
    if len(states) > _STATES:
        say(f"and {amount(len(states) - _STATES, 'more state')}")
    console.print(_strategy_table(belief.role, found))
    if len(found.strategy) > _ROWS:
        say(f"and {amount(len(found.strategy) - _ROWS, 'more move')}")
    if found.exact:
        say(f"exact values, found in {found.seconds:.2f} s")
    else:
        say(f"{amount(found.simulations, 'simulation')} in {found.seconds:.2f} s")


def _strategy_table(role: str, found: HiddenResult) -> Table:
    """Return a table of the moves: how often each is to be played, and its value."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    unsure = any(each.legal < 1 for each in found.strategy)
    for title in (role, "play", "value", "visits", *(["legal"] if unsure else [])):
        table.add_column(title, justify="left" if title == role else "right", no_wrap=True)
    for each in found.strategy[:_ROWS]:
        legal = [f"{100 * each.legal:.1f} %"] if unsure else []
        known = found.exact or each.visits > 0
        value = f"{each.value:.1f}" if known else "-"
        table.add_row(Text(each.move), f"{100 * each.probability:.1f} %", value, f"{each.visits:,}", *legal)
    return table

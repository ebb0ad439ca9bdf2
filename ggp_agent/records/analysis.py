"""Search every position of a recorded match: what each role could expect, and so which turns lost most."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from gdl import CompiledMachine

from ..common.errors import UserError
from ..mcts.config import SearchConfig
from ..mcts.search_result import SearchResult
from ..mcts.searcher import Searcher
from .match_record import MatchRecord
from .played_turns import turns_of
from .record_rules import machine_of_record, rules_of
from .values import Values


def analyse(
    record: MatchRecord,
    *,
    source: object,
    rules: str | None = None,
    seconds: float | None = None,
    simulations: int | None = None,
    config: SearchConfig | None = None,
    told: Callable[[int, int, Values], None] = lambda done, count, values: None,
) -> list[Values]:
    """Return the value of each role in each position of a match: a proven goal, else the mean goal of a search.

    One tree goes along with the match, so a position begins with what was found out behind the one before.

    Args:
        record: of the match.
        source: what messages begin with.
        rules: names the rules, as GAME does on the command line; None for those of the catalogue.
        seconds, simulations: for each position, at least one of them.
        config: of the search.
        told: called after each position with how many are done, of how many, and its values.

    Raises:
        UserError, GdlError: the rules are unknown, or the record is not of them.
    """
    game = rules_of(record, rules)
    machine = machine_of_record(record, game)
    if not isinstance(machine, CompiledMachine):
        raise UserError(f"{source}: these rules cannot be searched on this machine")
    joints = [turn.moves for turn in turns_of(record, machine, source)]
    try:
        searcher = Searcher(machine, replace(config or SearchConfig(), settle=False))
    except ValueError as error:
        raise UserError(f"{source}: {error}") from None
    values: list[Values] = []
    for number in range(len(joints) + 1):
        found = searcher.run(seconds=seconds, simulations=simulations)
        values.append(_expected(found))
        told(number + 1, len(joints) + 1, values[-1])
        if number < len(joints):
            searcher.advance(joints[number])
    return values


def _expected(found: SearchResult) -> tuple[float, ...]:
    """Return the value of each role at the root; of a bound on a goal, that part of it which the mean leaves out."""
    return tuple(min(max(found.values[role], low), high) for role, (low, high) in found.bounds.items())

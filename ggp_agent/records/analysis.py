"""Search each position of a recorded match for the goals that the roles can expect."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from ..common.errors import UserError
from ..game.game import require_perfect_information
from ..mcts.config import SearchConfig
from ..mcts.searcher import Searcher
from .match_record import MatchRecord
from .played_turns import turns_of
from .record_rules import game_of_notation, rules_of
from .values import Values


@dataclass(frozen=True, slots=True)
class Analysis:
    """The result of searching the positions of a match."""

    # The value of each role in each position: a proven goal, or the mean goal of a search.
    values: list[Values] = field(default_factory=list)
    # The best move of each role in each position, in role order; empty after the end.
    best: list[tuple[str, ...]] = field(default_factory=list)


def analyse(
    record: MatchRecord,
    *,
    source: object,
    rules: str | None = None,
    seconds: float | None = None,
    simulations: int | None = None,
    config: SearchConfig | None = None,
    on_position: Callable[[int, int, Values], None] = lambda done, count, values: None,
) -> Analysis:
    """Return the value and the best move of each role in each position of a match.

    All positions use one tree, so the search of a position starts with the results of the previous one.
    """
    game = rules_of(record, rules)
    require_perfect_information(game, "an analysis of records")
    machine = game_of_notation(record, game).machine()
    joints = [turn.moves for turn in turns_of(record, machine, source)]
    try:
        searcher = Searcher(machine, replace(config or SearchConfig(), settle=False))
    except ValueError as error:
        raise UserError(f"{source}: {error}") from None
    analysis = Analysis()
    for number in range(len(joints) + 1):
        found = searcher.run(seconds=seconds, simulations=simulations)
        analysis.values.append(tuple(found.expected.values()))
        analysis.best.append(found.best)
        on_position(number + 1, len(joints) + 1, analysis.values[-1])
        if number < len(joints):
            searcher.advance(joints[number])
    return analysis

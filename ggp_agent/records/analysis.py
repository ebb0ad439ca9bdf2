"""Search each position of a recorded match for the goals that the roles can expect."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from ..common.errors import UserError
from ..common.terminal_text import printable, table
from ..game.game import require_perfect_information
from ..mcts.config import SearchConfig
from .match_record import MatchRecord
from .played_turns import turns_of
from .record_list import role_names
from .record_rules import game_of_notation, rules_of
from .values import Values, losses, rounded


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
    start = game_of_notation(record, game).initial_state()
    joints = [turn.moves for turn in turns_of(record, start, source)]
    try:
        searcher = start.searcher(replace(config or SearchConfig(), settle=False))
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


def analysis_document(record: MatchRecord, found: Analysis) -> dict[str, Any]:
    """Return the values of the positions and the turns that lost most, as JSON types."""
    roles = role_names(record.document())
    worst_turns = [
        {"turn": each.turn, "role": roles[each.role], "lost": round(each.lost, 1), "better": each.better}
        for each in losses(found.values, record.moves, found.best)
    ]
    return {"match": record.match_id, "roles": roles, "values": rounded(found.values), "losses": worst_turns}


def analysis_text(record: MatchRecord, found: Analysis) -> str:
    """Return a table of the values of the positions, with the turns that lost most."""
    roles = role_names(record.document())
    marks: dict[int, list[str]] = {}
    for each in losses(found.values, record.moves, found.best):
        better = f", better: {each.better}" if each.better else ""
        marks.setdefault(each.turn, []).append(f"{roles[each.role]} lost {each.lost:.0f}{better}")
    rows = []
    for turn, values in enumerate(found.values):
        moves = record.moves[turn - 1] if turn else [""] * len(roles)
        shown = ["" if value is None else f"{value:.0f}" for value in values or ()]
        rows.append((str(turn), " ".join(moves), *shown, "; ".join(marks.get(turn, []))))
    names = [printable(role) for role in roles]
    return table(("turn", "moves", *names, "lost most"), rows, right=("turn", *names))

"""The results as tables of cells, from which text and HTML are made."""

from __future__ import annotations

from dataclasses import dataclass

from .standings import ERRORS, Mean, Standings

# Stands where there is nothing to be told.
NOTHING = ""


@dataclass(frozen=True, slots=True)
class ResultTable:
    """Hold one table.

    Attributes:
        title: what it tells.
        heads: of the columns.
        rows: of as many cells.
    """

    title: str
    heads: tuple[str, ...]
    rows: list[tuple[str, ...]]

    def has_words(self, column: int) -> bool:
        """Tell whether a column holds words, not figures."""
        return column == 0 or not any(row[column][:1] in tuple("+-0123456789") for row in self.rows)


def result_tables(results: Standings) -> list[ResultTable]:
    """Make all tables that have something to tell; none before a match was played."""
    if not any(one.goals is not None or one.moves for one in results.players):
        return []
    tables = [_standings(results), _cross(results), _goals(results), _trouble(results)]
    return [table for table in tables if table.rows]


def _standings(results: Standings) -> ResultTable:
    heads = ("player", "Elo", "from", "to", "score %", "won", "drawn", "lost", "matches", "goal", "plays")
    rows = []
    for one in results.players:
        elo, low, high = (NOTHING,) * 3
        if one.rating is not None:
            elo, low, high = (f"{round(value):+d}" for value in (one.rating.elo, *one.rating.interval))
        share = f"{100 * one.score.share:.1f}" if one.score.games else NOTHING
        counts = map(str, (one.score.wins, one.score.draws, one.score.losses))
        matches = str(one.goals.matches if one.goals is not None else 0)
        rows.append((one.name, elo, low, high, share, *counts, matches, _goal(one.goals), one.spec))
    return ResultTable("Standings", heads, rows)


def _cross(results: Standings) -> ResultTable:
    """Tell the points of each row's player against each column's, and in how many comparisons."""
    names = [one.name for one in results.players]
    rows = []
    for name in names:
        cells = []
        for other in names:
            score = results.cross.get((name, other))
            cells.append(f"{score.wins + score.draws / 2:g}/{score.games}" if score is not None else NOTHING)
        rows.append((name, *cells))
    heads = ("player", *names)
    return ResultTable("Points of the row against the column", heads, rows if results.cross else [])


def _goals(results: Standings) -> ResultTable:
    """Tell the goals in each game and, where it has several, in each role."""
    rows = []
    for game, roles in results.games.items():
        rows.append((game, NOTHING, *(_goal(one.by_game.get(game)) for one in results.players)))
        if len(roles) > 1:
            rows += [(game, role, *(_goal(one.by_seat.get((game, role))) for one in results.players)) for role in roles]
    heads = ("game", "role", *(one.name for one in results.players))
    return ResultTable("Mean goal by game and role, 0 to 1", heads, rows)


def _trouble(results: Standings) -> ResultTable:
    heads = ("player", *ERRORS, "moves", "s/move", "longest s", "benched")
    rows = []
    for one in results.players:
        times = (str(one.moves), f"{one.seconds:.2f}", f"{one.longest:.2f}") if one.moves else ("0", NOTHING, NOTHING)
        rows.append((one.name, *(str(one.errors[code]) for code in ERRORS), *times, one.benched))
    meaning = ", ".join(f"{code} {words}" for code, words in ERRORS.items())
    return ResultTable(f"Errors ({meaning}) and times", heads, rows)


def _goal(mean: Mean | None) -> str:
    return f"{mean.goal:.3f}" if mean is not None else NOTHING


def summary(results: Standings) -> str:
    """Say in one line how far the tournament is.

    >>> counts = {"waiting": 1, "running": 0, "finished": 3, "cancelled": 0, "failed": 0}
    >>> summary(Standings("spring", counts, [], {}, {}))
    'spring: 3 of 4 matches played, 1 to be played'
    """
    counts = results.counts
    parts = [f"{results.name}: {counts['finished']} of {sum(counts.values())} matches played"]
    parts += [f"{results.not_counted} not counted, as a player never answered"] if results.not_counted else []
    left = counts["waiting"] + counts["running"]
    parts += [f"{left} to be played"] if left else []
    parts += [f"{counts['cancelled']} cancelled, as a player is benched"] if counts["cancelled"] else []
    parts += [f"{counts['failed']} failed"] if counts["failed"] else []
    return ", ".join(parts)


def remarks(results: Standings) -> list[str]:
    """Tell what the tables leave out: who is benched or never answered, and which matches failed."""
    lines = [f"{one.name} is benched: {one.benched}" for one in results.players if one.benched]
    lines += [
        f"{one.name} never answered in {one.unanswered} match{'es' * (one.unanswered > 1)}, counted for nobody"
        for one in results.players
        if one.unanswered
    ]
    return lines + [f"match {number} ({game}) failed: {reason}" for number, game, reason in results.unplayed]

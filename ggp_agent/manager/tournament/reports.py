"""Reports of results as tables, text, HTML, CSV and JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ...common.report import EMPTY, ResultTable, html_page, html_text, interval_marks
from ...common.terminal_text import csv_text, printable
from ...records.titles import title_of
from .standings import ERRORS, Mean, PlayerResult, Standings

_NOTE = "Ratings are relative to the mean of all players. Overlapping intervals do not prove that players are equal."

# Parts of the chart, in pixels: heights of a player and of the axis, place of the text line above the interval.
_ROW, _AXIS, _TEXT = 46, 22, 15
# Margin at both sides of the scale, in per cent.
_MARGIN = 2.0
# Minimal number of Elo points on the scale.
_MIN_SPAN = 20.0


def result_tables(results: Standings) -> list[ResultTable]:
    """Return all tables that have rows; no tables before the first match was played."""
    if not any(one.goals is not None or one.moves for one in results.players):
        return []
    tables = [
        _standings_table(results),
        _pairing_table(results),
        _cross_table(results),
        _superiority_table(results),
        _goal_table(results),
        _trouble_table(results),
    ]
    return [table.without_empty_columns() for table in tables if table.rows]


def _standings_table(results: Standings) -> ResultTable:
    """Show the rating, score and goals of each player; without the mean goal if it equals the score for each player."""
    heads = ("player", "Elo", "95 % interval", "score %", "won", "drawn", "lost", "matches", "goal", "plays")
    rows = []
    for one in results.players:
        elo = interval = EMPTY
        if one.rating is not None:
            elo, low, high = (f"{round(value):+d}" for value in (one.rating.elo, *one.rating.interval))
            interval = f"{low} to {high}"
        share = f"{100 * one.score.share:.1f}" if one.score.games else EMPTY
        counts = map(str, (one.score.wins, one.score.draws, one.score.losses))
        matches = str(one.goals.matches if one.goals is not None else 0)
        goal = EMPTY if _has_goals_like_scores(results) else _goal(one.goals)
        rows.append((one.name, elo, interval, share, *counts, matches, goal, one.spec))
    return ResultTable("Standings", heads, rows)


def _has_goals_like_scores(results: Standings) -> bool:
    """Return whether the mean goal of each player is its score, as in games of two players with goals 0, 50 and 100."""
    played = [one for one in results.players if one.goals is not None]
    return all(abs(one.goals.goal - one.score.share) < 0.0005 for one in played if one.goals is not None)


def _pairing_table(results: Standings) -> ResultTable:
    """Show the rounds of an elimination tournament."""
    rows: list[tuple[str, ...]] = []
    for one in results.pairings:
        points = f"{one.points[0]:g} to {one.points[1]:g}" if one.other else EMPTY
        rows.append((str(one.round), one.better, one.other or "bye", points, one.winner))
    return ResultTable("Rounds", ("round", "player", "against", "points", "winner"), rows)


def _cross_table(results: Standings) -> ResultTable:
    """Show the points of each player against each other, with the number of comparisons."""
    names = [one.name for one in results.players]
    rows = []
    for name in names:
        cells = []
        for other in names:
            score = results.cross.get((name, other))
            cells.append(f"{score.points:g}/{score.games}" if score is not None else EMPTY)
        rows.append((name, *cells))
    heads = ("player", *names)
    return ResultTable("Points of the row against the column", heads, rows if results.cross else [])


def _superiority_table(results: Standings) -> ResultTable:
    """Show how likely each player is stronger than each other one, by their results against each other."""
    names = [one.name for one in results.players]
    rows = []
    for name in names:
        scores = [results.cross.get((name, other)) for other in names]
        rows.append((name, *(EMPTY if score is None else f"{100 * score.superiority:.1f}" for score in scores)))
    heads = ("player", *names)
    title = "Likelihood of superiority (LOS), row over column, %"
    return ResultTable(title, heads, rows if results.cross else [])


def _goal_table(results: Standings) -> ResultTable:
    """Show the mean goals per game and, if they differ between the roles of the game, per role."""
    rows: list[tuple[str, ...]] = []
    for game, roles in results.games.items():
        title, goals = title_of(game), [_goal(one.by_game.get(game)) for one in results.players]
        rows.append((title, EMPTY, *goals))
        by_role = [(role, *(_goal(one.by_seat.get((game, role))) for one in results.players)) for role in roles]
        if any(seats != goals for _, *seats in by_role):
            rows += [(title, *each) for each in by_role]
    heads = ("game", "role", *(one.name for one in results.players))
    return ResultTable("Mean goal by game and role, 0 to 1", heads, rows)


def _trouble_table(results: Standings) -> ResultTable:
    heads = ("player", *ERRORS, "retried", "repaired", "moves", "s/move", "longest s", "benched")
    rows = []
    for one in results.players:
        times = (str(one.moves), f"{one.seconds:.2f}", f"{one.longest:.2f}") if one.moves else ("0", EMPTY, EMPTY)
        answers = (str(count) if count else EMPTY for count in (one.retried, one.repaired))
        rows.append((one.name, *(str(one.errors[code]) for code in ERRORS), *answers, *times, one.benched))
    meaning = ", ".join(f"{code} {words}" for code, words in ERRORS.items())
    return ResultTable(f"Errors ({meaning}) and times", heads, rows)


def _goal(mean: Mean | None) -> str:
    return f"{mean.goal:.3f}" if mean is not None else EMPTY


def summary(results: Standings) -> str:
    """Return one line with the progress of the tournament.

    >>> counts = {"waiting": 1, "running": 0, "finished": 3, "cancelled": 0, "failed": 0}
    >>> summary(Standings("spring", counts, [], {}, {}))
    'spring: 3 of 4 matches played, 1 to be played'
    """
    counts = results.counts
    parts = [f"{results.name}: {counts['finished']} of {sum(counts.values())} matches played"]
    parts += [f"{results.not_counted} not counted, because a player never answered"] if results.not_counted else []
    stopped = sum(results.stopped.values())
    parts += [f"{stopped} not counted, because the turn limit stopped them"] if stopped else []
    without_goals = sum(results.without_goals.values())
    parts += [f"{without_goals} not counted, because a player got no goal value"] if without_goals else []
    left = counts["waiting"] + counts["running"]
    parts += [f"{left} to be played"] if left else []
    parts += [f"{counts['cancelled']} cancelled, because a player is benched"] if counts["cancelled"] else []
    parts += [f"{counts['failed']} failed"] if counts["failed"] else []
    return ", ".join(parts)


def remarks(results: Standings) -> list[str]:
    """Return lines about the winner, benched and silent players, and matches that were stopped or failed."""
    last = [one for one in results.pairings if one.round == results.pairings[-1].round]
    lines = [f"{one.winner} has won the tournament" for one in last if len(last) == 1 and one.winner]
    lines += [f"{one.name} is benched: {one.benched}" for one in results.players if one.benched]
    lines += [
        f"{one.name} never answered in {one.unanswered} match{'es' * (one.unanswered > 1)}, not counted"
        for one in results.players
        if one.unanswered
    ]
    lines += [
        f"{one.name}: {one.drawn_moves} of {one.moves} moves were drawn for it"
        for one in results.players
        if one.drawn_moves
    ]
    lines += [
        f"{title_of(game)}: {count} match{'es' * (count > 1)} stopped by the turn limit, not counted"
        for game, count in results.stopped.items()
    ]
    lines += [
        f"{title_of(game)}: {count} match{'es' * (count > 1)} ended without a goal value for a player, not counted"
        for game, count in results.without_goals.items()
    ]
    return lines + [f"match {number} ({title_of(game)}) failed: {reason}" for number, game, reason in results.unplayed]


# ---- text, HTML


def as_text(results: Standings) -> str:
    """Return all tables as text."""
    parts = [printable(summary(results))]
    parts += [each.text() for each in result_tables(results)]
    lines = remarks(results)
    if lines:
        parts.append("\n".join(map(printable, lines)))
    return "\n\n".join(parts) + "\n"


def as_html(results: Standings) -> str:
    """Return a page with a chart of the ratings and all tables."""
    title = html_text(results.name)
    parts = [f"<h1>{title}</h1>", f'<p class="lead">{html_text(summary(results))}</p>']
    if chart := rating_chart(results):
        heading = "<h2>Elo ratings with 95 % intervals</h2>"
        parts += ["<section>", heading, chart, f'<p class="note">{_NOTE}</p>', "</section>"]
    tables = [f"<section>\n{each.html()}\n</section>" for each in result_tables(results)]
    parts += ['<div class="tables">', *tables, "</div>"]
    if lines := remarks(results):
        items = [f"<li>{html_text(line)}</li>" for line in lines]
        parts += ["<section>", "<h2>Remarks</h2>", "<ul>", *items, "</ul>", "</section>"]
    return html_page(results.name, *parts)


def rating_chart(results: Standings) -> str:
    """Return an SVG chart of the Elo ratings with their intervals; empty if fewer than two players have a rating.

    Horizontal positions are percentages, so the chart is as wide as its page while the text keeps its size. Colours
    come from the classes `zero`, `interval` and `mark` in the style sheet of the page.
    """
    rated = [one for one in results.players if one.rating is not None]
    if len(rated) < 2:
        return ""
    ends = [end for one in rated if one.rating is not None for end in one.rating.interval]
    middle, span = (min(ends) + max(ends)) / 2, max(max(ends) - min(ends), _MIN_SPAN)

    def across(elo: float) -> float:
        return 50 + (elo - middle) / span * (100 - 2 * _MARGIN)

    height = _ROW * len(rated) + _AXIS
    label = "Elo ratings with 95 % intervals: " + ", ".join(f"{one.name} {_rating_text(one)}" for one in rated)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="100%" height="{height}" class="ratings" role="img" '
        f'aria-label="{html_text(label)}">',
        f'<rect class="zero" x="{across(0):.2f}%" y="0" width="1" height="{height - _AXIS}"/>',
    ]
    for number, one in enumerate(rated):
        assert one.rating is not None
        low, high = map(across, one.rating.interval)
        line = _ROW * number + _TEXT
        parts += [
            f'<text x="0" y="{line}">{html_text(one.name)}</text>',
            f'<text x="100%" y="{line}" text-anchor="end">{_rating_text(one)}</text>',
            *interval_marks(across(one.rating.elo), (low, high), line + 14),
        ]
    for elo, anchor in ((min(ends), "start"), (0.0, "middle"), (max(ends), "end")):
        where = f'x="{across(elo):.2f}%" y="{height - 4}" text-anchor="{anchor}"'
        parts.append(f'<text class="axis" {where}>{_signed(elo)}</text>')
    return "\n".join([*parts, "</svg>"])


def _rating_text(one: PlayerResult) -> str:
    assert one.rating is not None
    low, high = one.rating.interval
    return f"{_signed(one.rating.elo)} ({_signed(low)} to {_signed(high)})"


def _signed(elo: float) -> str:
    """Return a rounded number with its sign; 0 has none."""
    return f"{round(elo):+d}" if round(elo) else "0"


# ---- CSV, JSON


def as_csv(results: Standings) -> str:
    """Return CSV text with one row per player.

    `vs NAME` contains points and comparisons against a player; `goal GAME` and `goal GAME ROLE` are mean goals, 0 .. 1.
    """
    seats = [(game, role) for game, roles in results.games.items() if len(roles) > 1 for role in roles]
    heads = ["player", "elo", "elo low", "elo high", "score", "won", "drawn", "lost", "matches", "goal", "plays"]
    heads += [f"vs {other.name}" for other in results.players]
    heads += [f"goal {game}" for game in results.games]
    heads += [f"goal {game} {role}" for game, role in seats]
    heads += [*ERRORS, "moves", "seconds per move", "longest move", "benched", "unanswered"]
    heads += ["retried", "repaired", "drawn moves"]
    rows = []
    for one in results.players:
        rating = one.rating
        row: list[object] = [one.name]
        row += ["", "", ""] if rating is None else [f"{value:.1f}" for value in (rating.elo, *rating.interval)]
        row.append(f"{one.score.share:.4f}" if one.score.games else "")
        row += [one.score.wins, one.score.draws, one.score.losses]
        row += [one.goals.matches if one.goals is not None else 0, _exact_goal(one.goals), one.spec]
        for other in results.players:
            score = results.cross.get((one.name, other.name))
            row.append(f"{score.points:g}/{score.games}" if score is not None else "")
        row += [_exact_goal(one.by_game.get(game)) for game in results.games]
        row += [_exact_goal(one.by_seat.get(seat)) for seat in seats]
        row += [
            *one.errors.values(),
            one.moves,
            f"{one.seconds:.4f}",
            f"{one.longest:.3f}",
            one.benched,
            one.unanswered,
            one.retried,
            one.repaired,
            one.drawn_moves,
        ]
        rows.append(row)
    return csv_text(heads, rows)


def _exact_goal(mean: Mean | None) -> str:
    return f"{mean.goal:.4f}" if mean is not None else ""


def as_document(results: Standings) -> dict[str, Any]:
    """Return all results as a JSON document."""
    return {
        "tournament": results.name,
        "matches": results.counts,
        "not_counted": results.not_counted,
        "stopped": results.stopped,
        "without_goals": results.without_goals,
        "players": [
            {
                "player": one.name,
                "plays": one.spec,
                "elo": one.rating.elo if one.rating is not None else None,
                "elo_interval": list(one.rating.interval) if one.rating is not None else None,
                "won": one.score.wins,
                "drawn": one.score.draws,
                "lost": one.score.losses,
                "matches": one.goals.matches if one.goals is not None else 0,
                "goal": one.goals.goal if one.goals is not None else None,
                "games": {game: asdict(mean) for game, mean in one.by_game.items()},
                "seats": [{"game": game, "role": role, **asdict(mean)} for (game, role), mean in one.by_seat.items()],
                "errors": one.errors,
                "moves": one.moves,
                "seconds_per_move": one.seconds,
                "longest_move": one.longest,
                "benched": one.benched,
                "unanswered": one.unanswered,
                "retried": one.retried,
                "repaired": one.repaired,
                "drawn_moves": one.drawn_moves,
            }
            for one in results.players
        ],
        "cross": [
            {
                "player": one,
                "against": other,
                "won": score.wins,
                "drawn": score.draws,
                "lost": score.losses,
                "los": score.superiority,
            }
            for (one, other), score in sorted(results.cross.items())
        ],
        "rounds": [asdict(each) for each in results.pairings],
        "failed": [{"match": number, "game": game, "reason": reason} for number, game, reason in results.unplayed],
    }

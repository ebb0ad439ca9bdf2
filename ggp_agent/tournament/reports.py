"""The results as text, CSV and JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ..terminal_text import csv_text, printable, table
from .result_tables import ResultTable, remarks, result_tables, summary
from .standings import ERRORS, Mean, Standings

# Longer cells are cut in text.
_WIDEST = 48


def as_text(results: Standings) -> str:
    """Print all tables for a terminal or a file."""
    parts = [printable(summary(results))]
    parts += [_text_table(each) for each in result_tables(results)]
    told = remarks(results)
    if told:
        parts.append("\n".join(map(printable, told)))
    return "\n\n".join(parts) + "\n"


def _text_table(result: ResultTable) -> str:
    """Print a table: figures to the right, words to the left; empty columns are left out."""
    used = [column for column in range(len(result.heads)) if column == 0 or any(row[column] for row in result.rows)]
    figures = [result.heads[column] for column in used if not result.has_words(column)]
    rows = [[_cell(row[column]) for column in used] for row in result.rows]
    return f"{printable(result.title)}\n{table([result.heads[column] for column in used], rows, right=figures)}"


def _cell(text: str) -> str:
    return text if len(text) <= _WIDEST else text[: _WIDEST - 3] + "..."


def as_csv(results: Standings) -> str:
    """Print one row for each player.

    `vs NAME` holds points and comparisons against that player; `goal GAME` and `goal GAME ROLE` mean goals, 0 .. 1.
    """
    seats = [(game, role) for game, roles in results.games.items() if len(roles) > 1 for role in roles]
    heads = ["player", "elo", "elo low", "elo high", "score", "won", "drawn", "lost", "matches", "goal", "plays"]
    heads += [f"vs {other.name}" for other in results.players]
    heads += [f"goal {game}" for game in results.games]
    heads += [f"goal {game} {role}" for game, role in seats]
    heads += [*ERRORS, "moves", "seconds per move", "longest move", "benched", "unanswered"]
    rows = []
    for one in results.players:
        rating = one.rating
        row: list[object] = [one.name]
        row += ["", "", ""] if rating is None else [f"{value:.1f}" for value in (rating.elo, *rating.interval)]
        row.append(f"{one.score.share:.4f}" if one.score.games else "")
        row += [one.score.wins, one.score.draws, one.score.losses]
        row += [one.goals.matches if one.goals is not None else 0, _goal(one.goals), one.spec]
        for other in results.players:
            score = results.cross.get((one.name, other.name))
            row.append(f"{score.wins + score.draws / 2:g}/{score.games}" if score is not None else "")
        row += [_goal(one.by_game.get(game)) for game in results.games]
        row += [_goal(one.by_seat.get(seat)) for seat in seats]
        row += [
            *one.errors.values(),
            one.moves,
            f"{one.seconds:.4f}",
            f"{one.longest:.3f}",
            one.benched,
            one.unanswered,
        ]
        rows.append(row)
    return csv_text(heads, rows)


def _goal(mean: Mean | None) -> str:
    return f"{mean.goal:.4f}" if mean is not None else ""


def as_document(results: Standings) -> dict[str, Any]:
    """Return all results as a JSON document."""
    return {
        "tournament": results.name,
        "matches": results.counts,
        "not_counted": results.not_counted,
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
            }
            for one in results.players
        ],
        "cross": [
            {"player": one, "against": other, "won": score.wins, "drawn": score.draws, "lost": score.losses}
            for (one, other), score in sorted(results.cross.items())
        ],
        "failed": [{"match": number, "game": game, "reason": reason} for number, game, reason in results.unplayed],
    }

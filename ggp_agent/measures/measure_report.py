"""Measures as text, CSV and Markdown."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence

from ..common.terminal_text import amount, printable, table
from .estimates import Estimate, Measure, Undefined
from .game_measures import GameMeasures
from .measure_definitions import RULE_FEATURES, Definition

# The columns of the Markdown table: heading and key.
MARKDOWN_COLUMNS = {
    "length": "length_random",
    "length (100)": "length_100",
    "branching": "branching",
    "log10 games": "log10_games",
    "log10 states": "log10_states",
    "draws": "draws_random",
    "draws (100)": "draws_100",
    "first player": "first_player_random",
    "first player (100)": "first_player_100",
    "drama": "drama_100",
    "lead changes": "lead_changes_100",
    "uncertainty": "uncertainty_100",
}


def text_report(found: GameMeasures, definitions: Mapping[str, Definition]) -> str:
    """Return the measures of a game as a table, with reasons for undefined measures and features of the rules."""
    rows, undefined = [], dict[str, list[str]]()
    for key, measure in found.measures.items():
        if isinstance(measure, Undefined):
            undefined.setdefault(measure.reason, []).append(key)
        else:
            rows.append((key, *cells(measure, definitions[key].kind), definitions[key].title))
    lines = [f"{found.game}: {found.machine}, roles {', '.join(found.roles)}; {amount(found.games, 'random game')}"]
    if rows:
        lines += [table(("measure", "value", "95 % interval", "meaning"), rows, right=("value",))]
    lines += [f"not defined: {', '.join(keys)}: {reason}" for reason, keys in undefined.items()]
    lines += [f"note: {note}" for note in found.notes]
    lines.append("rules: " + ", ".join(f"{key} {value:.4g}" for key, value in found.rules.items()))
    return "\n".join(printable(part) for line in lines for part in line.split("\n"))


def cells(measure: Estimate, kind: str) -> tuple[str, str]:
    """Return the value and the interval of a measure as text.

    >>> cells(Estimate(0.5, 0.4, 0.6), "share"), cells(Estimate(5.407), "log10"), cells(Estimate(1.0), "yes")
    (('50.0 %', '40.0 to 60.0 %'), ('10^5.41', ''), ('yes', ''))
    """
    if kind == "yes":
        return ("yes" if measure.value else "no"), ""
    value = shown(measure.value, kind)
    if measure.low is None or measure.high is None:
        return value, ""
    low, high = shown(measure.low, kind), shown(measure.high, kind)
    return value, f"{low.removesuffix(' %')} to {high}"


def shown(value: float, kind: str) -> str:
    """Return a number in the format of a kind of measure.

    >>> shown(0.123, "share"), shown(12.3456, "number"), shown(35.2, "elo"), shown(5.0, "log10")
    ('12.3 %', '12.3', '+35', '10^5.00')
    """
    match kind:
        case "share":
            return f"{100 * value:.1f} %"
        case "log10":
            return f"10^{value:.2f}"
        case "elo":
            return f"{value:+.0f}"
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"


def csv_columns(definitions: Mapping[str, Definition]) -> list[str]:
    """Return the columns of the CSV output: each measure with the ends of its interval, then the features."""
    measures = [f"{key}{end}" for key in definitions for end in ("", "_low", "_high")]
    return ["game", "machine", "roles", "games", *measures, *(f"rules_{key}" for key in RULE_FEATURES)]


def to_csv_rows(found: Sequence[GameMeasures], definitions: Mapping[str, Definition]) -> str:
    """Return games as CSV, a row per game; a measure that is not defined is an empty field."""
    text = io.StringIO()
    writer = csv.DictWriter(text, csv_columns(definitions), lineterminator="\n")
    writer.writeheader()
    for one in found:
        row: dict[str, object] = {
            "game": one.game,
            "machine": one.machine,
            "roles": len(one.roles),
            "games": one.games,
        }
        for key, measure in one.measures.items():
            document = measure.document()
            row[key], row[f"{key}_low"], row[f"{key}_high"] = (document.get(name) for name in ("value", "low", "high"))
        row |= {f"rules_{key}": f"{value:.6g}" for key, value in one.rules.items()}
        writer.writerow(row)
    return text.getvalue()


def markdown_head() -> str:
    """Return the first two lines of the Markdown table."""
    columns = ["game", *MARKDOWN_COLUMNS]
    return f"| {' | '.join(columns)} |\n" + "|---" + "|---:" * len(MARKDOWN_COLUMNS) + "|\n"


def to_markdown(found: Sequence[GameMeasures], definitions: Mapping[str, Definition]) -> str:
    """Return games as a Markdown table; each value is followed by half the width of its interval."""
    lines = [markdown_head()]
    for one in found:
        row = [
            _markdown_cell(one.measures.get(key), definitions[key].kind) if key in definitions else "-"
            for key in MARKDOWN_COLUMNS.values()
        ]
        lines.append(f"| `{one.game}` | {' | '.join(row)} |\n")
    return "".join(lines)


def _markdown_cell(measure: Measure | None, kind: str) -> str:
    if not isinstance(measure, Estimate):
        return "-"
    value = f"{measure.value:.2f}" if kind == "log10" else shown(measure.value, kind)
    if measure.low is None or measure.high is None:
        return value
    half = (measure.high - measure.low) / 2
    return f"{value} ± {100 * half:.1f}" if kind == "share" else f"{value} ± {half:.2g}"

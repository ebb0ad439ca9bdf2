"""Measures as text, CSV, Markdown and one HTML page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from ..common.report import EMPTY, Html, ResultTable, html_page, html_text, interval_marks, markdown_table
from ..common.terminal_text import amount, csv_text, printable, table
from .estimates import Estimate, Measure, Undefined
from .game_measures import GameMeasures
from .measure_definitions import RULE_FEATURES, Definition

# Size of a chart in pixels, and its margin at both sides in per cent.
_WIDTH, _HEIGHT, _MARGIN = 240, 18, 2.5

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
    rows: list[list[object]] = []
    for one in found:
        row: list[object] = [one.game, one.machine, len(one.roles), one.games]
        for key in definitions:
            document = one.measures[key].document() if key in one.measures else {}
            row += [document.get(name) for name in ("value", "low", "high")]
        rows.append([*row, *(f"{one.rules[key]:.6g}" if key in one.rules else None for key in RULE_FEATURES)])
    return csv_text(csv_columns(definitions), rows)


def to_markdown(found: Sequence[GameMeasures], definitions: Mapping[str, Definition]) -> str:
    """Return games as a Markdown table; each value is followed by half the width of its interval."""
    rows = []
    for one in found:
        cells = [
            _markdown_cell(one.measures.get(key), definitions[key].kind) if key in definitions else "-"
            for key in MARKDOWN_COLUMNS.values()
        ]
        rows.append([f"`{one.game}`", *cells])
    return "".join(f"{line}\n" for line in markdown_table(["game", *MARKDOWN_COLUMNS], rows))


def _markdown_cell(measure: Measure | None, kind: str) -> str:
    if not isinstance(measure, Estimate):
        return "-"
    value = f"{measure.value:.2f}" if kind == "log10" else shown(measure.value, kind)
    if measure.low is None or measure.high is None:
        return value
    half = (measure.high - measure.low) / 2
    return f"{value} ± {100 * half:.1f}" if kind == "share" else f"{value} ± {half:.2g}"


def to_page(found: Sequence[GameMeasures], definitions: Mapping[str, Definition]) -> str:
    """Return a page with a section per game: a table of the measures, and a chart of each value with its interval.

    The charts of a measure have the same scale in all games, so games can be compared.
    """
    scales = {key: _scale([one.measures[key] for one in found], definitions[key].kind) for key in definitions}
    links = " · ".join(f'<a href="#g{number}">{html_text(one.game)}</a>' for number, one in enumerate(found))
    about = "A mark is a value, a line its 95 % interval. The charts of a measure have the same scale in all games."
    parts = ["<h1>Measures of games</h1>", f"<p>{links}</p>", f'<p class="lead">{about}</p>']
    for number, one in enumerate(found):
        about = f"{one.machine}; roles {', '.join(one.roles)}; {one.games:,} random games"
        parts += [f'<section id="g{number}">', f"<h2>{html_text(one.game)}</h2>"]
        parts += [f"<p>{html_text(text)}</p>" for text in (about, *one.notes)]
        rows = [_page_row(key, measure, definitions[key], scales[key]) for key, measure in one.measures.items()]
        features = [(key, f"{value:.4g}", RULE_FEATURES[key]) for key, value in one.rules.items()]
        parts += [
            ResultTable("", ("measure", "value", "95 % interval", ""), rows).html(),
            "<details><summary>Structure of the rules</summary>",
            ResultTable("", ("feature", "value", "meaning"), features).html(),
            "</details>",
            "</section>",
        ]
    return html_page("Measures of games", *parts)


def _page_row(key: str, measure: Measure, definition: Definition, scale: tuple[float, float]) -> tuple[str, ...]:
    """Return the cells of a measure: its key, with the meaning as a tooltip, value, interval and chart."""
    name = Html(f'<span title="{escape(definition.meaning)}">{escape(key)}</span>')
    if not isinstance(measure, Estimate):
        return name, EMPTY, f"not defined: {measure.reason}", EMPTY
    chart = EMPTY if definition.kind == "yes" else Html(_interval_chart(measure, scale))
    return name, *cells(measure, definition.kind), chart


def _interval_chart(measure: Estimate, scale: tuple[float, float]) -> str:
    """Return an SVG picture of a value and its interval."""
    low, high = scale

    def across(value: float) -> float:
        share = (value - low) / (high - low) if high > low else 0.5
        return _MARGIN + (100 - 2 * _MARGIN) * min(max(share, 0.0), 1.0)

    ends = None if measure.low is None or measure.high is None else (across(measure.low), across(measure.high))
    axis = f'<rect class="zero" x="{_MARGIN}%" y="{_HEIGHT / 2:g}" width="{100 - 2 * _MARGIN}%" height="1"/>'
    marks = "".join(interval_marks(across(measure.value), ends, _HEIGHT / 2))
    return f'<svg width="{_WIDTH}" height="{_HEIGHT}" role="img" aria-label="{measure.value:.4g}">{axis}{marks}</svg>'


def _scale(measures: Sequence[Measure], kind: str) -> tuple[float, float]:
    """Return the ends of the scale of a measure: 0 to 1 for shares, otherwise 0 to the largest end of an interval."""
    if kind in ("share", "yes"):
        return 0.0, 1.0
    known = [one for one in measures if isinstance(one, Estimate)]
    ends = [end for one in known for end in (one.value, one.low, one.high) if end is not None]
    return min([0.0, *ends]), max([0.0, *ends])

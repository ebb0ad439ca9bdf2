"""Measures as one HTML page with charts in SVG, which needs no other file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from ..common.charts import BLUE, GREY
from .estimates import Estimate, Measure
from .game_measures import GameMeasures
from .measure_definitions import RULE_FEATURES, Definition
from .measure_report import cells

_WIDTH, _HEIGHT, _MARGIN = 240, 18, 6

_STYLE = """\
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 62rem; padding: 0 1rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; display: block; overflow-x: auto; }
th, td { padding: .2rem .6rem; border-bottom: 1px solid #8886; text-align: left; white-space: nowrap; }
td.n { text-align: right; }
summary { cursor: pointer; margin: .6rem 0; }
h2 { margin-top: 2.5rem; }"""


def to_page(found: Sequence[GameMeasures], definitions: Mapping[str, Definition]) -> str:
    """Return a page with a section per game: a table of the measures, and a chart of each value with its interval.

    The charts of a measure have the same scale in all games, so games can be compared.
    """
    scales = {key: _scale([one.measures[key] for one in found], definitions[key].kind) for key in definitions}
    body = "".join(_section(number, one, definitions, scales) for number, one in enumerate(found))
    links = " · ".join(f'<a href="#g{number}">{escape(one.game)}</a>' for number, one in enumerate(found))
    return f"""\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Measures of games</title>
<style>
{_STYLE}
</style>
</head>
<body>
<h1>Measures of games</h1>
<p>{links}</p>
<p>A dot is a value, a line its 95 % interval. The charts of a measure have the same scale in all games.</p>
{body}</body>
</html>
"""


def interval_chart(measure: Estimate, scale: tuple[float, float]) -> str:
    """Return an SVG picture of a value and its interval."""
    low, high = scale

    def place(value: float) -> float:
        inner = _WIDTH - 2 * _MARGIN
        share = (value - low) / (high - low) if high > low else 0.5
        return round(_MARGIN + inner * min(max(share, 0.0), 1.0), 1)

    middle = _HEIGHT / 2
    lines = f'<line x1="{_MARGIN}" x2="{_WIDTH - _MARGIN}" y1="{middle}" y2="{middle}" stroke="{GREY}" opacity=".35"/>'
    if measure.low is not None and measure.high is not None:
        start, end = place(measure.low), place(measure.high)
        lines += f'<line x1="{start}" x2="{end}" y1="{middle}" y2="{middle}" stroke="{BLUE}" stroke-width="5"/>'
    dot = f'<circle cx="{place(measure.value)}" cy="{middle}" r="4" fill="{BLUE}" stroke="white"/>'
    return f'<svg width="{_WIDTH}" height="{_HEIGHT}" role="img" aria-label="{measure.value:.4g}">{lines}{dot}</svg>'


def _scale(measures: Sequence[Measure], kind: str) -> tuple[float, float]:
    """Return the ends of the scale of a measure: 0 to 1 for shares, otherwise 0 to the largest end of an interval."""
    if kind in ("share", "yes"):
        return 0.0, 1.0
    known = [one for one in measures if isinstance(one, Estimate)]
    ends = [end for one in known for end in (one.value, one.low, one.high) if end is not None]
    return min([0.0, *ends]), max([0.0, *ends])


def _section(
    number: int,
    one: GameMeasures,
    definitions: Mapping[str, Definition],
    scales: Mapping[str, tuple[float, float]],
) -> str:
    rows = []
    for key, measure in one.measures.items():
        title = f'<td title="{escape(definitions[key].meaning)}">{escape(key)}</td>'
        if isinstance(measure, Estimate):
            value, interval = cells(measure, definitions[key].kind)
            chart = "" if definitions[key].kind == "yes" else interval_chart(measure, scales[key])
            rows.append(f'<tr>{title}<td class="n">{value}</td><td>{interval}</td><td>{chart}</td></tr>\n')
        else:
            rows.append(f'<tr>{title}<td colspan="3">not defined: {escape(measure.reason)}</td></tr>\n')
    features = "".join(
        f'<tr><td>{key}</td><td class="n">{value:.4g}</td><td>{escape(RULE_FEATURES[key])}</td></tr>\n'
        for key, value in one.rules.items()
    )
    notes = "".join(f"<p>{escape(note)}</p>\n" for note in one.notes)
    return f"""\
<section id="g{number}">
<h2>{escape(one.game)}</h2>
<p>{escape(one.machine)}; roles {escape(", ".join(one.roles))}; {one.games:,} random games</p>
{notes}<table>
<tr><th>measure</th><th>value</th><th>95 % interval</th><th></th></tr>
{"".join(rows)}</table>
<details><summary>Structure of the rules</summary>
<table>
{features}</table>
</details>
</section>
"""

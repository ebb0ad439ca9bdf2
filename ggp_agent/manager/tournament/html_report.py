"""The report of a tournament as one HTML page that needs no other files."""

from __future__ import annotations

from html import escape
from itertools import chain

from ...common.terminal_text import printable
from .rating_chart import rating_chart
from .reports import ResultTable, remarks, result_tables, summary
from .standings import Standings

_NOTE = "Ratings are relative to the mean of all players. Overlapping intervals do not prove that players are equal."

_STYLE = """\
:root { color-scheme: light dark; --ground: #f6f5f1; --panel: #fff; --ink: #1f2322; --quiet: #56605d; --line: #d8d6cd;
  --accent: #1f5f5b; --soft: #e3eeec; }
@media (prefers-color-scheme: dark) { :root { --ground: #171b1a; --panel: #202624; --ink: #e9ecea; --quiet: #a9b4b0;
  --line: #3a4340; --accent: #7fd0c8; --soft: #26413e; } }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif; margin: 0 auto; max-width: 76rem;
  padding: 1.2rem clamp(.8rem, 3vw, 2rem) 3rem; color: var(--ink); background: var(--ground); }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0; } h2 { font-size: 1.05rem; margin: 0 0 .5rem; }
.lead, .note { color: var(--quiet); } .lead { margin: .2rem 0 1rem; } .note { font-size: .875rem; margin: .5rem 0 0; }
section { background: var(--panel); border: 1px solid var(--line); border-radius: 10px; padding: .8rem .95rem;
  margin: 0 0 1rem; min-width: 0; }
.tables { display: grid; gap: 0 1rem; align-items: start;
  grid-template-columns: repeat(auto-fit, minmax(min(30rem, 100%), 1fr)); }
.tables > :first-child { grid-column: 1 / -1; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem; }
th, td { padding: .25rem .75rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line);
  font-weight: 400; }
th:first-child, td:first-child { padding-left: 0; } tbody tr > :first-child { font-weight: 600; }
td.word, th.word { text-align: left; }
thead button { font: inherit; color: var(--quiet); background: none; border: 0; padding: 0; cursor: pointer; }
thead th[aria-sort=ascending] button::after { content: " \\2191"; }
thead th[aria-sort=descending] button::after { content: " \\2193"; }
tbody tr:hover { background: var(--soft); }
.ratings { display: block; font-size: .9rem; } .ratings text { fill: var(--ink); }
.ratings .axis { fill: var(--quiet); font-size: .8rem; } .ratings .zero { fill: var(--line); }
.ratings .interval { fill: var(--accent); fill-opacity: .45; } .ratings .mark { fill: var(--accent); }"""

# Sort by the number at the beginning of a cell, otherwise by its text; empty cells stay at the bottom.
_SCRIPT = """\
for (const head of document.querySelectorAll("thead th")) head.firstChild.addEventListener("click", () => {
  const body = head.closest("table").tBodies[0], column = head.cellIndex;
  const down = head.getAttribute("aria-sort") !== "descending";
  for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  const value = row => { const text = row.cells[column].textContent, number = parseFloat(text);
    return isNaN(number) ? text : number; };
  const compare = (a, b) => { const x = value(a), y = value(b);
    if (x === "" || y === "") return (x === "") - (y === "");
    const order = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y));
    return down ? -order : order; };
  body.append(...[...body.rows].sort(compare));
});"""


def as_html(results: Standings) -> str:
    """Return a self-contained page; a click on a head sorts its table."""
    title = _text(results.name)
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{title}</title>",
        f"<style>\n{_STYLE}\n</style>",
        "</head>",
        "<body>",
        f"<h1>{title}</h1>",
        f'<p class="lead">{_text(summary(results))}</p>',
    ]
    if chart := rating_chart(results):
        parts += [
            "<section>",
            "<h2>Elo ratings with 95 % intervals</h2>",
            chart,
            f'<p class="note">{_NOTE}</p>',
            "</section>",
        ]
    parts += ['<div class="tables">', *chain.from_iterable(map(_html_table, result_tables(results))), "</div>"]
    lines = remarks(results)
    if lines:
        items = [f"<li>{_text(line)}</li>" for line in lines]
        parts += ["<section>", "<h2>Remarks</h2>", "<ul>", *items, "</ul>", "</section>"]
    parts += [f"<script>\n{_SCRIPT}\n</script>", "</body>", "</html>"]
    return "\n".join(parts) + "\n"


def _text(text: str) -> str:
    """Escape a foreign text: no markup, no control characters."""
    return escape(printable(text))


def _html_table(result: ResultTable) -> list[str]:
    def kind(index: int) -> str:
        return ' class="word"' if result.has_words(index) else ""

    heads = [
        f'<th scope="col"{kind(index)}><button type="button">{_text(head)}</button></th>'
        for index, head in enumerate(result.heads)
    ]
    lines = ["<section>", f"<h2>{_text(result.title)}</h2>", '<div class="wide">', "<table>", "<thead>"]
    lines += [f"<tr>{''.join(heads)}</tr>", "</thead>", "<tbody>"]
    for row in result.rows:
        first, *others = (f"{kind(index)}>{_text(text)}" for index, text in enumerate(row))
        cells = "".join(f"<td{cell}</td>" for cell in others)
        lines.append(f'<tr><th scope="row"{first}</th>{cells}</tr>')
    return [*lines, "</tbody>", "</table>", "</div>", "</section>"]

"""The results as a page of HTML that refers to nothing outside itself; a click on a head sorts its table."""

from __future__ import annotations

from html import escape

from ..terminal_text import printable
from .result_tables import ResultTable, remarks, result_tables, summary
from .standings import Standings

_STYLE = """\
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem;
  color: #1b1f24; background: #ffffff; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .7rem; text-align: right; white-space: nowrap; border-bottom: 1px solid #d5dae0; }
th:first-child, td.word, th.word { text-align: left; }
thead th { cursor: pointer; border-bottom: 2px solid #8b949e; }
thead th[aria-sort=ascending]::after { content: " \\2191"; }
thead th[aria-sort=descending]::after { content: " \\2193"; }
tbody tr:hover { background: #eef2f6; }
@media (prefers-color-scheme: dark) {
  body { color: #dde3ea; background: #14181d; }
  th, td { border-color: #343b44; } tbody tr:hover { background: #222931; }
}"""

# Sorts by the figure that a cell begins with, or else by its words; empty cells stay below.
_SCRIPT = """\
for (const head of document.querySelectorAll("thead th")) head.addEventListener("click", () => {
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
    """Make the page."""
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
        f"<p>{_text(summary(results))}</p>",
    ]
    for table in result_tables(results):
        parts += _table(table)
    told = remarks(results)
    if told:
        parts += ["<h2>Remarks</h2>", "<ul>", *(f"<li>{_text(line)}</li>" for line in told), "</ul>"]
    parts += [f"<script>\n{_SCRIPT}\n</script>", "</body>", "</html>"]
    return "\n".join(parts) + "\n"


def _text(text: str) -> str:
    """Write a text that may come from anywhere: no markup, and no characters that show nothing."""
    return escape(printable(text))


def _table(table: ResultTable) -> list[str]:
    def cell(tag: str, text: str, index: int) -> str:
        kind = ' class="word"' if table.has_words(index) else ""
        scope = ' scope="col"' if tag == "th" else ""
        return f"<{tag}{scope}{kind}>{_text(text)}</{tag}>"

    lines = [f"<h2>{_text(table.title)}</h2>", '<div class="wide">', "<table>", "<thead>"]
    lines.append(f"<tr>{''.join(cell('th', head, index) for index, head in enumerate(table.heads))}</tr>")
    lines += ["</thead>", "<tbody>"]
    for row in table.rows:
        lines.append(f"<tr>{''.join(cell('td', text, index) for index, text in enumerate(row))}</tr>")
    return [*lines, "</tbody>", "</table>", "</div>"]

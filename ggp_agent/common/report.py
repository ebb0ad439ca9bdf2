"""Reports: tables as text, Markdown and HTML, and HTML pages that need no other files."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from .terminal_text import json_text, printable, say, table

if TYPE_CHECKING:
    from rich.table import Table

# The text of an empty cell.
EMPTY = ""
# Longer cells are cut off in text.
_MAX_WIDTH = 48

_STYLE = """\
:root { color-scheme: light dark; --ground: #f6f5f1; --panel: #fff; --ink: #1f2322; --quiet: #56605d; --line: #d8d6cd;
  --accent: #1f5f5b; --soft: #e3eeec; }
@media (prefers-color-scheme: dark) { :root { --ground: #171b1a; --panel: #202624; --ink: #e9ecea; --quiet: #a9b4b0;
  --line: #3a4340; --accent: #7fd0c8; --soft: #26413e; } }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif; margin: 0 auto; max-width: 76rem;
  padding: 1.2rem clamp(.8rem, 3vw, 2rem) 3rem; color: var(--ink); background: var(--ground); }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0; } h2 { font-size: 1.05rem; margin: 1.5rem 0 .5rem; }
a { color: var(--accent); } img { max-width: 100%; background: white; }
code { font-size: .9em; overflow-wrap: anywhere; } summary { cursor: pointer; margin: .6rem 0; }
.lead, .note { color: var(--quiet); } .lead { margin: .2rem 0 1rem; } .note { font-size: .875rem; margin: .5rem 0 0; }
section { background: var(--panel); border: 1px solid var(--line); border-radius: 10px; padding: .8rem .95rem;
  margin: 0 0 1rem; min-width: 0; }
section > h2:first-child { margin-top: 0; }
.tables { display: grid; gap: 0 1rem; align-items: start;
  grid-template-columns: repeat(auto-fit, minmax(min(30rem, 100%), 1fr)); }
.tables > :first-child { grid-column: 1 / -1; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem; display: block;
  overflow-x: auto; }
th, td { padding: .25rem .75rem; text-align: left; white-space: nowrap; border-bottom: 1px solid var(--line);
  font-weight: 400; }
.number { text-align: right; }
th:first-child, td:first-child { padding-left: 0; } tbody tr > :first-child { font-weight: 600; }
thead { color: var(--quiet); }
thead button { font: inherit; color: inherit; background: none; border: 0; padding: 0; cursor: pointer; }
thead th[aria-sort=ascending] button::after { content: " \\2191"; }
thead th[aria-sort=descending] button::after { content: " \\2193"; }
tbody tr:hover { background: var(--soft); }
.ratings { display: block; font-size: .9rem; } .ratings text { fill: var(--ink); }
.ratings .axis { fill: var(--quiet); font-size: .8rem; } .zero { fill: var(--line); }
.interval { fill: var(--accent); fill-opacity: .45; } .mark { fill: var(--accent); }"""

# Sort by the number at the beginning of a cell, otherwise by its text; empty cells stay at the bottom.
_SCRIPT = """\
for (const button of document.querySelectorAll("thead button")) button.addEventListener("click", () => {
  const head = button.closest("th"), body = head.closest("table").tBodies[0], column = head.cellIndex;
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


class Html(str):
    """Text that is HTML already, such as a chart in a cell."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class ResultTable:
    """One table of results."""

    title: str  # title above the table; an empty title is left out
    heads: tuple[str, ...]  # the heads of the columns
    rows: Sequence[tuple[str, ...]]  # the rows; each has one cell per column

    def has_words(self, column: int) -> bool:
        """Return whether a column contains words, not numbers."""
        return column == 0 or not any(row[column][:1] in tuple("+-0123456789") for row in self.rows)

    def without_empty_columns(self) -> ResultTable:
        """Return the table without columns that are empty in all rows; the first column always stays."""
        used = [column for column in range(len(self.heads)) if column == 0 or any(row[column] for row in self.rows)]
        rows = [tuple(row[column] for column in used) for row in self.rows]
        return ResultTable(self.title, tuple(self.heads[column] for column in used), rows)

    def text(self) -> str:
        """Return the table as text: numbers right-aligned, words left-aligned."""
        numbers = [head for column, head in enumerate(self.heads) if not self.has_words(column)]
        rows = [
            [cell if len(cell) <= _MAX_WIDTH else f"{cell[: _MAX_WIDTH - 3]}..." for cell in row] for row in self.rows
        ]
        return f"{printable(self.title)}\n{table(self.heads, rows, right=numbers)}"

    def html(self) -> Html:
        """Return the table as HTML with the title above it; a click on a head sorts the table."""
        kinds = ["" if self.has_words(column) else ' class="number"' for column in range(len(self.heads))]
        heads = [
            f'<th scope="col"{kind}><button type="button">{html_text(head)}</button></th>'
            for kind, head in zip(kinds, self.heads, strict=True)
        ]
        lines = [f"<h2>{html_text(self.title)}</h2>"] if self.title else []
        lines += ["<table>", "<thead>", f"<tr>{''.join(heads)}</tr>", "</thead>", "<tbody>"]
        for row in self.rows:
            first, *others = (f"{kind}>{html_text(text)}" for kind, text in zip(kinds, row, strict=True))
            lines.append(f'<tr><th scope="row"{first}</th>{"".join(f"<td{cell}</td>" for cell in others)}</tr>')
        return Html("\n".join([*lines, "</tbody>", "</table>"]))


def print_result(document: object, parts: Iterable[str | Table], *, as_json: bool, **layout: Any) -> None:
    """Print a result: the document as JSON, or its parts as text.

    The parts are paragraphs, which are broken into lines as `say` does, texts of several lines, and tables.
    """
    if as_json:
        print(json_text(document, **layout))
        return
    for part in parts:
        if not isinstance(part, str):
            from .progress import plain_console  # only tables need rich

            plain_console(stderr=False).print(part)
        elif "\n" in part:
            print(part)
        else:
            say(part)


def markdown_table(
    heads: Sequence[str], rows: Iterable[Sequence[str]], right: Collection[int] | None = None
) -> Iterator[str]:
    """Yield the lines of a Markdown table; the columns `right` (default: all but the first) are right-aligned.

    >>> print(*markdown_table(("game", "n"), [("a|b", "7")]), sep="\\n")
    | game | n |
    |---|---:|
    | a\\|b | 7 |
    """
    flush = range(1, len(heads)) if right is None else right
    yield _markdown_row(heads)
    yield f"|{'|'.join('---:' if column in flush else '---' for column in range(len(heads)))}|"
    yield from map(_markdown_row, rows)


def _markdown_row(cells: Sequence[str]) -> str:
    texts = [plain_line(cell).replace("|", "\\|") for cell in cells]
    return f"| {' | '.join(texts)} |"


def plain_line(text: str) -> str:
    """Return a text in one line, without control characters of terminals."""
    return printable(" ".join(text.split()))


def html_text(text: str) -> str:
    """Escape a foreign text: no markup, no control characters; HTML stays as it is."""
    return text if isinstance(text, Html) else escape(printable(text))


def html_of_markdown(text: str) -> Html:
    """Return Markdown as HTML; HTML in the text is escaped."""
    from markdown_it import MarkdownIt

    return Html(MarkdownIt("commonmark", {"html": False}).enable("table").render(text))


def interval_marks(value: float, ends: tuple[float, float] | None, middle: float) -> list[str]:
    """Return SVG of a value and its interval, placed in per cent of the width and at a height in pixels."""
    parts = []
    if ends is not None:
        left, right = ends
        place = f'x="{left:.2f}%" y="{middle - 2:g}" width="{right - left:.2f}%" height="4" rx="2"'
        parts.append(f'<rect class="interval" {place}/>')
    place = f'x="{value:.2f}%" y="{middle - 6:g}" width="6" height="12" rx="2"'
    return [*parts, f'<rect class="mark" {place} transform="translate(-3 0)"/>']


def html_page(title: str, *parts: str) -> str:
    """Return a page that needs no other files; the parts are its HTML."""
    lines = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{html_text(title)}</title>",
        f"<style>\n{_STYLE}\n</style>",
        "</head>",
        "<body>",
        *parts,
        f"<script>\n{_SCRIPT}\n</script>",
        "</body>",
        "</html>",
    ]
    return "\n".join(lines) + "\n"

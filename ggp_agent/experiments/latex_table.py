r"""The table of a study as LaTeX, in the style of the package `booktabs`.

>>> print(latex_text("Cannon_2: a' & 50 %"))
Cannon\_2: a' \& 50 \%
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .study_file import Study
from .table import TableEntry

_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"\&",
        "#": r"\#",
        "%": r"\%",
        "_": r"\_",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        "±": r"$\pm$",
        "†": r"$\dagger$",
        "‡": r"$\ddagger$",
        "§": r"\S{}",
    }
)


def latex_text(text: str) -> str:
    """Return a text in one line, with the special characters of LaTeX escaped."""
    return " ".join(text.split()).translate(_ESCAPES)


def latex_table(study: Study, table: Sequence[TableEntry]) -> str:
    """Return a table with a row for each cell: score, 95 % interval, number of games, and the published value.

    The document needs `\\usepackage{booktabs}`. A score that differs significantly from 50 % is bold; a dagger marks a
    score whose interval does not overlap the published interval.
    """
    return "\n".join(_lines(study, [entry for entry in table if entry.score.games])) + "\n"


def _lines(study: Study, table: Sequence[TableEntry]) -> Iterator[str]:
    published = any(entry.published for entry in table)
    count = "positions" if study.judges_positions else "games"
    heads = ["game", "variant", "per move", r"\%", r"95 \% interval", count] + ["published"] * published
    yield from (r"\begin{table}", r"\centering", f"\\caption{{{_caption(study, table)}}}")
    yield f"\\label{{tab:{study.name.replace('_', '-')}}}"
    yield f"\\begin{{tabular}}{{lllrrr{'r' * published}}}"
    yield from (r"\toprule", _row(heads), r"\midrule")
    game = None
    for entry in table:
        if game not in (None, entry.row):
            yield r"\addlinespace"
        yield _row(_cells(entry, first=entry.row != game, published=published, bold=not study.judges_positions))
        game = entry.row
    yield from (r"\bottomrule", r"\end{tabular}", r"\end{table}")


def _cells(entry: TableEntry, *, first: bool, published: bool, bold: bool) -> list[str]:
    low, high = entry.interval
    score = f"\\textbf{{{entry.percent:.1f}}}" if entry.side and bold else f"{entry.percent:.1f}"
    score += r"$^\dagger$" * bool(entry.differs)
    cells = [latex_text(entry.row) if first else "", latex_text(entry.variant), latex_text(entry.limit_label)]
    cells += [score, f"{low:.1f}--{high:.1f}", f"{entry.score.games:,}"]
    if published:
        value = entry.published
        cells.append("" if value is None else f"${value.value:g} \\pm {value.half:g}$")
    return cells


def _caption(study: Study, table: Sequence[TableEntry]) -> str:
    if study.judges_positions:
        text = "Per cent of the positions in which a right move is chosen, with 95 % confidence intervals (Wilson)."
    else:
        text = (
            "Wins plus half the draws in per cent, with 95 % confidence intervals (Wilson). Bold: significantly "
            "different from 50 %."
        )
    caption = f"{latex_text(study.title)}. {latex_text(text)}"
    if any(entry.differs for entry in table):
        caption += r" $^\dagger$: the interval does not overlap the published interval."
    return caption


def _row(cells: Sequence[str]) -> str:
    return f"{' & '.join(cells)} \\\\"

"""Write the table of all signs into docs/results/README.md: for each published value, whether it was reproduced.

    python tools/table_of_signs.py

The scores are read from the stored databases (stored_results.py). A sign is the side of 50 % on which a 95 % interval
lies. A row whose interval does not overlap the published one names a test that was made for the difference, from TESTS.
"""

from __future__ import annotations

import argparse
import tempfile
import textwrap
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from stored_results import RESULTS, names, restore

from ggp_agent.experiments.report import StudyReport
from ggp_agent.experiments.study_file import Study
from ggp_agent.experiments.study_store import StudyStore
from ggp_agent.experiments.table import TableEntry

PAGE = RESULTS / "README.md"
# What is written beside a difference: name of the stored results, and game and variant of the cell.
_GO = "parts of the paper's baseline: [reply forests](#reply-forests)"
_BATTLE = "N-grams weaken the search: [Quad and Battle](#quad-and-battle)"
_QUAD = "not significant on the competitions' sheet: [Quad and Battle](#quad-and-battle)"
_NONE = "[no test explains it](#contrary-signs)"
_REPRODUCED = "simulations: reproduced with the paper's number"
_AMAZONS = "simulations: [reproduced](#contrary-signs) with the paper's number"
_SIMULATIONS = "simulations: [not significant](#contrary-signs) with the paper's number"
TESTS = {
    ("bhrf_go-desk", "Go 9x9: BHRF"): _GO,
    ("bhrf_go-desk", "Go 19x19: BHRF"): _GO,
    ("bonus_quad_battle-desk", "Battle: as Table 2, k = 2"): _BATTLE,
    ("quality_table1-paper", "Breakthrough: a'"): "present baseline: [not significant](#contrary-signs)",
    ("quality_table1-paper", "Breakthrough: a = 0.25"): _NONE,
    ("quality_table2-desk", "Quad: k = 2"): _QUAD,
    ("quality_table2-desk", "Battle: k = 2"): _BATTLE,
    ("quality_table3-paper", "Pentalath: a'"): "present baseline: [not significant](#contrary-signs)",
    (
        "quality_table4-desk",
        "Amazons: reward = quality",
    ): "simulations: [reproduced](#contrary-signs) with the paper's number",
    ("quality_table4-desk", "Breakthrough: a = 0.25"): _REPRODUCED,
    ("quality_table4-desk", "Chinese Checkers: reward = quality"): _SIMULATIONS,
    ("quality_table4-desk", "Pentalath: a'"): "simulations: 51.7 (46.9 .. 56.6; 400) with the paper's number",
    ("quality_table4-desk", "Pentalath: reward = quality"): _REPRODUCED,
}
BEGIN, END = "<!-- signs: written by tools/table_of_signs.py -->", "<!-- end of signs -->"


def rows(name: str, folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the row and the verdict of each played cell of a stored study that has a published value."""
    study_name, _, budget = name.rpartition("-")
    study = Study.load(study_name, budget)
    with StudyStore(restore(name, folder)) as store:
        report = StudyReport.of(study, store)
    for entry in report.table:
        if entry.published is None or not entry.sign:
            continue
        low, high = entry.interval
        cells = (
            f"[{study_name}]({name}.md), {budget}",
            f"{entry.game}: {entry.variant}, {entry.limit_label}",
            f"{entry.published.value:g} ± {entry.published.half:g}",
            f"{entry.percent:.1f} ({low:.1f} .. {high:.1f}; {entry.score.games})",
            "earlier" if entry.earlier else "present",
            entry.sign,
            test_of(name, entry),
        )
        yield f"| {' | '.join(cells)} |", entry.sign


def test_of(name: str, entry: TableEntry) -> str:
    """Return what is known about a difference between a cell and its published value; empty without a difference."""
    if entry.published is None or entry.sign not in ("contrary", "not significant here", "significant only here"):
        return ""
    low, high = entry.interval
    if low <= entry.published.value + entry.published.half and entry.published.value - entry.published.half <= high:
        return "intervals overlap"
    return TESTS.get((name, f"{entry.game}: {entry.variant}"), "no test explains it")


def table() -> str:
    """Return the table, with the numbers of the verdicts before it."""
    lines, counts = [], Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        for name in names():
            for line, found in rows(name, Path(folder)):
                lines.append(line)
                counts[found] += 1
    total = ", ".join(f"{number} {word}" for word, number in counts.most_common())
    summary = textwrap.fill(f"{len(lines)} cells: {total}.", 120)
    head = "| study, budget | cell | paper | here | baseline | verdict | difference |\n|---|---|---:|---:|---|---|---|"
    return f"{summary}\n\n{head}\n" + "\n".join(lines)


def main() -> None:
    """Replace the table in the page."""
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN, 1)
    PAGE.write_text(f"{before}{BEGIN}\n\n{table()}\n\n{END}{rest.split(END, 1)[1]}", encoding="utf-8")


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    main()

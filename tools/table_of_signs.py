"""Write the table of all signs into docs/results/README.md: for each published value, whether it was reproduced.

    python tools/table_of_signs.py

The scores are read from the stored databases (stored_results.py). A sign is the side of 50 % on which a 95 % interval
lies. Each published value has one row, with the best games: enough games before few, the paper's baseline before
another one, the paper's simulations before fewer. A row whose interval does not overlap the published one names a test
that was made for the difference, from TESTS. The last column has the CPU-hours of 400 games with the paper's baseline
and simulations, where they are missing.
"""

from __future__ import annotations

import argparse
import math
import re
import tempfile
import textwrap
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from stored_results import RESULTS, SUFFIX, restore

from ggp_agent.arena.scores import Z, effective_games
from ggp_agent.experiments.report import StudyReport
from ggp_agent.experiments.study_file import Published, Study
from ggp_agent.experiments.study_store import StudyStore
from ggp_agent.experiments.table import TableEntry, lost_by_correction

PAGE = RESULTS / "README.md"
# What is written beside a difference: name of the stored results, and game and variant of the cell.
_GO = "parts of the paper's baseline: [reply forests](#reply-forests)"
_BATTLE = "N-grams weaken the search: [Quad and Battle](#quad-and-battle)"
_QUAD = "not significant on the competitions' sheet: [Quad and Battle](#quad-and-battle)"
_REPRODUCED = "games: reproduced with 400, earlier baseline"
_AMAZONS = "simulations: [not contrary](#contrary-signs) with the paper's number"
_SIMULATIONS = "simulations: [not significant](#contrary-signs) with the paper's number"
TESTS = {
    ("bhrf_go-desk", "Go 9x9: BHRF"): _GO,
    ("quality_table2-desk", "Quad: k = 2"): _QUAD,
    ("quality_table2-desk", "Quad: k = 1.4"): "as with k = 2: [Quad and Battle](#quad-and-battle)",
    ("quality_table2-desk", "Battle: k = 2"): _BATTLE,
    ("quality_table4-desk", "Amazons: reward = quality"): _AMAZONS,
    ("quality_table4-desk", "Breakthrough: a = 0.25"): _REPRODUCED,
    ("quality_table4-desk", "Chinese Checkers: reward = quality"): _SIMULATIONS,
    ("quality_table4-desk", "Pentalath: a'"): "simulations: 51.7 (46.9 .. 56.6; 400) with the paper's number",
    ("quality_table4-desk", "Pentalath: reward = quality"): _REPRODUCED,
}
BEGIN, END = "<!-- signs: written by tools/table_of_signs.py -->", "<!-- end of signs -->"

# The paper's table, the study with its values, and further studies with games for the values.
TABLES = (
    ("001", "bhrf_go", ("bhrf_go_rave",)),
    ("003", "implicit_comparisons", ()),
    ("004, Table 1", "quality_table1", ()),
    ("004, Table 2", "quality_table2", ()),
    ("004, Table 3", "quality_table3", ()),
    ("004, Table 4", "quality_table4", ()),
)
# Studies with another baseline than the paper, and its name.
OTHER_BASELINES = {"bhrf_go": "UCT without knowledge"}
# The budget with the simulations of the paper.
PAPER = "paper"
# CPU-seconds of a game with the paper's simulations: 15 seconds a move as 5,000 simulations of a rule sheet, one second
# in six games (five seconds take five times as long), and Go with 10,000 simulations.
SHEET_SECONDS = 16.5
SECONDS = {
    "Amazons": 5.4,
    "Breakthrough": 3.5,
    "Cannon": 3.5,
    "Chinese Checkers": 9.4,
    "Checkers": 13.1,
    "Pentalath": 4.5,
    "Go 9x9": 57.0,
    "Go 19x19": 540.0,
}
GAMES = 400
NOT_PLAYED = "not played"


@dataclass(frozen=True)
class Row:
    """A published value with the best games for it."""

    paper: str
    game: str
    variant: str
    published: Published
    study: str = ""  # study and budget of the games; empty without games
    entry: TableEntry | None = None
    baseline: str = ""

    @property
    def sign(self) -> str:
        """Whether the sign is the same here."""
        return self.entry.sign if self.entry is not None else NOT_PLAYED

    @property
    def is_complete(self) -> bool:
        """Whether there are enough games with the paper's baseline and simulations."""
        ours = self.entry is not None and self.entry.is_judged
        return ours and self.baseline == "paper's" and self.study.endswith(f"-{PAPER}")

    @property
    def rank(self) -> tuple[bool, bool, bool, int]:
        """The order of the games for one value; the best are the largest."""
        if self.entry is None:
            return False, False, False, 0
        return (
            self.entry.is_judged,
            self.baseline == "paper's",
            self.study.endswith(f"-{PAPER}"),
            self.entry.score.games,
        )

    @property
    def power(self) -> float:
        """The probability that the games reproduce the sign, if the published value is exact."""
        assert self.entry is not None
        share = self.published.value / 100
        games = effective_games(self.entry.score, self.entry.pairs)
        deviation = math.sqrt(share * (1 - share) / games)
        return math.erfc((Z - abs(share - 0.5) / deviation) / math.sqrt(2)) / 2

    @property
    def hours(self) -> float:
        """The CPU-hours of GAMES games with the paper's simulations."""
        column = self.published.column
        factor = 5.0 if column == "5 seconds" else int(column.replace(",", "")) / 10_000 if "," in column else 1.0
        seconds = SHEET_SECONDS if column == "15 seconds" else SECONDS[self.game]
        return GAMES * seconds * factor / 3600

    def __str__(self) -> str:
        here, entry = "", self.entry
        if entry is not None:
            low, high = entry.interval
            here = f"{entry.percent:.1f} ({low:.1f} .. {high:.1f}; {entry.score.games})"
        cells = (
            self.paper,
            f"{self.game}: {self.variant}, {self.published.column}",
            f"{self.published.value:g} ± {self.published.half:g}",
            here,
            f"{entry.limit_label}, {self.baseline}" if entry is not None else "",
            self.sign,
            test_of(self.study, entry) if entry is not None else "",
            "" if self.is_complete else f"{self.hours:.1f}",
        )
        return f"| {' | '.join(cells)} |"


def names(study: str) -> list[str]:
    """Return the names of the stored databases of a study, also in the folder `begun`."""
    pattern = re.compile(rf"{re.escape(study)}-[a-z]+")
    found = [path.relative_to(RESULTS).as_posix().removesuffix(SUFFIX) for path in RESULTS.rglob(f"*{SUFFIX}")]
    return sorted(name for name in found if pattern.fullmatch(Path(name).name))


def played(study: str, folder: Path) -> Iterator[tuple[str, TableEntry, str]]:
    """Yield the played cells of a study that have a published value, with study and budget, and the baseline."""
    for name in names(study):
        budget = name.rpartition("-")[2]
        with StudyStore(restore(name, folder)) as store:
            report = StudyReport.of(Study.load(study, budget), store)
        for entry in report.table:
            if entry.published is not None and entry.sign:
                baseline = "earlier" if entry.earlier else OTHER_BASELINES.get(study, "paper's")
                yield f"{study}-{budget}", entry, baseline


def rows(folder: Path) -> Iterator[Row]:
    """Yield a row for each published value."""
    for paper, study, others in TABLES:
        known = Study.load(study)
        best: dict[tuple[str, str, str], Row] = {}
        for game, variant, published in known.published:
            labels = known.game_label(game), known.variant_label(variant)
            best[*labels, published.column] = Row(paper, *labels, published)
        for each in (study, *others):
            for name, entry, baseline in played(each, folder):
                assert entry.published is not None
                key = entry.game, entry.variant, entry.published.column
                row = Row(paper, entry.game, entry.variant, entry.published, name, entry, baseline)
                best[key] = max(best[key], row, key=lambda row: row.rank)
        yield from best.values()


def test_of(name: str, entry: TableEntry) -> str:
    """Return what is known about a difference between a cell and its published value; empty without a difference."""
    if entry.published is None or entry.sign not in ("contrary", "not significant here", "significant only here"):
        return ""
    low, high = entry.interval
    if low <= entry.published.value + entry.published.half and entry.published.value - entry.published.half <= high:
        return "intervals overlap"
    return TESTS.get((name, f"{entry.game}: {entry.variant}"), "no test explains it")


_VERDICTS = ("reproduced", "not significant here", "contrary", "too few games", NOT_PLAYED)


def summary(found: Sequence[Row]) -> Iterator[str]:
    """Yield the table of the papers: numbers of significant published signs by verdict."""
    yield f"| paper | published | significant | {' | '.join(_VERDICTS)} | judged with the paper's baseline | expected |"
    yield "|---|---:" + "|---:" * (len(_VERDICTS) + 3) + "|"
    groups = defaultdict[str, list[Row]](list)
    for row in found:
        groups[row.paper].append(row)
    for paper, group in (*groups.items(), ("all", found)):
        signs = [row for row in group if row.published.side]
        counts = Counter(row.sign for row in signs)
        judged = [row for row in signs if row.entry is not None and row.entry.is_judged and not row.entry.uninformative]
        own = sum(row.baseline == "paper's" for row in judged)
        expected = sum(row.power for row in judged)
        numbers = (len(group), len(signs), *(counts[word] for word in _VERDICTS), own, f"{expected:.1f}")
        yield f"| {paper} | {' | '.join(map(str, numbers))} |"


def table() -> str:
    """Return both tables, with the scores that do not stay significant among all rows between them."""
    with tempfile.TemporaryDirectory() as folder:
        found = list(rows(Path(folder)))
    lost = lost_by_correction([row.entry for row in found if row.entry is not None])
    names_lost = "; ".join(f"{entry.game}, {entry.variant}, {entry.limit_label}" for entry in lost) or "none"
    text = textwrap.fill(
        "Significant alone, but not among all rows with a false discovery rate of 5 % (Benjamini and Hochberg): "
        f"{names_lost}.",
        120,
    )
    head = (
        "| paper | value | published | here | played with | verdict | difference | CPU-hours left |\n"
        "|---|---|---:|---:|---|---|---|---:|"
    )
    return "\n".join([*summary(found), "", text, "", head, *map(str, found)])


def main() -> None:
    """Replace the tables in the page."""
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN, 1)
    PAGE.write_text(f"{before}{BEGIN}\n\n{table()}\n\n{END}{rest.split(END, 1)[1]}", encoding="utf-8")


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    main()

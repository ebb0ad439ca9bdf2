"""A study as a page in Markdown and HTML, with its scores as CSV and charts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gdl.files import write_whole

from ..arena.samples import means
from ..common.charts import can_draw
from ..common.errors import UserError
from ..common.report import html_of_markdown, html_page, markdown_table, plain_line
from ..common.terminal_text import amount, csv_text
from ..game.game import added_rules, move_limit
from .figures import Times, draw_curves, draw_detection, draw_scores, draw_times, times_of
from .runner import NEED_TEST, CellState, load_states
from .study_file import Study
from .study_store import SampledGame, StudyStore
from .table import TableEntry, differences, entries, findings, latex_table, lost_by_correction


def time_rows(times: Sequence[Times]) -> Iterator[list[str]]:
    """Yield the rows of a table: names, and median, 90 % quantile and maximum of each kind of time, in milliseconds."""
    yield [
        "game",
        "variant",
        "per move",
        "search: median",
        "90 %",
        "maximum",
        "minimax of 0.5 ms and more in",
        "median",
        "90 %",
        "maximum",
    ]
    for each in times:
        share = f"{len(each.minimaxes):,} of {len(each.searches):,}"
        yield [each.game, each.variant, each.column, *_quantiles(each.searches), share, *_quantiles(each.minimaxes)]


def _quantiles(values: Sequence[float]) -> list[str]:
    """Return median, 90 % quantile and maximum of ascending values as text.

    >>> _quantiles([1.0, 2.0, 3.0]), _quantiles([])
    (['2', '3', '3'], ['', '', ''])
    """
    if not values:
        return [""] * 3
    last = len(values) - 1
    return [f"{values[round(share * last)]:.3g}" for share in (0.5, 0.9, 1.0)]


# CPU-seconds of a side from which an estimated time is shown: the estimate of one game can be several times too large.
_ESTIMATED_FROM = 10.0


def _sample_row(state: CellState, games: Sequence[SampledGame]) -> tuple[str, ...]:
    """Return the row of a cell in the table of simulations; empty without games that have statistics."""
    sides = [
        means([role for seats, roles in games for seat, role in zip(seats, roles, strict=True) if seat == side])
        for side in (0, 1)
    ]
    if not all(sides):
        return ()
    seconds = [0.0, 0.0]
    for match in state.matches:
        for seat, used in zip(match.plan.seats, match.cpu_seconds, strict=True):
            if seat is not None:
                seconds[seat] += used
    of_opponent = ("length", "length_deviation", "length_correlation", "quality_correlation", "root_deviation")
    numbers = [sides[1].get(name) for name in of_opponent]
    numbers.insert(4, sides[0].get("root_deviation"))
    ratio = f"{seconds[0] / seconds[1]:.2f}" if min(seconds) >= _ESTIMATED_FROM else ""
    return (str(state.cell), *("" if number is None else f"{number:.3g}" for number in numbers), ratio)


_CSV_KEYS = (
    *("game", "variant", "column", "score", "low", "high", "wins", "draws", "losses", "played", "wanted", "errors"),
    *("published", "published_half", "mean_turns", "x", "verdict", "baseline"),
)


@dataclass(frozen=True, slots=True)
class StudyReport:
    """The report of a study."""

    study: Study
    table: tuple[TableEntry, ...]  # the scores of its cells
    hosts: tuple[str, ...]  # machines and versions of the program that played the games, as JSON
    taken: tuple[float, float, int]  # hours, CPU-hours and searched moves
    times: tuple[Times, ...] = ()  # processor times of searches, for studies of positions
    samples: tuple[tuple[str, ...], ...] = ()  # rows of the table of simulations

    @classmethod
    def of(cls, study: Study, store: StudyStore) -> StudyReport:
        """Return the report of the games in a store."""
        store.require_budget(study.budget)
        states = load_states(store, study.cells)
        if not any(state.matches for state in states):
            if store.played():
                store.require_same(study.cells)
            raise UserError(f"{store.path}: no game of this study has finished yet")
        times = tuple(times_of(study, states)) if study.judges_positions else ()
        samples = tuple(row for state in states if (row := _sample_row(state, store.samples(state.cell))))
        return cls(study, tuple(entries(study, states)), tuple(store.hosts()), store.taken(), times, samples)

    @property
    def stem(self) -> str:
        """The beginning of the names of its files."""
        return f"{self.study.name}{'-' * bool(self.study.budget)}{self.study.budget}"

    def write(self, folder: Path) -> list[Path]:
        """Write pages, a LaTeX table, a CSV file and charts to a folder; return the files.

        Without matplotlib there are no charts.
        """
        folder.mkdir(parents=True, exist_ok=True)
        charts = self._charts() if can_draw() else {}
        names = [f"{self.stem}-{name}.svg" for name in charts]
        content = {
            f"{self.stem}.md": self.markdown(names).encode(),
            f"{self.stem}.html": self.html(names).encode(),
            f"{self.stem}.tex": latex_table(self.study, self.table).encode(),
            f"{self.stem}.csv": self.csv().encode(),
        }
        for name, formats in charts.items():
            content |= {f"{self.stem}-{name}.{kind}": data for kind, data in formats.items()}
        for name, data in content.items():
            write_whole(folder / name, data)
        return [folder / name for name in content]

    def _charts(self) -> dict[str, dict[str, bytes]]:
        if self.study.judges_positions:
            title = self.study.title
            return {"detection": draw_detection(self.table, title), "times": draw_times(self.times, title)}
        charts = {"scores": draw_scores(self.table, self.study.title)}
        if any(entry.x is not None and entry.score.games for entry in self.table):
            charts["curve"] = draw_curves(self.table, self.study.title, self.study.curve or "parameter")
        return charts

    def markdown(self, charts: Sequence[str] = ()) -> str:
        """Return the page as Markdown, with the given pictures."""
        return "\n".join(self._lines(charts)) + "\n"

    def html(self, charts: Sequence[str] = ()) -> str:
        """Return the page as HTML that needs no other files except the pictures."""
        return html_page(self.study.title, html_of_markdown(self.markdown(charts)))

    def csv(self) -> str:
        """Return a line for each cell; scores are in per cent, unknown values are empty."""
        rows: list[list[object]] = []
        for entry in self.table:
            score = entry.score
            known = [f"{value:.2f}" for value in (entry.percent, *entry.interval)] if score.games else [""] * 3
            published = [entry.published.value, entry.published.half] if entry.published else ["", ""]
            counts = [score.wins, score.draws, score.losses, entry.played, entry.wanted, entry.errors]
            x = "" if entry.x is None else entry.x
            last = [f"{entry.turns:.1f}", x, entry.verdict, "earlier" if entry.earlier else ""]
            rows.append([entry.row, entry.variant, entry.column, *known, *counts, *published, *last])
        return csv_text(_CSV_KEYS, rows)

    def _lines(self, charts: Sequence[str]) -> Iterator[str]:
        study = self.study
        yield f"# {plain_line(study.title)}"
        for text in (study.about, study.source):
            if text:
                yield from ("", plain_line(text))
        if study.differs():
            yield from ("", "## What differs from the paper", "")
            yield from markdown_table(("what", "in the paper", "here"), study.differs(), right=())
            yield from ("", "## Scores")
        yield ""
        yield from self._table_lines()
        yield from ("", _LEGEND_OF_POSITIONS if study.judges_positions else _LEGEND)
        if not study.judges_positions:
            yield from self._correction()
        if any(entry.published for entry in self.table):
            yield from ("", _LEGEND_OF_PUBLISHED)
        if columns := self._column_lines():
            yield from ("", *(f"- {plain_line(line)}" for line in columns))
        if reasons := self._uninformative():
            yield from ("", *(f"- {plain_line(line)}" for line in reasons))
        if any(entry.decision is not None for entry in self.table):
            yield from ("", _LEGEND_OF_NEED)
        if any(entry.earlier for entry in self.table):
            yield from ("", _LEGEND_OF_EARLIER)
        for name in charts:
            yield from ("", f"![{plain_line(study.title)}]({name})")
        if self.times:
            yield from self._time_lines()
        if self.samples:
            yield from self._sample_lines()
        if signs := [entry for entry in self.table if entry.sign]:
            yield from ("", "## Signs", "", _LEGEND_OF_SIGNS, "")
            rows = [
                (entry.row, f"{entry.variant}, {entry.limit_label}", _published(entry), entry.sign) for entry in signs
            ]
            yield from markdown_table(("game", "cell", "published", "verdict"), rows, right=())
        found = findings(self.table)
        remarks = [f"{study.game_label(game)}: {text}" for game, text in study.remarks()]
        if found or remarks:
            yield from ("", "## Comparison with the published values" if found else "## Remarks", "")
            yield from (f"- {plain_line(line)}" for line in (*found, *remarks))
        if compared := differences(study, self.table):
            yield from ("", "## Differences of variants", "", _LEGEND_OF_DIFFERENCES, "")
            yield from markdown_table(("game", "variants", "difference"), compared, right=(2,))
        tested = [entry for entry in self.table if entry.test]
        if tested:
            yield from ("", "## Sequential tests", "")
            yield from (plain_line(f"- {each.row}, {each.variant}, {each.limit_label}: {each.test}") for each in tested)
        if rules := self._added_rules():
            yield from ("", "## Ends of games and additions to the rules", "")
            yield from (f"- {plain_line(line)}" for line in rules)
        yield from ("", "## How it was played", "")
        yield from self._circumstances()

    def _correction(self) -> Iterator[str]:
        """Yield which significant scores are not significant among all scores of the table."""
        lost = lost_by_correction(self.table)
        if lost:
            names = "; ".join(f"{entry.row}, {entry.variant}, {entry.limit_label}" for entry in lost)
            yield from ("", plain_line(f"{_LOST_BY_CORRECTION} {names}."))

    def _uninformative(self) -> list[str]:
        """Return a line for each game or cell whose scores say nothing."""
        games = {self.study.game_label(game) for game in self._games() if self.study.uninformative(game)}
        reasons = {
            entry.game
            if entry.game in games
            else f"{entry.row}, {entry.variant}, {entry.limit_label}": entry.uninformative
            for entry in self.table
            if entry.uninformative
        }
        return [f"{_UNINFORMATIVE} {name}: uninformative, {reason}" for name, reason in reasons.items()]

    def _added_rules(self) -> list[str]:
        """Return a line for each game with limits, draws or other rules that a paper may not have."""
        lines = []
        for game in self._games():
            label, rules = self.study.game_label(game), added_rules(game)
            own = [entry for entry in self.table if entry.game == label and not entry.kind]
            played = sum(entry.played for entry in own)
            if rules:
                line = f"{label}: {rules.rstrip('.')}."
                if played and (limit := move_limit(game)):
                    line += (
                        f" {sum(entry.at_limit for entry in own):,} of {played:,} games ended after {limit:,} moves."
                    )
                lines.append(line)
        return lines

    def _games(self) -> list[str]:
        return list(dict.fromkeys(cell.game for cell in self.study.cells))

    def _table_lines(self) -> Iterator[str]:
        columns = list(dict.fromkeys((entry.column, entry.variant) for entry in self.table))
        with_published = any(entry.published for entry in self.table)
        heads = ["game"]
        for column, variant in columns:
            heads += [f"{variant}, {self._column_label(column)}"] + ["published"] * with_published
        rows = []
        by_place = {(entry.row, entry.column, entry.variant): entry for entry in self.table}
        for row in dict.fromkeys(entry.row for entry in self.table):
            cells = [row]
            for column, variant in columns:
                entry = by_place.get((row, column, variant))
                cells.append(_cell(entry, may_be_bold=not self.study.judges_positions))
                if with_published:
                    cells.append(_published(entry) if entry else "")
            rows.append(cells)
        yield from markdown_table(heads, rows)

    def _column_label(self, column: str) -> str:
        """Return the limit per move of a column, if it is the same in all games; else its name."""
        labels = {entry.limit_label for entry in self.table if entry.column == column}
        return labels.pop() if len(labels) == 1 else column

    def _column_lines(self) -> list[str]:
        """Return a line for each column that is named by the time of a paper and has other limits in each game."""
        lines = []
        for column in dict.fromkeys(entry.column for entry in self.table):
            labels = dict.fromkeys(f"{entry.game} {entry.limit}" for entry in self.table if entry.column == column)
            if self._column_label(column) == column and any(
                entry.limit_label != column for entry in self.table if entry.column == column
            ):
                lines.append(f"{column}, a time of the paper, stands for a number per move: {', '.join(labels)}.")
        return lines

    def _time_lines(self) -> Iterator[str]:
        yield from (
            "",
            "## Processor time",
            "",
            "Processor time of a search, and of its minimax part, in milliseconds:",
            "",
        )
        head, *rows = time_rows(self.times)
        yield from markdown_table(head, rows, right=range(3, len(head)))

    def _sample_lines(self) -> Iterator[str]:
        yield from (
            "",
            "## Simulations",
            "",
            "Means over the simulations of all searches of the opponent. *Plies*: the number of plies from the root "
            "to the end, with its standard deviation. *Correlation*: with the reward of the end, for the number of "
            "plies and for the quality of the end, which some native games define. *Deviation at the root*: standard "
            "deviation of the mean reward at the root, for the variant and the opponent. *Time*: estimated processor "
            "time of the variant divided by the time of the opponent, from ten CPU-seconds on.",
            "",
        )
        heads = ["cell", "plies", "deviation", "correlation of plies", "correlation of quality"]
        heads += ["deviation at the root", "of the opponent", "time"]
        used = [place for place in range(len(heads)) if any(row[place] for row in self.samples)]
        rows = [[row[place] for place in used] for row in self.samples]
        yield from markdown_table([heads[place] for place in used], rows, right=range(1, len(used)))

    def _circumstances(self) -> Iterator[str]:
        study = self.study
        what = "positions" if study.judges_positions else "games"
        hours, cpu_hours, moves = self.taken
        played = sum(entry.played for entry in self.table)
        wanted = sum(entry.wanted for entry in self.table)
        budget = f", budget `{study.budget}`" if study.budget else ""
        yield f"- Study `{study.name}`{budget}, seed {study.seed}; {played:,} of {wanted:,} {what}."
        yield f"- {amount(moves, 'move')} searched in {spent(hours, cpu_hours)}."
        for text in self.hosts:
            host = json.loads(text)
            commit = f", commit {host['commit']}" if host.get("commit") else ""
            yield (
                f"- Played on {host['cpu']}, {host['cores']} cores, kernel {host['kernel']}, {host['system']}, "
                f"{host['python']}, {host['compiler']}; ggp-agent {host['version']}{commit}."
            )
        if errors := sum(entry.errors for entry in self.table):
            yield f"- {errors:,} games do not count."
        sides = ["variant"] if study.judges_positions else ["variant", "opponent"]
        yield from ("", f"Configurations of the {' and its '.join(sides)}, as changes of the default:", "")
        rows = []
        for cell, entry in zip(study.cells, self.table, strict=True):
            document = entry.earlier or cell.document()
            limits = list(dict.fromkeys(_spent(side) for side in document["contestants"]))
            mark = f" {_EARLIER}" if entry.earlier else ""
            rows.append([f"{cell}{mark}", " against ".join(limits), *map(_keys, document["contestants"])])
        yield from markdown_table(["cell", "per move", *sides], rows, right=(1,))


def spent(hours: float, cpu_hours: float) -> str:
    """Return the time of a run in hours, or in seconds if the run was short.

    >>> spent(1234.567, 0.5), spent(0.00123, 0.00246)
    ('1,234.57 hours, 0.50 CPU-hours', '4.4 seconds, 8.9 CPU-seconds')
    """
    if hours >= 0.1:
        return f"{hours:,.2f} hours, {cpu_hours:,.2f} CPU-hours"
    return f"{3600 * hours:,.1f} seconds, {3600 * cpu_hours:,.1f} CPU-seconds"


def _spent(side: dict[str, Any]) -> str:
    """Return the limit per move of one side of the document of a cell."""
    if side["simulations"] is None:
        return f"{side['milliseconds']:g} ms"
    return f"{side['simulations']:,} simulations"


def _keys(side: dict[str, Any]) -> str:
    keys = side["config"]
    return f"`{', '.join(f'{key} = {value}' for key, value in keys.items())}`" if keys else "default"


_LEGEND = (
    "Scores are in per cent, wins plus half the draws, with the 95 % confidence interval by pairs of games and the "
    "number of games. Bold: significantly different from 50 %, with at least a tenth of the planned games, or 200."
)
_LOST_BY_CORRECTION = (
    "Bold, but not significant among all scores of this table, with a false discovery rate of 5 % (Benjamini and "
    "Hochberg):"
)
_LEGEND_OF_DIFFERENCES = (
    "Differences of scores in points, with the 95 % interval for independent scores (Newcombe). Bold: significant."
)
_LEGEND_OF_PUBLISHED = (
    "†: the interval does not overlap the published interval, with at least a tenth of the planned games, or 200. "
    "Other scores agree with the paper."
)


_LEGEND_OF_POSITIONS = (
    "Per cent of the positions in which a right move is chosen, with the 95 % confidence interval (Wilson) and the "
    "number of positions. `win-K`: a right move wins within K plies. `death-K`: it does not lose within K plies."
)


_LEGEND_OF_NEED = (
    "Results affected which games were played (`run --by-need`). So bold means here that a sequential test decided; "
    f"with equal sides its probability is at most {100 * NEED_TEST.alpha:g} % at any time. The intervals do not "
    "account for the order."
)

# The mark of a cell whose games were played with other values.
_EARLIER = "‡"
# The mark of a game whose scores say nothing about the variants.
_UNINFORMATIVE = "§"

_LEGEND_OF_SIGNS = (
    "The sign is the side of 50 % on which the 95 % interval lies. Reproduced: both signs are significant and agree. "
    "Contrary: both are significant and differ."
)
_LEGEND_OF_EARLIER = (
    f"{_EARLIER}: played with the earlier baseline, which the list of configurations below has; the study has changed "
    "since. `run --new` plays the present one."
)


def _cell(entry: TableEntry | None, *, may_be_bold: bool = True) -> str:
    if entry is None or not entry.score.games:
        return ""
    low, high = entry.interval
    score = f"**{entry.percent:.1f}**" if entry.side and may_be_bold else f"{entry.percent:.1f}"
    mark = " †" * bool(entry.differs) + f" {_EARLIER}" * bool(entry.earlier)
    mark += f" {_UNINFORMATIVE}" * bool(entry.uninformative)
    verdict = f", {entry.verdict}" if entry.verdict else ""
    return f"{score}{mark} ({low:.1f} .. {high:.1f}; {entry.score.games:,}{verdict})"


def _published(entry: TableEntry) -> str:
    return f"{entry.published.value:g} ± {entry.published.half:g}" if entry.published else ""

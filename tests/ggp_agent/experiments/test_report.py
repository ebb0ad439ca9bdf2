"""Reports of studies: tables with published values, conclusions, pages and charts."""

from __future__ import annotations

import csv
import dataclasses
import io
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ggp_agent.arena.match_result import MatchResult, schedule
from ggp_agent.arena.scores import Score
from ggp_agent.cli import main
from ggp_agent.experiments.report import StudyReport
from ggp_agent.experiments.study_file import Published, Study
from ggp_agent.experiments.study_store import StudyStore
from ggp_agent.experiments.table import TableEntry, findings, lost_by_correction

STUDY = """
title = "A | small <study>"
about = "What is held against what."
source = "Nobody, Nothing, Table 1"
games = ["breakthrough", "hex"]
published = [
    ["breakthrough", "half", "100", 80.0, 2.0],
    ["breakthrough", "whole", "100", 90.0, 2.0],
    ["hex", "half", "100", 20.0, 3.0],
    ["hex", "whole", "100", 50.5, 1.0],
]
remarks = [["hex", "other play-outs were tried, too"]]
differs = [["budget", "1 second", "100 simulations"]]
curve = "size"
simulations = 100
games_per_cell = 200
[variants.half]
label = "half"
x = 0.5
config = { reward.relative_bonus.enabled = true }
[variants.whole]
x = 1
config = { reward.relative_bonus.enabled = true, reward.relative_bonus.a = 1.0 }
[game.hex]
label = "Hex"
"""

HOST = (
    '{"cpu": "Abacus", "cores": 2, "kernel": "avx2", "system": "Linux", "python": "CPython", '
    '"compiler": "GCC", "version": "0.1", "commit": "abc"}'
)

# Wins of the variant among the 200 games of each cell; the last one has only 10 games.
WINS = {"breakthrough/half/100": 160, "breakthrough/whole/100": 150, "hex/half/100": 140, "hex/whole/100": 5}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[StudyStore]:
    study = Study.from_toml(STUDY, "mine")
    with StudyStore(tmp_path / "mine.sqlite", new=True) as store:
        store.begin(study.cells)
        host = store.host(HOST)
        run = store.start_run(1, host)
        store.keep_run(run, seconds=1800.0, cpu_seconds=3600.0, moves=1234)
        for cell in study.cells:
            store.name_roles(cell, ("one", "other"))
            games = 10 if str(cell) == "hex/whole/100" else 200
            wins = set(random.Random(1).sample(range(games), WINS[str(cell)]))
            for plan in schedule(("one", "other"), contestants=2, matches=games, seed=1):
                won = 0 if plan.number in wins else 1
                goals = tuple(100 if seat == won else 0 for seat in plan.seats)
                store.add(cell, [MatchResult(plan, 30, 0, goals, (100, 100), (0.0, 0.0), "")], host)
        yield store


def test_only_studies_with_published_values_name_a_paper(store: StudyStore) -> None:
    assert "agree with the paper" in StudyReport.of(Study.from_toml(STUDY, "mine"), store).markdown()
    own = STUDY[: STUDY.index("published")] + STUDY[STUDY.index("curve") :]
    text = StudyReport.of(Study.from_toml(own, "mine"), store).markdown()
    assert "paper" not in text and "†" not in text


def test_markdown_has_scores_beside_published_values(store: StudyStore) -> None:
    text = StudyReport.of(Study.from_toml(STUDY, "mine"), store).markdown()
    lines = text.splitlines()
    assert lines[0] == "# A | small <study>"
    table = [line for line in lines if line.startswith(("| breakthrough |", "| Hex |", "| budget |"))]
    assert table == [
        "| budget | 1 second | 100 simulations |",
        "| breakthrough | **80.0** (73.7 .. 85.1; 200) | 80 ± 2 | **75.0** † (68.1 .. 80.8; 200) | 90 ± 2 |",
        "| Hex | **70.0** † (62.7 .. 76.4; 200) | 20 ± 3 | 50.0 (17.0 .. 83.0; 10) | 50.5 ± 1 |",
        "| breakthrough | half, 100 simulations | 80 ± 2 | reproduced |",
        "| breakthrough | whole, 100 simulations | 90 ± 2 | reproduced |",
        "| Hex | half, 100 simulations | 20 ± 3 | contrary |",
        "| Hex | whole, 100 simulations | 50.5 ± 1 | too few games |",
    ]
    found = [line for line in lines if line.startswith("- ")]
    assert found[:4] == [
        "- breakthrough, whole, 100 simulations: 75.0 % (68.1 .. 80.8) is below the published 90 ± 2, "
        "on the same side of 50 %.",
        "- Hex, half, 100 simulations: 70.0 % (62.7 .. 76.4) is above the published 20 ± 3, on the other side of 50 %.",
        "- Of 3 published values that differ significantly from 50 %, 2 have the same sign here, 2 significantly; "
        "significantly the other: Hex (half, 100 simulations).",
        "- Hex: other play-outs were tried, too",
    ]
    assert "- Study `mine`, seed 1; 610 of 800 games." in lines
    assert "- 1,234 moves searched in 0.50 hours, 1.00 CPU-hours." in lines
    assert any("Abacus, 2 cores, kernel avx2" in line and "commit abc" in line for line in lines)
    assert "`reward.relative_bonus.enabled = True, reward.relative_bonus.a = 1.0`" in text


ADDITIONS = """
games = ["fast:go_5x5", "connect_four", "fast:kalah"]
simulations = 10
published = [["connect_four", "bold", "10", 90.0, 1.0]]
variants.bold = "selection.exploration=0.7"
game.connect_four.uninformative = "the first role wins nearly all games"
"""


def test_pages_list_additions_to_the_rules_and_games_that_say_nothing(tmp_path: Path) -> None:
    study = Study.from_toml(ADDITIONS, "mine")
    with StudyStore(tmp_path / "mine.sqlite", new=True) as store:
        store.begin(study.cells)
        for cell in study.cells:
            store.name_roles(cell, ("one", "other"))
            for plan in schedule(("one", "other"), contestants=2, matches=200, seed=1):
                turns = 50 if plan.number < 60 else 31
                goals = (100, 0) if plan.seats[0] == 0 else (0, 100)
                store.add(cell, [MatchResult(plan, turns, 0, goals, (10, 10), (0.0, 0.0), "")], store.host(HOST))
        lines = StudyReport.of(study, store).markdown().splitlines()
    assert "| connect_four | 100.0 § (96.3 .. 100.0; 200) | 90 ± 1 |" in lines
    assert "- § connect_four: uninformative, the first role wins nearly all games" in lines
    assert not any("is above the published" in line for line in lines)  # no conclusion from such a score
    heading = lines.index("## Ends of games and additions to the rules")
    assert lines[heading + 2 : heading + 5] == [
        "- fast:go_5x5: a game ends after 50 moves, two for each point, and is scored in that position. "
        "60 of 200 games ended after 50 moves.",
        "- connect_four: The game ends with the first line of four, or when all seven columns are full.",
        "",
    ]


def test_named_variants_are_compared(store: StudyStore) -> None:
    study = Study.from_toml(
        STUDY.replace("curve =", 'compare = [["half", "whole"], ["whole", "half"]]\ncurve ='), "mine"
    )
    text = StudyReport.of(study, store).markdown()
    rows = [line for line in text.splitlines() if " against " in line and line.startswith("| ")]
    # Two samples of 200 with these scores differ by the root of the sum of their variances. Hex has too few games.
    assert rows == [
        "| breakthrough | half against whole, 100 simulations | +5.0 (-3.5 .. +13.5) |",
        "| breakthrough | whole against half, 100 simulations | -5.0 (-13.5 .. +3.5) |",
    ]


def test_significance_is_corrected_over_a_table() -> None:
    def entry(wins: int, pairs: tuple[int, ...] = ()) -> TableEntry:
        score = Score(wins, 0, 200 - wins)
        return TableEntry("g", f"{wins}", "10", score, None, 200, 200, 0, "", 9.0, None, pairs=pairs)

    alone = entry(115)
    assert alone.side == 1 and lost_by_correction([alone]) == []
    others = [entry(100 + number) for number in range(-9, 10)]
    assert lost_by_correction([*others, alone, entry(150)]) == [alone]
    # In pairs that one side wins together, 115 wins are 57 independent results.
    assert entry(115, (42, 0, 1, 0, 57)).side == 0


def test_html_and_csv_have_the_same_scores(store: StudyStore) -> None:
    report = StudyReport.of(Study.from_toml(STUDY, "mine"), store)
    page = report.html()
    assert "<h1>A | small &lt;study&gt;</h1>" in page and "<study>" not in page
    assert "80.0 (73.7 .. 85.1; 200)" in re.sub(r"<[^>]+>", "", page)
    rows = list(csv.DictReader(io.StringIO(report.csv())))
    assert [(row["game"], row["variant"], row["score"], row["published"]) for row in rows] == [
        ("breakthrough", "half", "80.00", "80.0"),
        ("breakthrough", "whole", "75.00", "90.0"),
        ("Hex", "half", "70.00", "20.0"),
        ("Hex", "whole", "50.00", "50.5"),
    ]
    assert [row["wins"] for row in rows] == ["160", "150", "140", "5"]


def test_files_and_charts_are_written(
    store: StudyStore, in_empty_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("mine.toml").write_text(STUDY)
    assert main(["experiment", "report", "mine.toml", "--store", "mine.sqlite", "--out", "out"]) == 0
    written = sorted(path.name for path in Path("out").iterdir())
    assert written == sorted(
        ["mine.md", "mine.html", "mine.csv", "mine.tex"]
        + [f"mine-{chart}.{kind}" for chart in ("scores", "curve") for kind in ("png", "svg")]
    )
    assert [Path(line).name for line in capsys.readouterr().out.splitlines()] != []
    assert Path("out/mine-scores.png").read_bytes().startswith(b"\x89PNG")
    # Text in charts is text, and the drawn values are the scores.
    assert ">size</text>" in Path("out/mine-curve.svg").read_text()
    assert ">Hex: half</text>" in Path("out/mine-scores.svg").read_text()
    assert "](mine-scores.svg)" in Path("out/mine.md").read_text()
    first = Path("out/mine-scores.svg").read_bytes()
    assert main(["experiment", "report", "mine.toml", "--store", "mine.sqlite", "--out", "out"]) == 0
    assert Path("out/mine-scores.svg").read_bytes() == first


def test_without_matplotlib_only_the_charts_are_missing(
    store: StudyStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").write_text(STUDY)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert main(["experiment", "report", "mine.toml", "--store", "mine.sqlite", "--out", "out"]) == 0
    assert sorted(path.name for path in Path("out").iterdir()) == ["mine.csv", "mine.html", "mine.md", "mine.tex"]
    assert capsys.readouterr().err == "the charts are left out: they need matplotlib (pip install matplotlib)\n"
    assert ".svg" not in Path("out/mine.md").read_text() + Path("out/mine.html").read_text()


def test_a_report_can_be_read_while_games_are_added(store: StudyStore, tmp_path: Path) -> None:
    study = Study.from_toml(STUDY, "mine")
    with store.change(), StudyStore(tmp_path / "mine.sqlite") as reader:
        assert "610 of 800 games" in StudyReport.of(study, reader).markdown()


def test_the_first_games_of_a_cell_give_no_conclusion() -> None:
    few = TableEntry("Skirmish", "k", "1 s", Score(0, 0, 6), Published(55, 2), 6, 400, 0, "", 9.0, None)
    assert (few.side, few.differs, findings([few])) == (0, 0, [])
    tested = dataclasses.replace(few, verdict="H0")
    assert (tested.side, tested.differs) == (-1, -1)
    enough = dataclasses.replace(few, score=Score(0, 0, 40), played=40)
    assert (enough.side, enough.differs) == (-1, -1)
    a_small_part = dataclasses.replace(few, score=Score(0, 0, 200), played=200, wanted=5000)
    assert (a_small_part.side, a_small_part.differs) == (-1, -1)
    assert dataclasses.replace(a_small_part, score=Score(0, 0, 199), played=199).side == 0


def test_names_of_a_study_do_not_control_the_terminal(
    tmp_path: Path, in_empty_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = STUDY[STUDY.index("curve") : STUDY.index("[game.hex]")].replace("variants.half", 'variants."v\\u001b[2J"')
    text = text.replace('label = "half"', "").replace("games_per_cell = 200", "games_per_cell = 2")
    (tmp_path / "mine.toml").write_text('games = ["tic_tac_toe"]\ntitle = "a\\u001b[1m"\n' + text)
    for action in ("show", "run", "status", "report", "report --latex", "report --out page"):
        assert main(["experiment", *action.split()[:1], "mine.toml", *action.split()[1:]]) == 0
        shown = capsys.readouterr()
        assert "\x1b" not in shown.out + shown.err and "?[" in shown.out + "?[" * ("page" in action), action
    written = [path for path in (tmp_path / "page").iterdir() if path.suffix != ".png"]
    assert written and not [path.name for path in written if "\x1b" in path.read_text()]

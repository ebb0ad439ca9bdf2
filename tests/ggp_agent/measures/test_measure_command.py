"""`ggp-agent measure`: output, files, mistakes, limits and interrupts."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from places import ROOT
from small_games import NIM

from ggp_agent.cli import main
from ggp_agent.game.roles import no_legal_move
from ggp_agent.measures import game_measures
from ggp_agent.measures.game_measures import MeasureOptions, measure_games
from ggp_agent.measures.measure_definitions import (
    COURSE,
    DEPTH,
    ONLY_RANDOM,
    PLAIN,
    RESULTS,
    RULE_FEATURES,
    definitions,
)
from ggp_agent.measures.measure_report import csv_columns, to_markdown
from kif_games import catalogue

GUIDE = ROOT / "docs" / "guide" / "measure_games.md"
QUICK = ("--games", "60", "--searched", "4", "--jobs", "2")


@pytest.fixture
def nim(tmp_path: Path) -> str:
    path = tmp_path / "nim.kif"
    path.write_text(NIM)
    return str(path)


def test_all_outputs_agree(nim: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {name: tmp_path / f"m.{name}" for name in ("csv", "html", "markdown")}
    options = [word for name, path in files.items() for word in (f"--{name}", str(path))]
    assert main(["measure", nim, "tic_tac_toe", *QUICK, *options, "--json"]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    found = json.loads(shown.out)
    assert [one["game"] for one in found] == ["nim", "tic_tac_toe"]
    with files["csv"].open() as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == csv_columns(definitions((100,), doublings=False))
    for row, one in zip(rows, found, strict=True):
        assert float(row["length_random"]) == one["measures"]["length_random"]["value"]
        assert float(row["draws_100_high"]) == one["measures"]["draws_100"]["high"]
        assert float(row["rules_rules"]) == one["rules"]["rules"]
    page = files["html"].read_text()
    charts = re.findall(r"<svg.*?</svg>", page)
    assert len(charts) > 20 and all(ElementTree.fromstring(chart) is not None for chart in charts)
    assert "http" not in page and 'id="g0"' in page and 'id="g1"' in page
    assert files["markdown"].read_text().startswith(to_markdown([], {}))


def test_the_text_lists_values_and_reasons(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measure", "lights_out", *QUICK]) == 0
    shown = capsys.readouterr().out
    assert re.search(r"^length_random +\d+ +\d+ to \d+ +length$", shown, re.MULTILINE)
    assert "the game has one role" in shown and "\nrules: rules " in shown


def test_the_guide_defines_all_keys(nim: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = GUIDE.read_text()
    rows = dict(reversed(re.findall(r"^\| `(\w+)` \| (.*) \|$", text, re.MULTILINE)))
    defined = {f"{key}_random": one.meaning for key, one in (RESULTS | ONLY_RANDOM).items()}
    defined |= {key: one.meaning for key, one in PLAIN.items()}
    defined |= {f"{key}_100": one.meaning for key, one in (COURSE | DEPTH).items()}
    assert {key: rows.get(key) for key in defined | RULE_FEATURES} == defined | RULE_FEATURES
    assert main(["measure", nim, *QUICK, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert all(f"`{key}`" in text for key in document)
    assert {key for one in document["measures"].values() for key in one} == {"value", "low", "high"}


def test_the_page_of_the_catalogue_has_the_columns_of_the_command() -> None:
    text = (ROOT / "docs" / "results" / "measures.md").read_text()
    assert to_markdown([], {}) in text
    assert re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE) == list(catalogue())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "GAME, or --catalogue"),
        (["nim", "--games", "0"], "'0' is not a whole number above 0"),
        (["nim", "--doublings", "3"], "'3' is odd"),
        (["nim", "--simulations", "x"], "'x' is not a whole number above 0"),
        (["nim", "--seconds", "nan"], "'nan' is not a number of seconds above 0"),
        (["nim", "--html", "/"], "--html /"),
        (["tic_tac_to"], "did you mean tic_tac_toe"),
    ],
)
def test_mistakes_are_one_line(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        status = main(["measure", *arguments])
    except SystemExit as error:
        status = int(error.code or 0)
    shown = capsys.readouterr()
    assert status == 2 and shown.out == ""
    assert message in shown.err and "Traceback" not in shown.err


def test_a_wrong_game_does_not_stop_the_others(nim: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = tmp_path / "wrong.kif"
    wrong.write_text("(role a")
    assert main(["measure", str(wrong), nim, "--json", *QUICK]) == 2
    shown = capsys.readouterr()
    assert [one["game"] for one in json.loads(shown.out)] == ["nim"]
    assert "wrong.kif" in shown.err


def test_a_game_without_a_legal_move_has_reasons(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stuck = tmp_path / "stuck.kif"
    stuck.write_text("(role a) (role b) (init (s 0)) (legal a x) (<= (legal b x) (true (s 1))) (next (s 1))"
                     "(<= terminal (true (s 2))) (goal a 50) (goal b 50)")  # fmt: skip
    assert main(["measure", str(stuck), *QUICK, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["measures"]
    assert found["length_random"]["undefined"] == no_legal_move("b", 0)


def test_a_game_that_takes_too_long_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "endless.kif")  # to read it waits for a writer
    monkeypatch.setattr(game_measures, "LOAD_SECONDS", 0.1)
    (result,) = measure_games([str(tmp_path / "endless.kif")], MeasureOptions(), 1, lambda *_: None)
    assert "stopped, because loading took more than" in str(result.found)


@pytest.mark.slow
def test_an_interrupt_keeps_complete_games(nim: str, tmp_path: Path) -> None:
    target = tmp_path / "m.csv"
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "ggp_agent", "measure", nim, "amazons", "--jobs", "1", "--games", "20000",
         "--searched", "2", "--seconds", "600", "--simulations", "100000", "--csv", str(target)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path,
    )  # fmt: skip
    assert process.stdout is not None
    while "rules: " not in process.stdout.readline():  # the report of the first game
        assert process.poll() is None
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted after 1 of 2 games" in errors and "Traceback" not in errors
    with target.open() as file:
        assert [row["game"] for row in csv.DictReader(file)] == ["nim"]

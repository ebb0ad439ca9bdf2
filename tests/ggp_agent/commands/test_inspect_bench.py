"""inspect: what it prints, for programs and for people. inspect, bench, perft: mistakes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ggp_agent.cli import main

SMALL = """
    (role r) (role s) (init (at 1)) (init (wall a)) (<= (next (wall a)) (true (wall a)))
    (<= (next (at 2)) (true (at 1)) (does r go)) (<= (next (at 1)) (true (at 1)) (does r stay))
    (<= (legal r go) (true (at 1))) (legal r stay) (legal s noop)
    (<= terminal (true (at 2))) (<= (goal r 100) terminal) (<= (goal r 0) (not terminal)) (goal s 50)
"""


@pytest.fixture
def small(tmp_path: Path) -> str:
    path = tmp_path / "small.kif"
    path.write_text(SMALL)
    return str(path)


def test_inspect_gives_sizes_of_all_stages(document: Callable[..., Any]) -> None:
    found = document("inspect", "tic_tac_toe")
    assert found["game"] == "tic_tac_toe"
    assert found["machine"] == "network"
    assert found["roles"] == ["x", "o"]
    assert found["moves_of_role"] == {"x": 10, "o": 10}
    assert found["moves"] == 20
    assert 19 <= found["fluents"] <= 29
    assert 0 < found["gates"] <= 500
    assert 0 < found["depth"] < 50
    assert found["rules"] > 10 and found["ground_rules"] > found["fluents"] and found["ground_atoms"] > 0
    assert found["loop_variables"] == 0
    assert len(found["phases"]) == 2 and max(found["phases"]) < found["gates"]
    *_, compiled, phases = found["passes"]
    assert (compiled["name"], compiled["gates"]) == ("compile", found["gates"])
    assert phases["name"] == "phases" and phases["gates"] <= max(found["phases"])
    assert all(report["gates"] > 0 and report["cpu_s"] >= 0 for report in found["passes"])
    assert 0 < found["load_cpu_s"] < 10
    # A network from the cache keeps what compiling it has cost, which may be more than reading it.
    assert 0 < found["ground_cpu_s"] < 10 and 0 < found["network_cpu_s"] < 10


@pytest.mark.parametrize(
    "command",
    [
        "perft fast:breakthrough_6x6 --depth 1",
        "search fast:breakthrough_6x6 --simulations 10",
        "bench fast:breakthrough_6x6 --cpu-seconds 0.05 --repeats 1",
        "arena fast:breakthrough_6x6 --a default --b default --games 2 --simulations 5",
    ],
)
def test_a_hand_coded_game_is_named_as_it_was_asked_for(capsys: pytest.CaptureFixture[str], command: str) -> None:
    assert main([*command.split(), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["game"] == "fast:breakthrough_6x6"


def test_inspect_leaves_out_what_is_constant(document: Callable[..., Any], small: str) -> None:
    found = document("inspect", small)
    assert (found["game"], found["fluents"], found["moves"]) == ("small", 2, 3)
    assert found["rules"] == 14


def test_inspect_shows_each_stage(capsys: pytest.CaptureFixture[str], small: str) -> None:
    def shown(stage: str) -> list[str]:
        assert main(["inspect", small, "--show", stage]) == 0
        return capsys.readouterr().out.splitlines()

    rules = shown("rules")
    assert rules[:3] == ["(role r)", "(role s)", "(init (at 1))"]
    assert len(rules) == 14
    program = shown("asp")
    assert "% k0 = at" in program
    assert any(line.startswith("terminal :- ") for line in program)
    assert shown("fluents") == ["(at 1)", "(at 2)", "(wall a)  ; always"]
    assert shown("moves") == ["r go", "r stay", "s noop"]


def test_inspect_prints_a_table_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", "orchard"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("orchard: ")
    stages = [line.split()[0] for line in lines[1:] if not line.startswith("    ")]
    assert stages[:4] == ["parse", "ground", "gates", "machine"]
    assert any(line.split()[:2] == ["pass", "reachable:"] for line in lines)
    assert lines[-1].split()[0] == "all" and lines[-1].endswith(" CPU-s")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["bench", "chequers"], "no game is called 'chequers'"),
        (["bench", "tic_tac_toe", "--cpu-seconds", "0"], "'0'"),
        (["bench", "tic_tac_toe", "--lanes", "65"], "invalid choice"),
        (["bench", "tic_tac_toe", "--repeats", "0"], "'0'"),
        (["bench", "tic_tac_toe", "--csv", "."], "--csv .: this is a directory"),
        (
            ["bench", "tic_tac_toe", "--chart", "speeds.txt"],
            "speeds.txt: a chart must have the suffix .svg, .png, .pdf",
        ),
        (["bench", "tic_tac_toe", "--against", "nowhere.json"], "nowhere.json: no such file"),
        (["bench"], "required: GAME"),
        (["inspect", "nowhere.kif"], "nowhere.kif: no such file"),
        (["inspect", "tic_tac_toe", "--show", "nothing"], "invalid choice"),
        (["perft", "nowhere.kif", "--depth", "1"], "nowhere.kif: no such file"),
    ],
)
def test_mistakes_are_told_in_one_line(
    refusal: Callable[..., str], in_empty_folder: Path, arguments: list[str], complaint: str
) -> None:
    assert complaint in refusal(*arguments)

"""inspect and bench: what they print, for programs and for people."""

from __future__ import annotations

import json
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


def document(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    """Run a command that must succeed; return the one document that it prints."""
    assert main([*arguments, "--json"]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    assert len(shown.out.splitlines()) == 1
    return json.loads(shown.out)


def test_inspect_gives_sizes_of_all_stages(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "inspect", "tic_tac_toe")
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
    assert found["passes"][-1] == {"name": "compile", "gates": found["gates"], "cpu_s": found["passes"][-1]["cpu_s"]}
    assert all(report["gates"] > 0 and report["cpu_s"] >= 0 for report in found["passes"])
    assert 0 < found["load_cpu_s"] < 10
    assert found["load_cpu_s"] >= found["ground_cpu_s"] + found["network_cpu_s"]


def test_inspect_leaves_out_what_is_constant(capsys: pytest.CaptureFixture[str], small: str) -> None:
    found = document(capsys, "inspect", small)
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
    assert [line.split()[0] for line in lines[1:5]] == ["parse", "ground", "gates", "machine"]
    assert lines[-1].split()[0] == "all" and lines[-1].endswith(" CPU-s")


BENCH_KEYS = {
    "game",
    "machine",
    "kernel",
    "lanes",
    "load_cpu_s",
    "peak_rss_mb",
    "playouts_per_cpu_s",
    "states_per_cpu_s",
    "mean_length",
    "simulations_per_cpu_s",
}


def test_bench_measures_a_game(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "bench", "tic_tac_toe", "--seconds", "0.1")
    assert set(found) >= BENCH_KEYS
    assert (found["game"], found["machine"], found["lanes"]) == ("tic_tac_toe", "network", 256)
    assert found["kernel"] in ("portable", "avx2", "avx512")
    # Uniformly random play-outs of tic-tac-toe are 7.6 moves long; here are tens of thousands of them.
    assert 7.4 < found["mean_length"] < 7.9
    assert found["playouts_per_cpu_s"] > 1000
    assert found["states_per_cpu_s"] / found["playouts_per_cpu_s"] == pytest.approx(found["mean_length"], rel=0.05)
    assert found["simulations_per_cpu_s"] > 100
    assert 10 < found["peak_rss_mb"] < 4000
    assert 0 < found["load_cpu_s"] < 20


def test_bench_measures_several_games_on_the_kernel_asked_for(capsys: pytest.CaptureFixture[str], small: str) -> None:
    arguments = ["--seconds", "0.05", "--lanes", "64", "--kernel", "portable"]
    found = document(capsys, "bench", "connect_four", small, *arguments)
    assert [(each["game"], each["lanes"], each["kernel"]) for each in found] == [
        ("connect_four", 64, "portable"),
        ("small", 64, "portable"),
    ]
    # Going on has one chance in two at every turn.
    assert found[1]["mean_length"] == pytest.approx(2, rel=0.1)


def test_bench_prints_a_table_for_people(capsys: pytest.CaptureFixture[str], small: str) -> None:
    assert main(["bench", small, "--seconds", "0.05"]) == 0
    head, row = capsys.readouterr().out.splitlines()
    assert head.split()[0] == "game" and row.split()[0] == "small"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["bench", "tic_tac_toe", "chequers"], "no game is called 'chequers'"),
        (["bench", "tic_tac_toe", "--seconds", "0"], "'0'"),
        (["bench", "tic_tac_toe", "--lanes", "65"], "invalid choice"),
        (["bench"], "required: GAME"),
        (["inspect", "nowhere.kif"], "nowhere.kif: no such file"),
        (["inspect", "tic_tac_toe", "--show", "nothing"], "invalid choice"),
        (["perft", "nowhere.kif", "--depth", "1"], "nowhere.kif: no such file"),
    ],
)
def test_mistakes_are_told_in_one_line(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    complaint: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    (line,) = shown.err.splitlines()
    assert line.startswith("ggp-agent: error: ") and complaint in line


@pytest.mark.parametrize("command", [["inspect"], ["bench"], ["perft", "--depth", "2"]])
@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"", "holds no rules"),
        (b"; nothing\n", "holds no rules"),
        (b"\x00\x01\x02", "this is no text"),
        (b"(role r", "this parenthesis is never closed"),
        (b"(init a)", "names no role"),
        (b"(role r) (<= (legal r a) (not (legal r a)))", "depends on its own negation"),
    ],
)
def test_broken_sheets_are_told_with_status_2(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, command: list[str], data: bytes, complaint: str
) -> None:
    path = tmp_path / "broken.kif"
    path.write_bytes(data)
    assert main([command[0], str(path), *command[1:]]) == 2
    shown = capsys.readouterr()
    first, *excerpt = shown.err.splitlines()
    assert first.startswith(f"ggp-agent: error: {path}") and complaint in first
    assert all(line.startswith("    ") for line in excerpt)
    assert "Traceback" not in shown.err

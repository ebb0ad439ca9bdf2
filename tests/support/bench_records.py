"""Runs of bench: invented figures of games, files with them, and short runs of the command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ggp_agent.bench.bench_record import BenchRecord, Host
from ggp_agent.bench.measure import BenchResult
from ggp_agent.cli import main

DOCUMENTED_KEYS = {"game", "machine", "kernel", "lanes", "load_cpu_s", "peak_rss_mb", "mean_length"}
DOCUMENTED_KEYS |= {"playouts_per_cpu_s", "states_per_cpu_s", "simulations_per_cpu_s"}

# One role without choices, three turns long.
CORRIDOR = """
    (role r) (init (at 1)) (succ 1 2) (succ 2 3) (succ 3 4) (legal r go)
    (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y)) (<= terminal (true (at 4))) (goal r 100)
"""


def record(
    game: str,
    playouts: float,
    simulations: float | None = 1000.0,
    *,
    spreads: tuple[float | None, float | None] = (10.0, 10.0),
    calibration: float = 1.0,
    cpu: str = "Abacus 2",
) -> BenchRecord:
    result = BenchResult(
        game=game,
        machine="network",
        kernel="avx2",
        lanes=256,
        load_cpu_s=0.1,
        peak_rss_mb=40.5,
        playouts_per_cpu_s=playouts,
        playouts_spread_percent=spreads[0],
        states_per_cpu_s=10 * playouts,
        mean_length=10.0,
        simulations_per_cpu_s=simulations,
        simulations_spread_percent=None if simulations is None else spreads[1],
        signature=None if simulations is None else "0123456789abcdef",
        calibration=calibration,
        calibration_before=calibration,
        calibration_after=calibration,
        repeats=5,
        seconds=2.0,
    )
    return BenchRecord(
        result, Host(cpu, 2, "Linux 6.1", "CPython 3.12.1", "GCC 12.2.0"), "2025-11-20T10:00:00", "0.1.0"
    )


def run_bench(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> tuple[str, list[str]]:
    """Run bench for a short time; return stdout and stderr except the warning of an unsteady computer."""
    assert main(["bench", *arguments]) == status
    shown = capsys.readouterr()
    unsteady = "warning: the machine is unsteady"
    return shown.out, [line for line in shown.err.splitlines() if not line.startswith(unsteady)]


def sheet(folder: Path, name: str, rules: str) -> str:
    path = folder / f"{name}.kif"
    path.write_text(rules)
    return str(path)


def save(folder: Path, records: list[BenchRecord], name: str = "then.json") -> str:
    path = folder / name
    path.write_text(json.dumps([each.document() for each in records]))
    return str(path)

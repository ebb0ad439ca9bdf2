"""bench: what it measures and prints, statistics by hand, comparison of runs, files, and being interrupted."""

from __future__ import annotations

import dataclasses
import functools
import json
import os
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from places import ROOT
from small_games import COUNTING, NIM

from gdl import NetworkMachine, ReferenceMachine, StopFlag, parse_sheet
from gdl._core import RandomPlayouts, calibrate, compiler
from gdl.files import write_whole
from ggp_agent.cli import main
from ggp_agent.games import Game
from ggp_agent.processes import WorkerDiedError, run_alone
from ggp_agent.search.config import SearchConfig, SolverConfig
from ggp_agent.search.searcher import Searcher
from ggp_agent.study.bench import measure as bench_module
from ggp_agent.study.bench.chart import caption, draw_chart
from ggp_agent.study.bench.compare import compare
from ggp_agent.study.bench.host import Host, this_host
from ggp_agent.study.bench.measure import BenchResult, bench, median_and_spread
from ggp_agent.study.bench.record import BenchRecord, read_records, to_csv
from ggp_agent.study.bench.report import unsteadiness

DOCUMENTED_KEYS = {
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

# One role that has nothing to choose, three turns long.
CORRIDOR = """
    (role r) (init (at 1)) (succ 1 2) (succ 2 3) (succ 3 4) (legal r go)
    (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y)) (<= terminal (true (at 4))) (goal r 100)
"""

# The only move of the first turn leads to a choice, and that to a state without legal moves, which is not terminal.
DEAD_END = """
    (role r) (init (at 1)) (succ 1 2) (succ 2 3)
    (<= (legal r go) (true (at 1))) (<= (legal r go) (true (at 2))) (<= (legal r walk) (true (at 2)))
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
    """Make up the figures of a game."""
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
    """Run bench for a short time; return stdout and the lines of stderr but for that of an unsteady machine."""
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


# ---- what is measured


@pytest.mark.parametrize(
    ("speeds", "median", "spread"),
    [
        ([4.0, 1.0, 2.0, 8.0, 5.0], 4.0, 175.0),  # 1 2 4 5 8: 7 of 4
        ([10.0, 30.0], 20.0, 100.0),
        ([7.0, 7.0, 7.0], 7.0, 0.0),
        ([3.0], 3.0, None),
        ([0.0, 0.0, 5.0], 0.0, None),
    ],
)
def test_median_and_spread(speeds: list[float], median: float, spread: float | None) -> None:
    assert median_and_spread(speeds) == (median, spread)


def test_one_game_is_one_object(capsys: pytest.CaptureFixture[str], kernel: str) -> None:
    out, err = run_bench(capsys, "tic_tac_toe", "--seconds", "0.2", "--json")
    assert err == []
    assert len(out.splitlines()) == 1
    found = json.loads(out)
    assert set(found) >= DOCUMENTED_KEYS
    assert set(found) >= {"repeats", "cpu", "cores", "os", "python", "compiler", "calibration", "date", "version"}
    assert (found["game"], found["machine"]) == ("tic_tac_toe", "network")
    assert (found["kernel"], found["lanes"]) == (kernel, NetworkMachine(parse_sheet(NIM)).simulator().lanes)
    # Uniformly random play-outs of tic-tac-toe are 7.6 moves long; here are tens of thousands of them.
    assert 7.4 < found["mean_length"] < 7.9
    assert found["playouts_per_cpu_s"] > 1000
    assert found["states_per_cpu_s"] / found["playouts_per_cpu_s"] == pytest.approx(found["mean_length"])
    assert found["simulations_per_cpu_s"] > 100
    assert found["playouts_spread_percent"] > 0 and found["simulations_spread_percent"] > 0
    assert (found["repeats"], found["seconds"]) == (5, 0.2)
    assert 10 < found["peak_rss_mb"] < 1000
    assert 0 < found["load_cpu_s"] < 20
    assert found["calibration"] == pytest.approx((found["calibration_before"] + found["calibration_after"]) / 2)
    assert found["cpu"] == this_host().cpu


def test_several_games_are_a_list_on_the_kernel_asked_for(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    games = ["connect_four", sheet(tmp_path, "corridor", CORRIDOR)]
    arguments = ["--seconds", "0.05", "--repeats", "1", "--lanes", "64", "--kernel", "portable", "--json"]
    found = json.loads(run_bench(capsys, *games, *arguments)[0])
    assert [(each["game"], each["lanes"], each["kernel"], each["repeats"]) for each in found] == [
        ("connect_four", 64, "portable", 1),
        ("corridor", 64, "portable", 1),
    ]
    assert found[0]["playouts_spread_percent"] is None
    # Without any choice there is nothing to search for.
    assert (found[1]["mean_length"], found[1]["simulations_per_cpu_s"]) == (3.0, None)


def test_table_for_people(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out, err = run_bench(capsys, sheet(tmp_path, "nim", NIM), "--seconds", "0.05", "--repeats", "2")
    assert err == []
    host, how, heads, row, calibration = out.splitlines()
    assert host.startswith(f"{this_host()}; ggp-agent ")
    assert how == "one thread, all speeds per CPU-second, medians of 2 repeats of 0.025 s"
    assert heads.split()[:2] == ["game", "kernel"]
    assert len(heads) == len(row)
    name, isa, lanes, _, _, playouts, spread, percent, *_ = row.split()
    simulator = NetworkMachine(parse_sheet(NIM)).simulator()
    assert (name, isa, lanes, percent) == ("nim", simulator.isa, str(simulator.lanes), "%")
    assert "," in playouts and int(playouts.replace(",", "")) > 1000
    assert int(spread) >= 0
    assert calibration.startswith("calibration ")


def test_bad_games_are_told_and_the_others_measured(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    games = ["chequers", sheet(tmp_path, "broken", "(role r"), sheet(tmp_path, "nim", NIM), "nowhere.kif"]
    out, err = run_bench(capsys, *games, "--seconds", "0.05", "--json", status=2)
    assert [each["game"] for each in json.loads(out)] == ["nim"]
    lines = [line for line in err if not line.startswith("    ")]
    assert [line.startswith("ggp-agent: error: ") for line in lines] == [True] * 3
    assert "no game is called 'chequers'" in lines[0]
    assert "broken.kif:1:1: this parenthesis is never closed" in lines[1]
    assert lines[2].endswith("nowhere.kif: no such file or directory")


def on_the_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Game, "machine", lambda game: ReferenceMachine(game.sheet))


def test_machines_without_lanes_play_one_by_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    on_the_reference(monkeypatch)
    found = bench(sheet(tmp_path, "counting", COUNTING), seconds=0.1, repeats=2)
    assert (found.machine, found.kernel, found.lanes) == ("reference", None, 1)
    assert (found.simulations_per_cpu_s, found.simulations_spread_percent) == (None, None)
    assert found.mean_length == 4.0
    assert found.playouts_per_cpu_s == pytest.approx(found.states_per_cpu_s / 4)
    assert found.playouts_spread_percent is not None


def test_dead_ends_are_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = sheet(tmp_path, "dead_end", DEAD_END)
    on_the_reference(monkeypatch)
    with pytest.raises(bench_module.UserError, match="r has no legal move after 2 turns at random"):
        bench(path, seconds=0.1)


def test_search_runs_on_the_kernel_asked_for() -> None:
    machine = NetworkMachine(parse_sheet(NIM))
    unsolved = SearchConfig(solver=SolverConfig(enabled=False))
    assert Searcher(machine, unsolved, isa="portable").run(simulations=100).simulations == 100
    with pytest.raises(ValueError, match="no kernel for"):
        Searcher(machine, SearchConfig(in_flight=8), isa="sse")


def busy(cpu: int) -> subprocess.Popen[bytes]:
    """Keep a core busy until the process is killed."""
    code = f"import os\nos.sched_setaffinity(0, {{{cpu}}})\nprint(flush=True)\nwhile True: pass"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert process.stdout is not None and process.stdout.readline()
    return process


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system binds no process to a core")
def test_search_has_its_cpu_seconds_on_a_busy_machine() -> None:
    machine = NetworkMachine(parse_sheet(NIM))
    search = bench_module._search(machine, machine.simulator())
    assert search is not None
    cores = os.sched_getaffinity(0)
    one = min(cores)
    rivals = [busy(one) for _ in range(4)]
    try:
        os.sched_setaffinity(0, {one})
        started = time.thread_time()
        speed = search.run(0.2)
        spent = time.thread_time() - started
    finally:
        os.sched_setaffinity(0, cores)
        for rival in rivals:
            rival.kill()
            rival.communicate()
    assert spent >= 0.2
    assert speed > 0


def test_search_on_a_machine_that_gives_no_cpu_time_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = NetworkMachine(parse_sheet(NIM))
    search = bench_module._search(machine, machine.simulator())
    assert search is not None
    monkeypatch.setattr(time, "thread_time", lambda: 0.0)
    assert search.run(0.001) == 0.0


def test_playouts_go_on_from_one_run_to_the_next() -> None:
    playouts = RandomPlayouts(NetworkMachine(parse_sheet(COUNTING)).simulator(64), 1)
    # No time at all is one round: four step all lanes, the fifth finds them ended and starts them anew.
    runs = [playouts.run(0.0, StopFlag())[:3] for _ in range(15)]
    assert runs == 3 * [(0, 64, 0), (0, 64, 0), (0, 64, 0), (0, 64, 0), (64, 0, 256)]


def test_calibration_is_positive_and_steady_within_a_factor() -> None:
    scores = [calibrate() for _ in range(3)]
    assert min(scores) > 0
    assert max(scores) < 4 * min(scores)


def test_host_is_named() -> None:
    host = this_host()
    assert host.cpu and host.os and host.cores >= 1
    assert host.python.endswith(".".join(map(str, sys.version_info[:3])))
    assert compiler().split()[0] in ("GCC", "Clang") and compiler().split()[1][0].isdigit()


def test_unsteady_machines_are_told() -> None:
    steady = record("a", 1.0, calibration=1.0)
    slower = record("b", 1.0, calibration=0.92)
    assert unsteadiness([steady, slower]) == unsteadiness([]) == ""
    after = dataclasses.replace(slower.result, calibration_after=0.9)
    told = unsteadiness([steady, dataclasses.replace(slower, result=after)])
    assert "between 0.90 and 1.00" in told and len(told.splitlines()) == 1


# ---- processes


def burn(megabytes: int, seconds: float) -> tuple[float, float]:
    """Use time and memory in a child process; return what bench finds that this process used: seconds, MB."""
    code = f"import time; x = b'1' * {megabytes}_000_000\nwhile time.process_time() < {seconds}: pass"
    before = bench_module.cpu_seconds()
    subprocess.run([sys.executable, "-c", code], check=True)
    return bench_module.cpu_seconds() - before, bench_module._peak_rss_mb()


def test_children_count() -> None:
    seconds, megabytes = run_alone(functools.partial(burn, 300, 0.3))
    assert 0.3 <= seconds < 10
    assert 300 < megabytes < 400
    # Another process knows nothing of it.
    assert run_alone(functools.partial(burn, 1, 0.0))[1] < 200


@pytest.mark.parametrize(
    ("task", "kind", "message"),
    [
        (functools.partial(int, "x"), ValueError, "invalid literal"),
        (functools.partial(os._exit, 3), WorkerDiedError, "ended early .status 3"),
        (functools.partial(signal.raise_signal, signal.SIGKILL), WorkerDiedError, "ended early .SIGKILL"),
    ],
)
def test_tasks_that_fail_in_their_process(task: Callable[[], object], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        run_alone(task)


@pytest.mark.parametrize("json_too", [False, True])
def test_interrupt_keeps_what_was_measured(tmp_path: Path, json_too: bool) -> None:
    sheet(tmp_path, "first", NIM)
    sheet(tmp_path, "second", COUNTING)
    (tmp_path / "kept.csv").write_text("old")
    program = [sys.executable, "-m", "ggp_agent", "bench", "first.kif", "second.kif", "--seconds", "1"]
    with subprocess.Popen(
        [*program, "--repeats", "1", "--csv", "kept.csv", *(["--json"] if json_too else [])],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        if json_too:
            # The second game has its process as soon as the first one's is gone.
            first = wait_for(lambda: workers_of(process.pid))
            wait_for(lambda: workers_of(process.pid) - first)
            lines = []
        else:
            lines = [process.stdout.readline() for _ in range(4)]
            wait_for(lambda: workers_of(process.pid))
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err == "interrupted after 1 of 2 games\n"
    if json_too:
        assert [each["game"] for each in json.loads(out)] == ["first"]
    else:
        assert lines[3].startswith("first ") and out == ""
    assert (tmp_path / "kept.csv").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first.kif", "kept.csv", "second.kif"]


def workers_of(parent: int) -> set[int]:
    """List the processes that measure for a process."""
    found = set()
    for entry in Path("/proc").iterdir():
        try:
            status = (entry / "status").read_text() if entry.name.isdigit() else ""
            if f"\nPPid:\t{parent}\n" in status and b"spawn_main" in (entry / "cmdline").read_bytes():
                found.add(int(entry.name))
        except OSError:
            continue
    return found


def wait_for(condition: Callable[[], Any]) -> Any:
    until = time.monotonic() + 60
    while not (value := condition()):
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.01)
    return value


# ---- comparison


def test_ratios_means_and_verdicts() -> None:
    then = [record("a", 1000.0), record("b", 200.0, None), record("c", 500.0), record("gone", 1.0)]
    now = [
        record("c", 300.0, 1090.0, spreads=(45.0, 5.0)),
        record("new", 1.0),
        record("a", 2000.0, 250.0),
        record("b", 180.0, 900.0, spreads=(8.0, 8.0)),
    ]
    found = compare(then, now)
    assert not found.machines_differ
    assert (found.only_then, found.only_now) == (("gone",), ("new",))
    playouts = {change.game: (change.ratio, change.verdict) for change in found.changes["play-outs"]}
    assert list(playouts) == ["c", "a", "b"]
    # 0.6 is slower than 1/1.45 allows, 0.9 is within 1/1.1.
    assert playouts == {"c": (0.6, "slower"), "a": (2.0, "faster"), "b": (0.9, "slower")}
    assert found.mean("play-outs") == pytest.approx((0.6 * 2.0 * 0.9) ** (1 / 3))
    simulations = {change.game: (change.ratio, change.verdict) for change in found.changes["simulations"]}
    assert simulations == {"c": (1.09, ""), "a": (0.25, "slower"), "b": (None, "")}
    assert found.mean("simulations") == pytest.approx((1.09 * 0.25) ** 0.5)
    assert all(change.normalised is None for changes in found.changes.values() for change in changes)


def test_other_machines_are_compared_by_calibration() -> None:
    then = [record("a", 1000.0, calibration=0.5), record("b", 1000.0, calibration=0.4)]
    now = [record("a", 2200.0, calibration=1.0, cpu="Abacus 3"), record("b", 1000.0, calibration=1.0, cpu="Abacus 3")]
    found = compare(then, now)
    assert found.machines_differ
    first, second = found.changes["play-outs"]
    assert (first.ratio, first.normalised, first.verdict) == (2.2, pytest.approx(1.1), "")
    assert (second.ratio, second.normalised, second.verdict) == (1.0, pytest.approx(0.4), "slower")
    assert found.mean("play-outs") == pytest.approx((1.1 * 0.4) ** 0.5)


def test_a_machine_that_has_become_another_counts_as_one() -> None:
    then = [record(name, 1000.0, calibration=1.0) for name in "abc"]
    assert not compare(then, [record(name, 1000.0, calibration=1.09) for name in "abc"]).machines_differ
    assert compare(then, [record(name, 1000.0, calibration=1.2) for name in "abc"]).machines_differ
    nothing = compare(then, [record("d", 1.0)])
    assert (nothing.machines_differ, nothing.mean("play-outs"), nothing.only_now) == (False, None, ("d",))


def test_against_prints_what_changed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    names = ("nim", "gone")
    path = save(tmp_path, [record(name, 1.0, 1.0, cpu="Abacus 2") for name in names])
    games = [sheet(tmp_path, "nim", NIM), sheet(tmp_path, "corridor", CORRIDOR)]
    out, err = run_bench(capsys, *games, "--seconds", "0.05", "--against", path)
    assert err == []
    lines = out.splitlines()
    assert "then: Abacus 2, 2 cores, Linux 6.1, CPython 3.12.1, GCC 12.2.0; ggp-agent 0.1.0, " in out
    heads = [line.split() for line in lines if "then" in line and "now" in line and "ratio" in line]
    assert heads == [
        [f"{name}/s", "then", "now", "ratio", "normalised", "verdict"] for name in ("play-outs", "simulations")
    ]
    rows = [line.split() for line in lines if line.startswith("nim ") and line.endswith("faster")]
    assert len(rows) == 2 and all(row[1] == "1" for row in rows)
    assert sum(line.startswith("geometric mean of the normalised ratios: ") for line in lines) == 2
    assert "not in the earlier run: corridor" in lines
    assert "not measured now: gone" in lines


def test_against_as_json_stays_a_run(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = save(tmp_path, [record("nim", 1.0, None, cpu=this_host().cpu)])
    games = [sheet(tmp_path, "nim", NIM), sheet(tmp_path, "corridor", CORRIDOR)]
    out, _ = run_bench(capsys, *games, "--seconds", "0.05", "--against", path, "--json")
    nim, corridor = json.loads(out)
    assert nim["against"]["play-outs"]["then"] == 1.0
    assert nim["against"]["play-outs"]["ratio"] == pytest.approx(nim["playouts_per_cpu_s"])
    assert nim["against"]["simulations"]["ratio"] is None
    assert corridor["against"] is None
    (tmp_path / "now.json").write_text(out)
    assert [each.result.game for each in read_records(tmp_path / "now.json")] == ["nim", "corridor"]


def without(key: str) -> str:
    document = record("a", 1.0).document()
    del document[key]
    return json.dumps([document])


def replaced(key: str, value: object) -> str:
    return json.dumps(record("a", 1.0).document() | {key: value})


WRONG: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "the key 'game' is missing"),
    "no JSON": (b"[{", "this is no output of bench (JSON or CSV)"),
    "other JSON": (b'{"files": []}', "the key 'game' is missing"),
    "a number": (b"[3]", "the key 'game' is missing"),
    "no games": (b"[]", "it holds no game"),
    "deep": (b"[" * 100_000, "this is no output of bench"),
    "a key less": (without("mean_length").encode(), "the key 'mean_length' is missing"),
    "no calibration": (without("calibration").encode(), "the key 'calibration' is missing"),
    "a word for a number": (replaced("lanes", "many").encode(), "'many' is no value for 'lanes'"),
    "not finite": (replaced("mean_length", float("nan")).encode(), "nan is no value for 'mean_length'"),
    "below 0": (replaced("playouts_per_cpu_s", -1.0).encode(), "-1.0 is no value for 'playouts_per_cpu_s'"),
    "huge": (replaced("playouts_per_cpu_s", 10**400).encode(), "this is no output of bench"),
    "null": (replaced("playouts_per_cpu_s", None).encode(), "None is no value for 'playouts_per_cpu_s'"),
    "true": (replaced("lanes", True).encode(), "True is no value for 'lanes'"),
    "binary": (b"\x00\xff\xfe" * 50, "it is no text"),
    "other CSV": (b"a,b\n1,2\n", "the key 'game' is missing"),
    "words in CSV": (to_csv([record("a", 1.0)]).replace("256", "many").encode(), "many"),
    "CSV cut short": (to_csv([record("a", 1.0)])[:-60].encode(), "is no value for"),
    "heads of CSV alone": (to_csv([]).encode(), "it holds no game"),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_files_are_told_in_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path, what: str) -> None:
    content, complaint = WRONG[what]
    path = tmp_path / "then.json"
    path.write_bytes(content)
    out, err = run_bench(capsys, "tic_tac_toe", "--against", str(path), status=2)
    (line,) = err
    assert line.startswith(f"ggp-agent: error: {path}: this is no output of bench (JSON or CSV)") and complaint in line
    assert out == ""


def test_a_directory_is_no_run(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out, err = run_bench(capsys, "tic_tac_toe", "--against", str(tmp_path), status=2)
    assert (out, err) == ("", [f"ggp-agent: error: {tmp_path}: is a directory"])


# ---- files


def test_csv_and_json_are_read_as_they_were_written(tmp_path: Path) -> None:
    records = [
        record("007", 1234.5, None, cpu='Abacus, "the 2nd"'),
        record("b", 0.0, 17.25, spreads=(None, 3.5), calibration=0.75),
        dataclasses.replace(record("c", 1.0), version="1.10"),
    ]
    (tmp_path / "run.csv").write_text(to_csv(records))
    assert read_records(tmp_path / "run.csv") == records
    assert read_records(Path(save(tmp_path, records))) == records
    lines = to_csv(records).splitlines()
    assert len(lines) == 4 and set(lines[0].split(",")) >= DOCUMENTED_KEYS


def test_chart_is_valid_sorted_and_labelled() -> None:
    pytest.importorskip("matplotlib", reason="matplotlib, which draws the chart, is not installed")
    records = [record("slow", 1000.0, None), record("fast", 3_000_000.0, 2_000_000.0), record("middle", 50_000.0)]
    data = draw_chart(records, "svg")
    assert data == draw_chart(records, "svg")
    root = ElementTree.fromstring(data)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    texts = ["".join(node.itertext()).strip() for node in root.iter("{http://www.w3.org/2000/svg}text")]
    assert [text for text in texts if text in ("slow", "middle", "fast")] == ["slow", "middle", "fast"]
    assert {"random play-outs", "search simulations", "game", "per CPU-second of one thread (logarithmic)"} <= set(
        texts
    )
    assert "1,000,000" in texts
    assert any("Abacus 2, 2 cores" in text for text in texts) and any("2025-11-20" in text for text in texts)
    # In README width: at most 850 points.
    assert 500 < float(root.attrib["width"].removesuffix("pt")) < 850
    assert draw_chart(records, "png").startswith(b"\x89PNG\r\n")
    assert draw_chart(records, "pdf").startswith(b"%PDF-")


def test_the_caption_names_every_kernel() -> None:
    pytest.importorskip("matplotlib", reason="matplotlib, which draws the chart, is not installed")

    def on(name: str, speed: float, kernel: str | None, lanes: int) -> BenchRecord:
        made = record(name, speed)
        machine = "network" if kernel else "reference"
        return dataclasses.replace(
            made, result=dataclasses.replace(made.result, machine=machine, kernel=kernel, lanes=lanes)
        )

    alike = [on("a", 5.0, "avx2", 256), on("b", 1.0, "avx2", 256)]
    mixed = [*alike, on("c", 2.0, "portable", 64), on("slowest", 0.5, None, 1)]
    assert "kernel avx2, 256 lanes\n" in caption(alike)
    assert "kernels avx2, 256 lanes: 2 games; portable, 64 lanes: 1 game; reference: 1 game\n" in caption(mixed)
    data = draw_chart(mixed, "svg").decode()
    assert "portable, 64 lanes: 1 game" in data


def test_a_chart_without_matplotlib_is_refused_before_measuring(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    out, (line,) = run_bench(capsys, "tic_tac_toe", "--chart", str(tmp_path / "speeds.svg"), status=2)
    assert (
        out == ""
        and "a chart needs matplotlib; install it with pip install '.[bench]' in the folder of the program" in line
    )


def test_command_writes_csv_and_chart(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib, which draws the chart, is not installed")
    program = [sys.executable, "-m", "ggp_agent", "bench", "tic_tac_toe", "orchard", "--seconds", "0.05"]
    done = subprocess.run(
        [*program, "--csv", "made/results.csv", "--chart", "made/speeds.svg"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert [each.result.game for each in read_records(tmp_path / "made" / "results.csv")] == ["tic_tac_toe", "orchard"]
    assert b"tic_tac_toe" in (tmp_path / "made" / "speeds.svg").read_bytes()
    assert sorted(path.name for path in (tmp_path / "made").iterdir()) == ["results.csv", "speeds.svg"]


def test_files_are_written_as_a_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    write_whole(path, b"old")
    assert path.stat().st_mode & 0o777 == 0o644

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_whole(path, b"new")
    assert [each.name for each in tmp_path.iterdir()] == ["file"]
    assert path.read_bytes() == b"old"
    monkeypatch.undo()
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"

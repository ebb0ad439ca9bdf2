"""bench: measurements, output, statistics, processes and interrupts."""

from __future__ import annotations

import dataclasses
import functools
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cli_process
import pytest
from bench_records import CORRIDOR, DOCUMENTED_KEYS, record, run_bench, sheet
from pipe_works import workers_of
from quick import few
from small_games import COUNTING, NIM
from waiting import wait_for

from gdl import NetworkMachine, StopFlag, parse_sheet
from gdl._simulation import RandomPlayouts, calibrate, compiler
from ggp_agent.bench import measure as bench_module
from ggp_agent.bench.bench_record import this_host
from ggp_agent.bench.bench_report import unsteadiness
from ggp_agent.bench.measure import median_and_spread
from ggp_agent.common.pipe_worker import WorkerDiedError, run_alone
from ggp_agent.mcts.config import SearchConfig, SolverConfig
from ggp_agent.mcts.searcher import Searcher


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
    out, err = run_bench(capsys, "tic_tac_toe", "--cpu-seconds", "0.2", "--json")
    assert err == []
    assert len(out.splitlines()) == 1
    found = json.loads(out)
    assert set(found) >= DOCUMENTED_KEYS
    assert set(found) >= {"repeats", "cpu", "cores", "os", "python", "compiler", "calibration", "date", "version"}
    assert (found["game"], found["machine"]) == ("tic_tac_toe", "network")
    assert (found["kernel"], found["lanes"]) == (kernel, NetworkMachine(parse_sheet(NIM)).simulator().lanes)
    # Uniformly random play-outs of tic-tac-toe are 7.6 moves long; here are tens of thousands of them.
    assert 7.4 < found["mean_length"] < 7.9
    assert found["playouts_per_cpu_s"] > 0
    assert found["states_per_cpu_s"] / found["playouts_per_cpu_s"] == pytest.approx(found["mean_length"])
    assert found["simulations_per_cpu_s"] > 0
    assert found["playouts_spread_percent"] > 0 and found["simulations_spread_percent"] > 0
    assert (found["repeats"], found["seconds"]) == (5, 0.2)
    assert found["peak_rss_mb"] > 10 and found["load_cpu_s"] > 0
    assert found["calibration"] == pytest.approx((found["calibration_before"] + found["calibration_after"]) / 2)
    assert found["cpu"] == this_host().cpu


def test_several_games_are_a_list_on_the_given_kernel(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    games = ["connect_four", sheet(tmp_path, "corridor", CORRIDOR)]
    arguments = ["--cpu-seconds", "0.05", "--repeats", "1", "--lanes", "64", "--kernel", "portable", "--json"]
    found = json.loads(run_bench(capsys, *games, *arguments)[0])
    assert [(each["game"], each["lanes"], each["kernel"], each["repeats"]) for each in found] == [
        ("connect_four", 64, "portable", 1),
        ("corridor", 64, "portable", 1),
    ]
    assert found[0]["playouts_spread_percent"] is None
    # Without any choice there is nothing to search for.
    assert (found[1]["mean_length"], found[1]["simulations_per_cpu_s"]) == (3.0, None)


def test_table(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out, err = run_bench(capsys, sheet(tmp_path, "nim", NIM), "--cpu-seconds", "0.05", "--repeats", "2")
    assert err == []
    host, how, heads, row, calibration = out.splitlines()
    assert host.startswith(f"{this_host()}; ggp-agent ")
    assert how == "one thread, all speeds per CPU-second, medians of 2 repeats of 0.025 s"
    assert heads.split()[:2] == ["game", "kernel"]
    assert len(heads) == len(row)
    name, isa, lanes, _, _, playouts, spread, percent, *_ = row.split()
    simulator = NetworkMachine(parse_sheet(NIM)).simulator()
    assert (name, isa, lanes, percent) == ("nim", simulator.isa, str(simulator.lanes), "%")
    assert int(playouts.replace(",", "")) > 0
    assert int(spread) >= 0
    assert calibration.startswith("calibration ")


@pytest.mark.slow
def test_longer_searches(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    nim, corridor = sheet(tmp_path, "nim", NIM), sheet(tmp_path, "corridor", CORRIDOR)
    arguments = [nim, corridor, "--cpu-seconds", "0.05", "--repeats", "2", "--search-cpu-seconds", "0.1"]
    found, without = json.loads(run_bench(capsys, *arguments, "--json")[0])
    assert found["search_seconds"] == without["search_seconds"] == 0.1
    assert found["long_simulations_per_cpu_s"] > 0 and found["long_simulations_spread_percent"] > 0
    assert (without["long_simulations_per_cpu_s"], without["long_simulations_spread_percent"]) == (None, None)
    out = run_bench(capsys, *arguments)[0].splitlines()
    assert out[2] == "long search: 0.1 s in each repeat, in one tree"
    assert out[3].split()[-3:] == ["long", "search/s", "spread"]
    assert len({len(line) for line in out[3:6]}) == 1
    assert int(out[4].split()[-3].replace(",", "")) > 0
    assert out[5].split()[-2:] == ["-", "-"]


@pytest.mark.slow
def test_a_longer_search_has_one_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    trees: list[Searcher] = []

    class Counted(Searcher):
        def __init__(self, *arguments: Any, **named: Any) -> None:
            super().__init__(*arguments, **named)
            trees.append(self)

    monkeypatch.setattr(bench_module, "Searcher", Counted)
    result = bench_module.bench("connect_four", seconds=0.02, repeats=2, search_seconds=0.3, lanes=64)
    # A short and a long search in each repeat; before them the warm-up, after them the signature.
    assert len(trees) == 6
    assert trees[2].statistics().visits > 3 * trees[1].statistics().visits
    assert result.long_simulations_per_cpu_s is not None and result.long_simulations_per_cpu_s > 0


def test_bad_games_are_reported_and_the_others_measured(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    games = ["chequers", sheet(tmp_path, "broken", "(role r"), sheet(tmp_path, "nim", NIM), "nowhere.kif"]
    out, err = run_bench(capsys, *games, "--cpu-seconds", "0.05", "--json", status=2)
    assert [each["game"] for each in json.loads(out)] == ["nim"]
    lines = [line for line in err if not line.startswith("    ")]
    assert [line.startswith("ggp-agent: error: ") for line in lines] == [True] * 3
    assert "no game is called 'chequers'" in lines[0]
    assert "broken.kif:1:1: this parenthesis is never closed" in lines[1]
    assert lines[2].endswith("nowhere.kif: no such file or directory")


def test_search_runs_on_the_given_kernel() -> None:
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
def test_search_gets_its_cpu_seconds_on_a_busy_machine() -> None:
    machine = NetworkMachine(parse_sheet(NIM))
    search = bench_module._RepeatedSearch(machine, machine.simulator(), machine.initial())
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
    search = bench_module._RepeatedSearch(machine, machine.simulator(), machine.initial())
    monkeypatch.setattr(time, "thread_time", lambda: 0.0)
    assert search.run(0.001) == 0.0


def test_play_outs_continue_in_the_next_run() -> None:
    playouts = RandomPlayouts(NetworkMachine(parse_sheet(COUNTING)).simulator(64), 1)
    # Without time a run is one round: four runs step all lanes, the fifth finds them ended and restarts them.
    runs = [playouts.run(0.0, StopFlag())[:3] for _ in range(15)]
    assert runs == 3 * [(0, 64, 0), (0, 64, 0), (0, 64, 0), (0, 64, 0), (64, 0, 256)]


def test_calibration_is_positive() -> None:
    assert calibrate() > 0


def test_the_computer_is_described() -> None:
    host = this_host()
    assert host.cpu and host.os and host.cores >= 1
    assert host.python.endswith(".".join(map(str, sys.version_info[:3])))
    assert compiler().split()[0] in ("GCC", "Clang") and compiler().split()[1][0].isdigit()


def test_unsteady_machines_are_reported() -> None:
    steady = record("a", 1.0, calibration=1.0)
    slower = record("b", 1.0, calibration=0.92)
    assert unsteadiness([steady, slower]) == unsteadiness([]) == ""
    after = dataclasses.replace(slower.result, calibration_after=0.9)
    told = unsteadiness([steady, dataclasses.replace(slower, result=after)])
    assert "between 0.90 and 1.00" in told and len(told.splitlines()) == 1


# ---- processes


def burn(megabytes: int, seconds: float) -> tuple[float, float]:
    """Use time and memory in a child process; return the usage that bench reports: seconds, MB."""
    code = f"import time; x = b'1' * {megabytes}_000_000\nwhile time.process_time() < {seconds}: pass"
    before = bench_module.cpu_seconds()
    subprocess.run([sys.executable, "-c", code], check=True)
    return bench_module.cpu_seconds() - before, bench_module._peak_rss_mb()


def test_child_processes_are_included() -> None:
    seconds, megabytes = run_alone(functools.partial(burn, 300, 0.3))
    assert seconds >= 0.3 and megabytes >= 300
    # The measurement of another process has other children.
    assert run_alone(functools.partial(burn, 1, 0.0))[1] < megabytes


@pytest.mark.parametrize(
    ("task", "kind", "message"),
    [
        (functools.partial(int, "x"), ValueError, "invalid literal"),
        (functools.partial(os._exit, 3), WorkerDiedError, "ended early: exit status 3"),
        (functools.partial(signal.raise_signal, signal.SIGKILL), WorkerDiedError, "ended early: killed by SIGKILL"),
    ],
)
def test_tasks_that_fail_in_their_process(task: Callable[[], object], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        run_alone(task)


@pytest.mark.slow
@pytest.mark.parametrize("json_too", few([False, True], 1))
def test_an_interrupt_keeps_finished_measurements(tmp_path: Path, json_too: bool) -> None:
    sheet(tmp_path, "first", NIM)
    sheet(tmp_path, "second", COUNTING)
    (tmp_path / "kept.csv").write_text("old")
    words = ["bench", "first.kif", "second.kif", "--cpu-seconds", "1", "--repeats", "1", "--csv", "kept.csv", "--force"]
    words += ["--json"] if json_too else []
    with cli_process.start(*words, cwd=tmp_path, start_new_session=True) as process:
        assert process.stdout is not None
        if json_too:
            # The second game has its process as soon as the first one's is gone.
            first = wait_for(lambda: set(workers_of(process.pid)))
            wait_for(lambda: set(workers_of(process.pid)) - first)
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

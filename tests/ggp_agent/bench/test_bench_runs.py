"""Runs of bench: comparison of two runs; JSON, CSV and charts; reading."""

from __future__ import annotations

import dataclasses
import json
import os
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import cli_process
import pytest
from bench_records import CORRIDOR, DOCUMENTED_KEYS, record, run_bench, save, sheet
from small_games import NIM

from gdl.files import write_whole
from ggp_agent.bench.bench_record import BenchRecord, read_records, this_host, to_csv
from ggp_agent.bench.bench_report import caption, draw_chart
from ggp_agent.bench.compare import compare

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


def longer(game: str, seconds: float | None, speed: float | None) -> BenchRecord:
    made = record(game, 1.0)
    result = dataclasses.replace(
        made.result,
        search_seconds=seconds,
        long_simulations_per_cpu_s=speed,
        long_simulations_spread_percent=None if speed is None else 10.0,
    )
    return dataclasses.replace(made, result=result)


def test_longer_searches_of_the_same_time_are_compared() -> None:
    now = [longer("a", 3.0, 300.0), longer("b", 3.0, 105.0), longer("c", 3.0, 1.0), longer("d", 3.0, None)]
    then = [longer("a", 3.0, 100.0), longer("b", 3.0, 100.0), longer("c", 2.0, 1.0), longer("d", 3.0, None)]
    found = compare(then, now)
    changes = {change.game: (change.ratio, change.verdict) for change in found.changes["long simulations"]}
    assert changes == {"a": (3.0, "faster"), "b": (1.05, ""), "d": (None, "")}
    assert found.mean("long simulations") == pytest.approx((3.0 * 1.05) ** 0.5)
    assert "long simulations" not in compare([record("a", 1.0)], now).changes


def test_other_machines_are_compared_by_calibration() -> None:
    then = [record("a", 1000.0, calibration=0.5), record("b", 1000.0, calibration=0.4)]
    now = [record("a", 2200.0, calibration=1.0, cpu="Abacus 3"), record("b", 1000.0, calibration=1.0, cpu="Abacus 3")]
    found = compare(then, now)
    assert found.machines_differ
    first, second = found.changes["play-outs"]
    assert (first.ratio, first.normalised, first.verdict) == (2.2, pytest.approx(1.1), "")
    assert (second.ratio, second.normalised, second.verdict) == (1.0, pytest.approx(0.4), "slower")
    assert found.mean("play-outs") == pytest.approx((1.1 * 0.4) ** 0.5)


def test_a_machine_with_another_speed_counts_as_another_machine() -> None:
    then = [record(name, 1000.0, calibration=1.0) for name in "abc"]
    assert not compare(then, [record(name, 1000.0, calibration=1.09) for name in "abc"]).machines_differ
    assert compare(then, [record(name, 1000.0, calibration=1.2) for name in "abc"]).machines_differ
    nothing = compare(then, [record("d", 1.0)])
    assert (nothing.machines_differ, nothing.mean("play-outs"), nothing.only_now) == (False, None, ("d",))


def test_against_prints_changes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    names = ("nim", "gone")
    path = save(tmp_path, [record(name, 1.0, 1.0, cpu="Abacus 2") for name in names])
    games = [sheet(tmp_path, "nim", NIM), sheet(tmp_path, "corridor", CORRIDOR)]
    out, err = run_bench(capsys, *games, "--cpu-seconds", "0.05", "--against", path)
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


@pytest.mark.slow
def test_against_as_json_is_readable_as_a_run(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = save(tmp_path, [record("nim", 1.0, None, cpu=this_host().cpu)])
    games = [sheet(tmp_path, "nim", NIM), sheet(tmp_path, "corridor", CORRIDOR)]
    out, _ = run_bench(capsys, *games, "--cpu-seconds", "0.05", "--against", path, "--json")
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
    "no JSON": (b"[{", "this is not output of bench (JSON or CSV)"),
    "other JSON": (b'{"files": []}', "the key 'game' is missing"),
    "a number": (b"[3]", "the key 'game' is missing"),
    "no games": (b"[]", "the file has no games"),
    "deep": (b"[" * 100_000, "this is not output of bench"),
    "a key less": (without("mean_length").encode(), "the key 'mean_length' is missing"),
    "no calibration": (without("calibration").encode(), "the key 'calibration' is missing"),
    "a word for a number": (replaced("lanes", "many").encode(), "'many' is not a value for 'lanes'"),
    "not finite": (replaced("mean_length", float("nan")).encode(), "NaN is not JSON"),
    "below 0": (replaced("playouts_per_cpu_s", -1.0).encode(), "-1.0 is not a value for 'playouts_per_cpu_s'"),
    "huge": (replaced("playouts_per_cpu_s", 10**400).encode(), "this is not output of bench"),
    "null": (replaced("playouts_per_cpu_s", None).encode(), "None is not a value for 'playouts_per_cpu_s'"),
    "true": (replaced("lanes", True).encode(), "True is not a value for 'lanes'"),
    "binary": (b"\x00\xff\xfe" * 50, "the file is not text"),
    "other CSV": (b"a,b\n1,2\n", "the key 'game' is missing"),
    "words in CSV": (to_csv([record("a", 1.0)]).replace("256", "many").encode(), "many"),
    "CSV cut short": (to_csv([record("a", 1.0)])[:-60].encode(), "is not a value for"),
    "heads of CSV alone": (to_csv([]).encode(), "the file has no games"),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_files_are_reported_in_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path, what: str) -> None:
    content, complaint = WRONG[what]
    path = tmp_path / "then.json"
    path.write_bytes(content)
    out, err = run_bench(capsys, "tic_tac_toe", "--against", str(path), status=2)
    (line,) = err
    assert line.startswith(f"ggp-agent: error: {path}: this is not output of bench (JSON or CSV)") and complaint in line
    assert out == ""


def test_a_directory_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
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


@pytest.mark.slow
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
    assert out == "" and "a chart needs matplotlib; install it with pip install matplotlib" in line


@pytest.mark.slow
def test_command_writes_csv_and_chart(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib, which draws the chart, is not installed")
    files = ("--csv", "made/results.csv", "--chart", "made/speeds.svg")
    done = cli_process.run("bench", "tic_tac_toe", "orchard", "--cpu-seconds", "0.05", *files, cwd=tmp_path)
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

"""The comparison of two commits, `tools/measure_speed.py`, on a small repository whose builds report fixed speeds."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from places import ROOT
from quick import few
from waiting import wait_for

TOOL = "measure_speed.py"
# A build whose `bench` reports the number of speed.txt, and writes each run to the log of the test.
SETUP = """
import os, pathlib, sys
if "BUILD_FAILS" in os.environ and pathlib.Path("speed.txt").read_text() == "100":
    sys.exit("some lines\\ncore.cpp:7: error: this does not compile\\nmore lines")
pathlib.Path("ggp_agent/built").touch()
"""
BENCH = """
import json, os, pathlib, sys, time
folder = pathlib.Path(__file__).parents[1]
game, speed = pathlib.Path(sys.argv[2]).stem, int((folder / "speed.txt").read_text())
assert (folder / "ggp_agent" / "built").exists()
with open(os.environ["SPEED_LOG"], "a") as log:
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    print(os.getpid(), *cores, speed, game, *sys.argv[3:], file=log)
if "BENCH_HANGS" in os.environ:
    time.sleep(600)
if game == "broken" and speed == 100:
    sys.exit("ggp-agent: error: broken.kif:1:1: this rule is wrong")
search = None if game == "corridor" else 10 * speed
print(json.dumps({"playouts_per_cpu_s": speed, "simulations_per_cpu_s": search, "load_cpu_s": 50 / speed,
                  "signature": None if game == "corridor" else "abc" if game == "nim" else str(speed)}))
"""
FILES = {
    "setup.py": SETUP,
    ".gitignore": "built\n__pycache__/\n",
    "ggp_agent/__init__.py": "",
    "ggp_agent/__main__.py": BENCH,
    "ggp_agent/commands/__init__.py": "",
    "ggp_agent/commands/bench.py": "",
    "kif_games/nim.kif": "",
    "kif_games/corridor.kif": "",
    "kif_games/broken.kif": "",
    "kif_games/other.kif": "",
}


class Repository:
    """A repository of two commits: `slow` reports a speed of 100, and the checkout a speed of 250."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "project"
        self.scratch = folder / "scratch"
        self.log = folder / "log.txt"
        self.scratch.mkdir()
        for name, text in FILES.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (self.folder / "tools").mkdir()
        shutil.copy(ROOT / "tools" / TOOL, self.folder / "tools")
        self.git("init", "--quiet", "--initial-branch", "main")
        self.commit("100")
        self.git("tag", "slow")
        (self.folder / "ggp_agent" / "commands" / "bench.py").write_text("# --cpu-seconds\n")
        self.commit("250")
        (self.folder / "ggp_agent" / "built").touch()

    def git(self, *arguments: str) -> str:
        who = ("-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false")
        done = subprocess.run(
            ["git", *who, *arguments], cwd=self.folder, capture_output=True, text=True, check=True, timeout=60
        )
        return done.stdout

    def commit(self, speed: str) -> None:
        (self.folder / "speed.txt").write_text(speed)
        self.git("add", ".")
        self.git("commit", "--quiet", "--message", f"Speed {speed}")

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, f"tools/{TOOL}", *arguments],
            cwd=self.folder,
            env={**os.environ, "TMPDIR": str(self.scratch), "SPEED_LOG": str(self.log), **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str, **environment: str) -> tuple[int, list[str], list[str]]:
        process = self.start(*arguments, **environment)
        out, err = process.communicate(timeout=120)
        return process.returncode, out.splitlines(), err.splitlines()

    def runs(self) -> list[list[str]]:
        """Return the words of each line of the log."""
        return [line.split() for line in self.log.read_text().splitlines()] if self.log.exists() else []

    def is_clean(self) -> bool:
        """Return whether no worktree, no temporary file and no change is left."""
        worktrees = self.git("worktree", "list").splitlines()
        return len(worktrees) == 1 and not list(self.scratch.iterdir()) and not self.git("status", "--porcelain")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    return Repository(tmp_path)


def cells_of(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip("|").split("|")]


@pytest.mark.slow
def test_pairs_share_a_core_and_the_table_has_ratios_with_intervals(repository: Repository) -> None:
    status, out, err = repository.run("slow", "nim", "corridor", "other", "--pairs", "3", "--seconds", "2")
    assert (status, len(err)) == (0, 1) and err[0].startswith("building slow in ")
    head = repository.git("rev-parse", "--short", "HEAD").strip()
    assert out[0] == f"slow (before) and {head} (after); 3 pairs, 2 CPU-seconds each"
    steady = "2.50 (2.50 to 2.50)"
    speeds = ["100", "250", steady]
    loads = ["0.50", "0.20", steady]
    search = ["1,000", "2,500", steady]
    assert [cells_of(row) for row in out[4:]] == [
        ["nim", *speeds, *search, *loads, "same"],
        ["corridor", *speeds, "-", "-", "-", *loads, "-"],
        ["other", *speeds, *search, *loads, "differs"],
        ["geometric mean", *3 * ("", "", steady), ""],
    ]
    runs = [run[1:] for run in repository.runs()]
    options = ["--json", "--no-cache", "--repeats", "1"]
    limits = {"100": ["--seconds", "2.0"], "250": ["--cpu-seconds", "2.0"]}  # an earlier build has the former name
    core = [str(max(os.sched_getaffinity(0)))] if hasattr(os, "sched_getaffinity") else []
    pair = [[*core, speed, "nim", *options, *limits[speed]] for speed in limits]
    assert [sorted(runs[first : first + 2]) for first in (0, 2, 4)] == [pair] * 3
    assert repository.is_clean()


@pytest.mark.slow
def test_a_game_that_fails_is_reported_and_the_others_are_measured(repository: Repository) -> None:
    status, out, err = repository.run("slow", "broken", "nim", "--pairs", "1", "--kernel", "avx2")
    assert status == 2
    wrong = "commit slow: ggp-agent: error: broken.kif:1:1: this rule is wrong"
    assert err[1:] == [f"measure_speed: broken: {wrong}"]
    assert [cells_of(row)[:4] for row in out[4:]] == [["nim", "100", "250", "2.50"], ["geometric mean", "", "", "2.50"]]
    assert repository.runs()[-1][-2:] == ["--kernel", "avx2"]
    assert repository.is_clean()


@pytest.mark.slow
def test_a_failed_build_is_one_line(repository: Repository) -> None:
    status, out, err = repository.run("slow", "nim", BUILD_FAILS="1")
    assert (status, out) == (2, [])
    assert err[1:] == ["measure_speed: commit slow: core.cpp:7: error: this does not compile"]
    assert repository.is_clean()


@pytest.mark.slow
def test_a_checkout_without_a_build_is_reported_before_the_older_commit_is_built(repository: Repository) -> None:
    (repository.folder / "ggp_agent" / "commands" / "bench.py").write_text("import missing")
    status, out, err = repository.run("slow", "nim")
    assert (status, out, len(err)) == (2, [], 1)
    assert err[0].endswith("ModuleNotFoundError: No module named 'missing' (is it built?)")
    assert not repository.runs() and len(repository.git("worktree", "list").splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    few(
        [
            (["nowhere", "nim"], "there is no commit nowhere in "),
            (["slow", "chequers"], "chequers: there is no rule sheet "),
            (
                ["slow", "nim", "--keep", "kif_games"],
                "--keep kif_games: the folder has other contents than a worktree of ",
            ),
        ],
        1,
    ),
)
def test_wrong_arguments_are_one_line(repository: Repository, arguments: list[str], message: str) -> None:
    status, out, err = repository.run(*arguments)
    assert (status, out, len(err)) == (2, [], 1)
    assert err[0].startswith(f"measure_speed: {message}")
    assert repository.is_clean()


@pytest.mark.slow
def test_a_kept_build_is_used_again(repository: Repository, tmp_path: Path) -> None:
    keep = str(tmp_path / "kept")
    for _ in range(2):
        status, out, _ = repository.run("slow", "nim", "--pairs", "1", "--keep", keep)
        assert status == 0 and cells_of(out[4])[3] == "2.50"
    assert (Path(keep) / "ggp_agent" / "built").exists() and not list(repository.scratch.iterdir())
    status, _, err = repository.run("main", "nim", "--pairs", "1", "--keep", keep)
    assert status == 2 and "other contents than a worktree of main" in err[0]


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_removes_worktree_and_processes(repository: Repository, number: signal.Signals) -> None:
    with repository.start("slow", "nim", BENCH_HANGS="1") as process:
        wait_for(lambda: len(repository.runs()) == (2 if hasattr(os, "sched_setaffinity") else 1))
        assert not repository.is_clean()
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert len(out.splitlines()) == 4 and err.splitlines()[1:] == ["interrupted"]
    for run in repository.runs():
        with pytest.raises(ProcessLookupError):
            os.kill(int(run[0]), 0)
    assert repository.is_clean()

"""Compare the speed of this checkout with an older commit: python tools/measure_speed.py COMMIT [GAME ...]

The older commit is built in a temporary git worktree, with the Python and the packages that run this program. Then
`bench` of both builds runs in pairs: at the same time on one processor core, so that the speed of the core and other
programs affect both equally (one after the other where a process cannot be bound to a core). The Markdown table
contains play-outs and simulations per CPU-second, CPU-seconds of loading without the cache, and the ratio of each. A
ratio above 1 means that this checkout is faster: the geometric mean over the pairs, with its 95 % confidence interval.
Each search has one tree of --seconds CPU-seconds, or further trees if the game is solved earlier. The last column says
whether both builds have the same tree after a short search with the same seed.

The worktree is removed at the end, also after Ctrl-C. This checkout is measured as it is, so build it first.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from scipy import stats

ROOT = Path(__file__).resolve().parents[1]
GAMES = (
    "tic_tac_toe",
    "connect_four",
    "breakthrough",
    "knightthrough",
    "reversi",
    "hex",
    "gomoku",
    "amazons",
    "checkers",
    "skirmish",
)
EXAMPLES = """\
examples:
  python tools/measure_speed.py 5f36a6e
  python tools/measure_speed.py 5f36a6e connect_four rules/chess_200.kif fast:gomoku_15x15 --pairs 3
  python tools/measure_speed.py main breakthrough --seconds 12 --keep ../main_build
"""
# Keys of `bench --json`, titles of the columns, and whether a larger figure is better.
FIGURES = (
    ("playouts_per_cpu_s", "play-outs/s", True),
    ("simulations_per_cpu_s", "search/s", True),
    ("load_cpu_s", "load s", False),
)
# Seconds that an interrupted child process has to end.
END_SECONDS = 10.0


class MeasuringError(Exception):
    """Report in one line why a comparison or the measurement of a game is not possible."""


def started(
    command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None
) -> subprocess.Popen[str]:
    """Start a command in a folder."""
    return subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,  # so that the group of the command can be ended as a whole
    )


def finished(process: subprocess.Popen[str]) -> str:
    """Wait for a process and return its stdout; an interrupt ends the process with its child processes.

    Raises:
        MeasuringError: the command failed; the message is the last line of its stderr.
    """
    try:
        out, err = process.communicate()
    except BaseException:
        end_group(process)
        raise
    if process.returncode:
        lines = [line for line in err.splitlines() if line.strip()] or [f"exit status {process.returncode}"]
        raise MeasuringError(next((line for line in lines if "error" in line.lower()), lines[-1]).strip())
    return out


def output_of(command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None) -> str:
    """Run a command in a folder and return its stdout; errors as in `finished`."""
    return finished(started(command, folder, environment))


def end_group(process: subprocess.Popen[str]) -> None:
    """End a process and the other processes of its group."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=END_SECONDS)
            break


def git(*arguments: str, folder: Path = ROOT) -> str:
    """Return the output of a git command without the line break at its end.

    Raises:
        MeasuringError: git is missing or reports an error.
    """
    try:
        return output_of(["git", "-c", "safe.directory=*", *arguments], folder).strip()
    except FileNotFoundError:
        raise MeasuringError("git is not installed; the older commit needs a git worktree") from None


class Build:
    """Measure games with one build.

    Attributes:
        name: the name of the build in messages.
    """

    def __init__(self, name: str, folder: Path, scratch: Path) -> None:
        """Use the build in a folder, and another folder for its temporary files."""
        self.name = name
        self._folder = folder
        self._environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
        self._environment |= {"PYTHONPATH": str(folder), "TMPDIR": str(scratch)}

    def compile(self) -> None:
        """Build the compiled modules in the folder."""
        self._run("setup.py", "-q", "build_ext", "--inplace")

    def check(self) -> None:
        """Check that the build is complete, and that its own files are imported."""
        code = "import ggp_agent.commands.bench as bench; print(bench.__file__)"
        try:
            imported = Path(self._run("-c", code).strip()).resolve()
        except MeasuringError as error:
            raise MeasuringError(f"{error} (is it built?)") from None
        if not imported.is_relative_to(self._folder.resolve()):
            raise MeasuringError(f"{self.name}: {imported} is imported instead of the files in {self._folder}")

    def start(self, game: str, seconds: float, kernel: str | None) -> subprocess.Popen[str]:
        """Start the measurement of a game."""
        # Earlier builds name the option --seconds.
        known = "--cpu-seconds" in (self._folder / "ggp_agent" / "commands" / "bench.py").read_text()
        limit = "--cpu-seconds" if known else "--seconds"
        options = ["--json", "--no-cache", "--repeats", "1", limit, str(seconds)]
        options += ["--kernel", kernel] if kernel else []
        return started([sys.executable, "-m", "ggp_agent", "bench", game, *options], self._folder, self._environment)

    def report(self, process: subprocess.Popen[str]) -> dict[str, Any]:
        """Wait for a measurement and return its figures, as printed by `bench --json`."""
        report: dict[str, Any] = json.loads(self._named(lambda: finished(process)))
        return report

    def _run(self, *arguments: str) -> str:
        return self._named(lambda: output_of([sys.executable, *arguments], self._folder, self._environment))

    def _named(self, run: Callable[[], str]) -> str:
        """Call a function; its errors get the name of the build."""
        try:
            return run()
        except MeasuringError as error:
            raise MeasuringError(f"{self.name}: {error}") from None


@contextlib.contextmanager
def temporary_folder() -> Iterator[Path]:
    """Make a folder for temporary files, which is removed at the end."""
    folder = Path(tempfile.mkdtemp(prefix="ggp-speed-"))
    try:
        yield folder
    finally:
        with without_interrupts():
            shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def older_build(commit: str, keep: Path | None, scratch: Path) -> Iterator[Build]:
    """Build a commit in a git worktree, which is removed at the end unless it is in the folder `keep`."""
    folder = (keep or scratch / "worktree").resolve()
    try:
        number = number_of(commit)
        if keep is not None and folder.exists() and any(folder.iterdir()):
            if not (folder / ".git").exists() or git("rev-parse", "HEAD", folder=folder) != number:
                raise MeasuringError(f"--keep {keep}: the folder has other contents than a worktree of {commit}")
        else:
            git("worktree", "add", "--detach", str(folder), number)
        build = Build(f"commit {commit}", folder, scratch)
        print(f"building {commit} in {folder}; this takes some minutes", file=sys.stderr)
        build.compile()
        build.check()
        yield build
    finally:
        with without_interrupts():
            if keep is None and folder.exists():
                shutil.rmtree(folder, ignore_errors=True)
                with contextlib.suppress(MeasuringError):
                    git("worktree", "prune")


def number_of(commit: str) -> str:
    """Return the full hash of a commit of the checkout.

    Raises:
        MeasuringError: there is no such commit, no checkout or no git.
    """
    git("rev-parse", "--git-dir")
    try:
        return git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}^{{commit}}")
    except MeasuringError:
        raise MeasuringError(f"there is no commit {commit} in {ROOT}") from None


@contextlib.contextmanager
def without_interrupts() -> Iterator[None]:
    """Ignore Ctrl-C and SIGTERM in the block, which removes files."""
    before = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def ratio_and_interval(ratios: Sequence[float]) -> str:
    """Return the geometric mean of ratios with its 95 % confidence interval, which needs two ratios, as text.

    >>> ratio_and_interval([2.0, 2.0, 2.0]), ratio_and_interval([0.9, 1.1]), ratio_and_interval([1.5])
    ('2.00 (2.00 to 2.00)', '0.99 (0.28 to 3.56)', '1.50')
    """
    logs = [math.log(ratio) for ratio in ratios]
    mean = statistics.fmean(logs)
    if len(logs) < 2:
        return f"{math.exp(mean):.2f}"
    half = float(stats.t.ppf(0.975, len(logs) - 1)) * statistics.stdev(logs) / math.sqrt(len(logs))
    return f"{math.exp(mean):.2f} ({math.exp(mean - half):.2f} to {math.exp(mean + half):.2f})"


def pairs_of(
    older: Build, newer: Build, game: str, *, pairs: int, seconds: float, kernel: str | None
) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Measure a game with both builds in pairs; every second pair starts the newer build first."""
    measured = []
    for number in range(pairs):
        order = (older, newer) if number % 2 == 0 else (newer, older)
        reports = reports_of(order, game, seconds, kernel)
        measured.append((reports[older.name], reports[newer.name]))
    return measured


def reports_of(builds: Sequence[Build], game: str, seconds: float, kernel: str | None) -> dict[str, dict[str, Any]]:
    """Return the figures of a game by the name of the build, measured at the same time on one core."""
    if not hasattr(os, "sched_setaffinity"):
        return {build.name: build.report(build.start(game, seconds, kernel)) for build in builds}
    cores = os.sched_getaffinity(0)
    running: list[subprocess.Popen[str]] = []
    try:
        os.sched_setaffinity(0, {max(cores)})  # processes are started on the core of this one
        try:
            for build in builds:
                running.append(build.start(game, seconds, kernel))
        finally:
            os.sched_setaffinity(0, cores)
        return {build.name: build.report(process) for build, process in zip(builds, running, strict=True)}
    finally:
        for process in running:
            if process.poll() is None:
                end_group(process)


def ratios_of(measured: Sequence[tuple[dict[str, Any], dict[str, Any]]], key: str, larger: bool) -> list[float]:
    """Return the ratio of each pair for a figure, above 1 if the newer build is faster; empty if one has no figure."""
    figures = [(old[key], new[key]) for old, new in measured]
    if not all(old and new for old, new in figures):
        return []
    return [new / old if larger else old / new for old, new in figures]


def row_of(name: str, measured: Sequence[tuple[dict[str, Any], dict[str, Any]]]) -> str:
    """Return the row of a game in the table: for each figure the medians of both builds and the ratio."""
    cells = [name]
    for key, _, larger in FIGURES:
        ratios = ratios_of(measured, key, larger)
        medians = [statistics.median(pair[side][key] for pair in measured) for side in (0, 1)] if ratios else []
        cells += [f"{each:,.0f}" if larger else f"{each:.2f}" for each in medians] or ["-", "-"]
        cells.append(ratio_and_interval(ratios) if ratios else "-")
    hashes = {report["signature"] for pair in measured for report in pair}
    cells.append("-" if None in hashes else "same" if len(hashes) == 1 else "differs")
    return f"| {' | '.join(cells)} |"


def means_row(games: Sequence[Sequence[tuple[dict[str, Any], dict[str, Any]]]]) -> str:
    """Return the last row: the geometric means over the games, with intervals over the pairs."""
    cells = ["geometric mean"]
    for key, _, larger in FIGURES:
        found = [ratios for measured in games if (ratios := ratios_of(measured, key, larger))]
        means = [statistics.geometric_mean(of_pair) for of_pair in zip(*found, strict=True)]
        cells += ["", "", ratio_and_interval(means) if means else "-"]
    return f"| {' | '.join(cells)} | |"


def sheet_of(game: str) -> str:
    """Return the game as both builds find it: names of the catalogue as the rule sheet of this checkout.

    Raises:
        MeasuringError: there is no such rule sheet.
    """
    if game.startswith("fast:"):
        return game
    path = Path(game) if game.endswith(".kif") else ROOT / "kif_games" / f"{game}.kif"
    if not path.is_file():
        raise MeasuringError(f"{game}: there is no rule sheet {path}")
    return str(path.resolve())


def compare(args: argparse.Namespace) -> int:
    """Build the older commit, measure all games and print the table; return the exit status."""
    games = {game: sheet_of(game) for game in args.games or GAMES}
    status = 0
    with contextlib.ExitStack() as stack:
        scratch = stack.enter_context(temporary_folder())
        newer = Build("this checkout", ROOT, scratch)
        newer.check()
        older = stack.enter_context(older_build(args.commit, args.keep, scratch))
        changed = " with changes" if git("status", "--porcelain", "--untracked-files=no") else ""
        now = f"{git('rev-parse', '--short', 'HEAD')}{changed}"
        print(f"{args.commit} (before) and {now} (after); {args.pairs} pairs, {args.seconds:g} CPU-seconds each\n")
        titles = [title for _, title, _ in FIGURES]
        print(f"| game | {' | '.join(f'{title} before | after | ratio' for title in titles)} | tree |")
        print(f"|---|{'---:|' * (3 * len(titles))}---|", flush=True)
        finished = []
        for game, sheet in games.items():
            try:
                measured = pairs_of(older, newer, sheet, pairs=args.pairs, seconds=args.seconds, kernel=args.kernel)
            except MeasuringError as error:
                print(f"measure_speed: {game}: {error}", file=sys.stderr)
                status = 2
                continue
            finished.append(measured)
            print(row_of(Path(game).stem, measured), flush=True)
        if finished:
            print(means_row(finished))
    return status


def positive(text: str) -> float:
    """Read a positive number."""
    number = float(text)
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"{text} is not a positive number")
    return number


def positive_whole(text: str) -> int:
    """Read a positive whole number."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a positive whole number")
    return number


def interrupt(number: int, _: object) -> NoReturn:
    """End like after Ctrl-C."""
    raise KeyboardInterrupt


def main(arguments: list[str] | None = None) -> int:
    """Run the program with its command-line arguments; return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("commit", metavar="COMMIT", help="the older commit: a hash, branch or tag of this checkout")
    parser.add_argument(
        "games",
        metavar="GAME",
        nargs="*",
        help="a .kif file, a name of the catalogue, or fast:NAME if both builds have this native game "
        f"(default: {', '.join(GAMES)})",
    )
    parser.add_argument(
        "--pairs", type=positive_whole, default=5, metavar="N", help="measurements of each build (default: 5)"
    )
    parser.add_argument(
        "--seconds",
        type=positive,
        default=3.0,
        metavar="S",
        help="CPU-seconds of play-outs and of the search in each measurement (default: 3)",
    )
    parser.add_argument("--kernel", choices=("portable", "avx2", "avx512"), help="instruction set of both builds")
    parser.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="keep the older build in this folder, and use it again if it exists"
    )
    args = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, interrupt)
    try:
        return compare(args)
    except MeasuringError as error:
        print(f"measure_speed: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())

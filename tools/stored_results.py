"""Restore, store or draw the studies in docs/results.

    python tools/stored_results.py restore [--to experiments] [NAME ...]
    python tools/stored_results.py store NAME ...
    python tools/stored_results.py draw NAME ...

NAME is STUDY-BUDGET, such as `quality_table1-desk`. `restore` writes experiments/NAME.sqlite, from which
`ggp-agent experiment run STUDY --budget BUDGET` resumes. `store` writes the page, the CSV file, one chart and the
compressed database of experiments/NAME.sqlite to docs/results. `draw` writes page, CSV file and chart of a stored
database again.
"""

from __future__ import annotations

import argparse
import lzma
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

RESULTS = Path(__file__).parents[1] / "docs" / "results"
SUFFIX = ".sqlite.xz"
# The chart that is kept of a study, the first that exists.
CHARTS = ("curve", "detection", "scores")


def names() -> list[str]:
    """Return the names of all stored databases."""
    return sorted(path.name.removesuffix(SUFFIX) for path in RESULTS.glob(f"*{SUFFIX}"))


def restore(name: str, folder: Path) -> Path:
    """Decompress a stored database.

    Args:
        name: study and budget, such as `quality_table1-desk`.
        folder: the folder of the new file.

    Returns:
        The path of the new file.

    Raises:
        SystemExit: the name is unknown or the file exists.
    """
    source, target = RESULTS / f"{name}{SUFFIX}", folder / f"{name}.sqlite"
    if not source.is_file():
        raise SystemExit(f"{name}: no stored database of this name; there are {', '.join(names())}")
    if target.exists():
        raise SystemExit(f"{target}: the file exists; remove it or name another folder with --to")
    folder.mkdir(parents=True, exist_ok=True)
    target.write_bytes(lzma.decompress(source.read_bytes()))
    return target


def store(name: str, folder: Path) -> None:
    """Store the page, the CSV file, a chart and the compressed database of a study.

    Args:
        name: study and budget.
        folder: the folder of the database.

    Raises:
        SystemExit: the database is missing or `ggp-agent experiment report` fails.
    """
    database = folder / f"{name}.sqlite"
    if not database.is_file():
        raise SystemExit(f"{database}: no such file")
    _report(name, database)
    (RESULTS / f"{name}{SUFFIX}").write_bytes(lzma.compress(database.read_bytes(), preset=9 | lzma.PRESET_EXTREME))


def draw(name: str) -> None:
    """Write the page, the CSV file and the chart of a stored database again, without playing a game.

    Raises:
        SystemExit: there is no such database, or `ggp-agent experiment report` fails.
    """
    with tempfile.TemporaryDirectory() as folder:
        _report(name, restore(name, Path(folder)))


def _report(name: str, database: Path) -> None:
    """Write the page, the CSV file and a chart of a database to the results."""
    study, _, budget = name.rpartition("-")
    with tempfile.TemporaryDirectory() as report:
        command = [sys.executable, "-m", "ggp_agent", "experiment", "report", study, "--budget", budget]
        if subprocess.run([*command, "--store", str(database), "--to", report], check=False).returncode:
            raise SystemExit(f"{name}: the report failed")
        charts = [f"{name}-{kind}.svg" for kind in CHARTS if Path(report, f"{name}-{kind}.svg").exists()]
        for file in (f"{name}.csv", *charts[:1]):
            shutil.copy(Path(report, file), RESULTS / file)
        (RESULTS / f"{name}.md").write_text(with_one_chart(Path(report, f"{name}.md").read_text(), charts[0]))


def with_one_chart(page: str, chart: str) -> str:
    """Return a page without its other charts."""
    return re.sub(rf"!\[[^\]]*\]\((?!{re.escape(chart)}\))[^)]+\.svg\)\n\n", "", page)


def main() -> None:
    """Restore or store the named databases."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("restore", "store", "draw"))
    parser.add_argument("names", metavar="NAME", nargs="*", help="study and budget (restore: all if there is none)")
    parser.add_argument("--to", "--from", dest="folder", type=Path, default=Path("experiments"), help="the databases")
    args = parser.parse_intermixed_args()
    if args.action == "restore":
        for name in args.names or names():
            print(restore(name, args.folder))
    else:
        for name in args.names:
            store(name, args.folder) if args.action == "store" else draw(name)


if __name__ == "__main__":
    main()

"""Restore or store the databases of studies in docs/results, or write their pages.

    python tools/stored_results.py restore [--to experiments] [NAME ...]
    python tools/stored_results.py store NAME ...
    python tools/stored_results.py draw [NAME ...]

NAME is STUDY-BUDGET, such as `quality_table1-desk`. `restore` writes experiments/NAME.sqlite, from which
`ggp-agent experiment run STUDY --budget BUDGET` resumes. `store` writes experiments/NAME.sqlite to docs/results as
compressed SQL, which is a fifth smaller than the compressed file.
`draw` writes page, CSV file and charts of stored databases to docs/results, where git ignores them; `make docs` does
the same. Without a name it writes the pages that are missing or older than their database or the program.
"""

from __future__ import annotations

import argparse
import contextlib
import lzma
import shutil
import sqlite3
import tempfile
from pathlib import Path

from ggp_agent.experiments.report import StudyReport
from ggp_agent.experiments.study_file import Study
from ggp_agent.experiments.study_store import StudyStore

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "docs" / "results"
SUFFIX = ".sql.xz"
# What `iterdump` leaves out.
_MARKS = ("application_id", "user_version")
# The program that makes the pages.
SOURCES = [*(ROOT / "ggp_agent" / "experiments").glob("*.py"), Path(__file__)]


def names() -> list[str]:
    """Return the names of all stored databases."""
    return sorted(path.name.removesuffix(SUFFIX) for path in RESULTS.glob(f"*{SUFFIX}"))


def restore(name: str, folder: Path) -> Path:
    """Restore a stored database.

    Args:
        name: study and budget, such as `quality_table1-desk`; `begun/NAME` for a database in the folder `begun`.
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
    target.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.closing(sqlite3.connect(target)) as games:
        games.executescript(lzma.decompress(source.read_bytes()).decode())
    return target


def store(name: str, folder: Path) -> None:
    """Store the database of a study.

    Args:
        name: study and budget.
        folder: the folder of the database.

    Raises:
        SystemExit: the database is missing.
    """
    database = folder / f"{name}.sqlite"
    if not database.is_file():
        raise SystemExit(f"{database}: no such file")
    with contextlib.closing(sqlite3.connect(database)) as games:
        games.execute("BEGIN")  # one state of the file, also while the study is running
        marks = [f"PRAGMA {key} = {games.execute(f'PRAGMA {key}').fetchone()[0]};" for key in _MARKS]
        text = "\n".join([*marks, *games.iterdump()])
    (RESULTS / f"{name}{SUFFIX}").write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))


def outdated() -> list[str]:
    """Return the names of the studies whose pages are missing or old."""
    changed = max(path.stat().st_mtime for path in SOURCES)

    def is_current(name: str) -> bool:
        page, database = RESULTS / f"{name}.md", RESULTS / f"{name}{SUFFIX}"
        return page.is_file() and page.stat().st_mtime >= max(changed, database.stat().st_mtime)

    return [name for name in names() if not is_current(name)]


def draw(name: str, target: Path = RESULTS) -> None:
    """Write the page, the CSV file and the charts of a stored database, without playing a game.

    Args:
        name: study and budget.
        target: the folder of the files.

    Raises:
        SystemExit: there is no such database.
        UserError: matplotlib is missing, or the study has changed since its games were played.
    """
    study, _, budget = name.rpartition("-")
    with tempfile.TemporaryDirectory() as folder:
        with StudyStore(restore(name, Path(folder))) as games:
            report = StudyReport.of(Study.load(study, budget), games)
        for path in report.write(Path(folder)):
            if path.suffix in (".csv", ".svg"):
                shutil.copy(path, target)
        page = Path(folder, f"{name}.md").read_text(encoding="utf-8")
    # The page comes last: if it exists, all files exist.
    (target / f"{name}.md").write_text(f"{page}\n[This table as CSV]({name}.csv)\n", encoding="utf-8")


def main() -> None:
    """Restore, store or draw the named databases."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("restore", "store", "draw"))
    parser.add_argument("names", metavar="NAME", nargs="*", help="study and budget (restore: all if there is none)")
    parser.add_argument("--to", "--from", dest="folder", type=Path, default=Path("experiments"), help="the databases")
    args = parser.parse_intermixed_args()
    if args.action == "restore":
        for name in args.names or names():
            print(restore(name, args.folder))
    elif args.action == "store":
        for name in args.names:
            store(name, args.folder)
    else:
        for name in args.names or outdated():
            draw(name)


if __name__ == "__main__":
    main()

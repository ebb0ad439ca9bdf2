"""Places in the file system that tests read from."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared"
CORPUS = SHARED / "corpus"
REFERENCE = SHARED / "reference"

RESULTS = ROOT / "docs" / "results"
# Pages whose blocks run in order, in one folder.
STORIES = [
    ROOT / "docs" / path
    for path in (
        "guide/first_game.md",
        "guide/compare_ideas.md",
        "guide/event.md",
        "guide/protocol.md",
        "develop/symptoms.md",
    )
]


def known_to_git() -> set[str]:
    """Return the files that are committed or can be committed."""
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return {name for name in listed.stdout.split("\0") if name and (ROOT / name).exists()}


def pages() -> list[Path]:
    """Return the pages of the documentation that git has; pages of studies are made from their databases."""
    return [path for path in sorted((ROOT / "docs").rglob("*.md")) if not is_made(path)]


def is_made(path: Path) -> bool:
    """Return whether a path is the page of a study, which need not exist."""
    return path.parent == RESULTS and path.with_suffix(".sql.xz").is_file()

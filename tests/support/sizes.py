"""The lines of each package, which may not exceed the rows in `tests/sizes.toml`.

    python tests/support/sizes.py [--raise PACKAGE ...]

lowers the rows of packages that have fewer lines, and removes rows without a package. Only `--raise` raises or adds
rows; the commit states the reason. A package is a folder with its files, without its subfolders.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections import Counter

from places import ROOT, known_to_git

TABLE = ROOT / "tests" / "sizes.toml"
COMMAND = "python tests/support/sizes.py"
HEAD = f"# Lines of each package, which may not grow; '{COMMAND}' updates this table.\n"
# Files that have no lines.
BINARY = (".png", ".xz")

Sizes = dict[str, dict[str, int]]


def kind_of(path: str) -> str:
    """Return the kind of a file: code, documents or tests."""
    if path.startswith("tests/"):
        return "tests"
    return "documents" if path.startswith("docs/") or path.endswith(".md") else "code"


def measured() -> Sizes:
    """Return the lines of each package by kind."""
    sizes: dict[str, Counter[str]] = {"code": Counter(), "documents": Counter(), "tests": Counter()}
    for path in known_to_git():
        if not path.endswith(BINARY) and path != str(TABLE.relative_to(ROOT)):
            sizes[kind_of(path)][path.rpartition("/")[0] or "."] += (ROOT / path).read_bytes().count(b"\n")
    return {kind: dict(counts) for kind, counts in sizes.items()}


def excess(rows: Sizes, sizes: Sizes) -> str:
    """Describe the packages that exceed their rows or have none, and the rows without a package; empty if all agree."""
    lines, names = [], []
    for kind in sorted({*rows, *sizes}):
        limits, found = rows.get(kind, {}), sizes.get(kind, {})
        lines += [f"{kind}: the row {name} has no package" for name in limits if name not in found]
        for name, count in found.items():
            if count > limits.get(name, -1):
                over = f"{count - limits[name]:,} more than its row" if name in limits else "and no row"
                lines.append(f"{kind}: {name} has {count:,} lines, {over}")
                names.append(name)
    if lines:
        lines.append(f"Run '{COMMAND}', which lowers and removes rows.")
    if names:
        lines.append(
            f"If a package must grow, run '{COMMAND} --raise {' '.join(names)}' and state the reason in the commit."
        )
    return "\n".join(lines)


def updated(rows: Sizes, sizes: Sizes, raised: set[str]) -> Sizes:
    """Return the rows with lower limits, and with the present lines of the packages that may be raised."""
    return {
        kind: {
            name: count if name in raised else min(count, rows[kind][name])
            for name, count in sorted(lines.items())
            if name in raised or name in rows.get(kind, {})
        }
        for kind, lines in sizes.items()
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--raise", nargs="+", default=[], metavar="PACKAGE", dest="raised", help="rows that may grow")
    raised = set(parser.parse_args().raised)
    sizes = measured()
    if unknown := raised - {name for lines in sizes.values() for name in lines}:
        parser.error(f"no such package: {', '.join(sorted(unknown))}")
    rows = updated(tomllib.loads(TABLE.read_text()) if TABLE.exists() else {}, sizes, raised)
    text = "".join(
        f"\n[{kind}]\n" + "".join(f'"{name}" = {count}\n' for name, count in lines.items())
        for kind, lines in rows.items()
    )
    TABLE.write_text(HEAD + text)
    if problems := excess(rows, sizes):
        print(problems, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

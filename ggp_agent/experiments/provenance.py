"""The machine, the program and its commit, as stored with results."""

from __future__ import annotations

import json
import platform
import subprocess
from pathlib import Path

from gdl._network import best_isa

from ..bench.computer import this_host
from ..common.version import __version__


def describe_host() -> str:
    """Return this machine and this program as JSON: everything that results with limited time depend on."""
    host = this_host()
    return json.dumps(
        {
            "cpu": host.cpu,
            "cores": host.cores,
            "kernel": best_isa(),
            "system": f"{host.os} {platform.machine()}",
            "python": host.python,
            "compiler": host.compiler,
            "version": __version__,
            "commit": commit(),
        },
        sort_keys=True,
    )


def commit() -> str:
    """Return the commit of this program, with `+` if files have changed; empty if it is unknown."""
    folder = Path(__file__).resolve().parents[2]
    if not (folder / ".git").exists():
        return ""

    def git(*words: str) -> str:
        found = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True, check=True)
        return found.stdout.strip()

    try:
        changed = git("status", "--porcelain", "--untracked-files=no")
        return git("rev-parse", "--short=12", "HEAD") + ("+" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return ""

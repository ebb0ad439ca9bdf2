"""Where games are played: the machine, the program and its commit, as results keep it."""

from __future__ import annotations

import json
import platform
import subprocess
from pathlib import Path

from .. import __version__
from ..study.bench.host import this_host


def describe_host() -> str:
    """Describe this machine and this program, as JSON: what results by time depend on."""
    from gdl._network import best_isa

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
    """Return the commit that this program runs from, with `+` where files differ from it; empty where none is known."""
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

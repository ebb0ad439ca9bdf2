"""The environment of processes of this program that it starts itself."""

from __future__ import annotations

import os
from pathlib import Path


def child_environment() -> dict[str, str]:
    """Return our environment, in which the package is found where this one was, whatever folder we are called from."""
    root = str(Path(__file__).resolve().parents[1])
    path = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
    return {**os.environ, "PYTHONPATH": path}

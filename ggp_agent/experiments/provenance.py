"""The machine, the program and its commit, as stored with results."""

from __future__ import annotations

import json
import platform

from gdl._network import best_isa

from ..bench.computer import this_host
from ..common.commit import commit
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

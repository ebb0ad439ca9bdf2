"""The computer and the build on which speeds were measured."""

from __future__ import annotations

import functools
import json
import os
import platform
from dataclasses import dataclass
from pathlib import Path

from gdl._network import best_isa
from gdl._simulation import compiler

from ..common.commit import commit
from ..common.terminal_text import amount
from ..common.version import __version__


@dataclass(frozen=True, slots=True)
class Host:
    """The computer and the build."""

    cpu: str  # model of the processor
    cores: int  # number of logical cores
    os: str  # name and release of the operating system
    python: str  # implementation and version of Python
    compiler: str  # compiler of the compiled core

    def __str__(self) -> str:
        """Return all values in one line.

        >>> print(Host("Abacus 2", 2, "Linux 6.1", "CPython 3.12.1", "GCC 12.2.0"))
        Abacus 2, 2 cores, Linux 6.1, CPython 3.12.1, GCC 12.2.0
        """
        return ", ".join((self.cpu, amount(self.cores, "core"), self.os, self.python, self.compiler))


def this_host() -> Host:
    """Return the computer that this process runs on."""
    return Host(
        cpu=_cpu_model(),
        cores=os.cpu_count() or 1,
        os=f"{platform.system()} {platform.release()}",
        python=f"{platform.python_implementation()} {platform.python_version()}",
        compiler=compiler(),
    )


def _cpu_model() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name" and value.strip():
                return value.strip()
    except (OSError, UnicodeDecodeError):
        pass
    return platform.processor() or platform.machine() or "unknown processor"


@functools.cache
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

"""Results of bench as documents, with the computer and the build: written as JSON or CSV, and read again."""

from __future__ import annotations

import csv
import dataclasses
import functools
import io
import json
import math
import os
import platform
import typing
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gdl._network import best_isa
from gdl._simulation import compiler
from gdl.json_text import parse_json

from ..common.errors import UserError
from ..common.terminal_text import amount, csv_text
from ..common.version import __version__, commit
from .measure import BenchResult


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


@dataclass(frozen=True, slots=True)
class BenchRecord:
    """The result of one game with its origin."""

    result: BenchResult
    host: Host
    date: str  # start of the run, in ISO 8601 with the time zone
    version: str  # version of this program

    def document(self) -> dict[str, Any]:
        """Return all values as one flat JSON object."""
        return {
            **dataclasses.asdict(self.result),
            **dataclasses.asdict(self.host),
            "date": self.date,
            "version": self.version,
        }


def to_csv(records: Sequence[BenchRecord]) -> str:
    """Return records as CSV: a line with the keys, then a line per game. None is an empty field."""
    return csv_text(list(_KEYS), ([record.document()[key] for key in _KEYS] for record in records))


def read_records(path: Path) -> list[BenchRecord]:
    """Read the JSON or CSV output of an earlier run of bench; unknown keys are ignored."""
    wrong = f"{path}: this is not output of bench (JSON or CSV)"
    try:
        text = path.read_bytes().decode("utf-8-sig")
        if text.lstrip().startswith(("[", "{")):
            found = parse_json(text)
            rows = found if isinstance(found, list) else [found]
            records = [_record(row, wrong) for row in rows]
        else:
            lines = csv.DictReader(io.StringIO(text), strict=True)
            if missing := [key for key in _KEYS if key not in (lines.fieldnames or ())]:
                raise ValueError(f"the key {missing[0]!r} is missing")
            records = [_record({key: _field(line[key], _KEYS[key]) for key in _KEYS}, wrong) for line in lines]
    except UnicodeDecodeError:
        raise UserError(f"{wrong}: the file is not text") from None
    except (ValueError, OverflowError, RecursionError, csv.Error) as error:
        raise UserError(f"{wrong}: {error}") from None
    if not records:
        raise UserError(f"{wrong}: the file has no games")
    return records


# Each key and the types that its value may have.
_KEYS: dict[str, tuple[type, ...]] = {
    name: typing.get_args(kind) or (kind,)
    for holder in (BenchResult, Host, BenchRecord)
    for name, kind in typing.get_type_hints(holder).items()
    if name not in ("result", "host")
}


def _record(row: Any, wrong: str) -> BenchRecord:
    values: dict[str, Any] = {}
    for key, kinds in _KEYS.items():
        if not isinstance(row, dict) or key not in row:
            raise UserError(f"{wrong}: the key {key!r} is missing")
        values[key] = _typed(row[key], kinds)
        if values[key] is None and type(None) not in kinds:
            raise UserError(f"{wrong}: {row[key]!r} is not a value for {key!r}")

    def part(holder: type) -> dict[str, Any]:
        return {field.name: values[field.name] for field in dataclasses.fields(holder)}

    return BenchRecord(BenchResult(**part(BenchResult)), Host(**part(Host)), values["date"], values["version"])


def _typed(value: Any, kinds: tuple[type, ...]) -> Any:
    """Return a value as one of the types; None if its type is another one."""
    if str in kinds:
        return value if isinstance(value, str) else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
        return None
    if float in kinds:
        return float(value)
    return value if isinstance(value, int) else None


def _field(text: str | None, kinds: tuple[type, ...]) -> Any:
    """Return the value of a CSV field.

    >>> _field("7", (str,)), _field("7", (int,)), _field("7.5", (float, type(None))), _field("", (float, type(None)))
    ('7', 7, 7.5, None)
    """
    if not text or str in kinds:
        return text or None
    return int(text) if int in kinds else float(text)

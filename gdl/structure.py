"""The structure of a sheet (stand-in)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from .rules import RuleSheet


@dataclass(frozen=True, slots=True)
class Structure:
    key: str
    sheet: RuleSheet
    symbols: tuple[str, ...]
    random: str = "random"

    def respell(self, names: Iterable[str]) -> list[str]:
        return list(names)


def structure_of(sheet: RuleSheet) -> Structure:
    return Structure(hashlib.sha256(str(sheet).encode()).hexdigest(), sheet, ())

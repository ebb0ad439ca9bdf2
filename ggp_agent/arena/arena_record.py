"""Matches of a comparison in a file of JSON lines: one object per match, in the order in which they ended."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any

from ..common.errors import UserError
from .arena import AnyContestant
from .match_result import MatchResult


class RecordFile:
    """Write matches to a new file as they end.

    Each line is written in one call before the next match is awaited, so the file has whole lines even if the program
    is killed.
    """

    def __init__(self, path: Path, game: str, roles: Sequence[str], contestants: Sequence[AnyContestant]) -> None:
        self._game = game
        self._roles = list(roles)
        self._names = [contestant.name for contestant in contestants]
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL, 0o644)
        except FileExistsError:
            raise UserError(f"{path}: the file exists already; name a new file for the record") from None

    def write(self, match: MatchResult) -> None:
        """Write one match."""
        line = json.dumps(self.document(match), ensure_ascii=False, separators=(",", ":")) + "\n"
        data = line.encode()
        while data:
            data = data[os.write(self._handle, data) :]

    def document(self, match: MatchResult) -> dict[str, Any]:
        """Return the object of one match; seats are names of contestants, None for chance."""
        plan = match.plan
        return {
            "game": self._game,
            "match": plan.number,
            "round": plan.round,
            "seed": plan.seed,
            "roles": self._roles,
            "seats": [None if seat is None else self._names[seat] for seat in plan.seats],
            "opening": match.opening,
            "turns": match.turns,
            "goals": match.goals,
            "simulations": match.simulations,
            "cpu_seconds": [round(seconds, 6) for seconds in match.cpu_seconds],
            "error": match.error,
            "adjudicated": match.adjudicated,
            "moves": match.moves,
            **({"percepts": match.percepts} if match.percepts else {}),
            **({"answers": [each and asdict(each) for each in match.answers]} if match.answers else {}),
        }

    def __enter__(self) -> RecordFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        os.close(self._handle)

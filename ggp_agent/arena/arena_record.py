"""Matches of a comparison on disk: a file of JSON lines, one object a match, in the order in which they ended."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from ..common.errors import UserError
from .arena import Contestant
from .match_result import MatchResult


class RecordFile:
    """Write matches to a new file as they end.

    Every line is written in one call and before the next match is waited for, so that a program that is killed leaves
    whole lines.

    Args:
        path: of the file; folders that are missing are made.
        game: its name.
        roles: in the order of moves, goals and seats.
        contestants: as the seats number them.

    Raises:
        UserError: there is such a file already.
        OSError: it cannot be made.
    """

    def __init__(self, path: Path, game: str, roles: Sequence[str], contestants: Sequence[Contestant]) -> None:
        self._game = game
        self._roles = list(roles)
        self._names = [contestant.name for contestant in contestants]
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL, 0o644)
        except FileExistsError:
            raise UserError(f"{path}: this exists already; name a new file for the record") from None

    def write(self, match: MatchResult) -> None:
        """Write one match.

        Raises:
            OSError: it cannot be written.
        """
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
            "moves": match.moves,
        }

    def __enter__(self) -> RecordFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        os.close(self._handle)

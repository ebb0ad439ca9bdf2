"""The games of a study in one SQLite file (`schema.sql`); the process that runs the study is its only writer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, astuple
from datetime import UTC, datetime
from importlib.resources import files
from typing import Any

from ..arena.match_result import MatchPlan, MatchResult
from ..arena.sprt import Sprt
from ..common.database import Database, FileFormat
from ..common.errors import UserError
from ..common.terminal_text import encodable
from ..protocol.text_turns import TextAnswers
from .study_file import Cell

# The activity of the process that owns a file, for messages.
RUNNING = "playing the games of this file"
# The setting with the numbers of the cells in which the two games of every pair had the same moves.
_ALIKE = "alike"


# The seats of a game, and the statistics of the simulations of each role.
SampledGame = tuple[tuple[int | None, ...], list[dict[str, float]]]


class StudyStore(Database):
    """Store the games of a study."""

    form = FileFormat(
        "file of games",
        0x67677058,  # "ggpX"
        2,
        (files(__package__) / "schema.sql").read_text(encoding="utf-8"),
        settings="study",
        bounds={
            "games": "pair >= 0 AND seat IN (0, 1) AND json_valid(seats) AND json_valid(goals) "
            "AND json_valid(simulations) AND json_valid(cpu_seconds)",
            "cells": "json_valid(document) AND json_type(document) = 'object'",
            "samples": "json_valid(means)",
        },
        synchronous="NORMAL",
    )

    def begin(self, cells: Sequence[Cell], name: str = "", budget: str = "") -> None:
        """Store the cells of the study; make sure that cells with games have not changed."""
        self.require_same(cells)
        with self.change():
            self.add_younger_tables()
            for key, value in (("name", name), ("budget", budget)):
                self.set(key, value)
            self._db.executemany(
                "INSERT INTO cells (number, game, variant, column_name, document) "
                "VALUES (ifnull(?, (SELECT ifnull(max(number) + 1, 0) FROM cells)), ?, ?, ?, ?) "
                "ON CONFLICT (number) DO UPDATE SET document = excluded.document",
                [((self._row(cell) or [None])[0], *_name(cell), json.dumps(cell.document())) for cell in cells],
            )

    def require_budget(self, budget: str) -> None:
        """Raise an error if the games belong to another budget, whose cells may have the same names."""
        known = self.setting("budget")
        if known and known != budget:
            raise UserError(
                f"{self.path}: has the games of the budget {known}, not of {budget or 'a study without one'}"
            )

    def require_same(self, cells: Sequence[Cell]) -> None:
        """Raise an error if a cell with games has changed, or is not among the cells.

        New cells are no error, and the order of the cells and the number of planned games may differ.
        """
        now = {(*_name(cell), cell.kind): json.loads(json.dumps(cell.document())) for cell in cells}
        rows = self._db.execute(
            "SELECT DISTINCT game, variant, column_name, document FROM cells JOIN games ON cell = cells.number"
        )
        for game, variant, column, document in rows:
            before = json.loads(document)
            name = "/".join(filter(None, (game, before.get("kind"), variant, column)))
            found = now.get((game, variant, column, before.get("kind", "")))
            if found is None:
                raise UserError(f"{self.path}: has games of {name}, which is not asked for now")
            if found != before:
                keys = ", ".join(key for key in found | before if found.get(key) != before.get(key))
                raise UserError(f"{self.path}: {name} ({keys}) has changed since the games of this file were played")

    def stored_document(self, cell: Cell) -> dict[str, Any] | None:
        """Return the values with which the games of a cell were played; None if the store does not have the cell."""
        row = self._row(cell)
        if row is None:
            return None
        document: dict[str, Any] = json.loads(row[1])
        return document

    def _row(self, cell: Cell) -> tuple[int, str] | None:
        """Return number and document of the stored cell of the same name."""
        row: tuple[int, str] | None = self._db.execute(
            "SELECT number, document FROM cells WHERE game = ? AND variant = ? AND column_name = ? "
            "AND ifnull(json_extract(document, '$.kind'), '') = ?",
            (*_name(cell), cell.kind),
        ).fetchone()
        return row

    def _number(self, cell: Cell) -> int:
        """Return the number of a cell in this store; -1 if the store does not have it."""
        row = self._row(cell)
        return -1 if row is None else int(row[0])

    def keep_test(self, test: Sprt | None) -> None:
        """Store the sequential test that ends cells, or None."""
        with self.change():
            self._db.execute("DELETE FROM study WHERE key = 'sprt'")
            if test is not None:
                self.set("sprt", _text(astuple(test)))

    def keep_order_by_need(self) -> None:
        """Store that results affect which games are played; this holds from then on."""
        with self.change():
            self.set("by_need", "1")

    def ordered_by_need(self) -> bool:
        """Return whether results have affected which games were played."""
        return self.setting("by_need") is not None

    def test(self) -> Sprt | None:
        """Return the sequential test that ends cells, or None."""
        text = self.setting("sprt")
        return None if text is None else Sprt(*json.loads(text))

    def is_alike(self, cell: Cell) -> bool:
        """Return whether the two games of every pair of a cell had the same moves; False if this is not known."""
        return self._number(cell) in json.loads(self.setting(_ALIKE) or "[]")

    # Runs and machines.

    def host(self, description: str) -> int:
        """Return the number of a machine with its program; store it if it is new."""
        with self.change():
            self._db.execute("INSERT OR IGNORE INTO hosts (description) VALUES (?)", (description,))
        ((number,),) = self._db.execute("SELECT number FROM hosts WHERE description = ?", (description,))
        return int(number)

    def hosts(self) -> list[str]:
        """Return the descriptions of all machines that played games."""
        rows = self._db.execute(
            "SELECT description FROM hosts WHERE number IN (SELECT host FROM games) ORDER BY number"
        )
        return [description for (description,) in rows]

    def start_run(self, jobs: int, host: int) -> int:
        """Store the start of a run; return its number."""
        with self.change():
            began = datetime.now(UTC).isoformat(timespec="seconds")
            row = self._db.execute("INSERT INTO runs (began, jobs, host) VALUES (?, ?, ?)", (began, jobs, host))
        return int(row.lastrowid or 0)

    def keep_run(self, run: int, *, seconds: float, cpu_seconds: float, moves: int) -> None:
        """Store the time and moves of a run so far."""
        with self.change():
            self._db.execute(
                "UPDATE runs SET seconds = ?, cpu_seconds = ?, moves = ? WHERE number = ?",
                (seconds, cpu_seconds, moves, run),
            )

    def taken(self) -> tuple[float, float, int]:
        """Return hours, CPU-hours and searched moves of all runs."""
        ((seconds, cpu_seconds, moves),) = self._db.execute(
            "SELECT total(seconds), total(cpu_seconds), total(moves) FROM runs"
        )
        return seconds / 3600, cpu_seconds / 3600, int(moves)

    # Games.

    def name_roles(self, cell: Cell, roles: Sequence[str]) -> None:
        """Store the roles of the game of a cell."""
        with self.change():
            self._db.execute(
                "UPDATE cells SET roles = ? WHERE number = ?", (json.dumps(list(roles)), self._number(cell))
            )

    def roles(self, cell: Cell) -> tuple[str, ...]:
        """Return the roles of the game of a cell; empty before its first game."""
        row = self._db.execute("SELECT roles FROM cells WHERE number = ?", (self._number(cell),)).fetchone()
        return tuple(json.loads(row[0])) if row else ()

    def add(self, cell: Cell, matches: Sequence[MatchResult], host: int, *, alike: bool = False) -> None:
        """Store finished games; games that are already stored stay unchanged."""
        number = self._number(cell)
        rows = [
            (
                number,
                match.plan.round,
                match.plan.number % 2,
                _text(match.plan.seats),
                _text(match.goals),
                match.turns,
                match.opening,
                _text(match.simulations),
                _text([round(seconds, 3) for seconds in match.cpu_seconds]),
                match.error,
                host,
            )
            for match in matches
        ]
        answers = [
            (*row[:3], _text([each and asdict(each) for each in match.answers]))
            for row, match in zip(rows, matches, strict=True)
            if match.answers
        ]
        samples = [
            (*row[:3], _text([{name: float(f"{value:.3g}") for name, value in role.items()} for role in match.samples]))
            for row, match in zip(rows, matches, strict=True)
            if match.samples
        ]
        with self.change():
            self._db.executemany("INSERT OR IGNORE INTO samples VALUES (?, ?, ?, ?)", samples)
            self._db.executemany("INSERT OR IGNORE INTO games VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
            self._db.executemany("INSERT OR IGNORE INTO answers VALUES (?, ?, ?, ?)", answers)
            known = json.loads(self.setting(_ALIKE) or "[]")
            if alike != (number in known):
                others = [each for each in known if each != number]
                self.set(_ALIKE, _text([*others, number] if alike else others))

    def _damaged(self, table: str) -> UserError:
        return UserError(f"{self.path}: this {self.form.what} is damaged: in {table}, a value is invalid")

    def _answers(self, cell: Cell) -> dict[tuple[int, int], tuple[TextAnswers | None, ...]]:
        """Return the counts of answers in each game of a cell with text players, by pair and seat."""
        rows = self._db.execute("SELECT pair, seat, counts FROM answers WHERE cell = ?", (self._number(cell),))
        try:
            return {
                (pair, seat): tuple(None if each is None else TextAnswers.read(each) for each in json.loads(counts))
                for pair, seat, counts in rows
            }
        except (ValueError, TypeError):
            raise self._damaged("answers") from None

    def samples(self, cell: Cell) -> list[SampledGame]:
        """Return the games of a cell with statistics of simulations."""
        if not self._db.execute("SELECT 1 FROM sqlite_master WHERE name = 'samples'").fetchone():
            return []
        rows = self._db.execute(
            "SELECT seats, means FROM games JOIN samples USING (cell, pair, seat) WHERE cell = ?", (self._number(cell),)
        )
        games: list[SampledGame] = []
        try:
            for seats, of_roles in rows:
                roles = [{name: float(value) for name, value in role.items()} for role in json.loads(of_roles)]
                games.append((tuple(json.loads(seats)), roles))
                if len(games[-1][0]) != len(roles):
                    raise ValueError
        except (ValueError, TypeError, AttributeError):
            raise self._damaged("samples") from None
        return games

    def matches(self, cell: Cell) -> list[MatchResult]:
        """Return the games of a cell in the order of their pairs, without their moves."""
        rows = self._db.execute(
            "SELECT pair, seat, seats, goals, turns, opening, simulations, cpu_seconds, error FROM games "
            "WHERE cell = ? ORDER BY pair, seat",
            (self._number(cell),),
        )
        answers = self._answers(cell)
        return [
            MatchResult(
                MatchPlan(2 * pair + seat, pair, cell.seed, tuple(json.loads(seats))),
                turns,
                opening,
                tuple(json.loads(goals)),
                tuple(json.loads(simulations)),
                tuple(json.loads(cpu_seconds)),
                error,
                answers=answers.get((pair, seat), ()),
            )
            for pair, seat, seats, goals, turns, opening, simulations, cpu_seconds, error in rows
        ]

    def played(self) -> dict[int, int]:
        """Return the number of games of each cell that has any."""
        return dict(self._db.execute("SELECT cell, count(*) FROM games GROUP BY cell").fetchall())


def _name(cell: Cell) -> tuple[str, str, str]:
    """Return game, variant and column; SQLite stores no bytes of a file name that are not UTF-8."""
    return encodable(cell.game), cell.variant, cell.column


def _text(values: object) -> str:
    return json.dumps(values, separators=(",", ":"))

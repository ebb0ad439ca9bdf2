"""Tournaments of a folder, read from their state files, also while they are running."""

from __future__ import annotations

import sqlite3
from collections import OrderedDict
from pathlib import Path
from threading import Lock

from ...common.errors import UserError
from ...common.terminal_text import encodable
from ...manager.tournament.rating_chart import rating_chart
from ...manager.tournament.record_file import record_folder
from ...manager.tournament.reports import ResultTable, remarks, result_tables, summary
from ...manager.tournament.standings import rating_course, standings
from ...manager.tournament.tournament_store import Store
from ...records.titles import title_of
from .folders import changed, file_in, files_of, require_text
from .worker_messages import Document

SUFFIX = ".db"
# Maximal number of files; the latest are shown.
_LISTED = 100
# Maximal number of matches in the schedule: the latest finished ones, and the next ones.
_PLAYED, _WAITING = 200, 40
_KEPT = 8


class Tournaments:
    """The tournaments of one folder; safe to use from several threads."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = Lock()
        self._kept: OrderedDict[tuple[Path, int, int], Document] = OrderedDict()

    def listed(self) -> Document:
        """List the tournaments, the latest first: file name, title, and progress."""
        files = [path for path, _ in files_of(self._folder, SUFFIX)]
        files.sort(key=lambda path: max(_times(path)), reverse=True)
        found = []
        for path in files[:_LISTED]:
            try:
                document = self._document(path)
            except UserError:
                continue  # not the state of a tournament
            kept = ("tournament", "summary", "complete", "counts")
            found.append({"name": path.name.removesuffix(SUFFIX), **{key: document[key] for key in kept}})
        return {"folder": encodable(str(self._folder)), "tournaments": found}

    def tournament(self, name: str) -> Document:
        """Return everything about a tournament: tables, schedule, and the course of the ratings."""
        return self._document(file_in(self._folder, name, SUFFIX, "tournament"))

    def records(self, name: str) -> Path:
        """Return the folder of the match records of a tournament; errors as for `tournament`."""
        return record_folder(file_in(self._folder, name, SUFFIX, "tournament"))

    def _document(self, path: Path) -> Document:
        require_text(path.name)
        if path.resolve().parent != self._folder.resolve():
            raise UserError(f"{path}: this file is outside of the folder")
        key = (path, *_times(path))
        with self._lock:
            if key not in self._kept:
                self._kept[key] = _read_state(path)
                while len(self._kept) > _KEPT:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(key)
            return self._kept[key]


def _times(path: Path) -> tuple[int, int]:
    """Return the times of the last change of the state and of its write-ahead log."""
    return changed(path), changed(path.with_name(f"{path.name}-wal"))


def _read_state(path: Path) -> Document:
    try:
        with Store(path) as store:
            results = standings(store)
            return {
                "tournament": results.name,
                "summary": summary(results),
                "complete": results.complete,
                "counts": results.counts,
                "tables": list(map(_table, result_tables(results))),
                "chart": rating_chart(results),
                "remarks": remarks(results),
                "players": [one.name for one in results.players],
                "course": [{"after": count, "elo": elo} for count, elo in rating_course(store)],
                "schedule": _schedule(store),
            }
    except sqlite3.Error as error:
        raise UserError(f"{path}: the state cannot be read: {error}") from None


def _table(result: ResultTable) -> Document:
    words = [result.has_words(column) for column in range(len(result.heads))]
    return {"title": result.title, "heads": result.heads, "words": words, "rows": result.rows}


def _schedule(store: Store) -> list[Document]:
    """List the running matches, the latest finished ones, and the next ones."""
    rows = [
        *store.rows("SELECT number FROM matches WHERE state = 'running' ORDER BY number"),
        *store.rows(
            "SELECT number FROM matches WHERE state NOT IN ('running', 'waiting') ORDER BY number DESC LIMIT ?",
            (_PLAYED,),
        ),
        *store.rows("SELECT number FROM matches WHERE state = 'waiting' ORDER BY number LIMIT ?", (_WAITING,)),
    ]
    under_way = {number: match_id for number, match_id, _ in store.running()}
    schedule = []
    for (number,) in rows:
        ((round_, game, state, reason, match_id),) = store.rows(
            "SELECT round, game, state, reason, match_id FROM matches WHERE number = ?", (number,)
        )
        seats = store.rows("SELECT role, player, goal FROM seats WHERE match = ? ORDER BY seat", (number,))
        schedule.append(
            {
                "number": number,
                "round": round_ + 1,
                "game": game,
                "title": title_of(game),
                "state": state,
                "reason": reason,
                "record": match_id or under_way.get(number, ""),
                "seats": [{"role": role, "player": player, "goal": goal} for role, player, goal in seats],
            }
        )
    return schedule

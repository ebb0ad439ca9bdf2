"""Recorded matches of a folder: a list, and each turn of a match as a picture."""

from __future__ import annotations

import time
from collections import OrderedDict
from pathlib import Path
from threading import Lock
from typing import Any

from gdl import GdlError

from ...common.errors import UserError, one_line
from ...common.terminal_text import encodable
from ...game.drawing.game_drawing import GameDrawing
from ...game.load import load_game, sheet_text
from ...hidden.role_belief import Belief
from ...records.match_drawing import MatchDrawing, animated
from ...records.match_record import MatchRecord
from ...records.read_record import parse_document, read_bytes, record_of
from ...records.record_list import RUNNING, SUFFIX, Summary, summary_of
from ...records.record_rules import kept_rules
from ...records.titles import title_of
from ...records.values import best_moves_of, values_of, values_path
from .folders import UnknownFileError, changed, file_in, files_of, require_text
from .game_process import Document
from .match_page import match_page
from .position import known_state


class KnownTurns:
    """Follow the belief of a role through a record; safe to use from several threads."""

    def __init__(self, record: MatchRecord, word: str, role: str) -> None:
        game = load_game(word)
        machine = game.machine()
        self._record = record
        self._belief = Belief(game, role, machine=machine)
        self._role = machine.roles.index(role)
        self._drawing = GameDrawing(machine, game.guide, game.appearance)
        self._lock = Lock()
        self._turns: list[Document | None] = [known_state(self._belief, self._drawing, None)]

    def turn(self, number: int) -> Document | None:
        """Return what the role knew after a number of turns; None if no state that explains its percepts was found."""
        with self._lock:
            while len(self._turns) <= number:
                self._observe(len(self._turns) - 1)
            return self._turns[number]

    def _observe(self, turn: int) -> None:
        record = self._record
        move, percepts = record.moves[turn][self._role], record.percepts[turn][self._role]
        try:
            last = record.completed and turn + 1 == len(record.moves)
            self._belief.observe(move, percepts, terminal=last)
            known = None if self._belief.is_empty else known_state(self._belief, self._drawing, move)
        except (ValueError, GdlError) as error:
            raise UserError(f"turn {turn + 1} does not follow the rules: {error}") from None
        self._turns.append(known)


# Maximal size of a record; a thousand turns of a large game have a twentieth of it.
_MAX_BYTES = 32 << 20
# Maximal number of listed records; the latest are listed.
_LISTED = 200
# The state of a match that is neither over nor aborted, but has not changed for a long time: its manager was stopped,
# or a person left it. The time without a change is longer than this multiple of the clocks plus these seconds.
ABANDONED = "not finished"
_CLOCKS_WITHOUT_CHANGE = 3
_SECONDS_WITHOUT_CHANGE = 900.0
# Number of records in the cache.
_KEPT = 4


class Replays:
    """The records of one folder; safe to use from several threads."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = Lock()
        self._kept: OrderedDict[tuple[Path, int, int, int], MatchDrawing] = OrderedDict()
        self._known: OrderedDict[tuple[Path, int, int, str], KnownTurns] = OrderedDict()
        self._thumbnails: OrderedDict[tuple[Path, int, int], str] = OrderedDict()
        self._summaries: dict[tuple[Path, int, int], Document] = {}

    def listed(self) -> Document:
        """List the records, the latest first, and the files that could not be read."""
        files = files_of(self._folder, SUFFIX)
        records, unread = [], []
        kept: dict[tuple[Path, int, int], Document] = {}
        for path, stat in files[:_LISTED]:
            key = (path, stat.st_mtime_ns, stat.st_size)
            try:
                kept[key] = self._summaries.get(key) or _summed_up(self._document(path), path)
                records.append(_with_state(kept[key], stat.st_mtime))
            except UserError as error:
                unread.append(one_line(error).removeprefix(f"{encodable(str(self._folder))}/"))
        self._summaries = kept
        return {
            "folder": encodable(str(self._folder)),
            "records": records,
            "unread": unread,
            "more": max(0, len(files) - _LISTED),
        }

    def record(self, name: str) -> Document:
        """Return the description of a match, given the name of its file without `.json`."""
        document = self._drawing(name).document()
        running = not document["completed"] and not document["aborted"]
        clocks = document["startClock"] + document["playClock"]
        abandoned = running and is_abandoned(self.path(name).stat().st_mtime, clocks)
        return document | {"abandoned": abandoned}

    def rules(self, name: str) -> tuple[str, str]:
        """Return the game of a record: its GAME in the catalogue, or the text of its rules; the other one is empty."""
        drawing = self._drawing(name)
        if drawing.word:
            return drawing.word, ""
        if not drawing.rules:
            raise UserError("the rules of this match are unknown")
        return "", sheet_text(drawing.rules)

    def turn(self, name: str, number: int) -> Document:
        """Return the position of a match after a number of turns."""
        drawing = self._drawing(name)
        if not 0 <= number <= drawing.last:
            raise UnknownFileError(f"there is no turn {number}; this match has turns 0 to {drawing.last}")
        return {"turn": number, **drawing.picture(number).document()}

    def known(self, name: str, number: int, role: str) -> Document:
        """Return what a role knew after a number of turns; `known` is null if no state that explains it was found."""
        path, drawing = self.path(name), self._drawing(name)
        if not 0 <= number <= drawing.last:
            raise UnknownFileError(f"there is no turn {number}; this match has turns 0 to {drawing.last}")
        stat = path.stat()
        key = (path, stat.st_mtime_ns, stat.st_size, role)
        with self._lock:
            found = self._known.get(key)
        if found is None:
            record = record_of(self._document(path), path.name)
            if not record.percepts or not drawing.rules:
                raise UserError("what a role knew is computed for games with hidden information whose rules are known")
            found = KnownTurns(record, drawing.rules, role)
            with self._lock:
                self._known[key] = found
                while len(self._known) > _KEPT:
                    self._known.popitem(last=False)
        return {"turn": number, "known": found.turn(number)}

    def page(self, name: str) -> str:
        """Return a match as one HTML file; errors as for `record`."""
        return match_page(self._drawing(name))

    def animation(self, name: str) -> str:
        """Return a match as an animated SVG; errors as for `record`, and if the game has no board."""
        return animated(self._drawing(name))

    def path(self, name: str) -> Path:
        """Return the path of a record in the folder."""
        return file_in(self._folder, name, SUFFIX, "record")

    def latest_of(self, token: str) -> str | None:
        """Return the name of the latest record whose match identifier ends with a token; None without one."""
        ending = f".{token}{SUFFIX}"
        names = (path.name for path, _ in files_of(self._folder, SUFFIX) if path.name.endswith(ending))
        return next((name.removesuffix(SUFFIX) for name in names), None)

    def match_record(self, name: str) -> MatchRecord:
        """Return a record; errors as for `record`."""
        path = self.path(name)
        return record_of(self._document(path), path.name)

    def thumbnail(self, name: str) -> str:
        """Return the last position of a match as SVG, empty if the game has no board; errors as for `record`."""
        path = self.path(name)
        key = (path, path.stat().st_mtime_ns, path.stat().st_size)
        with self._lock:
            known = self._thumbnails.get(key)
        if known is None:
            drawing = self._drawing(name)
            known = drawing.picture(drawing.last).svg if drawing.last >= 0 and drawing.has_board else ""
            with self._lock:
                self._thumbnails[key] = known
                while len(self._thumbnails) > _LISTED:
                    self._thumbnails.popitem(last=False)
        return known

    def _drawing(self, name: str) -> MatchDrawing:
        path = self.path(name)
        stat = path.stat()
        key = (path, stat.st_mtime_ns, stat.st_size, changed(values_path(path)))
        with self._lock:
            if key not in self._kept:
                record = record_of(self._document(path), path.name)
                kept, best = kept_rules(record, self._folder), best_moves_of(record, path)
                self._kept[key] = MatchDrawing(record, values=values_of(record, path), kept=kept, best=best)
                while len(self._kept) > _KEPT:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(key)
            return self._kept[key]

    def _document(self, path: Path) -> dict[str, Any]:
        require_text(path.name)
        if path.resolve().parent != self._folder.resolve():
            raise UserError(f"{path}: this file is outside of the folder")
        if path.stat().st_size > _MAX_BYTES:
            raise UserError(f"{path}: too large for a page; use 'ggp-agent records show'")
        return parse_document(read_bytes(path), path)


def _summed_up(document: dict[str, Any], path: Path) -> Document:
    summary: Summary = summary_of(document, path)
    fields = summary.document()
    return {key: fields[key] for key in ("match", "game", "players", "roles", "goals", "turns", "date", "state")} | {
        "name": path.name.removesuffix(SUFFIX),
        "title": title_of(summary.game, summary.match),
        "clocks": document["startClock"] + document["playClock"],
    }


def is_abandoned(changed_at: float, clocks: float) -> bool:
    """Return whether a match that is not over was abandoned: its record has not changed for a long time."""
    return time.time() - changed_at > _CLOCKS_WITHOUT_CHANGE * clocks + _SECONDS_WITHOUT_CHANGE


def _with_state(summary: Document, changed_at: float) -> Document:
    if summary["state"] == RUNNING and is_abandoned(changed_at, summary["clocks"]):
        return summary | {"state": ABANDONED}
    return summary

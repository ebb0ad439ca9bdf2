"""Find, summarise and filter match records."""

from __future__ import annotations

import datetime
import fnmatch
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..common.errors import UserError
from ..common.terminal_text import columns_of_terminal, fitted_table
from .match_record import ALL_GOALS, goal_lists
from .read_record import game_name, read_document, role_count
from .signing import Verdict, verify

SUFFIX = ".json"
# The suffixes of records in a folder; XML is read, but never written.
SUFFIXES = (SUFFIX, ".xml")
# The suffix of the values that an analysis stores next to a record.
VALUES_SUFFIX = ".values"
COMPLETE, ABORTED, RUNNING = "complete", "aborted", "running"

HEAD = ("match", "game", "players", "goals", "turns", "errors", "date", "state", "signature")

# Records in the message about an ambiguous name.
_NAMED = 3
_AGO = re.compile(r"([0-9]{1,6})([mhdw])")
_DATE = re.compile("[0-9-]+")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


@dataclass(frozen=True, slots=True)
class Summary:
    """The summary of one record."""

    match: str  # the identifier of the match
    game: str
    # The names of the roles, in the order of the rules; numbers if the record has no names. players, goals: the
    # players and goals, in the order of the rules; empty if the record has none.
    roles: tuple[str, ...]
    players: tuple[str, ...]
    goals: tuple[int | None, ...]
    turns: int
    errors: tuple[str, ...]  # all errors; each begins with its code
    started: int  # the start in milliseconds since 1970
    state: str  # `complete`, `aborted` or `running`; a match whose manager was killed also counts as `running`
    signature: Verdict
    file: Path

    @property
    def winner(self) -> int | None:
        """The number of the role with the highest goal; None if several roles have it, or the game has one role."""
        best = max((goal for goal in self.goals if goal is not None), default=None)
        return self.goals.index(best) if best is not None and self.goals.count(best) == 1 < len(self.goals) else None

    def document(self) -> dict[str, Any]:
        """Return the summary as a JSON document."""
        return {
            **asdict(self),
            "date": date_text(self.started),
            "signature": str(self.signature),
            "file": str(self.file),
        }

    def row(self) -> tuple[str, ...]:
        """Return a row of the table, with the columns of `HEAD`."""
        return (
            self.match,
            self.game,
            " ".join(self.players) or "-",
            " ".join("none" if goal is None else str(goal) for goal in self.goals) or "-",
            str(self.turns),
            str(len(self.errors)),
            date_text(self.started),
            self.state,
            str(self.signature),
        )


@dataclass(frozen=True, slots=True)
class Filter:
    """Conditions for records; None is no condition. Names may contain wildcards and are not case-sensitive."""

    game: str | None = None
    player: str | None = None
    since: int | None = None
    until: int | None = None
    state: str | None = None
    errors: str | None = None  # `any`, or the code of a required error
    won_by: str | None = None  # the player or role that alone has the highest goal
    signature: str | None = None

    def admits(self, summary: Summary) -> bool:
        """Return whether a record satisfies all conditions."""
        return (
            (self.game is None or _fits(self.game, [summary.game]))
            and (self.player is None or _fits(self.player, summary.players))
            and (self.since is None or summary.started >= self.since)
            and (self.until is None or summary.started <= self.until)
            and self.state in (None, summary.state)
            and self.signature in (None, summary.signature)
            and (self.errors is None or any(self.errors in ("any", error[:2]) for error in summary.errors))
            and (self.won_by is None or self._is_winner(summary))
        )

    def _is_winner(self, summary: Summary) -> bool:
        place = summary.winner
        if self.won_by is None or place is None:
            return False
        return _fits(self.won_by, [*summary.roles[place : place + 1], *summary.players[place : place + 1]])


def summary_of(document: dict[str, Any], path: Path) -> Summary:
    """Return the summary of a document from `read_document`."""
    goals = document.get("goalValues") or ()
    return Summary(
        match=document["matchId"],
        game=game_name(document),
        roles=role_names(document),
        players=tuple(document.get("playerNamesFromHost", ())),
        goals=tuple([max(values, default=None) for values in goal_lists(goals, document.get(ALL_GOALS))]),
        turns=len(document["moves"]),
        errors=tuple(error for errors in document.get("errors", ()) for error in errors if error),
        started=document["startTime"],
        state=state_of(document),
        signature=verify(document)[0],
        file=path,
    )


def role_names(document: dict[str, Any]) -> tuple[str, ...]:
    """Return the names of the roles, or their numbers if the document has no names."""
    return tuple(document.get("roleNames", ())) or tuple(str(number + 1) for number in range(role_count(document)))


def state_of(document: dict[str, Any]) -> str:
    """Return the state of a match: `complete`, `aborted` or `running`."""
    if document.get("isCompleted", bool(document.get("goalValues"))):
        return COMPLETE
    return ABORTED if document.get("isAborted", False) else RUNNING


def record_files(words: Sequence[str]) -> Iterator[tuple[Path, bool]]:
    """Yield the given files and the records in given folders, each with whether it was given itself.

    The records of a folder are the files that end with `.json` or `.xml`.
    """
    for word in words:
        path = Path(word)
        if path.is_dir():
            yield from ((each, False) for each in _records_in(path))
        elif path.exists():
            yield path, True
        else:
            raise UserError(f"{word}: there is no such file or folder")


def skipped_files(words: Sequence[str]) -> list[Path]:
    """Return the files and folders in given folders that `record_files` skips, sorted.

    Hidden files and the files of analyses, which belong to records, are not included.
    """
    skipped = []
    for path in map(Path, words):
        if path.is_dir():
            skipped += [
                each
                for each in path.iterdir()
                if not each.name.startswith(".") and (each.suffix not in (*SUFFIXES, VALUES_SUFFIX) or each.is_dir())
            ]
    return sorted(skipped)


def _records_in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.suffix in SUFFIXES and not path.is_dir())


def record_name(path: Path) -> str:
    """Return the name of the file of a record without its suffix."""
    return path.stem if path.suffix in SUFFIXES else path.name


def files_of_words(words: Sequence[str], folder: Path) -> Iterator[Path]:
    """Yield the paths of the records that the words (identifiers, files or folders) name."""
    for word in words:
        if Path(word).is_dir():
            yield from (path for path, _ in record_files([word]))
        else:
            yield find_record(word, folder)


def find_record(word: str, folder: Path) -> Path:
    """Return the file of a record, given by a path, or by an identifier of a match or its beginning."""
    if Path(word).is_file():
        return Path(word)
    if not folder.is_dir():
        raise UserError(f"{word!r}: no such file, and there is no folder {folder} with matches")
    files = _records_in(folder)
    found: dict[str, Path] = {}
    for path in files:
        if path.name.startswith(word):
            found.setdefault(record_name(path), path)
    if not found:
        found = dict(_by_identifier(word, files))
    if word in found:
        return found[word]
    if not found:
        raise UserError(
            f"{word!r}: no match in {folder} has this name or prefix; 'ggp-agent records {folder}' lists them"
        )
    if len(found) > 1:
        named = ", ".join(list(found)[:_NAMED]) + ", .." * (len(found) > _NAMED)
        raise UserError(f"{word!r}: {len(found)} matches have this prefix: {named}")
    return next(iter(found.values()))


def read_time(text: str, *, end: bool = False) -> int:
    """Parse a date, a time, or an age (`90m`, `12h`, `3d`, `2w`); return milliseconds since 1970."""
    try:
        if ago := _AGO.fullmatch(text):
            when = datetime.datetime.now() - datetime.timedelta(**{_UNITS[ago[2]]: int(ago[1])})
        else:
            when = datetime.datetime.fromisoformat(text)
            if end and _DATE.fullmatch(text):
                when += datetime.timedelta(days=1, milliseconds=-1)
        return int(1000 * when.timestamp())
    except (OverflowError, OSError) as error:
        raise ValueError(str(error)) from None


def date_text(milliseconds: int) -> str:
    """Return the local date and time of milliseconds since 1970; a question mark if 0 (unknown) or out of range."""
    if milliseconds == 0:
        return "?"
    try:
        return datetime.datetime.fromtimestamp(milliseconds / 1000).strftime("%Y-%m-%d %H:%M:%S")
    except (ValueError, OverflowError, OSError):
        return "?"


def list_text(summaries: Iterable[Summary]) -> str:
    """Return a table with one line per record; on a narrow terminal without the least important columns."""
    rows = [summary.row() for summary in summaries]
    signature, errors = HEAD.index("signature"), HEAD.index("errors")
    spare = [HEAD[place] for place, calm in ((signature, "none"), (errors, "0")) if all(r[place] == calm for r in rows)]
    spare += [name for name in ("game", "date", "signature") if name not in spare]
    text, left_out = fitted_table(HEAD, rows, ("turns", "errors"), columns_of_terminal(), spare)
    if left_out:
        text += f"\n(no room for: {', '.join(left_out)}; --csv prints all)"
    return text


def _by_identifier(word: str, files: Iterable[Path]) -> Iterator[tuple[str, Path]]:
    """Yield the records whose identifier begins with a word, with any file name."""
    for path in files:
        try:
            identifier = read_document(path)["matchId"]
        except UserError:
            continue
        if identifier.startswith(word):
            yield identifier, path


def _fits(pattern: str, names: Iterable[str]) -> bool:
    return any(fnmatch.fnmatchcase(name.lower(), pattern.lower()) for name in names)

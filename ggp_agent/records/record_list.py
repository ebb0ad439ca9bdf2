"""Many match records at a glance: found, summed up, filtered."""

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
COMPLETE, ABORTED, RUNNING = "complete", "aborted", "running"

HEAD = ("match", "game", "players", "goals", "turns", "errors", "date", "state", "signature")

# Records that an ambiguous name lists.
_NAMED = 3
_AGO = re.compile(r"([0-9]{1,6})([mhdw])")
_DATE = re.compile("[0-9-]+")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


@dataclass(frozen=True, slots=True)
class Summary:
    """Sum up one record.

    Attributes:
        match: its identifier.
        roles, players, goals: in the order of the rules; roles are numbers where the record does not name them, players
            and goals empty where it has none.
        errors: all that went wrong, each beginning with its code.
        started: milliseconds since 1970.
        state: `complete`, `aborted`, or `running`, which may also mean that the host was killed.
    """

    match: str
    game: str
    roles: tuple[str, ...]
    players: tuple[str, ...]
    goals: tuple[int | None, ...]
    turns: int
    errors: tuple[str, ...]
    started: int
    state: str
    signature: Verdict
    file: Path

    @property
    def winner(self) -> int | None:
        """The number of the role that has a higher goal than all others."""
        best = max((goal for goal in self.goals if goal is not None), default=None)
        return self.goals.index(best) if best is not None and self.goals.count(best) == 1 < len(self.goals) else None

    def document(self) -> dict[str, Any]:
        """Return all of it for JSON."""
        return {
            **asdict(self),
            "date": date_text(self.started),
            "signature": str(self.signature),
            "file": str(self.file),
        }

    def row(self) -> tuple[str, ...]:
        """Return the texts of a line of the table, as HEAD names them."""
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
    """Which records are wanted; None leaves a question open. Names may hold wildcards, in any case.

    Attributes:
        since, until: milliseconds since 1970, of the start.
        errors: `any`, or a code of which there must be one.
        won_by: a player or role that alone has the highest goal.
    """

    game: str | None = None
    player: str | None = None
    since: int | None = None
    until: int | None = None
    state: str | None = None
    errors: str | None = None
    won_by: str | None = None
    signature: str | None = None

    def admits(self, summary: Summary) -> bool:
        """Tell whether a record is wanted."""
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
    """Sum up a document that `read_document` returned."""
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
    """Return the names of the roles, or their numbers where the document has no names."""
    return tuple(document.get("roleNames", ())) or tuple(str(number + 1) for number in range(role_count(document)))


def state_of(document: dict[str, Any]) -> str:
    """Tell how far a match is."""
    if document.get("isCompleted", bool(document.get("goalValues"))):
        return COMPLETE
    return ABORTED if document.get("isAborted", False) else RUNNING


def record_files(words: Sequence[str]) -> Iterator[tuple[Path, bool]]:
    """Yield the files that files and folders name, and whether each was named itself.

    Raises:
        UserError: there is no such file or folder.
    """
    for word in words:
        path = Path(word)
        if path.is_dir():
            yield from ((each, False) for each in sorted(path.glob(f"*{SUFFIX}")))
        elif path.exists():
            yield path, True
        else:
            raise UserError(f"{word}: there is no such file or folder")


def find_record(word: str, folder: Path) -> Path:
    """Return the file of the record that a path, the identifier of a match or a beginning of one names.

    Raises:
        UserError: there is none, or there are several.
    """
    if Path(word).is_file():
        return Path(word)
    if not folder.is_dir():
        raise UserError(f"{word!r}: no such file, and no folder {folder} to look for a match of that name")
    files = sorted(folder.glob(f"*{SUFFIX}"))
    found = {path.name.removesuffix(SUFFIX): path for path in files if path.name.startswith(word)}
    if not found:
        found = dict(_by_identifier(word, files))
    if word in found:
        return found[word]
    if not found:
        raise UserError(
            f"{word!r}: no match in {folder} is called so or begins so; 'ggp-agent records {folder}' lists them"
        )
    if len(found) > 1:
        named = ", ".join(list(found)[:_NAMED]) + ", .." * (len(found) > _NAMED)
        raise UserError(f"{word!r}: {len(found)} matches begin so: {named}")
    return next(iter(found.values()))


def read_time(text: str, *, end: bool = False) -> int:
    """Return the milliseconds since 1970 of a date, a time, or how long ago it was (`90m`, `12h`, `3d`, `2w`).

    Args:
        text: what was typed.
        end: whether a date means the end of that day, not its beginning.

    Raises:
        ValueError: the text is none of these.
    """
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
    """Write a time since 1970 as people here do; a question mark where the calendar ends."""
    try:
        return datetime.datetime.fromtimestamp(milliseconds / 1000).strftime("%Y-%m-%d %H:%M:%S")
    except (ValueError, OverflowError, OSError):
        return "?"


def list_text(summaries: Iterable[Summary]) -> str:
    """Print a table, a line for each record; where the terminal is narrow, without what tells least."""
    rows = [summary.row() for summary in summaries]
    signature, errors = HEAD.index("signature"), HEAD.index("errors")
    spare = [HEAD[place] for place, calm in ((signature, "none"), (errors, "0")) if all(r[place] == calm for r in rows)]
    spare += [name for name in ("game", "date", "signature") if name not in spare]
    text, left_out = fitted_table(HEAD, rows, ("turns", "errors"), columns_of_terminal(), spare)
    if left_out:
        text += f"\n(no room for: {', '.join(left_out)}; --csv prints all)"
    return text


def _by_identifier(word: str, files: Iterable[Path]) -> Iterator[tuple[str, Path]]:
    """Yield the records whose identifier begins so, whatever their files are called."""
    for path in files:
        try:
            identifier = read_document(path)["matchId"]
        except UserError:
            continue
        if identifier.startswith(word):
            yield identifier, path


def _fits(pattern: str, names: Iterable[str]) -> bool:
    return any(fnmatch.fnmatchcase(name.lower(), pattern.lower()) for name in names)

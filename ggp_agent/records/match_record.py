"""The record of a match, in the JSON format that GGP-Base, Tiltyard and their viewers share."""

from __future__ import annotations

import json
import secrets
import string
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gdl.files import write_whole

if TYPE_CHECKING:
    from .signing import SigningKey

# What a person is called among the players.
PERSON = "person"

# Why a match was aborted, in the field of a record: it has as many turns as its limit allows.
STOP_REASON, TURN_LIMIT = "stopReason", "turn limit"

# The field for all goal values that hold at the end, where a role has none or several.
ALL_GOALS = "goalValuesByRole"

_ALPHANUMERICS = string.ascii_letters + string.digits


@dataclass
class MatchRecord:
    """All that happened in one match, up to its present state.

    `states`, `state_times` and `errors` have one entry per state; `moves` and `move_times` have one per joint move, so
    one less. `errors[k]` tells what went wrong on the way to state k (for state 0: at START), per role `""` or a text
    that begins with `TO` (too late), `CE` (no connection), `IN` (not understood) or `IL` (illegal).

    Attributes:
        match_id: one word, unique, fit for a file name.
        game: the name of the game; `game_address` tells its rules apart from others of that name.
        roles: in the order of the sheet; joint moves, goals, players and errors follow it.
        players: what plays each role, as the host calls it.
        start_clock, play_clock: seconds.
        started: milliseconds since 1970.
        states: fluents of each state.
        move_times: milliseconds that each role took for each joint move.
        goals: goal value of each role, None where the rules give none or several; empty until the match is completed.
            `scores` has what counts.
        extra: fields of a document that was read, of which this class knows nothing; they are written again.
        key: signs the document each time it is made; None leaves it unsigned.

    A record that was read may lack the names of roles and players, and the times and errors: they are empty then.
    """

    match_id: str
    game: str
    game_address: str
    roles: tuple[str, ...]
    players: tuple[str, ...]
    start_clock: float
    play_clock: float
    random_token: str = field(default_factory=lambda: "".join(secrets.choice(_ALPHANUMERICS) for _ in range(32)))
    started: int = field(default_factory=lambda: now_ms())
    states: list[list[str]] = field(default_factory=list)
    state_times: list[int] = field(default_factory=list)
    moves: list[list[str]] = field(default_factory=list)
    move_times: list[list[int]] = field(default_factory=list)
    errors: list[list[str]] = field(default_factory=list)
    goals: list[int | None] = field(default_factory=list)
    completed: bool = False
    aborted: bool = False
    extra: dict[str, Any] = field(default_factory=dict)
    key: SigningKey | None = field(default=None, repr=False)

    def append_state(self, fluents: Sequence[str], errors: Sequence[str]) -> None:
        """Add the present state and what went wrong on the way to it."""
        self.states.append(list(fluents))
        self.state_times.append(max([now_ms(), *self.state_times[-1:]]))  # the clock of a machine may jump back
        self.errors.append(list(errors))

    def append_moves(self, moves: Sequence[str], seconds: Sequence[float]) -> None:
        """Add a joint move and the time each role took for it."""
        self.moves.append(list(moves))
        self.move_times.append([round(1000 * each) for each in seconds])

    def complete(self, values: Sequence[Sequence[int]]) -> None:
        """Mark the match as completed.

        Args:
            values: of each role all goal values that hold. They are kept where a role has not exactly one.
        """
        self.goals = [each[0] if len(each) == 1 else None for each in values]
        if None in self.goals:
            self.extra[ALL_GOALS] = [list(each) for each in values]
        self.completed = True

    @property
    def all_goals(self) -> list[list[int]]:
        """All goal values of each role in the terminal state; empty until the match is completed."""
        written: Any = self.extra.get(ALL_GOALS)
        if _are_goal_lists(written, len(self.goals)):
            return [list(each) for each in written]
        return [[] if goal is None else [goal] for goal in self.goals]

    @property
    def scores(self) -> list[int | None]:
        """The highest goal value of each role, None where none holds; empty until the match is completed.

        Game managers of the competitions counted the highest of several values.
        """
        return [max(values, default=None) for values in self.all_goals]

    def stop_at_turn_limit(self) -> None:
        """Mark the match as aborted because of its turn limit; it has no goals."""
        self.aborted = True
        self.extra[STOP_REASON] = TURN_LIMIT

    @property
    def is_stopped_at_turn_limit(self) -> bool:
        """Whether the match was aborted because of its turn limit."""
        return self.aborted and self.extra.get(STOP_REASON) == TURN_LIMIT

    def document(self) -> dict[str, Any]:
        """Return the record as a JSON document.

        >>> record = MatchRecord("m.1", "g", "ggp-agent:g", ("r",), ("legal",), 1, 0.5)
        >>> record.append_state(["(at 1)", "(free 2)"], [""])
        >>> record.document()["states"], record.document()["playClock"]
        (['( (at 1) (free 2) )'], 0.5)
        """
        document: dict[str, Any] = {
            "matchId": self.match_id,
            "randomToken": self.random_token,
            "startTime": self.started,
            "gameMetaURL": self.game_address,
            "gameName": self.game,
            "roleNames": list(self.roles),
            "playerNamesFromHost": list(self.players),
            "isPlayerHuman": [player == PERSON for player in self.players],
            "startClock": _number(self.start_clock),
            "playClock": _number(self.play_clock),
            "previewClock": -1,
            "scrambled": False,
            "states": [" ".join(("(", *fluents, ")")) for fluents in self.states],
            "stateTimes": self.state_times,
            "moves": self.moves,
            "moveTimes": self.move_times,
            "errors": self.errors,
            "isCompleted": self.completed,
            "isAborted": self.aborted,
        }
        if self.completed:
            document["goalValues"] = self.goals
        document.update(self.extra)
        return document if self.key is None else self.key.sign(document)

    def data(self) -> bytes:
        """Return the record as it is written, JSON in UTF-8."""
        text = json.dumps(self.document(), ensure_ascii=False, indent=1) + "\n"
        return text.encode(errors="replace")

    def write(self, path: Path) -> None:
        """Write the record to a file, as a whole or not at all.

        Raises:
            OSError: the file cannot be written.
        """
        write_whole(path, self.data())


def _are_goal_lists(value: Any, roles: int) -> bool:
    if not isinstance(value, list) or len(value) != roles:
        return False
    return all(isinstance(each, list) and all(type(one) is int and 0 <= one <= 100 for one in each) for each in value)


def new_match_id(game: str) -> str:
    """Make the identifier of a new match: one word that begins with the name of the game."""
    return f"{game}.{now_ms()}.{secrets.token_hex(2)}"


def now_ms() -> int:
    """Return the time in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def _number(seconds: float) -> int | float:
    return int(seconds) if float(seconds).is_integer() else seconds

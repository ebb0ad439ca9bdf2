"""The record of a match, in the JSON format of GGP-Base, Tiltyard and their viewers."""

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

from .record_terms import split_state

if TYPE_CHECKING:
    from .signing import SigningKey

# The name of a human player.
PERSON = "person"

# The field for the reason of the end of a match before its terminal state, and its values. A match that was stopped by
# its turn limit is aborted; an adjudicated match is completed, because its players agreed on the goals, or because a
# player failed. The field `ADJUDICATED` has the details; `by` is `FORFEIT` if a player failed.
STOP_REASON, TURN_LIMIT, ADJUDICATED, FORFEIT = "stopReason", "turn limit", "adjudication", "forfeit"

# The field of the last state as KIF, in a record that has no other states.
FINAL_STATE = "finalState"

# The field for all goal values of the terminal state, if a role has none or several.
ALL_GOALS = "goalValuesByRole"

_ALPHANUMERICS = string.ascii_letters + string.digits


@dataclass
class MatchRecord:
    """The record of one match, up to its current state.

    `states`, `state_times` and `errors` have one entry per state; `moves` and `move_times` have one entry per joint
    move, so one less. `errors[k]` contains the errors before state k (for state 0: at START). It has one text per role:
    `""`, or a text that begins with `TO` (too late), `CE` (no connection), `IN` (invalid answer) or `IL` (illegal).
    If a record that was read has no names of roles or players, times or errors, they are empty.
    """

    match_id: str  # the unique identifier; one word that is also a valid file name
    game: str  # the name of the game
    game_address: str  # the address of the rules, which distinguishes games of the same name
    # The roles in the order of the sheet, which is the order of joint moves, goals, players and errors.
    roles: tuple[str, ...]
    # The player of each role, as named by the manager. start_clock, play_clock: the clocks in seconds.
    players: tuple[str, ...]
    start_clock: float
    play_clock: float
    random_token: str = field(default_factory=lambda: "".join(secrets.choice(_ALPHANUMERICS) for _ in range(32)))
    started: int = field(default_factory=lambda: now_ms())  # the start of the match in milliseconds since 1970
    states: list[list[str]] = field(default_factory=list)  # the fluents of each state
    state_times: list[int] = field(default_factory=list)
    moves: list[list[str]] = field(default_factory=list)
    # The time of each role for each joint move in milliseconds.
    move_times: list[list[int]] = field(default_factory=list)
    errors: list[list[str]] = field(default_factory=list)
    # The percepts of each role in each joint move; empty if the rules have no percepts.
    percepts: list[list[list[str]]] = field(default_factory=list)
    # The goal of each role, None if the rules give none or several; empty until the match is completed. See also
    # `scores`.
    goals: list[int | None] = field(default_factory=list)
    completed: bool = False
    aborted: bool = False
    # Other fields of a document that was read; they are written again.
    extra: dict[str, Any] = field(default_factory=dict)
    key: SigningKey | None = field(default=None, repr=False)  # the key that signs the document; None leaves it unsigned

    def append_state(self, fluents: Sequence[str], errors: Sequence[str]) -> None:
        """Add the current state, and the errors of the turn before it."""
        self.states.append(list(fluents))
        self.state_times.append(max([now_ms(), *self.state_times[-1:]]))  # the wall clock may jump back
        self.errors.append(list(errors))

    def append_moves(self, moves: Sequence[str], seconds: Sequence[float]) -> None:
        """Add a joint move and the time each role took for it."""
        self.moves.append(list(moves))
        self.move_times.append([round(1000 * each) for each in seconds])

    def complete(self, values: Sequence[Sequence[int]]) -> None:
        """Mark the match as completed."""
        self.goals = [each[0] if len(each) == 1 else None for each in values]
        if None in self.goals:
            self.extra[ALL_GOALS] = [list(each) for each in values]
        self.completed = True

    @property
    def all_goals(self) -> list[list[int]]:
        """All goal values of each role in the terminal state; empty until the match is completed."""
        return goal_lists(self.goals, self.extra.get(ALL_GOALS))

    @property
    def scores(self) -> list[int | None]:
        """The highest goal value of each role, None without a goal; empty until the match is completed.

        In the competitions, game managers counted the highest of several values.
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

    @property
    def is_adjudicated(self) -> bool:
        """Whether the match was completed with other goals than the goals of a terminal state."""
        return self.completed and self.extra.get(STOP_REASON) == ADJUDICATED

    @property
    def is_forfeited(self) -> bool:
        """Whether the match was adjudicated because a player failed."""
        reason = self.extra.get(ADJUDICATED)
        return self.is_adjudicated and isinstance(reason, dict) and reason.get("by") == FORFEIT

    @property
    def final_state(self) -> list[str] | None:
        """The fluents of the last state, if the record has moves but only this state; else None."""
        text = self.extra.get(FINAL_STATE)
        return split_state(text) if isinstance(text, str) and not self.states else None

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
        if self.percepts:
            document["percepts"] = self.percepts
        if self.completed:
            document["goalValues"] = self.goals
        document.update(self.extra)
        return document if self.key is None else self.key.sign(document)

    def data(self) -> bytes:
        """Return the record as JSON in UTF-8."""
        text = json.dumps(self.document(), ensure_ascii=False, indent=1) + "\n"
        return text.encode(errors="replace")

    def write(self, path: Path) -> None:
        """Write the record to a file, completely or not at all."""
        write_whole(path, self.data())


def goal_lists(goals: Sequence[int | None], written: Any) -> list[list[int]]:
    """Return all goal values of each role in a record.

    >>> goal_lists([None, 40], [[0, 100], [40]]), goal_lists([None, 40], None)
    ([[0, 100], [40]], [[], [40]])
    """
    if _are_goal_lists(written, len(goals)):
        return [list(each) for each in written]
    return [[] if goal is None else [goal] for goal in goals]


def _are_goal_lists(value: Any, roles: int) -> bool:
    if not isinstance(value, list) or len(value) != roles:
        return False
    return all(isinstance(each, list) and all(type(one) is int and 0 <= one <= 100 for one in each) for each in value)


def new_match_id(game: str, token: str = "") -> str:
    """Return an identifier for a new match: one word that begins with the name of the game."""
    return f"{game}.{now_ms()}.{token or secrets.token_hex(2)}"


def now_ms() -> int:
    """Return the time in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def _number(seconds: float) -> int | float:
    return int(seconds) if float(seconds).is_integer() else seconds

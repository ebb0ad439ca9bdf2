"""The conditions of a match besides its two clocks, as stored in the record, and random moves for failing players."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..common.errors import UserError
from ..protocol.clocks import LARGEST_MAX_TURNS, MAX_CLOCK, MAX_TURNS
from ..protocol.dialects import DIALECTS, GGP_BASE, Dialect
from ..protocol.messages import NUMBERED, PERCEPT_FORMS
from ..records.match_record import MatchRecord
from .seats import SeatMove

# The rules; the first one is the default of new matches. Matches of older versions have the rule `random`.
LOSE, RANDOM, STOP = "lose", "random", "stop"
ON_ERROR = (LOSE, RANDOM, STOP)

# The number of drawn moves in a row after which a player fails.
MAX_DRAWN = 3
# The field of the record with the number of drawn moves of each role.
DRAWN = "drawnMoves"


class PlayerFailedError(UserError):
    """A player failed, and the rule is `stop`; the message names the player."""


class DrawnMoves:
    """Count the drawn moves of a match in its record, and decide which players fail, by the rule `on_error`.

    A drawn move is a random move that replaces a missing or invalid one. A player *fails* when a move was drawn for it
    `MAX_DRAWN` times in a row, or in every turn of a match that is over. A legal answer in a turn with one legal move
    does not interrupt a row, because such an answer needs no player of the game. With `lose` the match is adjudicated:
    the player gets 0 and the other players share 100.
    """

    def __init__(self, rule: str, record: MatchRecord) -> None:
        self._rule = rule
        self._record = record
        self._rows = [0] * len(record.roles)
        self._has_moved = [any(not error for error in column) for column in _columns(record)]

    def failed(self, moves: Sequence[SeatMove], *, is_over: bool) -> list[int]:
        """Count the moves of a recorded turn; return the roles whose players fail, none with `random`."""
        if any(move.error for move in moves):
            self._record.extra[DRAWN] = drawn_moves(self._record)
        for role, move in enumerate(moves):
            if move.error:
                self._rows[role] += 1
            elif move.has_choice:
                self._rows[role], self._has_moved[role] = 0, True
        if self._rule == RANDOM:
            return []
        return [
            role
            for role, row in enumerate(self._rows)
            if row >= MAX_DRAWN or (is_over and row and not self._has_moved[role])
        ]

    def description(self, role: int) -> str:
        """Describe the failure of a role."""
        row = self._rows[role]
        return f"{'no legal move in 1 turn' if row == 1 else f'no legal move in {row} turns in a row'}"


def drawn_moves(record: MatchRecord) -> list[int]:
    """Return the number of drawn moves of each role."""
    return [sum(map(bool, column)) for column in _columns(record)]


def goals_of_forfeit(losers: Collection[int], players: Sequence[int], roles: int) -> tuple[int | None, ...]:
    """Return the goals after some players failed: 0 for them, equal shares of 100, rounded down, for the others.

    >>> goals_of_forfeit([1], [0, 1], 2), goals_of_forfeit([0], [0, 2, 3, 4], 5), goals_of_forfeit([0], [0], 1)
    ((100, 0), (0, None, 33, 33, 33), (0,))
    """
    others = len(players) - len(losers)
    return tuple(None if role not in players else 0 if role in losers else 100 // others for role in range(roles))


def _columns(record: MatchRecord) -> list[tuple[str, ...]]:
    """Return the errors of each role in the turns of a record."""
    return list(zip(*record.errors[1:], strict=True)) or [()] * len(record.roles)


# Seconds after a clock in which a reply is still accepted; the value of GGP-Base's server.
TOLERANCE = 1.0

# Fields of the record; GGP-Base has the first two.
_PREVIEW, _SCRAMBLED = "previewClock", "scrambled"
_SEED, _TOLERANCE, _START_CLOCKS, _PLAY_CLOCKS = "scrambleSeed", "tolerance", "startClocks", "playClocks"
_DIALECT, _MAX_TURNS, _PERCEPT_FORM, _ON_ERROR = "dialect", "maxTurns", "perceptForm", "onError"
# The values of the fields with words, and the values that are not stored.
_WORDS: dict[str, Collection[str]] = {_DIALECT: DIALECTS, _PERCEPT_FORM: PERCEPT_FORMS, _ON_ERROR: ON_ERROR}
_USUAL = {_TOLERANCE: TOLERANCE, _DIALECT: GGP_BASE.name, _PERCEPT_FORM: NUMBERED, _ON_ERROR: RANDOM}
# Characters of an invalid value in messages.
_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Conditions:
    """The conditions of a match."""

    tolerance: float = TOLERANCE  # seconds after each clock in which a reply is still accepted
    preview_clock: float | None = None  # seconds between PREVIEW and START; None sends no PREVIEW
    # The seed of scrambled names; None sends the names of the rule sheet. start_clocks, play_clocks: clocks in
    # seconds, one per role; empty if all roles have the clocks of the record.
    scramble_seed: int | None = None
    start_clocks: tuple[float, ...] = ()
    play_clocks: tuple[float, ...] = ()
    dialect: Dialect = GGP_BASE  # the format of the requests
    max_turns: int = MAX_TURNS  # the turn limit, 1 .. `LARGEST_MAX_TURNS`
    percept_form: str = NUMBERED  # the form of PLAY and STOP in a game with percepts, one of `PERCEPT_FORMS`
    on_error: str = RANDOM  # the consequence of drawn moves, one of `ON_ERROR`

    def write(self, record: MatchRecord) -> None:
        """Store the conditions in a record."""
        preview = self.preview_clock
        given: dict[str, Any] = {
            _TOLERANCE: self.tolerance,
            _PREVIEW: None if preview is None else _number(preview),
            _SEED: self.scramble_seed,
            _DIALECT: self.dialect.name,
            _PERCEPT_FORM: self.percept_form,
            _ON_ERROR: self.on_error,
            _START_CLOCKS: list(map(_number, self.start_clocks)),
            _PLAY_CLOCKS: list(map(_number, self.play_clocks)),
        }
        record.extra |= {_SCRAMBLED: self.scramble_seed is not None, _MAX_TURNS: self.max_turns}
        record.extra |= {name: each for name, each in given.items() if each not in (None, [], _USUAL.get(name))}

    @classmethod
    def read(cls, record: MatchRecord) -> Conditions:
        """Read the conditions of a record.

        >>> from ggp_agent.protocol.dialects import DRESDEN
        >>> record = MatchRecord("m.1", "g", "ggp-agent:g", ("a", "b"), ("legal", "legal"), 1, 5)
        >>> conditions = Conditions(preview_clock=2, scramble_seed=7, play_clocks=(5, 1), dialect=DRESDEN, max_turns=9)
        >>> conditions.write(record)
        >>> Conditions.read(record) == conditions
        True
        """
        fields = record.extra
        preview, scrambled, seed = fields.get(_PREVIEW, -1), fields.get(_SCRAMBLED, False), fields.get(_SEED)
        if not isinstance(scrambled, bool):
            raise ValueError(f"{_SCRAMBLED} must be true or false")
        if scrambled and (isinstance(seed, bool) or not isinstance(seed, int)):
            raise ValueError(f"the names were scrambled, but {_SEED} is missing")
        max_turns = fields.get(_MAX_TURNS, MAX_TURNS)
        if type(max_turns) is not int or not 1 <= max_turns <= LARGEST_MAX_TURNS:
            shown = str(max_turns)[:_SHOWN]
            raise ValueError(f"{_MAX_TURNS}: {shown} is not a whole number 1 .. {LARGEST_MAX_TURNS:,}")
        roles = len(record.roles)
        return cls(
            tolerance=_clock(_TOLERANCE, fields.get(_TOLERANCE, TOLERANCE)),
            preview_clock=None if preview == -1 else _clock(_PREVIEW, preview),
            scramble_seed=seed if scrambled else None,
            start_clocks=_clocks(_START_CLOCKS, fields.get(_START_CLOCKS, []), roles),
            play_clocks=_clocks(_PLAY_CLOCKS, fields.get(_PLAY_CLOCKS, []), roles),
            dialect=DIALECTS[_word(_DIALECT, fields)],
            max_turns=max_turns,
            percept_form=_word(_PERCEPT_FORM, fields),
            on_error=_word(_ON_ERROR, fields),
        )


def clock_of(clocks: Sequence[float], index: int, common: float) -> float:
    """Return the clock of a role: its own clock, or the common one."""
    return clocks[index] if clocks else common


def require_clocks(record: MatchRecord) -> None:
    """Check the two clocks of a record; raise ValueError if one is invalid."""
    _clock("startClock", record.start_clock)
    _clock("playClock", record.play_clock)


def _word(name: str, fields: Mapping[str, Any]) -> str:
    value = fields.get(name, _USUAL[name])
    if not isinstance(value, str) or value not in _WORDS[name]:
        raise ValueError(f"{name} must be {' or '.join(_WORDS[name])}, not {repr(value)[:_SHOWN]}")
    return value


def _clocks(name: str, values: Any, roles: int) -> tuple[float, ...]:
    if not isinstance(values, list) or len(values) not in (0, roles):
        raise ValueError(f"{name} must have one clock for each role")
    return tuple(_clock(name, value) for value in values)


def _clock(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MAX_CLOCK:
        raise ValueError(f"{name}: {str(value)[:_SHOWN]} is not a number of seconds 0 .. {MAX_CLOCK:,.0f}")
    return float(value)


def _number(seconds: float) -> int | float:
    return int(seconds) if float(seconds).is_integer() else seconds

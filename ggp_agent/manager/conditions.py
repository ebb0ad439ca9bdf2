"""The conditions of a match besides its two clocks, as stored in the record."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..protocol.clocks import LARGEST_MAX_TURNS, MAX_CLOCK, MAX_TURNS
from ..protocol.dialects import DIALECTS, GGP_BASE, Dialect
from ..protocol.messages import NUMBERED, PERCEPT_FORMS
from ..records.match_record import MatchRecord
from .drawn_moves import ON_ERROR, RANDOM

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

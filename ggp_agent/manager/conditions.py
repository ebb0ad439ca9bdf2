"""The conditions of a match beyond its two clocks, as the record keeps them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..protocol.clocks import LARGEST_MAX_TURNS, LONGEST_CLOCK, MAX_TURNS
from ..protocol.dialects import DIALECTS, GGP_BASE, Dialect
from ..records.match_record import MatchRecord

# Seconds beyond a clock in which a reply still counts, as GGP-Base's server has it.
TOLERANCE = 1.0

# Fields of the record; the first two are those of GGP-Base.
_PREVIEW, _SCRAMBLED = "previewClock", "scrambled"
_SEED, _TOLERANCE, _START_CLOCKS, _PLAY_CLOCKS = "scrambleSeed", "tolerance", "startClocks", "playClocks"
_DIALECT, _MAX_TURNS = "dialect", "maxTurns"
# Characters of a value that makes no sense, in messages.
_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Conditions:
    """How a match is hosted.

    Attributes:
        tolerance: seconds beyond each clock in which a reply still counts.
        preview_clock: seconds for which the players see the rules before START; None for none.
        scramble_seed: of the names in which each player is told of the game; None where all see those of the sheet.
        start_clocks, play_clocks: seconds, one entry per role; empty where all have those of the record.
        dialect: how the requests are written.
        max_turns: the match is stopped after this number of turns if the game is not over, 1 .. `LARGEST_MAX_TURNS`.
    """

    tolerance: float = TOLERANCE
    preview_clock: float | None = None
    scramble_seed: int | None = None
    start_clocks: tuple[float, ...] = ()
    play_clocks: tuple[float, ...] = ()
    dialect: Dialect = GGP_BASE
    max_turns: int = MAX_TURNS

    def write(self, record: MatchRecord) -> None:
        """Keep the conditions in a record."""
        fields: dict[str, Any] = {_SCRAMBLED: self.scramble_seed is not None, _MAX_TURNS: self.max_turns}
        if self.tolerance != TOLERANCE:
            fields[_TOLERANCE] = self.tolerance
        if self.preview_clock is not None:
            fields[_PREVIEW] = _number(self.preview_clock)
        if self.scramble_seed is not None:
            fields[_SEED] = self.scramble_seed
        if self.dialect != GGP_BASE:
            fields[_DIALECT] = self.dialect.name
        for name, clocks in ((_START_CLOCKS, self.start_clocks), (_PLAY_CLOCKS, self.play_clocks)):
            if clocks:
                fields[name] = [_number(clock) for clock in clocks]
        record.extra.update(fields)

    @classmethod
    def read(cls, record: MatchRecord) -> Conditions:
        """Take the conditions from a record.

        >>> from ggp_agent.protocol.dialects import DRESDEN
        >>> record = MatchRecord("m.1", "g", "ggp-agent:g", ("a", "b"), ("legal", "legal"), 1, 5)
        >>> conditions = Conditions(preview_clock=2, scramble_seed=7, play_clocks=(5, 1), dialect=DRESDEN, max_turns=9)
        >>> conditions.write(record)
        >>> Conditions.read(record) == conditions
        True

        Raises:
            ValueError: a field makes no sense.
        """
        fields = record.extra
        preview, scrambled, seed = fields.get(_PREVIEW, -1), fields.get(_SCRAMBLED, False), fields.get(_SEED)
        if not isinstance(scrambled, bool):
            raise ValueError(f"{_SCRAMBLED} must be true or false")
        if scrambled and (isinstance(seed, bool) or not isinstance(seed, int)):
            raise ValueError(f"the names were scrambled, and there is no {_SEED} to tell how")
        dialect = fields.get(_DIALECT, GGP_BASE.name)
        if not isinstance(dialect, str) or dialect not in DIALECTS:
            raise ValueError(f"{_DIALECT} must be {' or '.join(DIALECTS)}, not {repr(dialect)[:_SHOWN]}")
        max_turns = fields.get(_MAX_TURNS, MAX_TURNS)
        if type(max_turns) is not int or not 1 <= max_turns <= LARGEST_MAX_TURNS:
            shown = str(max_turns)[:_SHOWN]
            raise ValueError(f"{_MAX_TURNS}: {shown} is no whole number 1 .. {LARGEST_MAX_TURNS:,}")
        roles = len(record.roles)
        return cls(
            tolerance=_clock(_TOLERANCE, fields.get(_TOLERANCE, TOLERANCE)),
            preview_clock=None if preview == -1 else _clock(_PREVIEW, preview),
            scramble_seed=seed if scrambled else None,
            start_clocks=_clocks(_START_CLOCKS, fields.get(_START_CLOCKS, []), roles),
            play_clocks=_clocks(_PLAY_CLOCKS, fields.get(_PLAY_CLOCKS, []), roles),
            dialect=DIALECTS[dialect],
            max_turns=max_turns,
        )


def clock_of(clocks: Sequence[float], index: int, common: float) -> float:
    """Return the clock of a role: its own, or the one that all have."""
    return clocks[index] if clocks else common


def require_clocks(record: MatchRecord) -> None:
    """Raise ValueError for a record in which one of the two clocks is no number of seconds."""
    _clock("startClock", record.start_clock)
    _clock("playClock", record.play_clock)


def _clocks(name: str, values: Any, roles: int) -> tuple[float, ...]:
    if not isinstance(values, list) or len(values) not in (0, roles):
        raise ValueError(f"{name} must have one clock for each role")
    return tuple(_clock(name, value) for value in values)


def _clock(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= LONGEST_CLOCK:
        raise ValueError(f"{name}: {str(value)[:_SHOWN]} is no number of seconds 0 .. {LONGEST_CLOCK:,.0f}")
    return float(value)


def _number(seconds: float) -> int | float:
    return int(seconds) if float(seconds).is_integer() else seconds

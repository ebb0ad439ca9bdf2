"""From the record of a match that broke off to the state in which it goes on."""

from __future__ import annotations

import re

from gdl import State, StateMachine

from ..errors import UserError
from ..records.match_record import MatchRecord
from ..records.played_turns import turns_of
from .conditions import require_clocks

# What a match may be called: one word of a message, and fit for a file name.
_WORD = re.compile(r"[^\s()\";|?*/\\]{1,200}")
# Milliseconds since 1970, up to the year 10000.
_LAST_MOMENT = 253_402_300_800_000


def require_resumable(record: MatchRecord, source: object) -> None:
    """Refuse the record of a match that cannot go on, whatever its rules say; `last_state` holds it against these.

    Raises:
        UserError: the match is over, or a field makes no sense; one line that begins with the source.
    """
    if record.completed:
        raise UserError(f"{source}: this match is over; there is nothing to resume")
    name = record.match_id
    if not (name.isascii() and name.isprintable() and _WORD.fullmatch(name)):
        raise UserError(f"{source}: matchId {name[:40]!r} is not one word; such a match cannot be resumed")
    for field, values in (("roleNames", record.roles), ("playerNamesFromHost", record.players)):
        if not values or len(values) != len(record.roles):
            raise UserError(f"{source}: {field} must name one for each role; such a match cannot be resumed")
    try:
        require_clocks(record)
    except ValueError as error:
        raise UserError(f"{source}: {error}") from None
    times = [record.started, *record.state_times]
    if not all(0 <= time < _LAST_MOMENT for time in times) or record.state_times != sorted(record.state_times):
        raise UserError(f"{source}: startTime and stateTimes are no moments one after the other")
    if any(time < 0 for taken in record.move_times for time in taken):
        raise UserError(f"{source}: moveTimes must not be below 0")


def last_state(record: MatchRecord, machine: StateMachine) -> State:
    """Return the state that a match has come to, after holding all of its record against the rules.

    Raises:
        UserError: the record is not one that a match can go on from; one line that begins with the match.
    """
    name = record.match_id
    if record.roles != machine.roles:
        raise UserError(
            f"{name}: its roles are {', '.join(record.roles)}, those of the rules {', '.join(machine.roles)}"
        )
    turns = turns_of(record, machine, name)
    states = [machine.initial(), *(turn.state for turn in turns)]
    complete = len(record.states) == len(record.state_times) == len(record.errors) == len(states)
    if not complete or len(record.move_times) != len(turns):
        raise UserError(f"{name}: the record lacks states, times or errors; only what 'match' wrote can be resumed")
    for number, (state, fluents) in enumerate(zip(states, record.states, strict=True)):
        if machine.fluents(state) != sorted(fluents):
            raise UserError(f"{name}: state {number} of the record is not what the rules say")
    return states[-1]
